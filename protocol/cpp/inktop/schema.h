// The words of the table of the line (line_table.h): what a value, a key and a kind of line are.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line_structs.h"

namespace inktop {

// What a value looks like: a number, the characters that a text may hold, or a form of its own.
enum class Form : uint8_t {
  number,
  printable,
  name,
  letters,
  letters_digits,
  minute,
  second,
  pci,
  size,
  hex
};

// One value in a line or in a group.
struct Value {
  const char* member;
  Form form;
  uint8_t size;     // of its member, bytes: 4 or 8 of a number, of a text with its NUL
  uint16_t offset;  // in what holds it
  uint8_t decimals;
  bool required;
  bool may_be_unknown;  // as "-"
  bool counter;         // written as its maximum beyond that
  int64_t low;
  int64_t high;
};

// How values make a key: one; several of different sorts; a fixed count of one sort; hexadecimal digits; a
// list of groups; a group for each of g0, g1 ...
enum class Shape : uint8_t { value, group, row, cells, repeat, numbered };

struct Key {
  const char* key;  // numbered: without its number
  const char* member;
  Shape shape;
  char separator;  // of the values
  bool required;
  bool always;       // "-" and missing are the same
  bool last;         // must be the last field
  bool closed;       // more values than these are a bad value
  uint16_t offset;   // of the member in its line
  uint16_t present;  // of its flag, or of its count, in its line
  uint16_t stride;   // from one to the next, bytes
  uint16_t most;
  const Value* values;
  uint8_t value_count;
};

struct Kind {
  LineKind kind;
  const char* name;
  const char* key;  // the first one of the line
  const Key* keys;
  uint8_t key_count;
  bool versioned;      // the first key holds the version
  bool version_first;  // in JSON: before all else, not after it
  uint16_t version;    // offset of the member
};

}  // namespace inktop
