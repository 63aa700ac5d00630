#include "firmware.h"

#include <Arduino.h>
#include <esp_heap_caps.h>
#include <esp_system.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

#include <cstdio>
#include <new>

#include "adc_buttons.h"
#include "app/app_settings.h"
#include "boot_record.h"
#include "default_settings.h"
#include "device_log.h"
#include "epdiy_display.h"
#include "hmac.h"
#include "inktop/encoder.h"
#include "memory_table.h"
#include "monotonic.h"
#include "panel/draw_errors.h"
#include "power_board.h"
#include "psram.h"
#include "version.h"

#ifdef EPD_SELFTEST
#include "selftest/selftest.h"
#endif

namespace inktop {
namespace {

// Below the debounce time of a button, far below the 250 ms that the app asks for.
constexpr uint32_t kRest_ms = 15;
constexpr int64_t kFacts_ms = 1'000;
// A server's setting that acts from the start on restarts the board, but not more often than this: two
// servers may not agree.
constexpr int64_t kSettled_ms = 600'000;
constexpr int kWashButton = 0;
constexpr int kStatusButton = 1;
constexpr int kSpanButton = 2;
// How long the buttons are looked at before anything else, until one that is held, or rest, has settled.
constexpr int64_t kLook_ms = 150;

class MonotonicTime : public TimeSource {
 public:
  int64_t now_ms() override { return inktop::now_ms(); }
};

// What malloc() takes from first, and the radio alone.
constexpr uint32_t kInternal = MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT;

template <size_t N>
void copy(char (&to)[N], const char* from) {
  std::snprintf(to, N, "%.*s", int(N - 1), from);
}

}  // namespace

Firmware::Firmware() : guard_(power_guard()), epdiy_(guard_, watchdog_) {}

void Firmware::load_settings() {
  const bool stored = store_.begin();
  const int refused = layers_.load(default_settings());
  copy(facts_.id, settings_.id);
  copy(facts_.firmware, kFirmwareVersion);
  copy(facts_.reset_reason, reset_word());
  copy(facts_.ssid, settings_.ssid);
  wish_ = take_wish();
  first_join_ = store_.first_join();
  facts_.boots = store_.count_boot();
  facts_.vcom_mv = kHasVcomSetting ? settings_.vcom_mv : 0;
  log_line("%s, firmware %s, board %s, start %u after %s", settings_.id, kFirmwareVersion, kBoardName,
           unsigned(facts_.boots), facts_.reset_reason);
  if (!stored)
    log_line("flash storage cannot be used: settings last until a restart. Erase the flash, flash again");
  if (refused > 0) log_line("%d stored settings are out of range: the defaults are used. See list", refused);
  if (settings_.ssid[0] == 0)
    log_line(
        "no Wi-Fi is set: the panel says how, or set ssid NAME, set password WORD, restart (inktop "
        "configure)");
  ConsoleHost& host = *this;
  console_.emplace(layers_, host);
  buttons_.emplace(settings_.button_levels);
  look_at_buttons();
  Watchdog::watch_this_task();
  watchdog_.allow(Watchdog::kNormal_s);
}

void Firmware::look_at_buttons() {
  begin_button_pin();
  for (const int64_t until = now_ms() + kLook_ms; now_ms() < until; delay(kRest_ms)) {
    buttons_->sample(read_button_pin(), now_ms());
  }
  held_at_start_ = buttons_->held() >= 0;
}

void Firmware::start_panel() {
  if (guard_.failures() > 0) {
    const bool stops = guard_.failures() >= RefreshPolicy::kPowerFailuresToStop;
    const bool other_board =
        kHasVcomSetting && (guard_.last() == PanelFailure::supply || guard_.last() == PanelFailure::bus);
    log_line("%s, %d times in a row%s%s", panel_failure_words(guard_.last()), guard_.failures(),
             stops ? "; the panel is left alone until a button is pressed or power was off" : "",
             stops && other_board ? ". A board without the power chip needs v7_nopmic" : "");
  }
  epdiy_.begin(settings_);
  if (epdiy_.begun()) facts_.panel_mhz = settings_.panel_mhz;
}

AppSettings Firmware::app_settings() const {
  AppSettings out;
  inktop::take_settings(out, settings_);
  out.power_failures = guard_.failures();
  return out;
}

void Firmware::start_app() {
  memory_.front = take_psram(kFrameBytes, "the frame");
  memory_.back = take_psram(kFrameBytes, "the frame on the panel");
  memory_.difference = take_psram(kDifferenceBytes, "the difference");
  memory_.dirty = reinterpret_cast<bool*>(take_psram(kFlagBytes, "the row flags"));
  bool* const turned = reinterpret_cast<bool*>(take_psram(kFlagBytes, "the turned row flags"));
  if (upside_down(settings_.turn)) rotated_.emplace(epdiy_, memory_.difference, turned);
  inward_.emplace(take_psram(kInwardBytes, "the queue inward"), kInwardBytes);
  outward_.emplace(take_psram(kOutwardBytes, "the queue outward"), kOutwardBytes);
  app_ = new (take_psram(sizeof(App), "the app"))
      App(kPanelSize, memory_, app_settings(), facts_, on_its_side(settings_.turn));
}

void Firmware::open_setup() {
  char note[160] = "";
  if (first_join_ == FirstJoin::failed) {
    std::snprintf(note, sizeof note,
                  "Could not join %s. Correct the name or the password, and fill in the rest again.",
                  settings_.ssid);
  }
  uint8_t* const place = take_psram(kSetupBytes, "the form");
  setup_ = new (place) SetupPoint(settings_, note, store_);
  // Without the network the panel shows no codes for it.
  if (setup_->open(settings_.id)) {
    copy(app_->facts().setup_password, setup_->password());
    copy(app_->facts().setup_page, SetupPoint::kPage);
  }
  LinkStatus status;
  status.phase = LinkPhase::wifi_unset;
  app_->receive(status_record(status, now_ms()));
}

void Firmware::poll_setup() {
  if (setup_ != nullptr) {
    const SetupPoint::State state = setup_->poll(now_ms());
    if (state == SetupPoint::State::open) return;
    if (state == SetupPoint::State::over) {
      log_line("setup: nobody has filled in the form for half an hour, restarting without it");
      wish(Wish::closed_setup);
    } else {
      log_line("setup: the form is filled in, restarting");
      store_.keep_first_join(FirstJoin::tried);
    }
    return restart();
  }
  const FirstJoin next = next_first_join(first_join_, network_->station().is_up(), now_ms());
  if (next == first_join_) return;
  first_join_ = next;
  const bool kept = store_.keep_first_join(next);
  if (next != FirstJoin::failed || !kept) return;
  log_line("setup: could not join \"%s\", restarting to ask again", settings_.ssid);
  restart();
}

void Firmware::start_network() {
  if (opens_access_point(first_join_, settings_.ssid[0] != 0)) {
    if (wish_ != Wish::closed_setup) return open_setup();
    app_->facts().setup_closed = true;
  }
  LinkSettings link = link_settings(settings_);
  link.last = store_.last_server();
  link.key.hmac = hmac_sha256;
  link.key.hmac_context = const_cast<char*>(settings_.key);  // it is read only
  link.key.random = esp_random;
  link.seed = esp_random();
  copy(link.hello.board, settings_.id);
  copy(link.hello.firmware, kFirmwareVersion);
  std::snprintf(link.hello.panel, sizeof link.hello.panel, "%dx%d", kPanelSize.width, kPanelSize.height);
  link.hello.boots = facts_.boots;
  copy(link.hello.reset, facts_.reset_reason);
  network_.emplace(settings_, link, store_, *inward_, *outward_);
  update_.emplace(
      ota_password(), settings_.id, [this](int percent) { show_progress(percent); },
      [this] { epdiy_.power_off(); });
  network_->start();
}

bool Firmware::selftest_wanted() {
  return wish_ == Wish::selftest || held_at_start_;
}

#ifdef EPD_SELFTEST
void Firmware::run_selftest() {
  class SerialLog : public selftest::Log {
   public:
    void line(const char* text) override { log_line("%s", text); }
  };
  SerialLog log;
  FrameStore frames(kPanelSize, memory_.front, memory_.back, memory_.difference, memory_.dirty);
  static selftest::StageRunner runner(frames, panel(), log, *app_);
  while (!runner.finished()) {
    runner.tick(now_ms(), buttons_->sample(read_button_pin(), now_ms()) >= 0);
    epdiy_.rest(settings_.keep_power);
    rest();
  }
  restart();
}
#else
void Firmware::run_selftest() {}
#endif

void Firmware::read_console() {
  char bytes[64];
  size_t size = 0;
  while (size < sizeof bytes && Serial.available() > 0) bytes[size++] = char(Serial.read());
  console_->input(bytes, size);
}

void Firmware::read_buttons() {
  const int pressed = buttons_->sample(read_button_pin(), now_ms());
  const int unknown = buttons_->take_unknown_reading();
  if (unknown >= 0)
    log_line("buttons: reading %d is no button's; if one is pressed now: set buttons", unknown);
  if (pressed < 0) return;
  log_line("buttons: %d pressed", pressed + 1);
  // The library can only be started before Wi-Fi.
  if (pressed == kWashButton && !epdiy_.begun()) {
    log_line("panel power: trying again, from the start");
    guard_.forget();
    restart();
  }
  if (pressed == kWashButton) app_->button(Button::wash, now_ms());
  if (pressed == kStatusButton) app_->button(Button::status, now_ms());
  if (pressed == kSpanButton) app_->button(Button::span, now_ms());
}

void Firmware::receive_lines() {
  Record record;
  while (inward_->peek(record)) {
    app_->receive(record);
    if (record.kind == Record::Kind::settings) take_settings(*record.settings);
    inward_->pop();
  }
  app_->set_receive_high_water(inward_->high_water());
  if (inward_->dropped() == lost_records_) return;
  lost_records_ = inward_->dropped();
  log_line("queue: full, %u records lost so far", unsigned(lost_records_));
}

void Firmware::take_settings(const SettingsLine& line) {
  const uint32_t changed_bits = layers_.take(line);
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting setting = Setting(i);
    if ((changed_bits & 1u << i) == 0) continue;
    char text[kMaxSettingText];
    setting_text(settings_, setting, text, sizeof text);
    log_line("settings: %s=%s, from the server", setting_name(setting), text);
    if (setting_needs_restart(setting)) {
      restart_due_ = true;
    } else {
      changed(setting);
    }
  }
  answer_settings();
}

