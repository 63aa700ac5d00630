// The syntax of a line: its body in fields of key and value. What a value may be is the parser's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "inktop/ascii.h"
#include "inktop/line.h"

namespace inktop {

constexpr size_t kClosingBytes = 5;  // "*" and four digits; the newline is gone already
constexpr size_t kMaxKey = 16;
// "a=" and a separator for each field: more do not fit into a line.
constexpr size_t kMaxFields = (kMaxLineBytes - kClosingBytes) / 3 + 1;

// A part of the line.
struct Text {
  const char* data = nullptr;
  size_t size = 0;

  bool is(const char* word) const { return strlen(word) == size && memcmp(data, word, size) == 0; }
};

inline bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}

// The fields of one body: `key=value`, separated by bars.
class Fields {
 public:
  // Whether the first field of the body is `key=value`.
  bool open(Text body) {
    body_ = body;
    return read(0);
  }

  // Reads all other fields too: false when one has no "=", or a bad or repeated key.
  bool read_all() {
    while (end(count_ - 1) < body_.size) {
      if (!read(end(count_ - 1) + 1)) return false;
    }
    return true;
  }

  size_t count() const { return count_; }
  Text key(size_t field) const { return {body_.data + start_[field], key_size_[field]}; }
  Text value(size_t field) const {
    const size_t begin = start_[field] + key_size_[field] + 1u;
    return {body_.data + begin, end(field) - begin};
  }

  bool find(const char* key, Text& value_found) const {
    const size_t size = strlen(key);
    for (size_t i = 0; i < count_; i++) {
      if (key_size_[i] == size && memcmp(body_.data + start_[i], key, size) == 0) {
        value_found = value(i);
        return true;
      }
    }
    return false;
  }

  bool is_last(const char* word) const { return key(count_ - 1).is(word); }

 private:
  size_t end(size_t field) const { return end_[field]; }

  bool read(size_t start) {
    const void* bar = memchr(body_.data + start, '|', body_.size - start);
    const size_t end =
        bar != nullptr ? static_cast<size_t>(static_cast<const char*>(bar) - body_.data) : body_.size;
    size_t size = 0;
    while (start + size < end && body_.data[start + size] != '=') size++;
    if (start + size == end || size == 0 || size > kMaxKey || !is_lower(body_.data[start])) return false;
    for (size_t i = 0; i < size; i++) {
      if (!is_lower_or_digit(body_.data[start + i])) return false;
    }
    for (size_t i = 0; i < count_; i++) {
      if (key_size_[i] == size && memcmp(body_.data + start_[i], body_.data + start, size) == 0) return false;
    }
    start_[count_] = static_cast<uint16_t>(start);
    end_[count_] = static_cast<uint16_t>(end);
    key_size_[count_] = static_cast<uint8_t>(size);
    count_++;
    return true;
  }

  Text body_;
  size_t count_ = 0;
  uint16_t start_[kMaxFields];
  uint16_t end_[kMaxFields];
  uint8_t key_size_[kMaxFields];
};

}  // namespace inktop
