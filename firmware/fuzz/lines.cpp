// Framer, parser, encoder and seal: any bytes in any portions.
#include <cstring>
#include <vector>

#include "choices.h"
#include "inktop/encoder.h"
#include "inktop/framer.h"
#include "inktop/parser.h"
#include "inktop/seal.h"
#include "line_json.h"

using namespace inktop;
using fuzz::require;

namespace {

// Of protocol/README.md, section 13; the C ABI promises it.
constexpr size_t kMostJson = 32'768;

struct Found {
  LineError error;
  std::string line;
  bool operator==(const Found& other) const { return error == other.error && line == other.line; }
};

std::vector<Found> frame(const std::string& bytes, fuzz::Choices* portions) {
  Framer framer;
  std::vector<Found> out;
  Framed found;
  uint32_t dropped = 0;
  for (size_t at = 0; at < bytes.size();) {
    size_t size = bytes.size() - at;
    if (portions != nullptr && portions->any() && size > 1) size = 1 + portions->byte() % size;
    // A copy of its own, so that reading beyond it is noticed.
    const std::vector<char> portion(bytes.begin() + long(at), bytes.begin() + long(at + size));
    const char* data = portion.data();
    at += size;
    while (framer.next(data, size, found)) {
      out.push_back(
          {found.error, found.error == LineError::none ? std::string(found.line, found.length) : ""});
      require(out.back().line.size() <= kMaxLineBytes, "a line is at most kMaxLineBytes long");
      if (found.error != LineError::none) ++dropped;
    }
    require(size == 0, "the framer takes every byte");
  }
  if (framer.closed(found)) {
    out.push_back({found.error, ""});
    ++dropped;
  }
  uint32_t counted = 0;
  for (const uint32_t count : framer.bad_lines().counts) counted += count;
  require(counted == dropped, "every dropped line is counted");
  return out;
}

size_t encode(const Parsed& parsed, char* out, size_t size) {
  switch (parsed.kind) {
    case LineKind::hello:
      return encode_hello(parsed.hello, out, size);
    case LineKind::health:
      return encode_health(parsed.health, out, size);
    case LineKind::settings:
      return encode_settings(parsed.settings, out, size);
    case LineKind::ack:
      return encode_ack(parsed.ack, out, size);
    default:
      return 0;
  }
}

void round_trip(const std::string& line) {
  static Parsed first;
  static Parsed second;
  parse(line.data(), line.size(), first);
  require((first.kind == LineKind::none) == (first.error != LineError::none),
          "a line is dropped with a reason");
  const std::string json = line_to_json(first);
  require(json.size() < kMostJson, "its JSON has room");
  char written[kMaxLineBytes + 1];
  const size_t length = encode(first, written, sizeof written);
  if (length == 0) return;
  parse(written, length, second);
  require(line_to_json(second) == json, "what the board writes says what it read");
}

void seal(const std::string& line) {
  static Parsed read;
  parse(line.data(), line.size(), read);
  Seal found;
  if (find_seal(line.data(), line.size(), found)) {
    require(found.signed_length < line.size(), "the mac is within the line");
    require(found.mac + kSealMacDigits <= line.data() + line.size(), "all of the mac is within the line");
  }
  require(signed_length(line.data(), line.size()) <= line.size(), "what is signed is within the line");
  const std::string mac(64, 'a');
  for (const size_t size : {line.size() / 2, line.size() + 8, sizeof(char[kMaxLineBytes + 1])}) {
    std::vector<char> out(size + 1);
    const size_t begun = begin_seal(line.data(), line.size(), 4'294'967'295u, out.data(), size);
    require(begun <= size, "the text to sign fits");
    if (begun == 0) continue;
    const size_t ended = end_seal(out.data(), begun, mac.data(), size);
    require(ended <= size, "the sealed line fits");
    if (ended > 0 && read.error == LineError::none)
      require(find_seal(out.data(), ended, found), "a sealed line has a seal");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  const bool is_line = choices.below(2) == 0;
  fuzz::Choices portions(data, size < 16 ? size : 16);
  const std::string bytes = is_line ? choices.line() : choices.rest();
  const std::vector<Found> whole = frame(bytes, nullptr);
  require(whole == frame(bytes, &portions), "portions change nothing");
  for (const Found& found : whole) {
    if (found.error != LineError::none) continue;
    round_trip(found.line);
    seal(found.line);
  }
  return 0;
}
