// The parser: see the header. Two passes over a line whose checksum is right: first the syntax of every
// field, then the values of the known keys, so that the kind of error does not depend on the order of the
// fields.
#include "inktop/parser.h"

#include <cstring>

#include "inktop/ascii.h"
#include "inktop/crc16.h"

namespace inktop {
namespace {

constexpr size_t kClosingBytes = 5;  // "*" and four digits; the newline is gone already
constexpr size_t kMaxKey = 16;
constexpr int kMaxDigits = 15;
// "a=" and a separator for each field: more do not fit into a line.
constexpr size_t kMaxFields = (kMaxLineBytes - kClosingBytes) / 3 + 1;
constexpr int64_t kMaxU32 = 4294967295;
constexpr int64_t kMaxMilligib = 1048576000;
constexpr int64_t kMaxRate = 100000000000000;

// A part of the line.
struct Text {
  const char* data = nullptr;
  size_t size = 0;

  bool is(const char* word) const { return strlen(word) == size && memcmp(data, word, size) == 0; }
};

bool is_lower_or_digit(char c) {
  return is_lower(c) || is_digit(c);
}
bool is_any(char) {
  return true;
}

// ---- Fields
// -------------------------------------------------------------------------------------------------

class Fields {
 public:
  // Whether the first field of the body is `key=value`.
  bool open(Text body) {
    body_ = body;
    return read(0);
  }

  // Reads all other fields too: false when one has no "=", or a bad or repeated key.
  bool read_all() {
    while (end(count_ - 1) < body_.size) {
      if (!read(end(count_ - 1) + 1)) return false;
    }
    return true;
  }

  Text key(size_t field) const { return {body_.data + start_[field], key_size_[field]}; }
  Text value(size_t field) const {
    const size_t begin = start_[field] + key_size_[field] + 1u;
    return {body_.data + begin, end(field) - begin};
  }

  bool find(const char* key, Text& value_found) const {
    const size_t size = strlen(key);
    for (size_t i = 0; i < count_; i++) {
      if (key_size_[i] == size && memcmp(body_.data + start_[i], key, size) == 0) {
        value_found = value(i);
        return true;
      }
    }
    return false;
  }

  bool is_last(const char* word) const { return key(count_ - 1).is(word); }

 private:
  size_t end(size_t field) const { return end_[field]; }

  bool read(size_t start) {
    const void* bar = memchr(body_.data + start, '|', body_.size - start);
    const size_t end =
        bar != nullptr ? static_cast<size_t>(static_cast<const char*>(bar) - body_.data) : body_.size;
    size_t size = 0;
    while (start + size < end && body_.data[start + size] != '=') size++;
    if (start + size == end || size == 0 || size > kMaxKey || !is_lower(body_.data[start])) return false;
    for (size_t i = 0; i < size; i++) {
      if (!is_lower_or_digit(body_.data[start + i])) return false;
    }
    for (size_t i = 0; i < count_; i++) {
      if (key_size_[i] == size && memcmp(body_.data + start_[i], body_.data + start, size) == 0) return false;
    }
    start_[count_] = static_cast<uint16_t>(start);
    end_[count_] = static_cast<uint16_t>(end);
    key_size_[count_] = static_cast<uint8_t>(size);
    count_++;
    return true;
  }

