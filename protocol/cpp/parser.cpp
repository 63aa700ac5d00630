// The parser: see the header. Two passes over a line whose checksum is right: first the syntax of every
// field, then the values of the keys that the table knows, so that the kind of error does not depend on the
// order of the fields.
#include "inktop/parser.h"

#include <cstring>
#include <new>

#include "inktop/ascii.h"
#include "inktop/crc16.h"
#include "inktop/fields.h"
#include "inktop/forms.h"
#include "inktop/line_table.h"
#include "inktop/members.h"

namespace inktop {
namespace {

constexpr int kMaxDigits = 15;

// ---- Values: false for one outside its type or range

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
bool read_fixed(Text text, int decimals, int64_t low, int64_t high, int64_t& value) {
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
  if (read < low || read > high) return false;
  value = read;
  return true;
}

bool is_unknown(Text text) {
  return text.size == 1 && text.data[0] == '-';
}

// Into its member of `holder`.
bool read_value(const Value& value, Text text, void* holder) {
  if (value.may_be_unknown && is_unknown(text)) return true;
  if (value.form != Form::number) {
    if (!has_form(value.form, text.data, text.size, value.size - 1u)) return false;
    char* out = at_offset(holder, value.offset);
    memcpy(out, text.data, text.size);
    out[text.size] = '\0';
    return true;
  }
  int64_t number = 0;
  const bool read = value.decimals > 0 ? read_fixed(text, value.decimals, value.low, value.high, number)
                    : value.low < 0    ? read_int(text, value.low, value.high, number)
                                       : read_uint(text, value.low, value.high, number);
  if (read) set_number(holder, value, number);
  return read;
}

// The items of a list, one after the other.
class List {
 public:
  List(Text text, char separator) : rest_(text), separator_(separator) {}

