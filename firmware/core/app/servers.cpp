// Which of the servers are there, and which one is meant where there is room for one.
#include <cstring>

#include "app/app.h"

namespace inktop {
namespace {

// Two connections tell of one machine when its start, as each sees it, differs by less than this.
constexpr int64_t kSameStart_ms = 5'000;

}  // namespace

// The same machine under two addresses is shown once: by the link that works, else by the first.
bool App::is_twin(int place, int64_t now_ms) const {
  const Machine& mine = servers_[place].machine();
  if (!mine.has_data()) return false;
  const bool lost = servers_[place].age(now_ms).freshness == Freshness::lost;
  for (int other = 0; other < kMaxServers; ++other) {
    const Machine& its = servers_[other].machine();
    if (other == place || !its.has_data() || std::strcmp(mine.host(), its.host()) != 0) continue;
    const int64_t apart_ms = mine.started_ms() - its.started_ms();
    if (apart_ms > kSameStart_ms || apart_ms < -kSameStart_ms) continue;
    const bool other_lost = servers_[other].age(now_ms).freshness == Freshness::lost;
    if (lost == other_lost ? other < place : lost) return true;
  }
  return false;
}

void App::look_at_servers(int64_t now_ms) {
  for (int place = 0; place < kMaxServers; ++place) {
    const bool is = servers_[place].has_data() ? !is_twin(place, now_ms) : place < settings_.configured;
    if (is == showing_.is_present(place)) continue;
    showing_.present(place, is);
    stale_ = true;
  }
}

// The server of the header and of the screens without data: the large one, else the first that has data, else
// one that says why it has none.
int App::main_place() const {
  const int shown = showing_.shown();
  if (shown != Showing::kGrid) return shown;
  for (int place = 0; place < kMaxServers; ++place) {
    if (showing_.is_present(place) && servers_[place].has_data()) return place;
  }
  for (int place = 0; place < kMaxServers; ++place) {
    const LinkStatus& link = servers_[place].link();
    if (showing_.is_present(place) && (link.denied || link.unproven)) return place;
  }
  return 0;
}

// What is on the screen. False: there was nothing.
bool App::acknowledge() {
  const int shown = showing_.shown();
  bool any = false;
  for (int place = 0; place < kMaxServers; ++place) {
    if (shown == Showing::kGrid ? !showing_.is_present(place) : place != shown) continue;
    Machine& machine = servers_[place].machine();
    // The events of a server whose data is lost are not on the screen.
    const bool header = shown == Showing::kGrid ? machine.events().count() > 0 : view_.event_count > 0;
    any = machine.acknowledge(header) || any;
    showing_.unseen(place, machine.alarms().count() + machine.events().count(), 0);
  }
  return any;
}

}  // namespace inktop