  Text body_;
  size_t count_ = 0;
  uint16_t start_[kMaxFields];
  uint16_t end_[kMaxFields];
  uint8_t key_size_[kMaxFields];
};

// ---- Values: each reader returns false for a value outside its type or range
// -------------------------------------

bool read_uint(Text text, int64_t low, int64_t high, int64_t& value) {
  if (text.size < 1 || text.size > kMaxDigits) return false;
  int64_t read = 0;
  for (size_t i = 0; i < text.size; i++) {
    if (!is_digit(text.data[i])) return false;
    read = read * 10 + (text.data[i] - '0');
  }
  if (read < low || read > high) return false;
  value = read;
  return true;
}

bool read_int(Text text, int64_t low, int64_t high, int64_t& value) {
  if (text.size < 1 || text.data[0] != '-') return read_uint(text, low, high, value);
  int64_t negated = 0;
  if (!read_uint({text.data + 1, text.size - 1}, -high, -low, negated)) return false;
  value = -negated;
  return true;
}

// A decimal number as a multiple of 10^-decimals, rounded half up.
bool read_fixed(Text text, int decimals, int64_t high, int64_t& value) {
  int64_t read = 0;
  int digits = 0;
  int after_point = -1;  // digits after the point; -1: no point yet
  bool round_up = false;
  for (size_t i = 0; i < text.size; i++) {
    const char c = text.data[i];
    if (c == '.') {
      if (digits == 0 || after_point >= 0) return false;
      after_point = 0;
      continue;
    }
    if (!is_digit(c) || ++digits > kMaxDigits) return false;
    if (after_point >= 0 && ++after_point > 6) return false;
    if (after_point <= decimals) {
      read = read * 10 + (c - '0');
    } else if (after_point == decimals + 1) {
      round_up = c >= '5';
    }
  }
  if (digits == 0 || after_point == 0) return false;
  for (int i = after_point < 0 ? 0 : after_point; i < decimals; i++) read *= 10;
  if (round_up) read++;
  if (read > high) return false;
  value = read;
  return true;
}

bool is_unknown(Text text) {
  return text.size == 1 && text.data[0] == '-';
}

// 1 to `size - 1` characters, each of them as `allowed` says, and a NUL.
bool read_text(Text text, bool (*allowed)(char), char* out, size_t size) {
  if (text.size < 1 || text.size > size - 1) return false;
  for (size_t i = 0; i < text.size; i++) {
    if (!allowed(text.data[i])) return false;
  }
  memcpy(out, text.data, text.size);
  out[text.size] = '\0';
  return true;
}

bool read_hex(Text text, char* out, size_t size) {
  return text.size == size - 1 && read_text(text, is_hex, out, size);
}

bool is_two_digits(const char* at, char high_tens, char high_ones_there) {
  return is_digit(at[0]) && is_digit(at[1]) &&
         (at[0] < high_tens || (at[0] == high_tens && at[1] <= high_ones_there));
}

// HH:MM (out of 6 bytes) or HH:MM:SS (out of 9 bytes).
bool read_time(Text text, char* out, size_t size) {
  if (text.size != size - 1 || !is_two_digits(text.data, '2', '3')) return false;
  for (size_t at = 2; at < text.size; at += 3) {
    if (text.data[at] != ':' || !is_two_digits(text.data + at + 1, '5', '9')) return false;
  }
  memcpy(out, text.data, text.size);
  out[text.size] = '\0';
  return true;
}

bool read_pci(Text text, char* out, size_t size) {
  static constexpr char kForm[] = "hhhh:hh:hh.h";
  if (text.size != sizeof(kForm) - 1 || text.size != size - 1) return false;
  for (size_t i = 0; i < text.size; i++) {
    if (kForm[i] == 'h' ? !is_hex(text.data[i]) : text.data[i] != kForm[i]) return false;
  }
  memcpy(out, text.data, text.size);
  out[text.size] = '\0';
  return true;
}

bool read_panel(Text text, char* out, size_t size) {
  size_t at = 0;
  for (int part = 0; part < 2; part++) {
    const size_t begin = at;
    while (at < text.size && is_digit(text.data[at])) at++;
    if (at - begin < 1 || at - begin > 5) return false;
    if (part == 0 && (at == text.size || text.data[at++] != 'x')) return false;
  }
  return at == text.size && read_text(text, is_any, out, size);
}

// The items of a list, one after the other.
class List {
 public:
  List(Text text, char separator) : rest_(text), separator_(separator) {}

  // False at the end of the list. A list has at least one item, which may be empty.
  bool next(Text& item) {
    if (done_) return false;
    const void* found = memchr(rest_.data, separator_, rest_.size);
    if (found == nullptr) {
      item = rest_;
      done_ = true;
      return true;
    }
    const size_t size = static_cast<size_t>(static_cast<const char*>(found) - rest_.data);
    item = {rest_.data, size};
    rest_ = {rest_.data + size + 1, rest_.size - size - 1};
    return true;
  }

