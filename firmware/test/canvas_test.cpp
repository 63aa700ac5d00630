// The canvas: words give the same pixels as one pixel at a time, and the clip holds.
#include "picture/canvas.h"

#include <doctest/doctest.h>

#include <vector>

#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

struct Sheet {
  explicit Sheet(uint32_t paint)
      : pixels(64 * 40 / 8, paint), canvas(reinterpret_cast<uint8_t*>(pixels.data()), {64, 40}) {}
  std::vector<uint32_t> pixels;
  Canvas canvas;
};

}  // namespace

TEST_CASE("a fill touches its rectangle within the clip and nothing else, in every ink") {
  Dice dice(21);
  for (int i = 0; i < 3000; ++i) {
    Sheet sheet(dice.once_in(2) ? 0 : 0xFFFFFFFFu);
    const bool before = sheet.canvas.is_black(0, 0);
    const Rect clip{static_cast<int>(dice.within(-9, 60)), static_cast<int>(dice.within(-9, 38)),
                    static_cast<int>(dice.within(0, 70)), static_cast<int>(dice.within(0, 50))};
    const Rect rect{static_cast<int>(dice.within(-20, 70)), static_cast<int>(dice.within(-20, 50)),
                    static_cast<int>(dice.within(0, 80)), static_cast<int>(dice.within(0, 50))};
    const Ink ink = static_cast<Ink>(dice.within(0, 4));
    sheet.canvas.set_clip(clip);
    sheet.canvas.fill(rect, ink);
    const Rect part = intersection(intersection(clip, rect), sheet.canvas.bounds());
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 64; ++x) {
        const bool inside = part.contains({x, y, 1, 1});
        const bool wanted = inside ? (ink_word(ink, y) >> (4 * (x & 7)) & 15) == 0 : before;
        REQUIRE(sheet.canvas.is_black(x, y) == wanted);
      }
    }
  }
}

TEST_CASE("patterns have the share of black that their names promise") {
  const struct {
    Ink ink;
    int black_of_64;
  } kShares[] = {{Ink::white, 0}, {Ink::light, 8}, {Ink::fill, 16}, {Ink::half, 32}, {Ink::black, 64}};
  for (const auto& share : kShares) {
    int black = 0;
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) black += (ink_word(share.ink, y) >> (4 * x) & 15) == 0 ? 1 : 0;
    }
    CHECK(black == share.black_of_64);
  }
}

TEST_CASE("a glyph has the pixels of its bits, at any place and clip, in black, white and half ink") {
  Dice dice(22);
  for (int i = 0; i < 3000; ++i) {
    const bool on_white = dice.once_in(2);
    Sheet sheet(on_white ? 0xFFFFFFFFu : 0);
    const Ink ink = !on_white ? Ink::white : dice.once_in(3) ? Ink::half : Ink::black;
    const Font& font = dice.once_in(2) ? kBody25 : kCaption21;
    const Glyph& glyph = font.glyph(static_cast<char>(dice.within(0x20, 0x7F)));
    const int x = static_cast<int>(dice.within(-30, 70));
    const int y = static_cast<int>(dice.within(-10, 60));
    const Rect clip{static_cast<int>(dice.within(0, 30)), static_cast<int>(dice.within(0, 20)),
                    static_cast<int>(dice.within(0, 64)), static_cast<int>(dice.within(0, 40))};
    sheet.canvas.set_clip(clip);
    sheet.canvas.glyph(font, glyph, x, y, ink);
    const int stride = (glyph.width + 7) / 8;
    for (int py = 0; py < 40; ++py) {
      for (int px = 0; px < 64; ++px) {
        const int gx = px - x - glyph.left;
        const int gy = py - y - glyph.top;
        const bool bit = gx >= 0 && gx < glyph.width && gy >= 0 && gy < glyph.height &&
                         (font.bits[glyph.offset + gy * stride + gx / 8] >> (gx % 8) & 1) != 0;
        const bool inked = bit && sheet.canvas.clip().contains({px, py, 1, 1});
        const bool dark = (ink_word(ink, py) >> (4 * (px & 7)) & 15) == 0;
        REQUIRE(sheet.canvas.is_black(px, py) == (inked ? dark : !on_white));
      }
    }
  }
}

TEST_CASE("what reaches outside the clip is counted") {
  Sheet sheet(0xFFFFFFFFu);
  sheet.canvas.set_clip({8, 8, 16, 16});
  sheet.canvas.fill({8, 8, 16, 16}, Ink::black);
  CHECK(sheet.canvas.cut_count() == 0);
  sheet.canvas.fill({8, 8, 17, 16}, Ink::black);
  CHECK(sheet.canvas.cut_count() == 1);
  sheet.canvas.glyph(kBody25, kBody25.glyph('M'), 8, 40, Ink::black);
  CHECK(sheet.canvas.cut_count() == 2);
}

TEST_CASE("a rounded frame is symmetric and closed") {
  Sheet sheet(0xFFFFFFFFu);
  const Rect rect{4, 3, 50, 32};
  sheet.canvas.round_outline(rect, 10, 3);
  for (int y = 0; y < rect.height; ++y) {
    int black = 0;
    for (int x = 0; x < rect.width; ++x) {
      const bool here = sheet.canvas.is_black(rect.x + x, rect.y + y);
      CHECK(here == sheet.canvas.is_black(rect.right() - 1 - x, rect.y + y));
      CHECK(here == sheet.canvas.is_black(rect.x + x, rect.bottom() - 1 - y));
      black += here ? 1 : 0;
    }
    CHECK(black >= 6);  // both sides, three pixels each
  }
  CHECK(!sheet.canvas.is_black(rect.x, rect.y));
  CHECK(sheet.canvas.cut_count() == 0);
}
