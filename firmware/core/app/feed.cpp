#include "app/feed.h"

#include <cstring>

namespace inktop {

void Feed::connected(int64_t now_ms) {
  open_ = true;
  records_.push(record_at(Record::Kind::opened, now_ms, place_));
  link_.connected(now_ms);
}

void Feed::received(const char* bytes, size_t size, int64_t now_ms) {
  if (size > 0) link_.heard(now_ms);
  while (reader_.next(bytes, size)) {
    const Belief belief = link_.line(reader_.line(), reader_.text(), reader_.size(), now_ms);
    if (belief == Belief::refused) reader_.refuse();
    if (belief == Belief::opening) continue;
    tell_line(now_ms);
    if (reader_.line().kind != LineKind::data) continue;
    std::memcpy(host_, reader_.line().snapshot.host, sizeof host_);
    data_ms_ = now_ms;
  }
}

bool Feed::closed(CloseReason why, int64_t now_ms) {
  if (!open_) return false;
  open_ = false;
  if (reader_.closed()) tell_line(now_ms);
  Record record = record_at(Record::Kind::closed, now_ms, place_);
  record.why = why;
  records_.push(record);
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
  Record record = record_at(Record::Kind::status, now_ms, place_);
  record.status = &told_;
  records_.push(record);
}

void Feed::tell_line(int64_t now_ms) {
  Record record;
  if (record_of(reader_.line(), now_ms, record, place_)) records_.push(record);
}

}  // namespace inktop
