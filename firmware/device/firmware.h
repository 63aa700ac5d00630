// The parts of the firmware, the order in which they start, and the main loop's steps. The core decides.
#pragma once

#include <cstdint>
#include <optional>

#include "app/app.h"
#include "app/buttons.h"
#include "app/links.h"
#include "app/record_queue.h"
#include "boot_record.h"
#include "console/console.h"
#include "console/settings_layers.h"
#include "network_task.h"
#include "nvs_store.h"
#include "over_the_air.h"
#include "panel/clock_steps.h"
#include "panel/power_guard.h"
#include "panel/rotated_panel.h"
#include "panel_epdiy.h"
#include "setup/first_join.h"
#include "setup_point.h"
#include "watchdog.h"

namespace inktop {

class Firmware : private ConsoleHost {
 public:
  Firmware();

  // At start, in this order.
  void load_settings();
  void start_panel();
  void start_app();
  void start_network();
  // Where the self-test is built in: it is asked for by a button held at the start, or on the console.
  bool selftest_wanted();
  // Ends in a restart.
  void run_selftest();

  // The main loop, in this order.
  void read_console();
  void read_buttons();
  void receive_lines();
  void refresh();
  void report_health();
  void poll_update();
  // The access point for setting the board up, and what the first join says of that.
  void poll_setup();
  void rest();

  const App& app() const { return *app_; }

 private:
  void reply(const char* line) override;
  void changed(Setting setting) override;
  int button_reading() override;
  void restart() override;
  bool start_selftest() override;

  void look_at_buttons();
  void open_setup();
  void slow_down();
  Panel& panel();
  AppSettings app_settings() const;
  void take_settings(const SettingsLine& line, int server);
  void answer_settings(int server);
  void send(const char* line, size_t size, int server);
  void take_facts();
  void show_progress(int percent);

  NvsStore store_;
  SettingsLayers layers_{store_};
  const Settings& settings_ = layers_.in_force();
  PowerGuard guard_;
  Watchdog watchdog_;
  BoardFacts facts_;
  PanelEpdiy epdiy_;
  ClockSteps clock_steps_;
  AppMemory memory_;
  std::optional<RotatedPanel> rotated_;
  std::optional<RecordQueue> inward_;
  std::optional<RecordQueue> outward_;
  Links* links_ = nullptr;  // in PSRAM
  std::optional<NetworkTask> network_;
  std::optional<OverTheAir> update_;
  SetupPoint* setup_ = nullptr;  // in PSRAM; nullptr: the board joins a network
  FirstJoin first_join_ = FirstJoin::never_tried;
  Wish wish_ = Wish::nothing;
  std::optional<Console> console_;
  std::optional<Buttons> buttons_;
  PressLength third_press_;
  App* app_ = nullptr;  // in PSRAM
  int64_t facts_due_ms_ = 0;
  bool restart_due_ = false;  // for a setting that acts from the next start on
  uint32_t lost_records_ = 0;
  bool held_at_start_ = false;
};

}  // namespace inktop
