// The framer: from bytes in any portions to whole lines; what is too long or cut is skipped and counted.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// What the framer found: a whole line, or why one was dropped (overlong or cut).
struct Framed {
  LineError error = LineError::none;
  const char* line =
      nullptr;  // without the newline, not ended by a NUL; valid until the next call of the framer
  size_t length = 0;
};

// One connection's bytes on their way to lines. The buffer is its own; nothing is allocated.
//
//     const char* data = ...; size_t size = ...; Framed found;
//     while (framer.next(data, size, found)) { ... }
class Framer {
 public:
  // Takes bytes from `data` (pointer and size move on) until a line ends or one is dropped.
  // True: `found` holds it; call again. False: every byte was taken and there is nothing more.
  bool next(const char*& data, size_t& size, Framed& found);

  // The connection has ended: true with LineError::cut when that was in the middle of a line. An overlong
  // line that the end cuts was counted already. The framer is then ready for the next connection.
  bool closed(Framed& found);

  // Dropped lines of all connections by kind. The framer counts overlong and cut; the caller that parses its
  // lines adds what the parser refused, so that one place holds them all.
  BadLines& bad_lines() { return bad_lines_; }
  const BadLines& bad_lines() const { return bad_lines_; }

 private:
  bool drop(LineError error, Framed& found);

  char buffer_[kMaxLineBytes];
  size_t length_ = 0;
  bool skipping_ = false;
  BadLines bad_lines_;
};

}  // namespace inktop
