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

namespace {

// The same picture twice: in a frame of its own shape, and on its side.
struct Pair {
  static constexpr Size kSize{40, 64};
  explicit Pair(uint32_t paint)
      : upright_pixels(kSize.width * kSize.height / 8, paint),
        side_pixels(upright_pixels.size(), paint),
        upright(reinterpret_cast<uint8_t*>(upright_pixels.data()), kSize),
        side(reinterpret_cast<uint8_t*>(side_pixels.data()), kSize, true) {}
  std::vector<uint32_t> upright_pixels;
  std::vector<uint32_t> side_pixels;
  Canvas upright;
  Canvas side;
};

// Whether the frames hold the same picture: the panel's left edge is the picture's upper one.
void check_turned(const Pair& pair) {
  for (int y = 0; y < Pair::kSize.height; ++y) {
    for (int x = 0; x < Pair::kSize.width; ++x) {
      const int row = Pair::kSize.width - 1 - x;
      const uint32_t word = pair.side_pixels[size_t(row * Pair::kSize.height + y) / 8];
      const bool black = (word >> (4 * (y & 7)) & 15) == 0;
      REQUIRE(black == pair.upright.is_black(x, y));
      REQUIRE(black == pair.side.is_black(x, y));
    }
  }
}

}  // namespace

TEST_CASE("on its side a canvas draws the same picture, turned, at any place and clip") {
  Dice dice(23);
  for (int i = 0; i < 4000; ++i) {
    Pair pair(dice.once_in(2) ? 0 : 0xFFFFFFFFu);
    const Rect clip{static_cast<int>(dice.within(-9, 38)), static_cast<int>(dice.within(-9, 60)),
                    static_cast<int>(dice.within(0, 50)), static_cast<int>(dice.within(0, 70))};
    const Rect rect{static_cast<int>(dice.within(-20, 50)), static_cast<int>(dice.within(-20, 70)),
                    static_cast<int>(dice.within(0, 50)), static_cast<int>(dice.within(0, 80))};
    const Ink ink = static_cast<Ink>(dice.within(0, 4));
    const Font& font = dice.once_in(3) ? kNumeral128 : dice.once_in(2) ? kBody25 : kCaption21;
    const Glyph& glyph = font.glyph(static_cast<char>(dice.within(0x20, 0x7F)));
    const int what = static_cast<int>(dice.within(0, 5));
    const int step = static_cast<int>(dice.within(1, 9));
    for (Canvas* canvas : {&pair.upright, &pair.side}) {
      canvas->set_clip(clip);
      switch (what) {
        case 0:
          canvas->fill(rect, ink);
          break;
        case 1:
        case 2:
          canvas->glyph(font, glyph, rect.x, rect.bottom(), ink);
          break;
        case 3:
          canvas->dots_across(rect.x, rect.y, rect.width, step);
          canvas->dots_down(rect.x, rect.y, rect.height, step);
          break;
        case 4:
          canvas->round_outline({rect.x, rect.y, rect.width + 20, rect.height + 20}, 10, 3);
          break;
        case 5:
          canvas->set_pixel(rect.x, rect.y, ink == Ink::black);
          break;
      }
    }
    CHECK(pair.upright.cut_count() == pair.side.cut_count());
    check_turned(pair);
  }
}

TEST_CASE("the rows of the frame that a rectangle lies in are its columns on its side") {
  Pair pair(0xFFFFFFFFu);
  RowSet upright;
  RowSet side;
  const Rect rect{3, 10, 5, 20};
  pair.upright.add_rows(upright, rect);
  pair.side.add_rows(side, rect);
  for (int row = 0; row < 64; ++row) {
    CHECK(upright.contains(row) == (row >= 10 && row < 30));
    CHECK(side.contains(row) == (row >= 40 - 8 && row < 40 - 3));
  }
  RowSet none;
  pair.side.add_rows(none, {0, 0, 7, 0});
  CHECK(none.empty());
}
