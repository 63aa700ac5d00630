// Text: measured exactly, cut with an ellipsis, and never silent about a byte it does not know.
#include "picture/text.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

const Font* const kFonts[] = {&kCaption13, &kCaption21, &kBody18,  &kBody25,    &kValue28,
                              &kValue34,   &kValue42,   &kTitle64, &kNumeral84, &kNumeral128};

struct Sheet {
  Sheet()
      : pixels(2048 * 160 / 8, 0xFFFFFFFFu), canvas(reinterpret_cast<uint8_t*>(pixels.data()), {2048, 160}) {}
  int rightmost() const {
    for (int x = 2047; x >= 0; --x) {
      for (int y = 0; y < 160; ++y) {
        if (canvas.is_black(x, y)) return x;
      }
    }
    return -1;
  }
  std::vector<uint32_t> pixels;
  Canvas canvas;
};

}  // namespace

TEST_CASE("an unknown byte draws a visible box, never nothing (B5)") {
  for (const Font* font : kFonts) {
    for (const int byte : {0x01, 0x0A, 0x1F, 0x7F, 0x80, 0xC3, 0xFF}) {
      const Glyph& glyph = font->glyph(static_cast<char>(byte));
      CHECK(&glyph == &font->glyphs[font->box]);
      CHECK(glyph.width > 2);
      CHECK(glyph.height == font->capital);
    }
    Sheet sheet;
    draw_text(sheet.canvas, *font, "\xFF", 10, 130);
    CHECK(sheet.rightmost() > 12);
  }
}

TEST_CASE("a character that a numeral cut lacks draws the box as well") {
  CHECK(&kNumeral128.glyph('A') == &kNumeral128.glyphs[kNumeral128.box]);
  CHECK(&kNumeral128.glyph('7') != &kNumeral128.glyphs[kNumeral128.box]);
}

TEST_CASE("every printable character but the space has ink, and no two of them look alike") {
  for (const Font* font : {&kCaption21, &kBody25, &kValue42}) {
    for (int a = 0x21; a <= 0x7E; ++a) {
      const Glyph& one = font->glyph(static_cast<char>(a));
      REQUIRE(one.width > 0);
      for (int b = a + 1; b <= 0x7E; ++b) {
        const Glyph& other = font->glyph(static_cast<char>(b));
        if (one.width != other.width || one.height != other.height || one.top != other.top) continue;
        const size_t bytes = static_cast<size_t>((one.width + 7) / 8) * one.height;
        REQUIRE_MESSAGE(std::memcmp(font->bits + one.offset, font->bits + other.offset, bytes) != 0,
                        std::string(1, static_cast<char>(a))
                            << " and " << std::string(1, static_cast<char>(b)));
      }
    }
  }
}

TEST_CASE("all digits of a font are equally wide, so that a number keeps its place") {
  for (const Font* font : kFonts) {
    for (char digit = '1'; digit <= '9'; ++digit)
      CHECK(font->glyph(digit).advance == font->glyph('0').advance);
  }
}

TEST_CASE("a text is as wide as it was measured") {
  Dice dice(31);
  for (int i = 0; i < 300; ++i) {
    const Font& font = *kFonts[dice.within(0, 7)];
    char words[24];
    text(dice, words, "abcdefghijklmnopqrstuvwxyz ABC 0123456789.,/%");
    Sheet sheet;
    const int end = draw_text(sheet.canvas, font, words, 40, 120);
    CHECK(end == 40 + text_width(font, words));
    // Ink may lean a little over the last pen position, no further.
    CHECK(sheet.rightmost() <= end + 4);
  }
}

TEST_CASE("a text that is too long gets an ellipsis and fits") {
  Dice dice(32);
  for (int i = 0; i < 2000; ++i) {
    const Font& font = *kFonts[dice.within(0, 7)];
    char words[64];
    text(dice, words, "abcdefgh WM.0123456789");
    const int width = static_cast<int>(dice.within(0, 900));
    const Fitted fitted = fit_text(font, words, width);
    CHECK(fitted.width <= width);
    if (text_width(font, words) <= width) {
      CHECK(!fitted.ellipsis);
      CHECK(fitted.length == static_cast<int>(std::strlen(words)));
    } else if (width >= text_width(font, "...")) {
      CHECK(fitted.ellipsis);
      CHECK(fitted.length < static_cast<int>(std::strlen(words)));
      // As much as fits: one character more would not.
      int more = fitted.length;
      while (words[more] == ' ') ++more;
      CHECK(text_width(font, words, more + 1) + text_width(font, "...") > width);
    } else {
      CHECK(fitted.length == 0);
      CHECK(!fitted.ellipsis);
    }
  }
}