void Firmware::answer_settings() {
  SettingsLine answer;
  copy(answer.board, settings_.id);
  layers_.report(answer);
  char line[kMaxLineBytes + 1];
  send(line, encode_settings(answer, line, sizeof line));
}

Panel& Firmware::panel() {
  return rotated_ ? static_cast<Panel&>(*rotated_) : epdiy_;
}

void Firmware::refresh() {
  MonotonicTime time;
  const Refreshed done = app_->refresh(panel(), time);
  epdiy_.rest(settings_.keep_power);
  if (done.refresh.kind == RefreshKind::nothing) return;
  char words[48];
  draw_error_words(done.errors, words, sizeof words);
  log_line("refresh: %s, %s, %d rows, %d pixels, %d ms: %s", refresh_kind_name(done.refresh.kind),
           refresh_reason_name(done.refresh.why), int(done.rows), int(done.flips),
           int(done.ended_ms - done.started_ms), words);
  if (done.errors != kDrawOk) log_line("refresh: %s", draw_error_advice(done.errors));
  if (clock_steps_.refreshed(done.errors, done.ended_ms)) slow_down();
}

void Firmware::slow_down() {
  const int before_mhz = settings_.panel_mhz;
  const int mhz = slower_mhz(before_mhz);
  if (mhz == before_mhz) return;
  char text[12];
  std::snprintf(text, sizeof text, "%d", mhz);
  const bool kept = layers_.set_own(Setting::speed, text) == SettingsLayers::Kept::ok;
  log_line("panel: fed too slowly %d times in an hour: its clock goes from %d to %d MHz%s",
           ClockSteps::kErrors, before_mhz, mhz,
           kept ? ", restarting; reset speed takes that back" : ", but flash storage fails");
  // The library takes a clock at its start only, and can only be started before Wi-Fi.
  if (kept) restart();
}

