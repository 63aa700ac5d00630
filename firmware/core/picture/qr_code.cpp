#include "picture/qr_code.h"

#include <cstring>

namespace inktop {
namespace {

// Codewords of a version at error correction M: the data is in `blocks` of the same length.
struct Version {
  int blocks;
  int data;        // of a block
  int correction;  // of a block
};
constexpr Version kVersions[] = {{1, 16, 10}, {1, 28, 16}, {1, 44, 26}, {2, 32, 18}, {2, 43, 24}};
constexpr int kVersionCount = 5;
constexpr int kMaxData = 2 * 43;
constexpr int kMaxCorrection = 26;
constexpr int kMaxCodewords = 2 * (43 + 24);
constexpr int kMasks = 8;

// In the field of 256 elements of x^8 + x^4 + x^3 + x^2 + 1.
uint8_t multiply(uint8_t a, uint8_t b) {
  unsigned product = 0;
  for (int bit = 7; bit >= 0; --bit) {
    product = (product << 1) ^ ((product >> 7) * 0x11D);
    if ((b >> bit & 1) != 0) product ^= a;
  }
  return uint8_t(product);
}

// The remainder of the data by the generator polynomial of that degree.
void correct(const uint8_t* data, int size, int degree, uint8_t (&out)[kMaxCorrection + 1]) {
  uint8_t generator[kMaxCorrection] = {};  // without its highest coefficient, which is 1
  generator[degree - 1] = 1;
  uint8_t root = 1;
  for (int i = 0; i < degree; ++i) {
    for (int j = 0; j < degree; ++j) {
      generator[j] = multiply(generator[j], root);
      if (j + 1 < degree) generator[j] ^= generator[j + 1];
    }
    root = multiply(root, 2);
  }
  std::memset(out, 0, sizeof out);
  for (int i = 0; i < size; ++i) {
    const uint8_t factor = data[i] ^ out[0];
    std::memmove(out, out + 1, sizeof out - 1);  // what follows the degree is 0
    for (int j = 0; j < degree; ++j) out[j] ^= multiply(generator[j], factor);
  }
}

bool masked(int mask, int x, int y) {
  switch (mask) {
    case 0:
      return (x + y) % 2 == 0;
    case 1:
      return y % 2 == 0;
    case 2:
      return x % 3 == 0;
    case 3:
      return (x + y) % 3 == 0;
    case 4:
      return (x / 3 + y / 2) % 2 == 0;
    case 5:
      return x * y % 2 + x * y % 3 == 0;
    case 6:
      return (x * y % 2 + x * y % 3) % 2 == 0;
    default:
      return ((x + y) % 2 + x * y % 3) % 2 == 0;
  }
}

int distance(int a, int b) {
  return a < b ? b - a : a - b;
}

int larger(int a, int b) {
  return a < b ? b : a;
}

}  // namespace

void QrCode::set(int x, int y, bool black) {
  const uint64_t bit = uint64_t(1) << x;
  black_[y] = black ? black_[y] | bit : black_[y] & ~bit;
}

void QrCode::reserve(int x, int y, bool black) {
  if (x < 0 || y < 0 || x >= side_ || y >= side_) return;
  set(x, y, black);
  reserved_[y] |= uint64_t(1) << x;
}

void QrCode::place_patterns(int version) {
  for (int i = 0; i < side_; ++i) {
    reserve(6, i, i % 2 == 0);
    reserve(i, 6, i % 2 == 0);
  }
  // Three finders, each with a white rim.
  const int corners[][2] = {{3, 3}, {side_ - 4, 3}, {3, side_ - 4}};
  for (const auto& corner : corners) {
    for (int y = -4; y <= 4; ++y) {
      for (int x = -4; x <= 4; ++x) {
        const int ring = larger(distance(x, 0), distance(y, 0));
        reserve(corner[0] + x, corner[1] + y, ring != 2 && ring != 4);
      }
    }
  }
  if (version >= 2) {
    const int at = side_ - 7;
    for (int y = -2; y <= 2; ++y) {
      for (int x = -2; x <= 2; ++x) reserve(at + x, at + y, larger(distance(x, 0), distance(y, 0)) != 1);
    }
  }
  place_format(0);  // reserves its place
}

void QrCode::place_format(int mask) {
  // Correction M is 00; ten bits of a BCH code follow, and a fixed pattern lies over all.
  unsigned rest = unsigned(mask);
  for (int i = 0; i < 10; ++i) rest = (rest << 1) ^ ((rest >> 9) * 0x537);
  const unsigned bits = (unsigned(mask) << 10 | rest) ^ 0x5412;
  const auto bit = [bits](int i) { return (bits >> i & 1) != 0; };
  for (int i = 0; i <= 5; ++i) reserve(8, i, bit(i));
  reserve(8, 7, bit(6));
  reserve(8, 8, bit(7));
  reserve(7, 8, bit(8));
  for (int i = 9; i < 15; ++i) reserve(14 - i, 8, bit(i));
  for (int i = 0; i < 8; ++i) reserve(side_ - 1 - i, 8, bit(i));
  for (int i = 8; i < 15; ++i) reserve(8, side_ - 15 + i, bit(i));
  reserve(8, side_ - 8, true);
}

// In columns of two from the right, upwards and downwards in turn; what remains is white.
void QrCode::place_data(const uint8_t* codewords, int count) {
  int at = 0;
  for (int right = side_ - 1; right >= 1; right -= 2) {
    if (right == 6) right = 5;
    for (int step = 0; step < side_; ++step) {
      for (int column = 0; column < 2; ++column) {
        const int x = right - column;
        const bool upwards = ((right + 1) & 2) == 0;
        const int y = upwards ? side_ - 1 - step : step;
        if ((reserved_[y] >> x & 1) != 0) continue;
        set(x, y, at < count * 8 && (codewords[at / 8] >> (7 - at % 8) & 1) != 0);
        ++at;
      }
    }
  }
}

void QrCode::apply_mask(int mask) {
  for (int y = 0; y < side_; ++y) {
    for (int x = 0; x < side_; ++x) {
      if ((reserved_[y] >> x & 1) == 0 && masked(mask, x, y)) black_[y] ^= uint64_t(1) << x;
    }
  }
}

// What makes a code hard to read: long runs, blocks, what looks like a finder, too much of one colour.
int QrCode::penalty() const {
  int sum = 0;
  int blacks = 0;
  for (int line = 0; line < side_; ++line) {
    for (int direction = 0; direction < 2; ++direction) {
      const bool across = direction == 0;
      int run = 0;
      unsigned last = 0;  // the newest eleven modules of the line
      bool before = false;
      for (int i = 0; i < side_; ++i) {
        const bool black = across ? is_black(i, line) : is_black(line, i);
        run = i > 0 && black == before ? run + 1 : 1;
        if (run == 5) sum += 3;
        if (run > 5) ++sum;
        before = black;
        last = (last << 1 | (black ? 1 : 0)) & 0x7FF;
        if (i >= 10 && (last == 0x05D || last == 0x5D0)) sum += 40;
        if (across && black) ++blacks;
      }
    }
  }
  for (int y = 0; y + 1 < side_; ++y) {
    for (int x = 0; x + 1 < side_; ++x) {
      const bool black = is_black(x, y);
      if (black == is_black(x + 1, y) && black == is_black(x, y + 1) && black == is_black(x + 1, y + 1))
        sum += 3;
    }
  }
  const int all = side_ * side_;
  return sum + distance(blacks * 20, all * 10) / all * 10;
}

bool QrCode::encode(const char* text) {
  *this = QrCode();
  const size_t length = std::strlen(text);
  int version = 1;
  // Twelve bits say what follows: byte mode and the length.
  while (version <= kVersionCount &&
         length * 8 + 12 > size_t(kVersions[version - 1].blocks * kVersions[version - 1].data * 8))
    ++version;
  if (version > kVersionCount) return false;
  const Version& v = kVersions[version - 1];
  side_ = 17 + 4 * version;

  uint8_t data[kMaxData] = {};
  const int size = v.blocks * v.data;
  data[0] = uint8_t(0x40 | length >> 4);
  data[1] = uint8_t(length << 4);
  for (size_t i = 0; i < length; ++i) {
    const uint8_t byte = uint8_t(text[i]);
    data[i + 1] |= byte >> 4;
    data[i + 2] = uint8_t(byte << 4);
  }
  for (int i = int(length) + 2, pad = 0; i < size; ++i, ++pad) data[i] = pad % 2 == 0 ? 0xEC : 0x11;

  // The blocks' codewords in turn, those of the data first.
  uint8_t all[kMaxCodewords] = {};
  for (int block = 0; block < v.blocks; ++block) {
    uint8_t correction[kMaxCorrection + 1];
    correct(data + block * v.data, v.data, v.correction, correction);
    for (int i = 0; i < v.data; ++i) all[i * v.blocks + block] = data[block * v.data + i];
    for (int i = 0; i < v.correction; ++i) all[size + i * v.blocks + block] = correction[i];
  }

  place_patterns(version);
  place_data(all, size + v.blocks * v.correction);
  int best = 0;
  int least = 0;
  for (int mask = 0; mask < kMasks; ++mask) {
    apply_mask(mask);
    place_format(mask);
    const int cost = penalty();
    if (mask == 0 || cost < least) {
      best = mask;
      least = cost;
    }
    apply_mask(mask);  // takes it off again
  }
  apply_mask(best);
  place_format(best);
  return true;
}

}  // namespace inktop
