// C ABI of the line: see the header.
#include "decode_api.h"

#include <cstring>
#include <string>

#include "inktop/encoder.h"
#include "inktop/framer.h"
#include "inktop/parser.h"
#include "line_json.h"

using namespace inktop;

namespace {

struct HostFramer {
  Framer framer;
  std::string pending;  // bytes handed over
  size_t taken = 0;     // of them, by the framer
};

HostFramer& host_framer(void* framer) {
  return *static_cast<HostFramer*>(framer);
}

// The length of the text, or kTooSmall.
int give(const char* text, size_t length, char* out, int out_size) {
  if (out_size < 0 || length + 1 > static_cast<size_t>(out_size)) return kTooSmall;
  memcpy(out, text, length);
  out[length] = '\0';
  return static_cast<int>(length);
}

int give(const Framed& found, char* out, int out_size) {
  if (found.error == LineError::none) return give(found.line, found.length, out, out_size);
  const char* word = line_error_name(found.error);
  return give(word, strlen(word), out, out_size) < 0 ? kTooSmall : kDropped;
}

}  // namespace

int inktop_decode(const char* bytes, int n, char* out, int out_size) {
  Parsed parsed;
  parse(bytes, static_cast<size_t>(n), parsed);
  const std::string json = line_to_json(parsed);
  const int length = give(json.data(), json.size(), out, out_size);
  return length < 0 ? -1 : length;
}

void* inktop_framer_new() {
  return new HostFramer;
}

void inktop_framer_free(void* framer) {
  delete static_cast<HostFramer*>(framer);
}

void inktop_framer_feed(void* framer, const char* bytes, int n) {
  HostFramer& host = host_framer(framer);
  host.pending.erase(0, host.taken);
  host.taken = 0;
  host.pending.append(bytes, static_cast<size_t>(n));
}

int inktop_framer_next(void* framer, char* out, int out_size) {
  HostFramer& host = host_framer(framer);
  const char* data = host.pending.data() + host.taken;
  size_t size = host.pending.size() - host.taken;
  Framed found;
  const bool any = host.framer.next(data, size, found);
  host.taken = host.pending.size() - size;
  return any ? give(found, out, out_size) : kNothing;
}

int inktop_framer_closed(void* framer, char* out, int out_size) {
  Framed found;
  return host_framer(framer).framer.closed(found) ? give(found, out, out_size) : kNothing;
}

unsigned inktop_framer_dropped(void* framer, int kind) {
  if (kind < 0 || kind >= kLineErrors) return 0;
  return host_framer(framer).framer.bad_lines().of(static_cast<LineError>(kind));
}

int inktop_reencode(const char* bytes, int n, char* out, int out_size) {
  Parsed parsed;
  parse(bytes, static_cast<size_t>(n), parsed);
  const size_t size = out_size < 0 ? 0 : static_cast<size_t>(out_size);
  size_t length = 0;
  if (parsed.kind == LineKind::hello) length = encode_hello(parsed.hello, out, size);
  if (parsed.kind == LineKind::health) length = encode_health(parsed.health, out, size);
  if (parsed.kind == LineKind::settings) length = encode_settings(parsed.settings, out, size);
  if (parsed.kind == LineKind::ack) length = encode_ack(parsed.ack, out, size);
  return static_cast<int>(length);
}