void Firmware::take_facts() {
  if (now_ms() < facts_due_ms_) return;
  facts_due_ms_ = now_ms() + kFacts_ms;
  BoardFacts& facts = app_->facts();
  facts.heap_bytes = uint32_t(heap_caps_get_free_size(kInternal));
  facts.largest_block_bytes = int32_t(heap_caps_get_largest_free_block(kInternal));
  facts.lowest_heap_bytes = int32_t(heap_caps_get_minimum_free_size(kInternal));
  facts.main_stack_bytes = int32_t(uxTaskGetStackHighWaterMark(nullptr));
  facts.psram_bytes = ESP.getFreePsram();
  if (!network_) return;
  facts.network_stack_bytes = int32_t(network_->stack_left());
  facts.rssi_dbm = int16_t(network_->station().rssi_dbm());
  if (network_->station().is_up()) network_->station().address(facts.address, sizeof facts.address);
}

void Firmware::report_health() {
  take_facts();
  char line[kMaxLineBytes + 1];
  send(line, app_->outbox(now_ms(), line, sizeof line));
}

void Firmware::send(const char* line, size_t size) {
  if (size == 0) return;
  Record record = record_at(Record::Kind::text, now_ms());
  record.text = line;
  record.size = size;
  outward_->push(record);
}

void Firmware::poll_update() {
  if (network_) update_->poll(network_->station().is_up());
}

void Firmware::show_progress(int percent) {
  app_->set_update_progress(percent);
  refresh();
  watchdog_.allow(Watchdog::kNormal_s);
}

void Firmware::rest() {
  if (restart_due_ && now_ms() >= kSettled_ms) {
    log_line("settings: restarting, for what acts from the start on");
    restart();
  }
  store_.write_waiting();
  watchdog_.allow(Watchdog::kNormal_s);
  delay(kRest_ms);
}

void Firmware::reply(const char* line) {
  Serial.println(line);
}

void Firmware::changed(Setting setting) {
  app_->set_settings(app_settings());
  if (setting == Setting::buttons) buttons_->set_levels(settings_.button_levels);
  if (setting == Setting::vcom) {
    epdiy_.set_vcom(settings_.vcom_mv);
    if (kHasVcomSetting) app_->facts().vcom_mv = settings_.vcom_mv;
  }
}

int Firmware::button_reading() {
  return read_button_pin();
}

void Firmware::restart() {
  epdiy_.power_off();
  Serial.flush();
  ESP.restart();
}

bool Firmware::start_selftest() {
#ifdef EPD_SELFTEST
  wish(Wish::selftest);
  return true;
#else
  return false;
#endif
}

}  // namespace inktop