 private:
  Text rest_;
  char separator_;
  bool done_ = false;
};

// The next item as a uint, as an int where `low` is negative, or "-"; a list that has ended leaves `value` as
// it is, which is "unknown".
template <typename Int>
bool next_number(List& list, int64_t low, int64_t high, Int& value) {
  Text item;
  int64_t read = 0;
  if (!list.next(item) || is_unknown(item)) return true;
  if (!(low < 0 ? read_int : read_uint)(item, low, high, read)) return false;
  value = static_cast<Int>(read);
  return true;
}

bool next_fixed(List& list, int decimals, int64_t high, int32_t& value) {
  Text item;
  int64_t read = 0;
  if (!list.next(item) || is_unknown(item)) return true;
  if (!read_fixed(item, decimals, high, read)) return false;
  value = static_cast<int32_t>(read);
  return true;
}

// A counter, or "-" where that is allowed; nothing to do when its key is missing.
bool read_counter(const Fields& fields, const char* key, int64_t& value) {
  Text text;
  return !fields.find(key, text) || read_uint(text, 0, kMaxU32, value);
}

bool read_optional_text(const Fields& fields, const char* key, bool (*allowed)(char), char* out,
                        size_t size) {
  Text text;
  return !fields.find(key, text) || read_text(text, allowed, out, size);
}

// `mac`: what it signs is all before it, so that nothing may follow.
bool read_mac(const Fields& fields, char* out, size_t size) {
  Text text;
  return !fields.find("mac", text) || (fields.is_last("mac") && read_hex(text, out, size));
}

// "g0" ... "g15" without a snprintf.
struct GpuKey {
  char text[4] = {'g', '\0', '\0', '\0'};
  explicit GpuKey(int index) {
    if (index >= 10) {
      text[1] = '1';
      text[2] = static_cast<char>('0' + index - 10);
    } else {
      text[1] = static_cast<char>('0' + index);
    }
  }
};

// ---- Data line
// ----------------------------------------------------------------------------------------------

bool read_levels(Text text, Snapshot& snapshot) {
  if (text.size < 1 || text.size > kMaxCpuLevels) return false;
  for (size_t i = 0; i < text.size; i++) {
    const char c = text.data[i];
    if (c != '-' && !is_hex(c)) return false;
    snapshot.cpu_levels[i] = static_cast<int8_t>(c == '-' ? -1 : is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  snapshot.cpu_level_count = static_cast<int32_t>(text.size);
  return true;
}

bool read_load(Text text, Snapshot& snapshot) {
  List list(text, ',');
  snapshot.has_load = true;
  for (int32_t& load : snapshot.load_centi) {
    if (!next_fixed(list, 2, 9999999, load)) return false;
  }
  return true;
}

bool read_memory(Text text, Snapshot& snapshot) {
  List list(text, '/');
  snapshot.has_memory = true;
  return next_fixed(list, 3, kMaxMilligib, snapshot.memory.used_milligib) &&
         next_fixed(list, 3, kMaxMilligib, snapshot.memory.total_milligib) &&
         next_fixed(list, 3, kMaxMilligib, snapshot.memory.cache_milligib);
}

bool read_swap(Text text, Snapshot& snapshot) {
  List list(text, '/');
  snapshot.has_swap = true;
  return next_fixed(list, 3, kMaxMilligib, snapshot.swap.used_milligib) &&
         next_fixed(list, 3, kMaxMilligib, snapshot.swap.total_milligib);
}

bool read_network(Text text, Snapshot& snapshot) {
  List list(text, ',');
  Text name;
  snapshot.has_network = true;
  return list.next(name) && read_text(name, is_any, snapshot.network.name, sizeof snapshot.network.name) &&
         next_number(list, 0, kMaxRate, snapshot.network.received_bytes_s) &&
         next_number(list, 0, kMaxRate, snapshot.network.sent_bytes_s);
}

bool read_gpu(Text text, Gpu& gpu) {
  List list(text, ',');
  Text state;
  if (!next_number(list, 0, 100, gpu.busy_percent) ||         //
      !next_number(list, 0, 16777216, gpu.vram_used_mib) ||   //
      !next_number(list, 0, 16777216, gpu.vram_total_mib) ||  //
      !next_number(list, -99, 999, gpu.edge_c) ||             //
      !next_number(list, -99, 999, gpu.junction_c) ||         //
      !next_number(list, -99, 999, gpu.memory_c) ||           //
      !next_number(list, 0, 9999, gpu.power_w) ||             //
      !next_number(list, 0, 99999, gpu.fan_rpm) ||            //
      !next_number(list, 0, 99999, gpu.core_clock_mhz) ||     //
      !next_number(list, 0, 99999, gpu.memory_clock_mhz) ||   //
      !next_number(list, 0, 100, gpu.fan_percent)) {
    return false;
  }
  return !list.next(state) || read_text(state, is_lower, gpu.state, sizeof gpu.state);
}

bool read_event(Text text, Event& event) {
  // subject:what:HH:MM:SS
  List list(text, ':');
  Text subject;
  Text what;
  if (!list.next(subject) || !list.next(what)) return false;
  const size_t before_time = subject.size + what.size + 2;
  return before_time <= text.size &&
         read_text(subject, is_lower_or_digit, event.subject, sizeof event.subject) &&
         read_text(what, is_lower, event.what, sizeof event.what) &&
         read_time({text.data + before_time, text.size - before_time}, event.time, sizeof event.time);
}

bool read_events(Text text, Snapshot& snapshot) {
  List list(text, ',');
  Text item;
  while (list.next(item)) {
    if (snapshot.event_count == kMaxEvents || !read_event(item, snapshot.events[snapshot.event_count]))
      return false;
    snapshot.event_count++;
  }
  return true;
}

LineError read_data(const Fields& fields, Parsed& parsed) {
  Snapshot& snapshot = parsed.snapshot;
  snapshot = Snapshot();
  Text text;
  int64_t number = 0;
  if (!read_text(fields.value(0), is_any, snapshot.host, sizeof snapshot.host) ||
      !read_optional_text(fields, "i", is_any, snapshot.address, sizeof snapshot.address) ||
      (fields.find("t", text) && !read_time(text, snapshot.time, sizeof snapshot.time)) ||
      !read_counter(fields, "u", snapshot.uptime_s)) {
    return LineError::value;
  }
  if (fields.find("c", text) && !is_unknown(text)) {
    if (!read_fixed(text, 1, 1000, number)) return LineError::value;
    snapshot.cpu_permille = static_cast<int32_t>(number);
  }
  if (fields.find("n", text)) {
    if (!read_uint(text, 1, 65535, number)) return LineError::value;
    snapshot.cpus = static_cast<int32_t>(number);
  }
  if ((fields.find("k", text) && !read_levels(text, snapshot)) ||   //
      (fields.find("l", text) && !read_load(text, snapshot)) ||     //
      (fields.find("m", text) && !read_memory(text, snapshot)) ||   //
      (fields.find("s", text) && !read_swap(text, snapshot)) ||     //
      (fields.find("w", text) && !read_network(text, snapshot)) ||  //
      (fields.find("e", text) && !read_events(text, snapshot))) {
    return LineError::value;
  }
  for (int index = 0; index < kMaxGpus; index++) {
    if (!fields.find(GpuKey(index).text, text)) continue;
    Gpu& gpu = snapshot.gpus[snapshot.gpu_count++];
    gpu.index = index;
    if (!read_gpu(text, gpu)) return LineError::value;
  }
  return LineError::none;
}

// ---- The other kinds
// ----------------------------------------------------------------------------------------

bool read_gpu_info(Text text, GpuInfo& gpu) {
  List list(text, ',');
  Text item;
  if (!list.next(item) || !read_text(item, is_any, gpu.name, sizeof gpu.name)) return false;
  if (list.next(item) && !is_unknown(item) && !read_pci(item, gpu.pci, sizeof gpu.pci)) return false;
  return next_number(list, 0, 9999, gpu.power_cap_w) && next_number(list, -99, 999, gpu.edge_critical_c) &&
         next_number(list, -99, 999, gpu.junction_critical_c) &&
         next_number(list, -99, 999, gpu.memory_critical_c);
}

LineError read_info(const Fields& fields, Parsed& parsed) {
  InfoLine& info = parsed.info;
  info = InfoLine();
  Text text;
  if (!read_optional_text(fields, "v", is_any, info.collector, sizeof info.collector) ||
      (fields.find("nonce", text) && !read_hex(text, info.nonce, sizeof info.nonce)) ||
      !read_optional_text(fields, "cpu", is_any, info.cpu_model, sizeof info.cpu_model)) {
    return LineError::value;
  }
  if (fields.find("clock", text)) {
    List list(text, ',');
    Text time;
    Text uptime;
    info.has_clock = true;
    if (!list.next(time) || !list.next(uptime) || !read_time(time, info.clock.time, sizeof info.clock.time) ||
        !read_uint(uptime, 0, kMaxU32, info.clock.uptime_s)) {
      return LineError::value;
    }
  }
  for (int index = 0; index < kMaxGpus; index++) {
    if (!fields.find(GpuKey(index).text, text)) continue;
    GpuInfo& gpu = info.gpus[info.gpu_count++];
    gpu.index = index;
    if (!read_gpu_info(text, gpu)) return LineError::value;
  }
  return LineError::none;
}

LineError read_hello(const Fields& fields, Parsed& parsed) {
  Hello& hello = parsed.hello;
  hello = Hello();
  Text text;
  if (!read_optional_text(fields, "id", is_name, hello.board, sizeof hello.board) ||
      !read_optional_text(fields, "fw", is_any, hello.firmware, sizeof hello.firmware) ||
      (fields.find("panel", text) && !read_panel(text, hello.panel, sizeof hello.panel)) ||
      !read_counter(fields, "boots", hello.boots) ||
      !read_optional_text(fields, "reset", is_any, hello.reset, sizeof hello.reset) ||
      !read_mac(fields, hello.mac, sizeof hello.mac)) {
    return LineError::value;
  }
  return hello.board[0] != '\0' && hello.firmware[0] != '\0' ? LineError::none : LineError::missing;
}

// `kind:count` items, at most kMaxCounts of them.
bool read_counts(const Fields& fields, const char* key, Count* counts, int32_t& count) {
  Text text;
  if (!fields.find(key, text)) return true;
  List list(text, ',');
  Text item;
  while (list.next(item)) {
    if (count == kMaxCounts) return false;
    List parts(item, ':');
    Text kind;
    Text number;
    if (!parts.next(kind) || !parts.next(number) || kind.size + number.size + 1 != item.size ||
        !read_text(kind, is_lower, counts[count].kind, sizeof counts[count].kind) ||
        !read_uint(number, 0, kMaxU32, counts[count].count)) {
      return false;
    }
    count++;
  }
  return true;
}

LineError read_health(const Fields& fields, Parsed& parsed) {
  Health& health = parsed.health;
  health = Health();
  Text text;
  int64_t rssi = kUnknown;
  if (!read_optional_text(fields, "id", is_name, health.board, sizeof health.board) ||
      !read_counter(fields, "u", health.uptime_s) || !read_counter(fields, "heap", health.heap_bytes) ||
      !read_counter(fields, "psram", health.psram_bytes) ||
      (fields.find("rssi", text) && !is_unknown(text) && !read_int(text, -127, 0, rssi)) ||
      !read_counter(fields, "upd", health.updates) || !read_counter(fields, "wash", health.washes) ||
      !read_counts(fields, "err", health.refresh_errors, health.refresh_error_count) ||
      (fields.find("ms", text) && !is_unknown(text) && !read_uint(text, 0, kMaxU32, health.refresh_ms)) ||
      !read_counts(fields, "bad", health.bad_lines, health.bad_line_count) ||
      !read_counter(fields, "buf", health.receive_high_water_bytes)) {
    return LineError::value;
  }
  health.rssi_dbm = static_cast<int32_t>(rssi);
  return health.board[0] != '\0' ? LineError::none : LineError::missing;
}

LineError read_announcement(const Fields& fields, Parsed& parsed) {
  Announcement& announce = parsed.announce;
  announce = Announcement();
  Text text;
  int64_t port = kUnknown;
  if (!read_optional_text(fields, "h", is_any, announce.host, sizeof announce.host) ||
      !read_optional_text(fields, "i", is_any, announce.address, sizeof announce.address) ||
      (fields.find("port", text) && !read_uint(text, 1, 65535, port)) ||
      !read_mac(fields, announce.mac, sizeof announce.mac)) {
    return LineError::value;
  }
  announce.port = static_cast<int32_t>(port);
  const bool whole = announce.host[0] != '\0' && announce.address[0] != '\0' && port != kUnknown;
  return whole ? LineError::none : LineError::missing;
}

// ---- Line
// -----------------------------------------------------------------------------------------------------

bool has_right_checksum(const char* line, size_t length) {
  if (length < kClosingBytes || line[length - kClosingBytes] != '*') return false;
  unsigned sent = 0;
  for (size_t i = length - 4; i < length; i++) {
    const char c = line[i];
    if (!is_digit(c) && (c < 'A' || c > 'F')) return false;
    sent = sent * 16 + static_cast<unsigned>(is_digit(c) ? c - '0' : c - 'A' + 10);
  }
  return sent == crc16(line, length - kClosingBytes);
}

LineKind kind_of(Text key) {
  if (key.is("h")) return LineKind::data;
  if (key.is("info")) return LineKind::info;
  if (key.is("hello")) return LineKind::hello;
  if (key.is("health")) return LineKind::health;
  if (key.is("announce")) return LineKind::announce;
  return LineKind::unknown;
}

LineError read_line(const char* line, size_t length, Parsed& parsed) {
  if (length > 0 && line[length - 1] == '\n') length--;
  if (length >= kMaxLineBytes) return LineError::overlong;
  for (size_t i = 0; i < length; i++) {
    if (line[i] < ' ' || line[i] > '~') return LineError::charset;
  }
  if (!has_right_checksum(line, length)) return LineError::checksum;

  Fields fields;
  if (!fields.open({line, length - kClosingBytes})) return LineError::syntax;
  const LineKind kind = kind_of(fields.key(0));
  int64_t version = 0;
  bool version_is_number = true;
  if (kind != LineKind::data && kind != LineKind::unknown) {
    version_is_number = read_uint(fields.value(0), 0, INT64_MAX, version);
    if (version_is_number && version != kProtocolVersion) {
      // A later version may have another syntax: only its number is read.
      parsed.kind = LineKind::other_version;
      parsed.other_kind = kind;
      parsed.other_version = version;
      return LineError::none;
    }
  }
  if (!fields.read_all()) return LineError::syntax;
  if (!version_is_number) return LineError::value;

  LineError error = LineError::none;
  switch (kind) {
    case LineKind::data:
      error = read_data(fields, parsed);
      break;
    case LineKind::info:
      error = read_info(fields, parsed);
      break;
    case LineKind::hello:
      error = read_hello(fields, parsed);
      break;
    case LineKind::health:
      error = read_health(fields, parsed);
      break;
    case LineKind::announce:
      error = read_announcement(fields, parsed);
      break;
    default:
      read_text(fields.key(0), is_any, parsed.unknown_key, sizeof parsed.unknown_key);
      break;
  }
  if (error == LineError::none) parsed.kind = kind;
  return error;
}

}  // namespace

void parse(const char* line, size_t length, Parsed& parsed) {
  parsed.kind = LineKind::none;
  parsed.error = read_line(line, length, parsed);
}

}  // namespace inktop
