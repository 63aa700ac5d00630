// The words of the specification for kinds of error.
#include "inktop/line.h"

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
    case LineError::seal:
      return "seal";
  }
  return "none";
}

}  // namespace inktop
