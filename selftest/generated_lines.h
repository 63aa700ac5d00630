// Owns the lines that ST5 feeds to the production path: a made-up server, the same numbers on every run.
#pragma once

#include <cstddef>

namespace inktop {
namespace selftest {

// Each writes one line of the protocol with its newline and a NUL; returns its length, 0 when `size` is too
// small (1025 bytes always suffice).
size_t generated_info(char* out, size_t size);
// The data line of that second of the made-up server; its uptime and its clock run with `second` (0 ...
// 3599).
size_t generated_line(int second, char* out, size_t size);

}  // namespace selftest
}  // namespace inktop
