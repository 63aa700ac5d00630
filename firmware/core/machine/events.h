// What has happened to the machine and is shown in the board's header: the events of its lines that no panel
// shows, until a person has seen them.
#pragma once

#include <cstdint>

#include "inktop/line.h"

namespace inktop {

// A panel's title tells of it: a GPU that is lost, in reset or does not answer.
bool told_by_panel(const Event& event);

class Events {
 public:
  // Takes a data line; an event that it does not list any more is over.
  void update(const Snapshot& line);
  // A person has seen the events of the panels and, with `header`, those of the header: they are not shown
  // again while the lines list them, and the server will be told. True when there was one to acknowledge.
  bool acknowledge(bool header);

  // Of those in the header: how many are not seen yet, and the newest of them (nullptr: none).
  int count() const { return count_; }
  const Event* newest() const { return count_ > 0 ? &newest_ : nullptr; }

  // What the server does not know yet to be acknowledged.
  int untold_count() const { return untold_count_; }
  const Event* untold() const { return untold_; }
  void told() { untold_count_ = 0; }

 private:
  bool is_seen(const Event& event) const;
  void look();

  Event line_[kMaxEvents];
  int line_count_ = 0;
  Event seen_[kMaxEvents];
  int seen_count_ = 0;
  Event untold_[kMaxEvents];
  int untold_count_ = 0;
  Event newest_;
  int count_ = 0;
};

}  // namespace inktop
