#include "app/showing.h"

namespace inktop {

void Showing::set(const ShowSettings& settings) {
  if (settings.show != settings_.show) choice_ = kBySetting;
  settings_ = settings;
}

void Showing::present(int server, bool is) {
  const uint32_t bit = 1u << server;
  present_ = is ? present_ | bit : present_ & ~bit;
  if (is) return;
  if (choice_ == server) choice_ = kBySetting;
  unseen_[server] = 0;
  alarm_ms_[server] = 0;
}

void Showing::unseen(int server, int count, int64_t now_ms) {
  // The first millisecond of all is as good as the second.
  if (count > unseen_[server]) alarm_ms_[server] = now_ms > 0 ? now_ms : 1;
  if (count == 0) alarm_ms_[server] = 0;
  unseen_[server] = count;
}

int Showing::count() const {
  int count = 0;
  for (int server = 0; server < kMaxServers; ++server) count += is_present(server) ? 1 : 0;
  return count;
}

// The next one that is there, from the first again after the last.
int Showing::after(int server) const {
  for (int i = 1; i <= kMaxServers; ++i) {
    const int next = (server + i) % kMaxServers;
    if (is_present(next)) return next;
  }
  return 0;
}

int Showing::chosen() const {
  if (count() <= 1) return after(kMaxServers - 1);
  if (choice_ != kBySetting) return choice_;
  switch (settings_.show) {
    case Show::grid:
      return kGrid;
    case Show::one:
      return after(kMaxServers - 1);
    case Show::turn:
      return is_present(turn_) ? turn_ : after(turn_);
  }
  return kGrid;
}

int Showing::loudest() const {
  int loudest = -1;
  for (int server = 0; server < kMaxServers; ++server) {
    if (!is_present(server) || alarm_ms_[server] == 0) continue;
    if (loudest < 0 || alarm_ms_[server] > alarm_ms_[loudest]) loudest = server;
  }
  return loudest;
}

int Showing::shown() const {
  const int large = chosen();
  if (large == kGrid || count() <= 1) return large;
  const int loud = loudest();
  return loud >= 0 ? loud : large;
}

void Showing::next(int64_t now_ms) {
  // Who goes on has seen why this one had come forward.
  for (auto& since_ms : alarm_ms_) since_ms = 0;
  const int first = after(kMaxServers - 1);
  if (choice_ == kBySetting) {
    // From what the setting says to the first thing that is something else.
    choice_ = settings_.show == Show::turn ? kGrid : settings_.show == Show::grid ? first : after(first);
  } else if (choice_ == kGrid) {
    choice_ = settings_.show == Show::one ? kBySetting : first;
  } else {
    const int next = after(choice_);
    const bool was_last = next <= choice_;
    choice_ = !was_last ? next : settings_.show == Show::one ? kGrid : kBySetting;
  }
  turned_ms_ = now_ms;
}

void Showing::step(int64_t now_ms) {
  const bool turns = settings_.show == Show::turn && choice_ == kBySetting && count() > 1 && !forward();
  if (!turns) {
    // A turn lasts its whole time also after what has interrupted it.
    turned_ms_ = now_ms;
    return;
  }
  if (now_ms - turned_ms_ < settings_.turn_s * 1000) return;
  turned_ms_ = now_ms;
  turn_ = after(is_present(turn_) ? turn_ : after(turn_));
}

}  // namespace inktop