  // All that is left, as one item.
  bool rest(Text& item) {
    item = rest_;
    return !done_;
  }

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

// The values of a group; where a list has ended early, a member keeps what it has from its constructor.
bool read_group(const Key& key, Text text, void* group) {
  List list(text, key.separator);
  for (size_t i = 0; i < key.value_count; i++) {
    const Value& value = key.values[i];
    Text item;
    const bool ends = key.closed && i + 1u == key.value_count;
    if (!(ends ? list.rest(item) : list.next(item))) {
      if (value.required) return false;
      continue;
    }
    if (!read_value(value, item, group)) return false;
  }
  return true;
}

bool read_row(const Key& key, Text text, char* row) {
  List list(text, key.separator);
  Text item;
  for (size_t i = 0; i < key.most && list.next(item); i++) {
    if (!read_value(key.values[0], item, row + i * key.stride)) return false;
  }
  return true;
}

bool read_cells(const Key& key, Text text, char* cells, int32_t& count) {
  if (text.size < 1 || text.size > key.most) return false;
  for (size_t i = 0; i < text.size; i++) {
    const char c = text.data[i];
    if (c != '-' && !is_hex(c)) return false;
    cells[i] = static_cast<char>(c == '-' ? -1 : is_digit(c) ? c - '0' : c - 'a' + 10);
  }
  count = static_cast<int32_t>(text.size);
  return true;
}

bool read_repeat(const Key& key, Text text, char* groups, int32_t& count) {
  List list(text, ',');
  Text item;
  while (list.next(item)) {
    if (count == key.most || !read_group(key, item, groups + static_cast<size_t>(count) * key.stride)) {
      return false;
    }
    count++;
  }
  return true;
}

// The number of a key such as g12, or -1: one beyond `most`, or with a leading zero, is an unknown key.
int number_in(Text key, const char* start, int most) {
  const size_t length = strlen(start);
  if (key.size <= length || key.size > length + 2 || memcmp(key.data, start, length) != 0) return -1;
  int number = 0;
  for (size_t i = length; i < key.size; i++) {
    if (!is_digit(key.data[i])) return -1;
    number = number * 10 + (key.data[i] - '0');
  }
  if (key.data[length] == '0' && key.size > length + 1) return -1;
  return number < most ? number : -1;
}

// The most groups that a numbered key of the table has.
constexpr size_t most_numbered() {
  size_t most = 0;
  for (const Kind& kind : kKinds) {
    for (size_t i = 0; i < kind.key_count; i++) {
      const Key& key = kind.keys[i];
      if (key.shape == Shape::numbered && key.most > most) most = key.most;
    }
  }
  return most;
}

bool read_numbered(const Key& key, const Fields& fields, char* groups, int32_t& count) {
  int16_t field_of[most_numbered()];
  for (int16_t& field : field_of) field = -1;
  for (size_t i = 0; i < fields.count(); i++) {
    const int number = number_in(fields.key(i), key.key, key.most);
    if (number >= 0) field_of[number] = static_cast<int16_t>(i);
  }
  for (int number = 0; number < key.most; number++) {
    if (field_of[number] < 0) continue;
    char* group = groups + static_cast<size_t>(count++) * key.stride;
    set_member<int32_t>(group, number);
    if (!read_group(key, fields.value(static_cast<size_t>(field_of[number])), group)) return false;
  }
  return true;
}

// ---- Line

// One key; a missing one leaves its member as it is.
LineError read_key(const Key& key, const Fields& fields, void* line) {
  char* member = at_offset(line, key.offset);
  int32_t count = 0;
  bool good = false;
  if (key.shape == Shape::numbered) {
    good = read_numbered(key, fields, member, count);
  } else {
    Text text;
    if (!fields.find(key.key, text)) return key.required ? LineError::missing : LineError::none;
    if (key.last && !fields.is_last(key.key)) return LineError::value;
    switch (key.shape) {
      case Shape::value:
        return read_value(key.values[0], text, member) ? LineError::none : LineError::value;
      case Shape::group:
      case Shape::row:
        set_member(at_offset(line, key.present), true);
        good = key.shape == Shape::group ? read_group(key, text, member) : read_row(key, text, member);
        return good ? LineError::none : LineError::value;
      case Shape::cells:
        good = read_cells(key, text, member, count);
        break;
      case Shape::repeat:
        good = read_repeat(key, text, member, count);
        break;
      case Shape::numbered:
        break;
    }
  }
  set_member(at_offset(line, key.present), count);
  return good ? LineError::none : LineError::value;
}

// A bad value anywhere comes before a key that is missing.
LineError read_keys(const Kind& kind, const Fields& fields, void* line) {
  LineError error = LineError::none;
  for (size_t i = 0; i < kind.key_count; i++) {
    const LineError found = read_key(kind.keys[i], fields, line);
    if (found == LineError::value) return found;
    if (found != LineError::none) error = found;
  }
  return error;
}

// As newly made. In place: a temporary of these would be two KiB of stack.
template <typename Line>
void* renew(Line& line) {
  return new (&line) Line();
}

// The member of `parsed` for a kind of line, as newly made.
void* renewed(LineKind kind, Parsed& parsed) {
  switch (kind) {
    case LineKind::data:
      return renew(parsed.snapshot);
    case LineKind::info:
      return renew(parsed.info);
    case LineKind::hello:
      return renew(parsed.hello);
    case LineKind::health:
      return renew(parsed.health);
    case LineKind::settings:
      return renew(parsed.settings);
    case LineKind::ack:
      return renew(parsed.ack);
    case LineKind::announce:
      return renew(parsed.announce);
    case LineKind::fleet:
      return renew(parsed.fleet);
    default:
      return nullptr;
  }
}

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

const Kind* kind_of(Text key) {
  for (const Kind& kind : kKinds) {
    if (key.is(kind.key)) return &kind;
  }
  return nullptr;
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
  const Kind* kind = kind_of(fields.key(0));
  bool version_is_number = true;
  if (kind != nullptr && kind->versioned) {
    int64_t version = 0;
    version_is_number = read_uint(fields.value(0), 0, INT64_MAX, version);
    if (version_is_number && version != kProtocolVersion) {
      // A later version may have another syntax: only its number is read.
      parsed.kind = LineKind::other_version;
      parsed.other_kind = kind->kind;
      parsed.other_version = version;
      return LineError::none;
    }
  }
  if (!fields.read_all()) return LineError::syntax;
  if (!version_is_number) return LineError::value;
  if (kind == nullptr) {
    const Text key = fields.key(0);
    memcpy(parsed.unknown_key, key.data, key.size);
    parsed.unknown_key[key.size] = '\0';
    parsed.kind = LineKind::unknown;
    return LineError::none;
  }
  const LineError error = read_keys(*kind, fields, renewed(kind->kind, parsed));
  if (error == LineError::none) parsed.kind = kind->kind;
  return error;
}

}  // namespace

void parse(const char* line, size_t length, Parsed& parsed) {
  parsed.kind = LineKind::none;
  parsed.error = read_line(line, length, parsed);
}

const char* line_kind_name(LineKind kind) {
  for (const Kind& one : kKinds) {
    if (one.kind == kind) return one.name;
  }
  return kind == LineKind::other_version ? "other_version" : kind == LineKind::unknown ? "unknown" : "none";
}

}  // namespace inktop
