#include "inktop_host.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "copy.h"
#include "host_app.h"
#include "inktop/encoder.h"
#include "panel/draw_errors.h"
#include "timed_panel.h"

using namespace inktop;

// Where elements moved or changed, what was counted so far goes to the names that they had.
void HostApp::charge_elements() {
  for (size_t i = 0; i < element_names.size(); ++i) {
    element_flips[element_names[i]] += panel.element_flips(int(i));
  }
  element_flips["outside"] += panel.element_flips(PanelModel::kOutside);
  const Picture& picture = app.picture();
  element_names.clear();
  element_rects.clear();
  for (int i = 0; i < picture.element_count(); ++i) {
    element_names.emplace_back(picture.element_name(i));
    element_rects.push_back(picture.element_rect(i));
  }
  panel.set_elements(element_rects);
}

namespace {

const char* const kScreenNames[] = {
    "boot",      "wifi_unset", "wifi_joining", "wifi_no_ssid", "wifi_bad_key",   "wifi_no_address",
    "searching", "waiting",    "denied",       "live",         "newer_protocol", "status",
    "updating",  "panel_fault"};
const char* const kFreshnessNames[] = {"fresh", "old", "lost"};
bool same_elements(const HostApp& host) {
  const Picture& picture = host.app.picture();
  if (size_t(picture.element_count()) != host.element_names.size()) return false;
  for (int i = 0; i < picture.element_count(); ++i) {
    if (host.element_names[size_t(i)] != picture.element_name(i)) return false;
    if (!(host.element_rects[size_t(i)] == picture.element_rect(i))) return false;
  }
  return true;
}

// Charges what is driven to the elements of the picture.
class ChargingPanel : public TimedPanel {
 public:
  explicit ChargingPanel(HostApp& host)
      : TimedPanel(host.defective ? static_cast<Panel&>(*host.defective) : host.panel), host_(host) {}

  DrawErrors drive(Waveform waveform, const Difference& difference) override {
    if (!same_elements(host_)) host_.charge_elements();
    return TimedPanel::drive(waveform, difference);
  }

 private:
  HostApp& host_;
};

HostApp& host(void* app) {
  return *static_cast<HostApp*>(app);
}

int32_t give(const std::string& text, char* out, int32_t out_size) {
  if (out_size < 0 || text.size() + 1 > size_t(out_size)) return -1;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return int32_t(text.size());
}

}  // namespace

void* inktop_app_new(const InktopAppConfig* config) {
  const Size size{config->width, config->height};
  if (size.width % 8 != 0 || size.width > 8192 || size.height > RowSet::kMaxRows) return nullptr;
  // On less the panels do not fit into their frames.
  const bool wide = size.width >= 640 && size.height >= 400;
  const bool tall = size.width >= 400 && size.height >= 640;
  if (!wide && !tall) return nullptr;
  AppSettings settings;
  settings.refresh.update_interval_ms = config->update_interval_ms;
  settings.refresh.wash_interval = config->wash_interval;
  settings.refresh.hot_spot_flips = config->hot_spot_flips;
  settings.health_interval_ms = config->health_interval_ms;
  settings.configured = config->servers;
  BoardFacts facts;
  copy(facts.id, config->id);
  copy(facts.firmware, config->firmware);
  copy(facts.reset_reason, "power-on");
  return new HostApp(size, settings, facts, config->panel_seed);
}

void inktop_app_free(void* app) {
  delete static_cast<HostApp*>(app);
}

void inktop_app_opened(void* app, int64_t now_ms) {
  host(app).direct.opened(now_ms);
}

void inktop_app_bytes(void* app, const char* bytes, int32_t size, int64_t now_ms) {
  host(app).direct.received(bytes, size_t(size), now_ms);
}

void inktop_app_closed(void* app, int32_t why, int64_t now_ms) {
  host(app).direct.closed(CloseReason(why), now_ms);
}

void inktop_app_receive(void* app) {
  HostApp& it = host(app);
  for (Record record; it.inward.peek(record); it.inward.pop()) {
    it.app.receive(record);
    if (record.kind == Record::Kind::settings) it.take_settings(*record.settings, record.server);
  }
  it.app.set_receive_high_water(it.inward.high_water());
}

