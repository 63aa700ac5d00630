// A QR code of a short text: what a phone reads from the panel.
#pragma once

#include <cstdint>

namespace inktop {

// Byte mode, error correction M, versions 1 to 5 (ISO/IEC 18004): 21 to 37 modules, at most 84 bytes.
class QrCode {
 public:
  static constexpr int kMaxText = 84;
  static constexpr int kMaxSide = 37;
  // White that a reader needs around it, modules.
  static constexpr int kQuiet = 4;

  // In the smallest version that holds `text`. False: it is too long, and there is no code.
  bool encode(const char* text);
  // Modules; 0: no code.
  int side() const { return side_; }
  uint64_t row(int y) const { return black_[y]; }  // the leftmost module is the lowest bit
  bool is_black(int x, int y) const { return (black_[y] >> x & 1) != 0; }

 private:
  void set(int x, int y, bool black);
  void reserve(int x, int y, bool black);
  void place_patterns(int version);
  void place_format(int mask);
  void place_data(const uint8_t* codewords, int count);
  void apply_mask(int mask);
  int penalty() const;

  int side_ = 0;
  uint64_t black_[kMaxSide] = {};
  uint64_t reserved_[kMaxSide] = {};  // modules that carry no data
};

}  // namespace inktop
