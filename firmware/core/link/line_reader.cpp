#include "link/line_reader.h"

namespace inktop {

bool LineReader::next(const char*& bytes, size_t& size) {
  if (!framer_.next(bytes, size, found_)) return false;
  if (found_.error != LineError::none) return drop(found_.error);
  parse(found_.line, found_.length, parsed_);
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
