// The address of a server as a person writes it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inktop/line.h"

namespace inktop {

struct ServerAddress {
  char host[64] = "";  // name, IPv4 or IPv6; empty: none
  uint16_t port = kDefaultPort;
};

// "host", "host:port", "[v6]:port" or a bare IPv6 address. False when it is none of these.
bool parse_server(const char* text, ServerAddress& out);
bool same_server(const ServerAddress& a, const ServerAddress& b);

// A name or an IPv4 address: nothing that could not be one.
bool plausible_host(const char* host);
// Whether two names mean one host: the same but for case, and a name without a domain is that of any.
bool same_host_name(const char* a, const char* b);
// Digits and dots, or anything with a colon: nothing to look up.
bool is_numeric(const char* host);
// Copies what fits, and a NUL.
void copy_text(char* to, size_t size, const char* from, size_t length);

}  // namespace inktop