void inktop_app_button(void* app, int32_t which, int64_t now_ms) {
  constexpr Button kButtons[] = {Button::wash, Button::status, Button::span, Button::next};
  if (which >= 0 && which < 4) host(app).app.button(kButtons[which], now_ms);
}

int32_t inktop_app_set(void* app, const char* name, const char* value) {
  HostApp& it = host(app);
  Setting setting;
  if (!find_setting(name, setting)) return -1;
  if (it.layers.set_own(setting, value) == SettingsLayers::Kept::refused) return -2;
  it.apply_settings();
  return 0;
}

int32_t inktop_app_settings(void* app, char* out, int32_t out_size) {
  std::string json = "{";
  for (int i = 0; i < kSettingCount; ++i) {
    const auto setting = Setting(i);
    if (!setting_from_server(setting)) continue;  // those have nothing in them that JSON would escape
    char value[kMaxSettingText];
    setting_text(host(app).layers.in_force(), setting, value, sizeof value);
    json += std::string(json.size() > 1 ? "," : "") + "\"" + setting_name(setting) + "\":\"" + value + "\"";
  }
  return give(json + "}", out, out_size);
}

int32_t inktop_app_refresh(void* app, int64_t now_ms, InktopRefresh* out) {
  HostApp& it = host(app);
  ChargingPanel panel(it);
  panel.set_now(now_ms);
  const Refreshed done = it.app.refresh(panel, panel);
  out->kind = int32_t(done.refresh.kind);
  out->why = int32_t(done.refresh.why);
  out->rows = done.rows;
  out->flips = done.flips;
  out->errors = done.errors;
  out->duration_ms = int32_t(done.ended_ms - done.started_ms);
  if (done.errors != kDrawOk) {
    ++it.errors;
  } else if (done.refresh.kind == RefreshKind::update) {
    ++it.updates;
  } else if (done.refresh.kind != RefreshKind::nothing) {
    ++it.washes;
  }
  return out->kind;
}

int32_t inktop_app_outbox(void* app, int64_t now_ms, char* out, int32_t out_size, int32_t* place) {
  if (out_size < int32_t(kMaxLineBytes) + 1) return -1;
  HostApp& it = host(app);
  size_t length = 0;
  int server = 0;
  if (it.answers_due != 0) {
    while ((it.answers_due >> server & 1u) == 0) ++server;
    it.answers_due &= ~(1u << server);
    SettingsLine answer;
    copy(answer.board, it.app.facts().id);
    it.layers.report(answer);
    length = encode_settings(answer, out, size_t(out_size));
  } else {
    length = it.app.outbox(now_ms, out, size_t(out_size), server);
  }
  *place = server;
  out[length] = 0;
  return int32_t(length);
}

const char* inktop_defect_name(int32_t defect) {
  return defect < 0 || defect >= kDefects ? nullptr : defect_name(Defect(defect));
}

const char* inktop_defect_summary(int32_t defect) {
  return defect < 0 || defect >= kDefects ? nullptr : defect_summary(Defect(defect));
}

int32_t inktop_app_defect(void* app, const char* name) {
  HostApp& it = host(app);
  const Defect defect = defect_by_name(name);
  if (defect == Defect::none) return -1;
  it.defective = std::make_unique<DefectivePanel>(it.app, it.panel, defect);
  return 0;
}

void inktop_app_fail(void* app, int32_t drives, int32_t errors, int32_t phase, int32_t row) {
  host(app).panel.fail(drives, DrawErrors(errors), phase, row);
}

const uint8_t* inktop_app_frame(void* app) {
  return host(app).app.frames().front();
}

void inktop_app_redraw(void* app, int64_t now_ms) {
  host(app).app.redraw(now_ms);
}

void inktop_app_frame_bits(void* app, uint8_t* out) {
  const HostApp& it = host(app);
  const Size size = it.panel.size();
  const uint8_t* frame = it.app.frames().front();
  for (int i = 0; i < size.width * size.height / 8; ++i, frame += 4) {
    uint8_t bits = 0;
    for (int pixel = 0; pixel < 8; ++pixel) {
      const int nibble = frame[pixel / 2] >> (pixel % 2 * 4) & 15;
      bits = uint8_t(bits << 1 | (nibble >= 8 ? 1 : 0));
    }
    out[i] = bits;
  }
}

