#include "app/direct_feed.h"

#include "app/app.h"

namespace inktop {

void DirectFeed::opened(int64_t now_ms) {
  app_.receive(record_at(Record::Kind::opened, now_ms));
}

void DirectFeed::received(const char* bytes, size_t size, int64_t now_ms) {
  while (reader_.next(bytes, size)) tell_line(now_ms);
}

void DirectFeed::closed(CloseReason why, int64_t now_ms) {
  if (reader_.closed()) tell_line(now_ms);
  app_.receive(closed_record(why, now_ms));
}

void DirectFeed::status(const LinkStatus& status, int64_t now_ms) {
  app_.receive(status_record(status, now_ms));
}

void DirectFeed::tell_line(int64_t now_ms) {
  Record record;
  if (record_of(reader_.line(), now_ms, record)) app_.receive(record);
}

}  // namespace inktop
