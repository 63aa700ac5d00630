// What is behind an app of the C ABI.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/app_settings.h"
#include "app/direct_feed.h"
#include "app/record_queue.h"
#include "app_buffers.h"
#include "console/settings_layers.h"
#include "defects.h"
#include "panel_model.h"

namespace inktop {

// Keeps settings as long as the app lives.
class MemoryStore : public SettingsStore {
 public:
  bool load(const char* name, char* out, size_t size) override {
    const auto found = texts_.find(name);
    if (found == texts_.end() || found->second.size() >= size) return false;
    std::memcpy(out, found->second.c_str(), found->second.size() + 1);
    return true;
  }
  bool save(const char* name, const char* text) override {
    texts_[name] = text;
    return true;
  }
  void erase(const char* name) override { texts_.erase(name); }

 private:
  std::map<std::string, std::string> texts_;
};

struct HostApp {
  HostApp(Size size, const AppSettings& own, const BoardFacts& facts, uint32_t seed)
      : buffers(size),
        panel(size, seed),
        settings(own),
        app(size, buffers.memory(), own, facts),
        direct(app),
        inward_memory(kInwardBytes / 8),
        inward(reinterpret_cast<uint8_t*>(inward_memory.data()), kInwardBytes) {
    Settings defaults;
    defaults.update_interval_ms = uint16_t(own.refresh.update_interval_ms);
    defaults.wash_interval = uint16_t(own.refresh.wash_interval);
    defaults.hot_spot_flips = uint16_t(own.refresh.hot_spot_flips);
    defaults.alarms = own.alarms;
    layers.load(defaults);
  }

  void charge_elements();
  // What its server holds for it, as on the board.
  void take_settings(const SettingsLine& line) {
    answer_due = true;
    if (layers.take(line) != 0) apply_settings();
  }
  void apply_settings() {
    inktop::take_settings(settings, layers.in_force());
    app.set_settings(settings);
  }

  AppBuffers buffers;
  PanelModel panel;
  MemoryStore store;
  SettingsLayers layers{store};
  bool answer_due = false;  // to a settings line
  AppSettings settings;
  App app;
  DirectFeed direct;
  std::vector<uint64_t> inward_memory;
  RecordQueue inward;                         // from its link
  std::unique_ptr<DefectivePanel> defective;  // between the app and the panel once a defect is set
  uint64_t updates = 0;
  uint64_t washes = 0;
  uint64_t errors = 0;
  std::vector<Rect> element_rects;
  std::vector<std::string> element_names;
  std::map<std::string, uint64_t> element_flips;
};

}  // namespace inktop
