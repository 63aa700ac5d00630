// From a connection's bytes to what its lines say.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/framer.h"
#include "inktop/parser.h"

namespace inktop {

// Frames and parses each byte once, for all who want to know what a line says.
//
//     while (reader.next(bytes, size)) use(reader.line());
class LineReader {
 public:
  // Takes bytes (pointer and size move on) until a line ends or one is dropped. True: line() tells which;
  // call again. False: every byte was taken.
  bool next(const char*& bytes, size_t& size);
  // The connection has ended: true when that cut a line, which line() then reports. Ready
  // for the next connection.
  bool closed();
  // A datagram: a line of its own, outside the connection's bytes.
  void datagram(const char* bytes, size_t size) { parse(bytes, size, parsed_); }

  // The newest line is not to be believed: it counts as dropped.
  void refuse() { drop(LineError::seal); }

  // What the newest line says, or why it was dropped (kind none).
  const Parsed& line() const { return parsed_; }
  // Its bytes without the newline, until the next call of next().
  const char* text() const { return found_.line; }
  size_t size() const { return found_.length; }

 private:
  bool drop(LineError error);

  Framer framer_;
  Framed found_;
  Parsed parsed_;
};

}  // namespace inktop
