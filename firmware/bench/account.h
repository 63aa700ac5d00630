// What one way of drawing does to its modelled panel over a recording, element by element.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "panel/es108fc1.h"
#include "panel/frame_store.h"
#include "panel_model.h"
#include "picture/picture.h"

namespace inktop {
namespace bench {

constexpr Size kPanel = kEs108fc1.size;
constexpr int kSlot_ms = 2000;

struct Buffers {
  uint8_t* front_bytes() { return bytes(front); }
  uint8_t* back_bytes() { return bytes(back); }
  uint8_t* difference_bytes() { return bytes(difference); }
  static uint8_t* bytes(std::vector<uint32_t>& words) { return reinterpret_cast<uint8_t*>(words.data()); }

  std::vector<uint32_t> front = std::vector<uint32_t>(FrameStore::frame_bytes(kPanel) / 4);
  std::vector<uint32_t> back = front;
  std::vector<uint32_t> difference = std::vector<uint32_t>(FrameStore::difference_bytes(kPanel) / 4);
  bool dirty[kPanel.height] = {};
};

class Account {
 public:
  explicit Account(int seconds) : busy_(size_t(seconds) * 1000 / kSlot_ms) {}

  PanelModel& panel() { return panel_; }

  // Before each drive: whose pixels are whose.
  void charge_to(const Picture& picture) {
    std::vector<std::string> names;
    std::vector<Rect> rects;
    for (int i = 0; i < picture.element_count(); ++i) {
      names.emplace_back(picture.element_name(i));
      rects.push_back(picture.element_rect(i));
    }
    const bool same = names == names_ && rects == rects_;
    if (same) return;
    collect();
    names_ = names;
    rects_ = rects;
    panel_.set_elements(rects_);
  }
  // A refresh begins at that time.
  void begins(int64_t now_ms) {
    const size_t slot = size_t(now_ms / kSlot_ms);
    if (slot < busy_.size()) busy_[slot] = true;
    if (panel_.most_flips() > most_flips_) most_flips_ = panel_.most_flips();
  }

  void print(const char* name) {
    collect();
    begins(int64_t(busy_.size()) * kSlot_ms);
    const PanelModel::Counters& counters = panel_.counters();
    size_t quiet = 0;
    for (const bool busy : busy_) quiet += busy ? 0 : 1;
    std::printf("\"%s\":{\"slots\":%zu,\"quiet_slots\":%zu,\"updates\":%llu,\"full_passes\":%llu,", name,
                busy_.size(), quiet, number(counters.updates), number(counters.full_passes));
    std::printf("\"rows\":%llu,\"flips\":%llu,\"most_flips\":%d,\"elements\":{", number(counters.rows),
                number(counters.flipped), most_flips_);
    const char* separator = "";
    for (const auto& element : flips_) {
      std::printf("%s\"%s\":%llu", separator, element.first.c_str(), number(element.second));
      separator = ",";
    }
    std::printf("}}");
  }

 private:
  static unsigned long long number(uint64_t value) { return value; }

  void collect() {
    for (size_t i = 0; i < names_.size(); ++i) flips_[names_[i]] += panel_.element_flips(int(i));
    panel_.set_elements(rects_);
  }

  PanelModel panel_{kPanel};
  std::vector<bool> busy_;
  std::vector<std::string> names_;
  std::vector<Rect> rects_;
  std::map<std::string, uint64_t> flips_;
  int most_flips_ = 0;
};

inline bool is_info(const std::string& line) {
  return line.compare(0, 5, "info=") == 0;
}

}  // namespace bench
}  // namespace inktop
