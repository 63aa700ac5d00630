// The ring between two tasks, against a plain queue.
#include "app/record_queue.h"

#include <cstring>
#include <deque>
#include <vector>

#include "choices.h"

using namespace inktop;
using fuzz::require;

namespace {

using Kind = Record::Kind;

struct Kept {
  Kind kind;
  int64_t time_ms;
  std::string bytes;
};

// Whether a connection is open, for one who has read so far.
void follow(const Record& record, bool& open) {
  if (record.kind == Kind::opened) open = true;
  if (record.kind == Kind::closed) open = false;
}

std::string bytes_of(const Record& record) {
  switch (record.kind) {
    case Kind::text:
      return std::string(record.text, record.size);
    case Kind::data:
      return std::string(record.data->host);
    case Kind::status:
      return std::to_string(record.status->attempt);
    default:
      return "";
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  // After a loss, marks and a record need twice their room: no ring is as small as that.
  constexpr size_t kSizes[] = {1024, 1032, 4096, 8192};
  const size_t ring_bytes = kSizes[choices.below(4)];
  // Exactly as large as promised.
  std::vector<uint64_t> memory(ring_bytes / 8);
  RecordQueue queue(reinterpret_cast<uint8_t*>(memory.data()), ring_bytes);
  std::deque<Kept> model;
  static Snapshot snapshot;
  LinkStatus status;
  uint32_t refused = 0;
  bool lost = false;  // since the last record that was taken in
  bool open_in = false, open_out = false;
  int64_t now_ms = choices.start_ms();
  for (int i = 0; i < 2000 && choices.any(); ++i) {
    const uint32_t what = choices.below(8);
    if (what >= 5) {
      Record out;
      const bool any = queue.peek(out);
      if (!any) require(model.empty(), "what was taken in comes out");
      // Marks of a loss may come before any record.
      if (any && !model.empty() && out.kind == model.front().kind && out.time_ms == model.front().time_ms &&
          bytes_of(out) == model.front().bytes) {
        model.pop_front();
      } else if (any) {
        require(out.kind == Kind::closed || out.kind == Kind::opened || out.kind == Kind::status,
                "in order, and whole");
      }
      if (any) {
        follow(out, open_out);
        queue.pop();
      }
      continue;
    }
    ++now_ms;
    Record record;
    record.time_ms = now_ms;
    std::string bytes;
    constexpr Kind kKinds[] = {Kind::text, Kind::opened, Kind::closed, Kind::status, Kind::data};
    record.kind = kKinds[what];
    if (record.kind == Kind::text) {
      bytes = std::string(choices.byte() * (1 + choices.below(6)), char('a' + i % 26));
      record.text = bytes.data();
      record.size = bytes.size();
    } else if (record.kind == Kind::status) {
      status.attempt = choices.byte();
      record.status = &status;
    } else if (record.kind == Kind::data) {
      std::snprintf(snapshot.host, sizeof snapshot.host, "h%d", i);
      record.data = &snapshot;
    }
    follow(record, open_in);
    const bool taken = queue.push(record);
    if (taken) {
      model.push_back({record.kind, record.time_ms, bytes_of(record)});
      lost = false;
    } else {
      ++refused;
      lost = true;
    }
    require(queue.used() <= ring_bytes, "no more waits than there is room for");
    require(queue.high_water() <= ring_bytes, "the high water is within the ring");
  }
  require(queue.dropped() == refused, "every refused record is counted");
  Record out;
  for (size_t i = 0; queue.peek(out); ++i) {
    require(i <= ring_bytes / 16, "the ring becomes empty");
    if (!model.empty() && out.time_ms == model.front().time_ms && out.kind == model.front().kind)
      model.pop_front();
    follow(out, open_out);
    queue.pop();
  }
  require(model.empty() && queue.used() == 0, "all comes out");
  // After a loss the reader is told again whether a connection is open.
  Record last;
  last.kind = Kind::text;
  last.text = "x";
  last.size = 1;
  require(queue.push(last), "an empty ring takes a record");
  size_t marks = 0;
  for (; queue.peek(out) && out.kind != Kind::text; ++marks) {
    follow(out, open_out);
    queue.pop();
  }
  require(out.kind == Kind::text, "and gives it");
  require(lost || marks == 0, "only a loss is told");
  require(open_in == open_out, "after a loss, too");
  return 0;
}
