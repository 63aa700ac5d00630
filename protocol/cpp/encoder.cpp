// The encoder: see the header. Mirrors inktop_protocol/encode.py for what the board sends.
#include "inktop/encoder.h"

#include <cstring>

#include "inktop/ascii.h"
#include "inktop/crc16.h"

namespace inktop {
namespace {

constexpr int64_t kMaxU32 = 4294967295;

// Appends to a buffer of fixed size; once something did not fit, it stays failed.
class Writer {
 public:
  Writer(char* out, size_t size) : out_(out), size_(size) {}

  void put(char c) {
    // One byte is kept for the NUL.
    if (length_ + 1 < size_) {
      out_[length_++] = c;
    } else {
      failed_ = true;
    }
  }
  void put(const char* text) {
    for (; *text != '\0'; text++) put(*text);
  }
  void put_number(int64_t value) {
    char digits[20];
    int count = 0;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do {
      digits[count++] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest > 0);
    if (value < 0) put('-');
    while (count > 0) put(digits[--count]);
  }
  void put_key(const char* key) {
    if (length_ > 0) put('|');
    put(key);
    put('=');
  }
  // A board id: anything else becomes "_".
  void put_name(const char* text) {
    if (*text == '\0') put('_');
    for (; *text != '\0'; text++) put(is_name(*text) ? *text : '_');
  }
  // Printable ASCII: "|" becomes "_", anything else "?".
  void put_text(const char* text) {
    for (; *text != '\0'; text++) put(*text == '|' ? '_' : *text >= ' ' && *text <= '~' ? *text : '?');
  }
  void put_counter(const char* key, int64_t value) {
    if (value < 0) return;
    put_key(key);
    put_number(value < kMaxU32 ? value : kMaxU32);
  }
  void put_number_or_unknown(const char* key, int64_t value, int64_t low, int64_t high) {
    put_key(key);
    if (value >= low && value <= high) {
      put_number(value);
    } else {
      put('-');
    }
  }
  void put_counts(const char* key, const Count* counts, int32_t count) {
    bool first = true;
    for (int32_t i = 0; i < count && i < kMaxCounts; i++) {
      if (!is_word(counts[i].kind) || counts[i].count < 0) continue;
      if (first) {
        put_key(key);
      } else {
        put(',');
      }
      first = false;
      put(counts[i].kind);
      put(':');
      put_number(counts[i].count < kMaxU32 ? counts[i].count : kMaxU32);
    }
  }

  // Ends the text with a NUL; its length, or 0 when it did not fit.
  size_t finish() {
    if (failed_ || size_ == 0) return 0;
    out_[length_] = '\0';
    return length_;
  }

 private:
  static bool is_word(const char* text) {
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
      if (!is_lower(*text)) return false;
    }
    return true;
  }

  char* out_;
  size_t size_;
  size_t length_ = 0;
  bool failed_ = false;
};

// Pixels as "WxH", each of 1 to 5 digits.
bool is_panel(const char* text) {
  for (int part = 0; part < 2; part++) {
    int digits = 0;
    while (is_digit(*text)) {
      text++;
      digits++;
    }
    if (digits < 1 || digits > 5) return false;
    if (part == 0 && *text++ != 'x') return false;
  }
  return *text == '\0';
}

bool is_mac(const char* text) {
  size_t length = 0;
  while (is_hex(text[length])) length++;
  return length == 64 && text[length] == '\0';
}

void put_hello(Writer& writer, const Hello& hello) {
  writer.put_key("hello");
  writer.put_number(hello.version);
  writer.put_key("id");
  writer.put_name(hello.board);
  writer.put_key("fw");
  writer.put_text(hello.firmware[0] != '\0' ? hello.firmware : "-");
  if (is_panel(hello.panel)) {
    writer.put_key("panel");
    writer.put(hello.panel);
  }
  writer.put_counter("boots", hello.boots);
  if (hello.reset[0] != '\0') {
    writer.put_key("reset");
    writer.put_text(hello.reset);
  }
}

}  // namespace

size_t hello_text(const Hello& hello, char* out, size_t size) {
  Writer writer(out, size);
  put_hello(writer, hello);
  return writer.finish();
}

size_t encode_hello(const Hello& hello, char* out, size_t size) {
  Writer writer(out, size);
  put_hello(writer, hello);
  if (is_mac(hello.mac)) {
    writer.put_key("mac");
    writer.put(hello.mac);
  }
  const size_t length = writer.finish();
  return length > 0 ? close_line(out, length, size) : 0;
}

size_t encode_health(const Health& health, char* out, size_t size) {
  Writer writer(out, size);
  writer.put_key("health");
  writer.put_number(health.version);
  writer.put_key("id");
  writer.put_name(health.board);
  writer.put_counter("u", health.uptime_s);
  writer.put_counter("heap", health.heap_bytes);
  writer.put_counter("psram", health.psram_bytes);
  writer.put_number_or_unknown("rssi", health.rssi_dbm, -127, 0);
  writer.put_counter("upd", health.updates);
  writer.put_counter("wash", health.washes);
  writer.put_counts("err", health.refresh_errors, health.refresh_error_count);
  writer.put_number_or_unknown("ms", health.refresh_ms, 0, kMaxU32);
  writer.put_counts("bad", health.bad_lines, health.bad_line_count);
  writer.put_counter("buf", health.receive_high_water_bytes);
  const size_t length = writer.finish();
  return length > 0 ? close_line(out, length, size) : 0;
}

size_t signed_length(const char* line, size_t length) {
  static constexpr char kField[] = "|mac=";
  constexpr size_t kLength = sizeof(kField) - 1;
  for (size_t i = 0; i + kLength <= length; i++) {
    if (memcmp(line + i, kField, kLength) == 0) return i;
  }
  return 0;
}

bool equal_in_constant_time(const char* one, const char* other, size_t length) {
  unsigned difference = 0;
  for (size_t i = 0; i < length; i++) {
    difference |= static_cast<unsigned char>(one[i]) ^ static_cast<unsigned char>(other[i]);
  }
  return difference == 0;
}

size_t close_line(char* out, size_t length, size_t size) {
  constexpr size_t kClosing = 6;  // "*", four digits, newline
  if (length + kClosing > kMaxLineBytes || length + kClosing + 1 > size) return 0;
  static constexpr char kDigits[] = "0123456789ABCDEF";
  const unsigned crc = crc16(out, length);
  out[length] = '*';
  for (unsigned i = 0; i < 4; i++) out[length + 1 + i] = kDigits[(crc >> (12 - 4 * i)) & 15];
  out[length + 5] = '\n';
  out[length + 6] = '\0';
  return length + kClosing;
}

}  // namespace inktop
