// The way between two tasks: a ring of records with what they carry. One task writes, one reads, none waits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "app/record.h"

namespace inktop {

// Memory is handed in (PSRAM on the board). Without room, records are dropped and counted. Before the next
// one that fits come marks by which the reader knows the state again: a `closed` if it was told of a
// connection that it believes open, an `opened` if one is open, and the newest status if that was lost.
class RecordQueue {
 public:
  // `memory`: 8-byte aligned; `size`: a multiple of 8.
  RecordQueue(uint8_t* memory, size_t size) : memory_(memory), size_(uint32_t(size)) {}

  // The writer: copies what the record carries. False: dropped.
  bool push(const Record& record);
  // The reader: the oldest record; what it points to stays valid until pop(). False: nothing there.
  bool peek(Record& out);
  void pop();

  uint32_t used() const;
  // Most bytes ever waiting, headers included.
  uint32_t high_water() const { return high_water_.load(std::memory_order_relaxed); }
  uint32_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

  // What a record that carries `bytes` bytes takes.
  static constexpr uint32_t record_bytes(size_t bytes) {
    return uint32_t((kHeaderBytes + bytes + 7) / 8 * 8);
  }
  static constexpr size_t kHeaderBytes = 16;

 private:
  struct Header {
    uint32_t total = 0;  // with header and padding
    uint16_t bytes = 0;
    uint8_t kind = 0;    // kSkip: nothing until the end of the ring
    uint8_t reason = 0;  // `error` of a dropped line, `why` of a connection
    int64_t time_ms = 0;
  };
  static_assert(sizeof(Header) == kHeaderBytes, "the memory table counts on it");
  static constexpr uint8_t kSkip = 255;

  bool put(const Record& record);
  void drop(const Record& record);
  void mark(bool open, int64_t time_ms);

  uint8_t* memory_;
  uint32_t size_;
  // Positions only grow, modulo 2 * size_.
  std::atomic<uint32_t> head_{0};  // where the reader reads, 0 to 2 * size_
  std::atomic<uint32_t> tail_{0};  // where the writer writes
  std::atomic<uint32_t> high_water_{0};
  std::atomic<uint32_t> dropped_{0};
  // The writer's own.
  bool gap_ = false;         // something was dropped since the last record
  bool open_ = false;        // a connection is open as far as the writer said
  bool told_open_ = false;   // and as far as the records in the queue say
  bool status_due_ = false;  // a status was dropped
  LinkStatus status_;
};

// From the network to the app: two minutes of data lines, and the info line of each of the minutes.
constexpr uint32_t kInwardSeconds = 120;
constexpr uint32_t kInwardBytes = 336 * 1024;
static_assert(kInwardBytes >= kInwardSeconds * RecordQueue::record_bytes(sizeof(Snapshot)) +
                                  kInwardSeconds / 60 * RecordQueue::record_bytes(sizeof(InfoLine)),
              "the inward queue holds two minutes");

}  // namespace inktop
