// Owns the replay that counts ink: the board as it ships beside the same board drawn naively, on the modelled
// panel.
//
// Naive: graphs scroll, each value is shown as it comes, and every two seconds whatever changed is driven.
// Both draw with the same widgets and drive through the same FrameStore.
#include "economy.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "app/app.h"
#include "panel/es108fc1.h"
#include "panel_model.h"

namespace {

using namespace inktop;

constexpr Size kPanel = kEs108fc1.size;
constexpr int kSlot_ms = 2000;
constexpr int kTick_ms = 250;
// A scan of all rows at the reference board's pixel clock, as in the virtual board.
constexpr int kScan_ms = 33;

struct Buffers {
  AppMemory memory() { return {bytes(front), bytes(back), bytes(difference), dirty}; }
  static uint8_t* bytes(std::vector<uint32_t>& words) { return reinterpret_cast<uint8_t*>(words.data()); }

  std::vector<uint32_t> front = std::vector<uint32_t>(FrameStore::frame_bytes(kPanel) / 4);
  std::vector<uint32_t> back = front;
  std::vector<uint32_t> difference = std::vector<uint32_t>(FrameStore::difference_bytes(kPanel) / 4);
  bool dirty[kPanel.height] = {};
};

// What one board did to its panel.
class Account {
 public:
  explicit Account(int seconds) : busy_(size_t(seconds) * 1000 / kSlot_ms) {}

  PanelModel& panel() { return panel_; }

  // Before each drive: whose pixels are whose.
  void charge_to(const Board& picture) {
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

int64_t duration_ms(RefreshKind kind) {
  if (kind == RefreshKind::update) return PanelModel::kDuPhases * kScan_ms;
  return (kind == RefreshKind::wash ? 2 : 3) * PanelModel::kGc16Phases * kScan_ms;
}

bool is_info(const std::string& line) {
  return line.compare(0, 5, "info=") == 0;
}

void replay_app(const std::vector<std::string>& lines, Account& account) {
  Buffers buffers;
  App app(kPanel, buffers.memory(), AppSettings(), BoardFacts());
  LinkStatus status;
  status.phase = LinkPhase::connected;
  Record record;
  record.kind = Record::Kind::status;
  record.status = &status;
  app.receive(record);
  record.kind = Record::Kind::opened;
  app.receive(record);
  record.kind = Record::Kind::bytes;

  int64_t now_ms = 0;
  int64_t started_ms = 0;
  int64_t free_ms = 0;
  Refresh running;
  DrawErrors errors = kDrawOk;
  for (const std::string& line : lines) {
    record.bytes = line.data();
    record.size = line.size();
    record.time_ms = now_ms;
    app.receive(record);
    if (is_info(line)) continue;
    for (int i = 0; i < 1000 / kTick_ms; ++i, now_ms += kTick_ms) {
      if (now_ms < free_ms) continue;
      app.refreshed(running, errors, started_ms, now_ms);
      running = app.tick(now_ms);
      if (running.kind == RefreshKind::nothing) continue;
      account.charge_to(app.picture());
      account.begins(now_ms);
      errors = app.carry_out(running, account.panel());
      started_ms = now_ms;
      free_ms = now_ms + duration_ms(running.kind);
    }
  }
}

void replay_naive(const std::vector<std::string>& lines, Account& account) {
  Buffers buffers;
  FrameStore frames(kPanel, buffers.memory().front, buffers.memory().back, buffers.memory().difference,
                    buffers.memory().dirty);
  Canvas canvas(frames.front(), kPanel);
  Board board(kPanel, Motion::scroll);
  History history;
  WallClock clock;
  Snapshot snapshot;
  InfoLine info;
  BoardFacts facts;
  View view;
  view.screen = Screen::live;
  view.history = &history;
  view.board = &facts;
  Parsed parsed;
  RowSet rows;
  account.panel().drive(Waveform::gc16, frames.clear());
  frames.driven();
  int64_t now_ms = 0;
  for (const std::string& line : lines) {
    parse(line.data(), line.size() - 1, parsed);
    if (parsed.kind == LineKind::info) {
      info = parsed.info;
      view.info = &info;
      if (info.has_clock) clock.observe(info.clock);
    } else if (parsed.kind == LineKind::data) {
      snapshot = parsed.snapshot;
      view.snapshot = &snapshot;
      history.add(snapshot);
      clock.observe(snapshot);
      view.second_of_day = clock.at(snapshot.uptime_s);
    }
    if (is_info(line)) continue;
    if (now_ms % kSlot_ms == 0 && view.snapshot != nullptr) {
      rows = board.draw(view, canvas);
      const Difference difference = frames.update(rows);
      if (difference.row_count > 0) {
        account.charge_to(board);
        account.begins(now_ms);
        account.panel().drive(Waveform::du, difference);
        frames.driven();
      }
    }
    now_ms += 1000;
  }
}

}  // namespace

int bench_economy(const char* path) {
  std::ifstream file(path);
  if (!file) {
    std::fprintf(stderr, "%s cannot be read: give a file of lines, as protocol/samples/generate.py prints\n",
                 path);
    return 1;
  }
  std::vector<std::string> lines;
  int seconds = 0;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line + "\n");
    if (!is_info(lines.back())) ++seconds;
  }
  std::printf("{\"seconds\":%d,", seconds);
  Account shipped(seconds);
  replay_app(lines, shipped);
  shipped.print("shipped");
  std::printf(",");
  Account naive(seconds);
  replay_naive(lines, naive);
  naive.print("naive");
  std::printf("}\n");
  return 0;
}
