#include "console/servers_text.h"

#include <cstdio>
#include <cstring>

namespace inktop {

bool next_item(const char*& text, char* out, size_t size) {
  size_t length = 0;
  while (*text != 0 && *text != ',') {
    if (length + 1 >= size) return false;
    out[length++] = *text++;
  }
  out[length] = 0;
  if (*text == ',') ++text;
  return true;
}

bool read_servers(const char* text, ServerAddress (&out)[kMaxServers]) {
  ServerAddress found[kMaxServers];
  const size_t length = std::strlen(text);
  if (length > 0 && text[length - 1] == ',') return false;
  for (int count = 0; *text != 0; ++count) {
    char item[72];
    if (count == kMaxServers || !next_item(text, item, sizeof item) || !parse_server(item, found[count])) {
      return false;
    }
    if (std::strchr(found[count].host, ':') != nullptr) return false;  // the board's network has no IPv6
  }
  std::memcpy(out, found, sizeof found);
  return true;
}

void write_servers(const ServerAddress (&servers)[kMaxServers], char* out, size_t size) {
  size_t used = 0;
  out[0] = 0;
  for (const ServerAddress& server : servers) {
    if (server.host[0] == 0) continue;
    const bool bare = std::strchr(server.host, ':') == nullptr;
    const int more = std::snprintf(out + used, size - used, bare ? "%s%s:%u" : "%s[%s]:%u",
                                   used == 0 ? "" : ",", server.host, unsigned(server.port));
    if (more < 0 || size_t(more) >= size - used) return;
    used += size_t(more);
  }
}

}  // namespace inktop
