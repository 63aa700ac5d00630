// The text form of lists: "desk,192.0.2.17:7911".
#pragma once

#include <cstddef>

#include "link/link.h"

namespace inktop {

// Copies up to the next comma; false when it does not fit. `text` moves behind the comma or to the end.
bool next_item(const char*& text, char* out, size_t size);
// False: one of them is none, or there are too many; `out` is unchanged.
bool read_servers(const char* text, ServerAddress (&out)[kMaxServers]);
void write_servers(const ServerAddress (&servers)[kMaxServers], char* out, size_t size);

}  // namespace inktop
