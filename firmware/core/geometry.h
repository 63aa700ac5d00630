// Sizes, rectangles and sets of rows.
#pragma once

#include <cstdint>

namespace inktop {

struct Size {
  int width = 0;
  int height = 0;
};

constexpr Size turned(Size size) {
  return {size.height, size.width};
}

// How the panel hangs, clockwise.
enum class Turn : uint8_t { none, quarter, half, three_quarters };
// The picture is as wide as the panel is high.
constexpr bool on_its_side(Turn turn) {
  return turn == Turn::quarter || turn == Turn::three_quarters;
}
// On top of lying on its side or not, it is upside down.
constexpr bool upside_down(Turn turn) {
  return turn == Turn::half || turn == Turn::three_quarters;
}

// Pixels; x and y are the top-left corner, the right and bottom edges are outside.
struct Rect {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;

  constexpr int right() const { return x + width; }
  constexpr int bottom() const { return y + height; }
  constexpr bool empty() const { return width <= 0 || height <= 0; }
  constexpr bool contains(const Rect& other) const {
    return other.x >= x && other.y >= y && other.right() <= right() && other.bottom() <= bottom();
  }
  constexpr bool overlaps(const Rect& other) const {
    return x < other.right() && other.x < right() && y < other.bottom() && other.y < bottom();
  }
};

constexpr bool operator==(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

constexpr Rect intersection(const Rect& a, const Rect& b) {
  const int x = a.x > b.x ? a.x : b.x;
  const int y = a.y > b.y ? a.y : b.y;
  const int right = a.right() < b.right() ? a.right() : b.right();
  const int bottom = a.bottom() < b.bottom() ? a.bottom() : b.bottom();
  return {x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0};
}

// Rows of the panel, as a bit each; rows outside [0, kMaxRows) are ignored.
class RowSet {
 public:
  static constexpr int kMaxRows = 2560;

  void clear() {
    for (auto& word : words_) word = 0;
  }
  void add(int first, int count) {
    for (int row = first < 0 ? 0 : first; row < first + count && row < kMaxRows; ++row) {
      words_[row >> 5] |= 1u << (row & 31);
    }
  }
  void add(const RowSet& other) {
    for (int i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
  }
  bool contains(int row) const {
    return row >= 0 && row < kMaxRows && (words_[row >> 5] >> (row & 31) & 1u) != 0;
  }
  bool empty() const {
    for (const auto word : words_) {
      if (word != 0) return false;
    }
    return true;
  }

 private:
  static constexpr int kWords = kMaxRows / 32;
  uint32_t words_[kWords] = {};
};

}  // namespace inktop
