#include "link/line_reader.h"

namespace inktop {

bool LineReader::next(const char*& bytes, size_t& size) {
  Framed found;
  if (!framer_.next(bytes, size, found)) return false;
  if (found.error != LineError::none) return drop(found.error);
  text_ = found.line;
  text_size_ = found.length;
  parse(found.line, found.length, parsed_);
  return true;
}

bool LineReader::closed() {
  Framed cut;
  return framer_.closed(cut) && drop(cut.error);
}

bool LineReader::drop(LineError error) {
  parsed_.kind = LineKind::none;
  parsed_.error = error;
  return true;
}

}  // namespace inktop
