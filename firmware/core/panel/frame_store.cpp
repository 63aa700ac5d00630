#include "panel/frame_store.h"

#include <cstring>

namespace inktop {
namespace {

constexpr uint32_t kWhite = 0xFFFFFFFFu;
constexpr int kPixelsPerWord = 8;  // 4 bits a pixel, 32-bit words

// The buffers are 4-byte aligned (contract of the constructor): one load, one store on the chip.
uint32_t load(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, __builtin_assume_aligned(at, 4), sizeof word);
  return word;
}

void store(uint8_t* at, uint32_t word) {
  std::memcpy(__builtin_assume_aligned(at, 4), &word, sizeof word);
}

// By words: the chip's memcmp goes byte by byte.
bool same(const uint8_t* a, const uint8_t* b, int words) {
  for (int word = 0; word < words; ++word) {
    if (load(a + word * 4) != load(b + word * 4)) return false;
  }
  return true;
}

// Four pixels, a nibble each in the low half, to four pixels, a byte each (value in the low nibble).
constexpr uint32_t spread(uint32_t pixels) {
  pixels &= 0xFFFFu;
  pixels = (pixels | (pixels << 8)) & 0x00FF00FFu;
  return (pixels | (pixels << 4)) & 0x0F0F0F0Fu;
}
static_assert(spread(0x4321) == 0x04030201, "the low nibble is the left pixel");

// Eight pixels of difference, (to << 4) | from, a byte each.
void store_difference(uint8_t* at, uint32_t from, uint32_t to) {
  store(at, spread(to) << 4 | spread(from));
  store(at + 4, spread(to >> 16) << 4 | spread(from >> 16));
}

// The same where nothing changed.
void store_unchanged(uint8_t* at, uint32_t pixels) {
  const uint32_t low = spread(pixels);
  const uint32_t high = spread(pixels >> 16);
  store(at, low << 4 | low);
  store(at + 4, high << 4 | high);
}

// How many of the eight pixels differ.
int32_t differing(uint32_t from, uint32_t to) {
  uint32_t bits = from ^ to;
  bits |= bits >> 1;
  bits |= bits >> 2;
  return __builtin_popcount(bits & 0x11111111u);
}

}  // namespace

FrameStore::FrameStore(Size size, uint8_t* front, uint8_t* back, uint8_t* difference, bool* dirty)
    : size_(size), front_(front), back_(back), difference_(difference), dirty_(dirty) {
  std::memset(front_, 0xFF, frame_bytes(size_));
  std::memset(back_, 0xFF, frame_bytes(size_));
  std::memset(difference_, 0xFF, difference_bytes(size_));
  for (int row = 0; row < size_.height; ++row) dirty_[row] = false;
}

Difference FrameStore::all_rows(Pending pending) {
  pending_ = pending;
  return {difference_, size_, nullptr, 0, size_.height};
}

Difference FrameStore::update(const RowSet& rows, HotSpots* hot_spots) {
  flips_ = 0;
  dirty_rows_ = 0;
  const int stride = size_.width / 2;
  const int words = size_.width / kPixelsPerWord;
  int first = size_.height;
  int last = -1;
  for (int row = 0; row < size_.height; ++row) {
    dirty_[row] = false;
    if (!rows.contains(row)) continue;
    const uint8_t* to = front_ + row * stride;
    const uint8_t* from = back_ + row * stride;
    if (same(to, from, words)) continue;
    dirty_[row] = true;
    ++dirty_rows_;
    if (row < first) first = row;
    last = row;
    // Most of a row is paper that stays paper: that is written at once, and only the rest word by word.
    uint8_t* out = difference_ + row * size_.width;
    std::memset(out, 0xFF, size_t(size_.width));
    for (int word = 0; word < words; ++word) {
      const uint32_t was = load(from + word * 4);
      const uint32_t is = load(to + word * 4);
      if ((was & is) == kWhite) continue;
      uint8_t* const at = out + word * kPixelsPerWord;
      if (was == is) {
        store_unchanged(at, is);
        continue;
      }
      store_difference(at, was, is);
      const int32_t flipped = differing(was, is);
      flips_ += flipped;
      if (hot_spots != nullptr) hot_spots->add(word * kPixelsPerWord, row, uint32_t(flipped));
    }
  }
  pending_ = Pending::update;
  if (last < 0) return {difference_, size_, dirty_, 0, 0};
  return {difference_, size_, dirty_, first, last - first + 1};
}

Difference FrameStore::clear() {
  std::memset(difference_, 0xF0, difference_bytes(size_));
  return all_rows(Pending::white);
}

Difference FrameStore::wash_to_white() {
  const int words = size_.width / kPixelsPerWord * size_.height;
  for (int word = 0; word < words; ++word) {
    store_difference(difference_ + word * kPixelsPerWord, load(back_ + word * 4), kWhite);
  }
  return all_rows(Pending::white);
}

Difference FrameStore::wash_to_picture() {
  const int words = size_.width / kPixelsPerWord * size_.height;
  for (int word = 0; word < words; ++word) {
    store_difference(difference_ + word * kPixelsPerWord, kWhite, load(front_ + word * 4));
  }
  return all_rows(Pending::picture);
}

void FrameStore::driven() {
  const int stride = size_.width / 2;
  switch (pending_) {
    case Pending::nothing:
      break;
    case Pending::white:
      std::memset(back_, 0xFF, frame_bytes(size_));
      break;
    case Pending::picture:
      std::memcpy(back_, front_, frame_bytes(size_));
      break;
    case Pending::update:
      for (int row = 0; row < size_.height; ++row) {
        if (dirty_[row]) std::memcpy(back_ + row * stride, front_ + row * stride, stride);
      }
      break;
  }
  pending_ = Pending::nothing;
}

}  // namespace inktop
