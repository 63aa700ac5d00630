// Reads and writes the members of a line where the table of the line says that they are.
#pragma once

#include <cstring>

#include "inktop/schema.h"

namespace inktop {

// A member of a known type. memcpy, because a byte address says nothing about alignment to the compiler.
template <typename T>
T get_member(const void* at) {
  T value;
  memcpy(&value, at, sizeof value);
  return value;
}
template <typename T>
void set_member(void* at, T value) {
  memcpy(at, &value, sizeof value);
}

inline const char* at_offset(const void* of, size_t offset) {
  return static_cast<const char*>(of) + offset;
}
inline char* at_offset(void* of, size_t offset) {
  return static_cast<char*>(of) + offset;
}

// The number of a value in what holds it.
inline int64_t get_number(const void* holder, const Value& value) {
  const char* at = at_offset(holder, value.offset);
  return value.size == sizeof(int32_t) ? get_member<int32_t>(at) : get_member<int64_t>(at);
}
inline void set_number(void* holder, const Value& value, int64_t number) {
  char* at = at_offset(holder, value.offset);
  if (value.size == sizeof(int32_t)) {
    set_member(at, static_cast<int32_t>(number));
  } else {
    set_member(at, number);
  }
}
// The text of a value in what holds it.
inline const char* get_text(const void* holder, const Value& value) {
  return at_offset(holder, value.offset);
}

}  // namespace inktop
