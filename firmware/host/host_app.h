// What is behind an app of the C ABI.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/app.h"
#include "app/direct_feed.h"
#include "app/record_queue.h"
#include "app_buffers.h"
#include "defects.h"
#include "panel_model.h"

namespace inktop {

struct HostApp {
  // As on the board (firmware/device/memory_table.h).
  static constexpr size_t kInwardBytes = 288 * 1024;

  HostApp(Size size, const AppSettings& settings, const BoardFacts& facts, uint32_t seed)
      : buffers(size),
        panel(size, seed),
        app(size, buffers.memory(), settings, facts),
        direct(app),
        inward_memory(kInwardBytes / 8),
        inward(reinterpret_cast<uint8_t*>(inward_memory.data()), kInwardBytes) {}

  void charge_elements();

  AppBuffers buffers;
  PanelModel panel;
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
