// The JSON object of a decoded line: see the header. Mirrors inktop_protocol/to_json.py byte for byte.
#include "line_json.h"

#include "inktop/line_table.h"
#include "inktop/members.h"

namespace inktop {
namespace {

class Json {
 public:
  void begin(const char* key = nullptr) { open(key, '{'); }
  void end() { close('}'); }
  void begin_list(const char* key) { open(key, '['); }
  void end_list() { close(']'); }

  void text(const char* key, const char* value) {
    name(key);
    out_ += '"';
    for (; *value != '\0'; value++) {
      if (*value == '"' || *value == '\\') out_ += '\\';
      out_ += *value;
    }
    out_ += '"';
  }
  void number(const char* key, int64_t value) {
    name(key);
    out_ += value == kUnknown ? "null" : std::to_string(value);
  }

  std::string take() { return std::move(out_); }

 private:
  void name(const char* key) {
    if (!first_) out_ += ',';
    first_ = false;
    if (key == nullptr) return;
    out_ += '"';
    out_ += key;
    out_ += "\":";
  }
  void open(const char* key, char bracket) {
    name(key);
    out_ += bracket;
    first_ = true;
  }
  void close(char bracket) {
    out_ += bracket;
    first_ = false;
  }

  std::string out_;
  bool first_ = true;
};

// What an unknown value and a missing one become: a member of a line is left out, one of a group is null.
enum class Missing { left_out, null };

void put_value(Json& json, const Value& value, const char* name, const void* holder, Missing missing) {
  if (value.form == Form::number) {
    const int64_t number = get_number(holder, value);
    if (number != kUnknown || missing == Missing::null) json.number(name, number);
    return;
  }
  const char* text = get_text(holder, value);
  if (text[0] != '\0') {
    json.text(name, text);
  } else if (missing == Missing::null) {
    json.number(name, kUnknown);
  }
}

void put_group(Json& json, const Key& key, const char* name, const void* group) {
  json.begin(name);
  if (key.shape == Shape::numbered) json.number("index", get_member<int32_t>(group));
  for (size_t i = 0; i < key.value_count; i++) {
    put_value(json, key.values[i], key.values[i].member, group, Missing::null);
  }
  json.end();
}

void put_key(Json& json, const Key& key, const void* line) {
  const char* member = at_offset(line, key.offset);
  const char* present = at_offset(line, key.present);
  switch (key.shape) {
    case Shape::value:
      put_value(json, key.values[0], key.member, member, key.always ? Missing::null : Missing::left_out);
      break;
    case Shape::group:
      if (get_member<bool>(present)) put_group(json, key, key.member, member);
      break;
    case Shape::row:
      if (!get_member<bool>(present)) break;
      json.begin_list(key.member);
      for (size_t i = 0; i < key.most; i++) {
        put_value(json, key.values[0], nullptr, member + i * key.stride, Missing::null);
      }
      json.end_list();
      break;
    case Shape::cells: {
      const int32_t count = get_member<int32_t>(present);
      if (count == 0) break;
      json.begin_list(key.member);
      for (int32_t i = 0; i < count; i++) {
        const int8_t cell = get_member<int8_t>(member + i);
        json.number(nullptr, cell < 0 ? kUnknown : cell);
      }
      json.end_list();
      break;
    }
    case Shape::repeat:
    case Shape::numbered: {
      const int32_t count = get_member<int32_t>(present);
      json.begin_list(key.member);
      for (int32_t i = 0; i < count; i++) {
        put_group(json, key, nullptr, member + static_cast<size_t>(i) * key.stride);
      }
      json.end_list();
      break;
    }
  }
}

void put_line(Json& json, const Kind& kind, const void* line) {
  const auto put_version = [&] {
    json.number("version", get_member<int64_t>(at_offset(line, kind.version)));
  };
  if (kind.versioned && kind.version_first) put_version();
  for (size_t i = 0; i < kind.key_count; i++) put_key(json, kind.keys[i], line);
  if (kind.versioned && !kind.version_first) put_version();
}

const void* line_in(const Parsed& parsed) {
  switch (parsed.kind) {
    case LineKind::data:
      return &parsed.snapshot;
    case LineKind::info:
      return &parsed.info;
    case LineKind::hello:
      return &parsed.hello;
    case LineKind::health:
      return &parsed.health;
    case LineKind::settings:
      return &parsed.settings;
    case LineKind::ack:
      return &parsed.ack;
    case LineKind::announce:
      return &parsed.announce;
    case LineKind::fleet:
      return &parsed.fleet;
    default:
      return nullptr;
  }
}

}  // namespace

std::string line_to_json(const Parsed& parsed) {
  Json json;
  json.begin();
  if (parsed.error != LineError::none) {
    json.text("error", line_error_name(parsed.error));
  } else if (parsed.kind == LineKind::other_version) {
    json.text("kind", line_kind_name(parsed.other_kind));
    json.number("version", parsed.other_version);
  } else {
    json.text("kind", line_kind_name(parsed.kind));
  }
  if (parsed.kind == LineKind::unknown) json.text("key", parsed.unknown_key);
  for (const Kind& kind : kKinds) {
    if (kind.kind == parsed.kind) put_line(json, kind, line_in(parsed));
  }
  json.end();
  return json.take();
}

}  // namespace inktop
