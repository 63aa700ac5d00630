#include "app/feed.h"

namespace inktop {

void Feed::connected(int64_t now_ms) {
  open_ = true;
  records_.push(record_at(Record::Kind::opened, now_ms));
  link_.connected(now_ms);
}

void Feed::received(const char* bytes, size_t size, int64_t now_ms) {
  if (size > 0) link_.heard(now_ms);
  while (reader_.next(bytes, size)) {
    const Belief belief = link_.line(reader_.line(), reader_.text(), reader_.size(), now_ms);
    if (belief == Belief::refused) reader_.refuse();
    if (belief != Belief::opening) tell_line(now_ms);
  }
}

bool Feed::closed(CloseReason why, int64_t now_ms) {
  if (!open_) return false;
  open_ = false;
  if (reader_.closed()) tell_line(now_ms);
  records_.push(closed_record(why, now_ms));
  return true;
}

void Feed::datagram(const char* bytes, size_t size, int64_t now_ms) {
  reader_.datagram(bytes, size);
  link_.datagram(reader_.line(), bytes, size, now_ms);
}

void Feed::tell_status(int64_t now_ms) {
  const LinkStatus& status = link_.status();
  if (told_any_ && same_status(status, told_)) return;
  told_ = status;
  told_any_ = true;
  records_.push(status_record(told_, now_ms));
}

void Feed::tell_line(int64_t now_ms) {
  Record record;
  if (record_of(reader_.line(), now_ms, record)) records_.push(record);
}

}  // namespace inktop
