// C ABI of the line: the board's framer, parser and encoder for Python (tools and tests).
#pragma once

#if defined(_WIN32)
#error "the host library is built on Linux and macOS; on Windows use WSL"
#endif

#define INKTOP_EXPORT extern "C" __attribute__((visibility("default")))

// The JSON object of a line (protocol/README.md, section 13) and a NUL into `out`. Returns its length without
// the NUL, or -1 when `out_size` is too small (32768 always suffice).
INKTOP_EXPORT int inktop_decode(const char* bytes, int n, char* out, int out_size);

// A framer for one connection after the other; ended by inktop_framer_free.
INKTOP_EXPORT void* inktop_framer_new();
INKTOP_EXPORT void inktop_framer_free(void* framer);
// Hands over bytes; they are copied. Call inktop_framer_next until it says that there is nothing more.
INKTOP_EXPORT void inktop_framer_feed(void* framer, const char* bytes, int n);
// What the framer found: writes a line without its newline, or the kind of a dropped one, and a NUL into
// out[out_size]. Returns the length of the line, kNothing, kDropped, or kTooSmall (1024 bytes suffice).
INKTOP_EXPORT int inktop_framer_next(void* framer, char* out, int out_size);
// The connection has ended: as inktop_framer_next, kDropped with "cut" or kNothing.
INKTOP_EXPORT int inktop_framer_closed(void* framer, char* out, int out_size);
// How many lines this framer dropped, of the kind with that number (the order of LineError).
INKTOP_EXPORT unsigned inktop_framer_dropped(void* framer, int kind);

// The board's lines from the result of parsing one: what the core would send for the same hello or health.
// Returns the length of the line, 0 when `bytes` is neither.
INKTOP_EXPORT int inktop_reencode(const char* bytes, int n, char* out, int out_size);

namespace inktop {
constexpr int kNothing = -1;
constexpr int kDropped = -2;
constexpr int kTooSmall = -3;
}  // namespace inktop
