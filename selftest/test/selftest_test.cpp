// The self-test on the PC: the card, the tiles, the generated lines, and the checksum of the log.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "inktop/line.h"
#include "inktop/parser.h"
#include "picture/canvas.h"
#include "picture/layout.h"
#include "selftest/frame_crc.h"
#include "selftest/generated_lines.h"
#include "selftest/selftest.h"
#include "selftest/test_card.h"

using namespace inktop;
using namespace inktop::selftest;

namespace {

constexpr Size kSize{1920, 1080};

// A framebuffer that begins as garbage, with a canvas on it.
struct Picture {
  explicit Picture(Size picture_size)
      : size(picture_size), words(size.width * size.height / 8, 0x5A0FA50Fu), canvas(bytes(), size) {}
  Picture(const Picture& other) : size(other.size), words(other.words), canvas(bytes(), size) {}
  uint8_t* bytes() { return reinterpret_cast<uint8_t*>(words.data()); }
  bool black(int x, int y) { return canvas.is_black(x, y); }
  bool operator==(const Picture& other) const { return words == other.words; }
  Size size;
  std::vector<uint32_t> words;
  Canvas canvas;
};

bool pure(Picture& picture) {
  for (uint32_t word : picture.words) {
    for (int pixel = 0; pixel < 8; ++pixel, word >>= 4) {
      if ((word & 15u) != 0 && (word & 15u) != 15u) return false;
    }
  }
  return true;
}

int differing_pixels(Picture& a, Picture& b, const Rect& rect) {
  int count = 0;
  for (int y = rect.y; y < rect.bottom(); ++y) {
    for (int x = rect.x; x < rect.right(); ++x) count += a.black(x, y) != b.black(x, y) ? 1 : 0;
  }
  return count;
}

}  // namespace

TEST_CASE("the framebuffer's checksum is the one that Python computes") {
  const char text[] = "123456789";
  CHECK(crc32(reinterpret_cast<const uint8_t*>(text), 9) == 0xCBF43926u);
  CHECK(crc32(nullptr, 0) == 0u);
}

TEST_CASE("the test card is pure black and white, covers everything, and reaches outside nowhere") {
  for (const Size size : {kSize, Size{1280, 720}, Size{800, 480}, Size{2560, 1440}}) {
    Picture picture(size);
    draw_card(picture.canvas, "ST1", stage_summary(Stage::st1));
    CHECK(pure(picture));
    CHECK(picture.canvas.cut_count() == 0);
    Picture again(size);
    std::memset(again.bytes(), 0xFF, again.words.size() * 4);
    draw_card(again.canvas, "ST1", stage_summary(Stage::st1));
    CHECK(picture == again);
  }
}

TEST_CASE("the marks have white around them, the top-left one hollow, on the card and on its inverse") {
  Picture picture(kSize);
  draw_card(picture.canvas, "ST2", "");
  for (int inverse = 0; inverse < 2; ++inverse) {
    if (inverse == 1) {
      invert_rows(picture.bytes(), kSize, 0, kSize.height);
      draw_marks(picture.canvas);
    }
    Rect marks[kMarks];
    place_marks(kSize, marks);
    for (int i = 0; i < kMarks; ++i) {
      const Rect& mark = marks[i];
      CHECK(picture.black(mark.x, mark.y));
      CHECK(picture.black(mark.x + mark.width / 2, mark.y + mark.height / 2) == (i != 0));
      const int white = metrics_for(kSize).inset;
      int ink = 0;
      for (int y = mark.y - white; y < mark.bottom() + white; ++y) {
        for (int x = mark.x - white; x < mark.right() + white; ++x) {
          const bool inside = x >= mark.x && x < mark.right() && y >= mark.y && y < mark.bottom();
          if (!inside && x >= 0 && x < kSize.width && y >= 0 && y < kSize.height) ink += picture.black(x, y);
        }
      }
      CHECK(ink == 0);
    }
  }
}

TEST_CASE("there is a tick of the ruler on every 64th pixel of all four edges") {
  Picture picture(kSize);
  draw_card(picture.canvas, "ST1", "");
  for (int x = kTile; x < kSize.width - kTile; x += kTile) {
    CHECK(picture.black(x, 20));
    CHECK(picture.black(x, kSize.height - 20));
  }
  for (int y = kTile; y < kSize.height - kTile; y += kTile) {
    if (y > kSize.height / 2 - kTile && y < kSize.height / 2 + kTile) continue;
    CHECK(picture.black(20, y));
    CHECK(picture.black(kSize.width - 20, y));
  }
}

