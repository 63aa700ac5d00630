#include "machine/events.h"

#include <cstring>
#include <initializer_list>

namespace inktop {
namespace {

bool same(const Event& a, const Event& b) {
  return std::strcmp(a.subject, b.subject) == 0 && std::strcmp(a.what, b.what) == 0 &&
         std::strcmp(a.time, b.time) == 0;
}

bool contains(const Event* events, int count, const Event& event) {
  for (int i = 0; i < count; ++i) {
    if (same(events[i], event)) return true;
  }
  return false;
}

bool is_gpu(const char* subject) {
  if (std::strncmp(subject, "gpu", 3) != 0 || subject[3] == 0) return false;
  for (const char* digit = subject + 3; *digit != 0; ++digit) {
    if (*digit < '0' || *digit > '9') return false;
  }
  return true;
}

}  // namespace

bool told_by_panel(const Event& event) {
  if (!is_gpu(event.subject)) return false;
  for (const char* what : {"lost", "reset", "stale"}) {
    if (std::strcmp(event.what, what) == 0) return true;
  }
  return false;
}

bool Events::is_seen(const Event& event) const {
  return contains(seen_, seen_count_, event);
}

void Events::update(const Snapshot& line) {
  line_count_ = line.event_count;
  for (int i = 0; i < line_count_; ++i) line_[i] = line.events[i];
  int kept = 0;
  for (int i = 0; i < seen_count_; ++i) {
    if (contains(line_, line_count_, seen_[i])) seen_[kept++] = seen_[i];
  }
  seen_count_ = kept;
  look();
}

void Events::look() {
  count_ = 0;
  for (int i = 0; i < line_count_; ++i) {
    if (told_by_panel(line_[i]) || is_seen(line_[i])) continue;
    newest_ = line_[i];
    ++count_;
  }
}

bool Events::acknowledge(bool header) {
  const bool any = header && count_ > 0;
  for (int i = 0; i < line_count_; ++i) {
    const Event& event = line_[i];
    if (is_seen(event) || (!header && !told_by_panel(event))) continue;
    // Only events of the line can have been seen: there is a place for each.
    seen_[seen_count_++] = event;
    if (untold_count_ < kMaxEvents && !contains(untold_, untold_count_, event)) {
      untold_[untold_count_++] = event;
    }
  }
  look();
  return any;
}

}  // namespace inktop
