// The words of the specification for kinds of line and of error.
#include "inktop/line.h"

#include "inktop/parser.h"

namespace inktop {

const char* line_error_name(LineError error) {
  switch (error) {
    case LineError::none:
      return "none";
    case LineError::overlong:
      return "overlong";
    case LineError::cut:
      return "cut";
    case LineError::charset:
      return "charset";
    case LineError::checksum:
      return "checksum";
    case LineError::syntax:
      return "syntax";
    case LineError::value:
      return "value";
    case LineError::missing:
      return "missing";
  }
  return "none";
}

const char* line_kind_name(LineKind kind) {
  switch (kind) {
    case LineKind::none:
      return "none";
    case LineKind::data:
      return "data";
    case LineKind::info:
      return "info";
    case LineKind::hello:
      return "hello";
    case LineKind::health:
      return "health";
    case LineKind::announce:
      return "announce";
    case LineKind::other_version:
      return "other_version";
    case LineKind::unknown:
      return "unknown";
  }
  return "none";
}

}  // namespace inktop
