#include "app/record.h"

namespace inktop {

Record record_at(Record::Kind kind, int64_t time_ms, uint8_t server) {
  Record record;
  record.server = server;
  record.kind = kind;
  record.time_ms = time_ms;
  return record;
}

Record closed_record(CloseReason why, int64_t time_ms, uint8_t server) {
  Record record = record_at(Record::Kind::closed, time_ms, server);
  record.why = why;
  return record;
}

Record status_record(const LinkStatus& status, int64_t time_ms, uint8_t server) {
  Record record = record_at(Record::Kind::status, time_ms, server);
  record.status = &status;
  return record;
}

bool record_of(const Parsed& line, int64_t time_ms, Record& out, uint8_t server) {
  out = Record();
  out.server = server;
  out.time_ms = time_ms;
  switch (line.kind) {
    case LineKind::none:
      out.kind = Record::Kind::dropped;
      out.error = line.error;
      return true;
    case LineKind::data:
      out.kind = Record::Kind::data;
      out.data = &line.snapshot;
      return true;
    case LineKind::info:
      out.kind = Record::Kind::info;
      out.info = &line.info;
      return true;
    case LineKind::settings:
      out.kind = Record::Kind::settings;
      out.settings = &line.settings;
      return true;
    case LineKind::fleet:
      out.kind = Record::Kind::fleet;
      out.fleet = &line.fleet;
      return true;
    case LineKind::other_version:
      out.kind = Record::Kind::newer;
      return line.other_kind == LineKind::info;
    default:
      return false;
  }
}

}  // namespace inktop
