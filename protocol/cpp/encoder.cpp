// The encoder: see the header. Mirrors inktop_protocol/encode.py for what the board sends.
#include "inktop/encoder.h"

#include <cstring>

#include "inktop/ascii.h"
#include "inktop/crc16.h"
#include "inktop/forms.h"
#include "inktop/line_table.h"
#include "inktop/members.h"

namespace inktop {
namespace {

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
  // Printable ASCII: one of `separators` becomes "_", anything else "?".
  void put_text(const char* text, const char* separators) {
    for (; *text != '\0'; text++) {
      put(strchr(separators, *text) != nullptr ? '_' : *text >= ' ' && *text <= '~' ? *text : '?');
    }
  }
  // Ends the text with a NUL; its length, or 0 when it did not fit.
  size_t finish() {
    if (failed_ || size_ == 0) return 0;
    out_[length_] = '\0';
    return length_;
  }

 private:
  char* out_;
  size_t size_;
  size_t length_ = 0;
  bool failed_ = false;
};

// Writes the values of a kind of line as its table has them.
class LineWriter {
 public:
  LineWriter(const Kind& kind, const void* line, Writer& out) : kind_(kind), line_(line), out_(out) {}

  // Without the field that must be last: the caller signs all before it and then writes it.
  void put_line(bool with_last) {
    out_.put_key(kind_.key);
    out_.put_number(get_member<int64_t>(at_offset(line_, kind_.version)));
    for (size_t i = 0; i < kind_.key_count; i++) {
      const Key& key = kind_.keys[i];
      if (key.last && !with_last) continue;
      if (key.shape == Shape::repeat) {
        put_repeat(key);
      } else {
        put_value(key);
      }
    }
  }

 private:
  // Whether a value can be said; a text of printable characters or of a name always can.
  static bool can_be_said(const Value& value, const void* holder) {
    if (value.form == Form::number) {
      const int64_t number = get_number(holder, value);
      return number >= value.low && (number <= value.high || value.counter);
    }
    const char* text = get_text(holder, value);
    if (value.form == Form::printable || value.form == Form::name) return value.required || text[0] != '\0';
    return has_form(value.form, text, strlen(text), value.size - 1u);
  }

  void put(const Value& value, const void* holder, const char* separators = "|") {
    if (value.form == Form::number) {
      const int64_t number = get_number(holder, value);
      out_.put_number(number < value.high ? number : value.high);
      return;
    }
    const char* text = get_text(holder, value);
    if (value.form == Form::name) {
      out_.put_name(text);
    } else {
      out_.put_text(text[0] != '\0' ? text : "-", separators);
    }
  }

  void put_value(const Key& key) {
    const void* member = at_offset(line_, key.offset);
    const bool said = can_be_said(key.values[0], member);
    if (!said && !key.always) return;
    out_.put_key(key.key);
    if (said) {
      put(key.values[0], member);
    } else {
      out_.put('-');
    }
  }

  // The first `most` groups of which every value can be said.
  void put_repeat(const Key& key) {
    const int32_t count = get_member<int32_t>(at_offset(line_, key.present));
    bool first = true;
    for (int32_t i = 0; i < count && i < key.most; i++) {
      const void* group = at_offset(line_, key.offset + static_cast<size_t>(i) * key.stride);
      bool said = true;
      for (size_t v = 0; v < key.value_count; v++) said = said && can_be_said(key.values[v], group);
      if (!said) continue;
      if (first) {
        out_.put_key(key.key);
      } else {
        out_.put(',');
      }
      first = false;
      const char all[] = {'|', ',', key.separator, '\0'};
      for (size_t v = 0; v < key.value_count; v++) {
        if (v > 0) out_.put(key.separator);
        // The last of a closed group is all that is left of it.
        const bool ends = key.closed && v + 1u == key.value_count;
        put(key.values[v], group, ends ? "|," : all);
      }
    }
  }

  const Kind& kind_;
  const void* line_;
  Writer& out_;
};

constexpr const Kind& kind_of(LineKind wanted) {
  const Kind* found = kKinds;
  while (found->kind != wanted) found++;
  return *found;
}

// The board's lines need no more than this.
constexpr bool can_be_written(const Kind& kind) {
  for (size_t i = 0; i < kind.key_count; i++) {
    const Key& key = kind.keys[i];
    if (key.shape != Shape::value && key.shape != Shape::repeat) return false;
    for (size_t v = 0; v < key.value_count; v++) {
      if (key.values[v].decimals > 0) return false;
    }
  }
  return kind.versioned;
}
static_assert(can_be_written(kind_of(LineKind::hello)), "teach LineWriter the new shape");
static_assert(can_be_written(kind_of(LineKind::health)), "teach LineWriter the new shape");
static_assert(can_be_written(kind_of(LineKind::settings)), "teach LineWriter the new shape");
static_assert(can_be_written(kind_of(LineKind::ack)), "teach LineWriter the new shape");

size_t body(LineKind kind, const void* line, bool with_last, char* out, size_t size) {
  Writer writer(out, size);
  LineWriter(kind_of(kind), line, writer).put_line(with_last);
  return writer.finish();
}

size_t whole(size_t body_length, char* out, size_t size) {
  return body_length > 0 ? close_line(out, body_length, size) : 0;
}

}  // namespace

size_t hello_text(const Hello& hello, char* out, size_t size) {
  return body(LineKind::hello, &hello, false, out, size);
}

size_t encode_hello(const Hello& hello, char* out, size_t size) {
  return whole(body(LineKind::hello, &hello, true, out, size), out, size);
}

size_t encode_health(const Health& health, char* out, size_t size) {
  return whole(body(LineKind::health, &health, true, out, size), out, size);
}

size_t encode_settings(const SettingsLine& settings, char* out, size_t size) {
  return whole(body(LineKind::settings, &settings, true, out, size), out, size);
}

size_t encode_ack(const Ack& ack, char* out, size_t size) {
  return whole(body(LineKind::ack, &ack, true, out, size), out, size);
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
