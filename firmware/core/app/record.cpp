#include "app/record.h"

namespace inktop {

Record record_at(Record::Kind kind, int64_t time_ms) {
  Record record;
  record.kind = kind;
  record.time_ms = time_ms;
  return record;
}

Record closed_record(CloseReason why, int64_t time_ms) {
  Record record = record_at(Record::Kind::closed, time_ms);
  record.why = why;
  return record;
}

Record status_record(const LinkStatus& status, int64_t time_ms) {
  Record record = record_at(Record::Kind::status, time_ms);
  record.status = &status;
  return record;
}

bool record_of(const Parsed& line, int64_t time_ms, Record& out) {
  out = Record();
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
    case LineKind::other_version:
      out.kind = Record::Kind::newer;
      return line.other_kind == LineKind::info;
    default:
      return false;
  }
}

}  // namespace inktop
