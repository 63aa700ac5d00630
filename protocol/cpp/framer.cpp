// The framer: see the header.
#include "inktop/framer.h"

#include <cstring>

namespace inktop {

bool Framer::drop(LineError error, Framed& found) {
  bad_lines_.add(error);
  length_ = 0;
  found = Framed{};
  found.error = error;
  return true;
}

bool Framer::next(const char*& data, size_t& size, Framed& found) {
  while (size > 0) {
    const void* end = memchr(data, '\n', size);
    const size_t portion = end != nullptr ? static_cast<size_t>(static_cast<const char*>(end) - data) : size;
    const size_t taken = end != nullptr ? portion + 1 : portion;
    const char* begin = data;
    data += taken;
    size -= taken;
    if (skipping_) {
      skipping_ = end == nullptr;
      continue;
    }
    // A line of kMaxLineBytes without its newline is too long already.
    if (portion >= kMaxLineBytes - length_) {
      skipping_ = end == nullptr;
      return drop(LineError::overlong, found);
    }
    memcpy(buffer_ + length_, begin, portion);
    length_ += portion;
    if (end != nullptr) {
      found.error = LineError::none;
      found.line = buffer_;
      found.length = length_;
      length_ = 0;
      return true;
    }
  }
  return false;
}

bool Framer::closed(Framed& found) {
  const bool cut = length_ > 0;
  skipping_ = false;
  return cut && drop(LineError::cut, found);
}

}  // namespace inktop