void inktop_app_panel_bits(void* app, uint8_t* out) {
  host(app).panel.black_white(out);
}

void inktop_app_panel_levels(void* app, uint8_t* out) {
  host(app).panel.levels(out);
}

int32_t inktop_app_state(void* app, char* out, int32_t out_size) {
  const HostApp& it = host(app);
  const View& view = it.app.view();
  const PanelModel::Counters& panel = it.panel.counters();
  std::string json = "{";
  const auto text = [&](const char* key, const char* value) {
    json += std::string("\"") + key + "\":\"" + value + "\",";
  };
  const auto number = [&](const char* key, int64_t value) {
    json += std::string("\"") + key + "\":" + std::to_string(value) + ",";
  };
  text("screen", kScreenNames[int(view.screen)]);
  text("freshness", kFreshnessNames[int(view.freshness)]);
  number("age_s", view.age_s);
  number("newest_s", view.history->empty() ? -1 : view.history->newest());
  number("alarms", view.alarm_count);
  number("shown", it.app.shown());
  number("forward", view.forward ? 1 : 0);
  json += "\"servers\":[";
  for (int place = 0, i = 0; place < kMaxServers && i < view.server_count; ++place) {
    if (!it.app.shows(place)) continue;
    const View& server = view.servers[i++];
    json += i > 1 ? ",{" : "{";
    text("name", server.server_name);
    number("place", place);
    number("alarms", server.alarm_count + server.event_count);
    json += std::string("\"there\":") + (server.is_there() ? "true" : "false") + "}";
  }
  json += "],";
  number("updates", int64_t(it.updates));
  number("washes", int64_t(it.washes));
  number("errors", int64_t(it.errors));
  number("updates_since_wash", it.app.policy().updates_since_wash());
  number("rows", it.app.last_refresh().rows);
  number("flips", it.app.last_refresh().flips);
  number("total_rows", int64_t(panel.rows));
  number("total_flips", int64_t(panel.flipped));
  number("full_passes", int64_t(panel.full_passes));
  number("most_flips", it.panel.most_flips());
  number("mean_flips_milli", it.panel.mean_flips_milli());
  json += "\"bad_lines\":{";
  for (int i = 1; i < kLineErrors; ++i) {
    const auto kind = LineError(i);
    number(line_error_name(kind), it.app.bad_lines().of(kind));
  }
  json.back() = '}';
  json += "}";
  return give(json, out, out_size);
}

int32_t inktop_app_elements(void* app, char* out, int32_t out_size) {
  HostApp& it = host(app);
  it.charge_elements();
  std::string json = "[";
  std::map<std::string, uint64_t> gone = it.element_flips;
  const auto add = [&](const std::string& name, const Rect& rect) {
    char item[200];
    std::snprintf(item, sizeof item,
                  "{\"name\":\"%s\",\"x\":%d,\"y\":%d,\"width\":%d,\"height\":%d,\"flips\":%llu},",
                  name.c_str(), rect.x, rect.y, rect.width, rect.height,
                  static_cast<unsigned long long>(it.element_flips[name]));
    json += item;
    gone.erase(name);
  };
  for (size_t i = 0; i < it.element_names.size(); ++i) add(it.element_names[i], it.element_rects[i]);
  // Elements of earlier screens have flips but no place any more.
  for (const auto& element : std::map<std::string, uint64_t>(gone)) add(element.first, Rect{});
  if (json.back() == ',') json.pop_back();
  json += "]";
  return give(json, out, out_size);
}

const char* inktop_refresh_kind_name(int32_t kind) {
  return refresh_kind_name(RefreshKind(kind));
}
const char* inktop_refresh_reason_name(int32_t why) {
  return refresh_reason_name(RefreshReason(why));
}
const char* inktop_close_reason_name(int32_t why) {
  return close_reason_name(CloseReason(why));
}

int32_t inktop_draw_error_bit(int32_t kind) {
  return int32_t(draw_error_bit(kind));
}
const char* inktop_draw_error_word(int32_t kind) {
  return kind < 0 || kind >= kDrawErrorKinds ? nullptr : draw_error_word(kind);
}
