// The JSON object of a decoded line: see the header. Mirrors inktop_protocol/to_json.py byte for byte.
#include "line_json.h"

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
  // Left out when the text is empty: its key was missing.
  void optional_text(const char* key, const char* value) {
    if (*value != '\0') text(key, value);
  }
  void number(const char* key, int64_t value) {
    name(key);
    out_ += value == kUnknown ? "null" : std::to_string(value);
  }
  void optional_number(const char* key, int64_t value) {
    if (value != kUnknown) number(key, value);
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

void put_memory(Json& json, const Memory& memory) {
  json.begin("memory");
  json.number("used_milligib", memory.used_milligib);
  json.number("total_milligib", memory.total_milligib);
  json.number("cache_milligib", memory.cache_milligib);
  json.end();
}

void put_gpu(Json& json, const Gpu& gpu) {
  json.begin();
  json.number("index", gpu.index);
  json.number("busy_percent", gpu.busy_percent);
  json.number("vram_used_mib", gpu.vram_used_mib);
  json.number("vram_total_mib", gpu.vram_total_mib);
  json.number("edge_c", gpu.edge_c);
  json.number("junction_c", gpu.junction_c);
  json.number("memory_c", gpu.memory_c);
  json.number("power_w", gpu.power_w);
  json.number("fan_rpm", gpu.fan_rpm);
  json.number("core_clock_mhz", gpu.core_clock_mhz);
  json.number("memory_clock_mhz", gpu.memory_clock_mhz);
  json.number("fan_percent", gpu.fan_percent);
  json.text("state", gpu.state);
  json.end();
}

void put_snapshot(Json& json, const Snapshot& snapshot) {
  json.text("host", snapshot.host);
  json.optional_text("address", snapshot.address);
  json.optional_text("time", snapshot.time);
  json.optional_number("uptime_s", snapshot.uptime_s);
  json.number("cpu_permille", snapshot.cpu_permille);
  json.optional_number("cpus", snapshot.cpus);
  if (snapshot.cpu_level_count > 0) {
    json.begin_list("cpu_levels");
    for (int32_t i = 0; i < snapshot.cpu_level_count; i++) {
      const int8_t level = snapshot.cpu_levels[i];
      json.number(nullptr, level < 0 ? kUnknown : level);
    }
    json.end_list();
  }
  if (snapshot.has_load) {
    json.begin_list("load_centi");
    for (int32_t load : snapshot.load_centi) json.number(nullptr, load);
    json.end_list();
  }
  if (snapshot.has_memory) put_memory(json, snapshot.memory);
  if (snapshot.has_swap) {
    json.begin("swap");
    json.number("used_milligib", snapshot.swap.used_milligib);
    json.number("total_milligib", snapshot.swap.total_milligib);
    json.end();
  }
  if (snapshot.has_network) {
    json.begin("network");
    json.text("name", snapshot.network.name);
    json.number("received_bytes_s", snapshot.network.received_bytes_s);
    json.number("sent_bytes_s", snapshot.network.sent_bytes_s);
    json.end();
  }
  json.begin_list("gpus");
  for (int32_t i = 0; i < snapshot.gpu_count; i++) put_gpu(json, snapshot.gpus[i]);
  json.end_list();
  json.begin_list("events");
  for (int32_t i = 0; i < snapshot.event_count; i++) {
    json.begin();
    json.text("subject", snapshot.events[i].subject);
    json.text("what", snapshot.events[i].what);
    json.text("time", snapshot.events[i].time);
    json.end();
  }
  json.end_list();
}

void put_info(Json& json, const InfoLine& info) {
  json.number("version", info.version);
  json.optional_text("collector", info.collector);
  json.optional_text("nonce", info.nonce);
  if (info.has_clock) {
    json.begin("clock");
    json.text("time", info.clock.time);
    json.number("uptime_s", info.clock.uptime_s);
    json.end();
  }
  json.optional_text("cpu_model", info.cpu_model);
  json.begin_list("gpus");
  for (int32_t i = 0; i < info.gpu_count; i++) {
    const GpuInfo& gpu = info.gpus[i];
    json.begin();
    json.number("index", gpu.index);
    json.text("name", gpu.name);
    if (gpu.pci[0] != '\0') {
      json.text("pci", gpu.pci);
    } else {
      json.number("pci", kUnknown);
    }
    json.number("power_cap_w", gpu.power_cap_w);
    json.number("edge_critical_c", gpu.edge_critical_c);
    json.number("junction_critical_c", gpu.junction_critical_c);
    json.number("memory_critical_c", gpu.memory_critical_c);
    json.end();
  }
  json.end_list();
}

void put_hello(Json& json, const Hello& hello) {
  json.text("board", hello.board);
  json.text("firmware", hello.firmware);
  json.optional_text("panel", hello.panel);
  json.optional_number("boots", hello.boots);
  json.optional_text("reset", hello.reset);
  json.optional_text("mac", hello.mac);
  json.number("version", hello.version);
}

void put_counts(Json& json, const char* key, const Count* counts, int32_t count) {
  json.begin_list(key);
  for (int32_t i = 0; i < count; i++) {
    json.begin();
    json.text("kind", counts[i].kind);
    json.number("count", counts[i].count);
    json.end();
  }
  json.end_list();
}

void put_health(Json& json, const Health& health) {
  json.text("board", health.board);
  json.optional_number("uptime_s", health.uptime_s);
  json.optional_number("heap_bytes", health.heap_bytes);
  json.optional_number("psram_bytes", health.psram_bytes);
  json.number("rssi_dbm", health.rssi_dbm);
  json.optional_number("updates", health.updates);
  json.optional_number("washes", health.washes);
  put_counts(json, "refresh_errors", health.refresh_errors, health.refresh_error_count);
  json.number("refresh_ms", health.refresh_ms);
  put_counts(json, "bad_lines", health.bad_lines, health.bad_line_count);
  json.optional_number("receive_high_water_bytes", health.receive_high_water_bytes);
  json.number("version", health.version);
}

void put_announcement(Json& json, const Announcement& announce) {
  json.text("host", announce.host);
  json.text("address", announce.address);
  json.number("port", announce.port);
  json.optional_text("mac", announce.mac);
  json.number("version", announce.version);
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
  switch (parsed.kind) {
    case LineKind::data:
      put_snapshot(json, parsed.snapshot);
      break;
    case LineKind::info:
      put_info(json, parsed.info);
      break;
    case LineKind::hello:
      put_hello(json, parsed.hello);
      break;
    case LineKind::health:
      put_health(json, parsed.health);
      break;
    case LineKind::announce:
      put_announcement(json, parsed.announce);
      break;
    case LineKind::unknown:
      json.text("key", parsed.unknown_key);
      break;
    default:
      break;
  }
  json.end();
  return json.take();
}

}  // namespace inktop
