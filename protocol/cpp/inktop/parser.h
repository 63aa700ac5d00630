// The parser: one line without its newline to what it says, or to why it is dropped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// The result of a line; only the member that `kind` names was filled.
struct Parsed {
  LineKind kind = LineKind::none;  // none: dropped, `error` says why
  LineError error = LineError::none;

  Snapshot snapshot;      // data
  InfoLine info;          // info
  Hello hello;            // hello
  Health health;          // health
  SettingsLine settings;  // settings
  Ack ack;                // ack
  Announcement announce;  // announce
  Fleet fleet;            // fleet

  // other_version: a line of the kind `other_kind` in a version that this receiver cannot read.
  LineKind other_kind = LineKind::none;
  int64_t other_version = 0;
  char unknown_key[17] = {};  // unknown: its first key; such a line is ignored, it is no error
};

// Checks in the order of section 11 of the specification. `line` may hold its newline at the end. Reads
// nothing but line[0 ... length - 1], allocates nothing, needs about 2 KiB of stack.
void parse(const char* line, size_t length, Parsed& parsed);

// The word of the specification for a kind of line ("data", "info" ...); "unknown" for unknown.
const char* line_kind_name(LineKind kind);

}  // namespace inktop