TEST_CASE("marks cross row 1000, the boundary of the panel's two batches") {
  Picture picture(kSize);
  draw_card(picture.canvas, "ST1", "");
  int bars = 0;
  int slants = 0;
  for (int x = 100; x < kSize.width - 100; ++x) {
    if (picture.black(x, kBatchRow - 1) && picture.black(x, kBatchRow)) ++bars;
    if (picture.black(x, kBatchRow - 1) && picture.black(x + 1, kBatchRow)) ++slants;
  }
  CHECK(bars > 100);
  CHECK(slants > bars);
  CHECK(picture.black(kSize.width / 2, kBatchRow));
  CHECK_FALSE(picture.black(kSize.width / 2, kBatchRow + 1));
}

TEST_CASE("ST2 flips every pixel of the card but the marks and their ground") {
  Picture before(kSize);
  Picture after(kSize);
  draw_card(before.canvas, "ST1", "");
  draw_card(after.canvas, "ST1", "");
  invert_rows(after.bytes(), kSize, 0, kSize.height);
  draw_marks(after.canvas);
  const int all = kSize.width * kSize.height;
  const int flipped = differing_pixels(before, after, {0, 0, kSize.width, kSize.height});
  CHECK(flipped < all);
  CHECK(flipped > all * 98 / 100);
  for (int y = 0; y < kSize.height; ++y) {
    CHECK(differing_pixels(before, after, {kSize.width / 2, y, 64, 1}) == 64);
  }
}

TEST_CASE("the band of ST3 lies on tiles and holds the title") {
  const Rect band = title_band(kSize);
  CHECK(band.x == 0);
  CHECK(band.width == kSize.width);
  CHECK(band.y % kTile == 0);
  CHECK(band.height == 2 * kTile);
  Picture one(kSize);
  Picture two(kSize);
  draw_card(one.canvas, "ST1", "this");
  draw_card(two.canvas, "ST3", "that");
  CHECK(differing_pixels(one, two, band) > 0);
  CHECK(differing_pixels(one, two, {0, 0, kSize.width, kSize.height}) == differing_pixels(one, two, band));
}

TEST_CASE("every band of ST4 changes every tile column, and nothing outside of it") {
  Picture before(kSize);
  draw_card(before.canvas, "ST3", "");
  invert_rows(before.bytes(), kSize, 0, kSize.height);
  draw_marks(before.canvas);
  Picture after = before;
  for (int row = 0; row < tile_rows(kSize); ++row) {
    Picture last = after;
    draw_tile_row(after.canvas, row, "ST4", stage_summary(Stage::st4));
    const Rect band = intersection({0, row * kTile, kSize.width, kTile}, after.canvas.bounds());
    const int changed = differing_pixels(last, after, after.canvas.bounds());
    CHECK(changed == differing_pixels(last, after, band));
    for (int x = 0; x < kSize.width; x += kTile) {
      CHECK(differing_pixels(last, after, {x, band.y, kTile, band.height}) > kTile);
    }
  }
  CHECK(pure(after));
}

TEST_CASE("the generated lines are good lines, the same on every run, and never stand still") {
  char line[1026];
  Parsed parsed;
  size_t length = generated_info(line, sizeof line);
  parse(line, length, parsed);
  CHECK(parsed.kind == LineKind::info);
  CHECK(parsed.info.gpu_count == 2);
  for (int second = 0; second < 3600; ++second) {
    char again[1026];
    char next[1026];
    length = generated_line(second, line, sizeof line);
    REQUIRE(length > 0);
    REQUIRE(length <= kMaxLineBytes);
    parse(line, length, parsed);
    REQUIRE(parsed.kind == LineKind::data);
    CHECK(parsed.snapshot.gpu_count == 2);
    CHECK(generated_line(second, again, sizeof again) == length);
    CHECK(std::memcmp(line, again, length) == 0);
    generated_line(second + 1, next, sizeof next);
    CHECK(std::strcmp(line, next) != 0);
  }
  CHECK(generated_line(0, line, 100) == 0);
}
