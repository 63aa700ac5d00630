#include "app/record_queue.h"

#include <cstring>

namespace inktop {
namespace {

constexpr size_t kMostBytes = UINT16_MAX;  // what a header can tell

struct Payload {
  const void* at = nullptr;
  size_t bytes = 0;
};

Payload payload_of(const Record& record) {
  switch (record.kind) {
    case Record::Kind::data:
      return {record.data, sizeof *record.data};
    case Record::Kind::info:
      return {record.info, sizeof *record.info};
    case Record::Kind::settings:
      return {record.settings, sizeof *record.settings};
    case Record::Kind::status:
      return {record.status, record.status != nullptr ? sizeof *record.status : 0};
    case Record::Kind::text:
      return {record.text, record.size};
    default:
      return {};
  }
}

}  // namespace

uint32_t RecordQueue::used() const {
  const uint32_t head = head_.load(std::memory_order_acquire);
  const uint32_t tail = tail_.load(std::memory_order_acquire);
  return tail >= head ? tail - head : tail + 2 * size_ - head;
}

void RecordQueue::drop(const Record& record) {
  gap_ = true;
  dropped_.fetch_add(1, std::memory_order_relaxed);
  if (record.kind == Record::Kind::status && record.status != nullptr) {
    status_ = *record.status;
    status_due_ = true;
  }
}

bool RecordQueue::push(const Record& record) {
  const bool was_open = open_;
  if (record.kind == Record::Kind::opened) open_ = true;
  if (record.kind == Record::Kind::closed) open_ = false;
  const size_t bytes = payload_of(record).bytes;
  bool fits = bytes <= kMostBytes;
  if (fits && gap_) {
    // Room for the marks and this record, or none of it.
    const uint32_t marks = 2 * record_bytes(0) + record_bytes(sizeof(LinkStatus));
    fits = size_ - used() >= 2 * (marks + record_bytes(bytes));
    if (fits) mark(was_open, record.time_ms);
  }
  if (fits && put(record)) return true;
  drop(record);
  return false;
}

void RecordQueue::mark(bool open, int64_t time_ms) {
  if (told_open_) put(record_at(Record::Kind::closed, time_ms));
  if (open) put(record_at(Record::Kind::opened, time_ms));
  if (status_due_) put(status_record(status_, time_ms));
  status_due_ = false;
  gap_ = false;
}

bool RecordQueue::put(const Record& record) {
  const Payload payload = payload_of(record);
  const uint32_t need = record_bytes(payload.bytes);
  uint32_t tail = tail_.load(std::memory_order_relaxed);
  const uint32_t at = tail % size_;
  const uint32_t to_end = size_ - at;
  const uint32_t skip = to_end < need ? to_end : 0;
  if (size_ - used() < need + skip) return false;
  if (skip >= sizeof(Header)) {
    Header header;
    header.total = skip;
    header.kind = kSkip;
    std::memcpy(memory_ + at, &header, sizeof header);
  }
  tail = (tail + skip) % (2 * size_);
  Header header;
  header.total = need;
  header.bytes = uint16_t(payload.bytes);
  header.kind = static_cast<uint8_t>(record.kind);
  header.reason = record.kind == Record::Kind::dropped ? static_cast<uint8_t>(record.error)
                                                       : static_cast<uint8_t>(record.why);
  header.time_ms = record.time_ms;
  uint8_t* const place = memory_ + tail % size_;
  std::memcpy(place, &header, sizeof header);
  if (payload.bytes > 0) std::memcpy(place + sizeof header, payload.at, payload.bytes);
  tail_.store((tail + need) % (2 * size_), std::memory_order_release);
  if (record.kind == Record::Kind::opened) told_open_ = true;
  if (record.kind == Record::Kind::closed) told_open_ = false;
  const uint32_t waiting = used();
  if (waiting > high_water_.load(std::memory_order_relaxed)) {
    high_water_.store(waiting, std::memory_order_relaxed);
  }
  return true;
}

bool RecordQueue::peek(Record& out) {
  while (used() > 0) {
    const uint32_t head = head_.load(std::memory_order_relaxed);
    const uint32_t at = head % size_;
    Header header;
    header.kind = kSkip;
    header.total = size_ - at;  // too little room for a header at the end counts as skipped
    if (size_ - at >= sizeof header) std::memcpy(&header, memory_ + at, sizeof header);
    if (header.kind == kSkip) {
      head_.store((head + header.total) % (2 * size_), std::memory_order_release);
      continue;
    }
    out = Record();
    out.kind = static_cast<Record::Kind>(header.kind);
    out.time_ms = header.time_ms;
    const uint8_t* const payload = memory_ + at + sizeof header;
    switch (out.kind) {
      case Record::Kind::data:
        out.data = reinterpret_cast<const Snapshot*>(payload);
        break;
      case Record::Kind::info:
        out.info = reinterpret_cast<const InfoLine*>(payload);
        break;
      case Record::Kind::settings:
        out.settings = reinterpret_cast<const SettingsLine*>(payload);
        break;
      case Record::Kind::dropped:
        out.error = static_cast<LineError>(header.reason);
        break;
      case Record::Kind::closed:
        out.why = static_cast<CloseReason>(header.reason);
        break;
      case Record::Kind::status:
        out.status = header.bytes > 0 ? reinterpret_cast<const LinkStatus*>(payload) : nullptr;
        break;
      case Record::Kind::text:
        out.text = reinterpret_cast<const char*>(payload);
        out.size = header.bytes;
        break;
      case Record::Kind::opened:
      case Record::Kind::newer:
        break;
    }
    return true;
  }
  return false;
}

void RecordQueue::pop() {
  if (used() == 0) return;
  const uint32_t head = head_.load(std::memory_order_relaxed);
  Header header;
  std::memcpy(&header, memory_ + head % size_, sizeof header);
  head_.store((head + header.total) % (2 * size_), std::memory_order_release);
}

}  // namespace inktop
