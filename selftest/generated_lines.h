// The lines that ST5 feeds to the production path: a made-up server, the same numbers on every run.
#pragma once

#include <cstddef>

namespace inktop {
namespace selftest {

// Each writes one line of the protocol with its newline and a NUL, and returns its length; 0 when `size` is
// too small (1025 bytes always suffice).
size_t generated_info(char* out, size_t size);
// The data line of a second, 0 to 3599; the made-up server's uptime and clock run with it.
size_t generated_line(int second, char* out, size_t size);

}  // namespace selftest
}  // namespace inktop
