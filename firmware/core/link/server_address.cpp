#include "link/server_address.h"

#include <cstring>

#include "inktop/ascii.h"

namespace inktop {
namespace {

bool parse_port(const char* text, uint16_t& port) {
  uint32_t value = 0;
  if (*text == 0) return false;
  for (; *text != 0; ++text) {
    if (!is_digit(*text)) return false;
    value = value * 10 + uint32_t(*text - '0');
    if (value > 65535) return false;
  }
  port = uint16_t(value);
  return value > 0;
}

bool is_ipv6(const char* text) {
  int groups = 0;
  bool gap = false;
  for (const char* c = text; *c != 0; ++groups) {
    if (c[0] == ':' && c[1] == ':') {
      if (gap) return false;
      gap = true;
      c += 2;
      if (*c == 0) break;
    } else if (groups > 0 && *c++ != ':') {
      return false;
    }
    int digits = 0;
    for (; is_hex(*c) || (*c >= 'A' && *c <= 'F'); ++c) ++digits;
    if (digits < 1 || digits > 4) return false;
  }
  return gap ? groups <= 7 : groups == 8;
}

}  // namespace

void copy_text(char* to, size_t size, const char* from, size_t length) {
  const size_t kept = length < size - 1 ? length : size - 1;
  std::memcpy(to, from, kept);
  to[kept] = 0;
}

bool plausible_host(const char* host) {
  if (host[0] == '.' || host[0] == '_' || host[0] == '-') return false;
  for (const char* c = host; *c != 0; ++c) {
    if (!is_name(*c)) return false;
  }
  return host[0] != 0;
}

bool same_host_name(const char* a, const char* b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; };
  for (; *a != 0 && lower(*a) == lower(*b); ++a) ++b;
  if (*a == *b) return *a == 0;
  return (*a == 0 && *b == '.') || (*b == 0 && *a == '.');
}

bool is_numeric(const char* host) {
  if (std::strchr(host, ':') != nullptr) return true;
  for (const char* c = host; *c != 0; ++c) {
    if (*c != '.' && !is_digit(*c)) return false;
  }
  return true;
}

bool parse_server(const char* text, ServerAddress& out) {
  ServerAddress found;
  const size_t length = std::strlen(text);
  const char* port = nullptr;
  if (text[0] == '[') {
    const char* end = std::strchr(text, ']');
    if (end == nullptr || size_t(end - text - 1) >= sizeof found.host) return false;
    copy_text(found.host, sizeof found.host, text + 1, size_t(end - text - 1));
    if (end[1] == ':') {
      port = end + 2;
    } else if (end[1] != 0) {
      return false;
    }
    if (!is_ipv6(found.host)) return false;
  } else {
    const char* colon = std::strchr(text, ':');
    const bool one_colon = colon != nullptr && std::strchr(colon + 1, ':') == nullptr;
    const size_t host_length = one_colon ? size_t(colon - text) : length;
    if (host_length >= sizeof found.host) return false;
    copy_text(found.host, sizeof found.host, text, host_length);
    if (one_colon) port = colon + 1;
  }
  if (port != nullptr && !parse_port(port, found.port)) return false;
  if (!plausible_host(found.host) && !is_ipv6(found.host)) return false;
  out = found;
  return true;
}

bool same_server(const ServerAddress& a, const ServerAddress& b) {
  return a.port == b.port && std::strcmp(a.host, b.host) == 0;
}

}  // namespace inktop
