// The dashboard drawn without a thought of ink: graphs scroll, each value is shown as it comes, and every two
// seconds all changes are driven. It draws the same panels and drives through the same FrameStore.
#include "account.h"
#include "economy.h"
#include "inktop/parser.h"
#include "machine/history.h"
#include "machine/wall_clock.h"

namespace {

using namespace inktop;
using namespace inktop::bench;

void replay(const std::vector<std::string>& lines, Account& account) {
  Buffers buffers;
  FrameStore frames(kPanel, buffers.front_bytes(), buffers.back_bytes(), buffers.difference_bytes(),
                    buffers.dirty);
  Canvas canvas(frames.front(), kPanel);
  Picture picture(kPanel);
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
      rows = picture.draw(view, canvas);
      const Difference difference = frames.update(rows);
      if (difference.row_count > 0) {
        account.charge_to(picture);
        account.begins(now_ms);
        account.panel().drive(Waveform::du, difference);
        frames.driven();
      }
    }
    now_ms += 1000;
  }
}

}  // namespace

void replay_naive(const std::vector<std::string>& lines, int seconds) {
  Account account(seconds);
  replay(lines, account);
  account.print("naive");
}
