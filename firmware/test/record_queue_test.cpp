#include "app/record_queue.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace inktop {
namespace {

using Kind = Record::Kind;

struct Ring {
  explicit Ring(size_t size) : memory(size / 8), queue(reinterpret_cast<uint8_t*>(memory.data()), size) {}

  bool push(Kind kind, const std::string& bytes = "", int64_t time_ms = 0) {
    Record record;
    record.kind = kind;
    record.time_ms = time_ms;
    record.text = bytes.data();
    record.size = bytes.size();
    return queue.push(record);
  }
  // What waits, as text: "opened", "closed", the bytes themselves.
  std::vector<std::string> take_all() {
    std::vector<std::string> out;
    Record record;
    while (queue.peek(record)) {
      switch (record.kind) {
        case Kind::opened:
          out.push_back("opened");
          break;
        case Kind::closed:
          out.push_back("closed");
          break;
        case Kind::status:
          out.push_back("status " + std::to_string(record.status->attempt));
          break;
        case Kind::text:
          out.push_back(std::string(record.text, record.size));
          break;
        default:
          out.push_back("?");
      }
      queue.pop();
    }
    return out;
  }

  std::vector<uint64_t> memory;
  RecordQueue queue;
};

}  // namespace

TEST_CASE("Record queue: records come out in order, with their time, bytes and reason") {
  Ring ring(1024);
  Record record;
  record.kind = Kind::closed;
  record.time_ms = 1'234'567'890'123;
  record.why = CloseReason::silent;
  CHECK(ring.queue.push(record));
  CHECK(ring.push(Kind::text, "h=t7910\n", 5));
  Record out;
  REQUIRE(ring.queue.peek(out));
  CHECK(out.kind == Kind::closed);
  CHECK(out.why == CloseReason::silent);
  CHECK(out.time_ms == 1'234'567'890'123);
  ring.queue.pop();
  REQUIRE(ring.queue.peek(out));
  CHECK(out.time_ms == 5);
  CHECK(std::string(out.text, out.size) == "h=t7910\n");
  ring.queue.pop();
  CHECK_FALSE(ring.queue.peek(out));
  CHECK(ring.queue.used() == 0);
}

TEST_CASE("Record queue: what a line says comes out as it went in, and why one was dropped") {
  Ring ring(16'384);
  Snapshot data;
  std::strcpy(data.host, "t7910");
  data.uptime_s = 1'051'200;
  data.gpu_count = 1;
  data.gpus[0].index = 15;
  InfoLine info;
  std::strcpy(info.cpu_model, "2x E5-2683 v4");
  Record record;
  record.kind = Kind::data;
  record.data = &data;
  CHECK(ring.queue.push(record));
  record = Record();
  record.kind = Kind::info;
  record.info = &info;
  CHECK(ring.queue.push(record));
  record = Record();
  record.kind = Kind::dropped;
  record.error = LineError::checksum;
  CHECK(ring.queue.push(record));
  std::strcpy(data.host, "changed");  // the queue has its own copy
  Record out;
  REQUIRE(ring.queue.peek(out));
  REQUIRE(out.kind == Kind::data);
  CHECK(std::string(out.data->host) == "t7910");
  CHECK(out.data->uptime_s == 1'051'200);
  CHECK(out.data->gpus[0].index == 15);
  ring.queue.pop();
  REQUIRE(ring.queue.peek(out));
  REQUIRE(out.kind == Kind::info);
  CHECK(std::string(out.info->cpu_model) == "2x E5-2683 v4");
  ring.queue.pop();
  REQUIRE(ring.queue.peek(out));
  CHECK(out.kind == Kind::dropped);
  CHECK(out.error == LineError::checksum);
}

TEST_CASE("Record queue: any lengths, many times around the ring, come out as they went in") {
  Ring ring(1024);
  uint32_t seed = 7;
  std::vector<std::string> sent;
  size_t taken = 0;
  for (int i = 0; i < 20'000; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const std::string bytes(size_t(seed >> 16) % 200, char('a' + i % 26));
    if (ring.push(Kind::text, bytes)) sent.push_back(bytes);
    REQUIRE(ring.queue.dropped() == 0);
    if (ring.queue.used() > 500 || seed >> 31 != 0) {
      for (const std::string& each : ring.take_all()) {
        REQUIRE(each == sent[taken]);
        ++taken;
      }
    }
  }
  CHECK(sent.size() == 20'000);
  CHECK(ring.queue.high_water() > 500);
  CHECK(ring.queue.high_water() <= 1024);
}

TEST_CASE("Record queue: always full to the brim, what it took comes out whole and in order") {
  Ring ring(1024);
  CHECK(ring.push(Kind::opened));
  ring.take_all();
  uint32_t seed = 11;
  std::vector<std::string> taken;  // in, not yet out
  size_t next = 0;
  size_t marks = 0;
  for (int i = 0; i < 50'000; ++i) {
    seed = seed * 1664525u + 1013904223u;
    const std::string bytes((seed >> 16) % 120, char('a' + i % 26));
    if (ring.push(Kind::text, bytes)) {
      taken.push_back(bytes);
      continue;
    }
    Record record;
    for (uint32_t count = 1 + (seed >> 29); count > 0 && ring.queue.peek(record); --count) {
      if (record.kind == Kind::text) {
        REQUIRE(next < taken.size());
        REQUIRE(std::string(record.text, record.size) == taken[next]);
        ++next;
      } else {
        ++marks;
      }
      ring.queue.pop();
    }
  }
  CHECK(next > 10'000);
  CHECK(marks > 1'000);
  CHECK(ring.queue.high_water() <= 1024);
}

TEST_CASE("Record queue: after a loss the reader is told that the connection is open, in order") {
  Ring ring(1024);
  CHECK(ring.push(Kind::opened));
  int kept = 0;
  while (ring.push(Kind::text, "0123456789012345678901234567890123456789")) ++kept;
  CHECK(ring.queue.dropped() == 1);
  CHECK_FALSE(ring.push(Kind::text, "lost too"));  // there is no room for the marks either
  CHECK(ring.take_all().size() == size_t(kept) + 1);
  CHECK(ring.push(Kind::text, "whole again"));
  CHECK(ring.take_all() == std::vector<std::string>{"closed", "opened", "whole again"});
  CHECK(ring.queue.dropped() == 2);
}

TEST_CASE("Record queue: a connection that ended within the loss is not opened again by it") {
  Ring ring(1024);
  CHECK(ring.push(Kind::opened));
  while (ring.push(Kind::text, "0123456789012345678901234567890123456789")) {
  }
  CHECK_FALSE(ring.push(Kind::closed));
  LinkStatus status;
  status.attempt = 42;
  Record record;
  record.kind = Kind::status;
  record.status = &status;
  CHECK_FALSE(ring.queue.push(record));
  ring.take_all();
  // The newest status is not lost: the screen would go on telling the one before.
  CHECK(ring.push(Kind::opened));
  CHECK(ring.take_all() == std::vector<std::string>{"closed", "status 42", "opened"});
  // It is told once: a later loss tells of its own only.
  while (ring.push(Kind::text, "0123456789012345678901234567890123456789")) {
  }
  ring.take_all();
  CHECK(ring.push(Kind::text, "x"));
  CHECK(ring.take_all() == std::vector<std::string>{"closed", "opened", "x"});
}

TEST_CASE("Record queue: a record that can never fit is dropped, and the queue goes on") {
  Ring ring(1024);
  CHECK_FALSE(ring.push(Kind::text, std::string(2000, 'x')));
  CHECK(ring.push(Kind::text, "small"));
  CHECK(ring.take_all().back() == "small");
}

TEST_CASE("Record queue: a record that no header can tell the size of is dropped before anything is marked") {
  Ring ring(256 * 1024);
  CHECK(ring.push(Kind::opened));
  for (int i = 0; i < 3; ++i) CHECK_FALSE(ring.push(Kind::text, std::string(65'536, 'x')));
  CHECK(ring.take_all() == std::vector<std::string>{"opened"});
  CHECK(ring.push(Kind::text, std::string(65'535, 'x')));
  CHECK(ring.take_all().size() == 3);  // closed, opened, and that
  CHECK(ring.queue.dropped() == 3);
}

TEST_CASE("Record queue: lines for the server that were lost leave no mark, for no connection was told of") {
  Ring ring(1024);
  while (ring.push(Kind::text, "0123456789012345678901234567890123456789")) {
  }
  ring.take_all();
  CHECK(ring.push(Kind::text, "next"));
  CHECK(ring.take_all() == std::vector<std::string>{"next"});
}

TEST_CASE("Record queue: a connection whose opening was lost is not closed by the marks") {
  Ring ring(1024);
  CHECK(ring.push(Kind::opened));
  CHECK(ring.push(Kind::closed));
  while (ring.push(Kind::text, "0123456789012345678901234567890123456789")) {
  }
  CHECK_FALSE(ring.push(Kind::opened));
  ring.take_all();
  CHECK(ring.push(Kind::text, "x"));
  CHECK(ring.take_all() == std::vector<std::string>{"opened", "x"});
}

TEST_CASE("Record queue: taking a record when there is none takes none") {
  Ring ring(1024);
  CHECK(ring.push(Kind::text, "one"));
  CHECK(ring.take_all().size() == 1);
  ring.queue.pop();
  CHECK(ring.push(Kind::text, "two"));
  CHECK(ring.take_all() == std::vector<std::string>{"two"});
}

TEST_CASE("Record queue: one task writes while another reads") {
  Ring ring(4096);
  constexpr int kCount = 50'000;
  std::thread writer([&] {
    for (int i = 0; i < kCount; ++i) {
      const std::string text = std::to_string(i) + std::string(size_t(i % 60), '.');
      while (ring.queue.used() > 3'000) std::this_thread::yield();
      ring.push(Kind::text, text, i);
    }
  });
  int wrong = 0;
  for (int next = 0; next < kCount;) {
    Record record;
    if (!ring.queue.peek(record)) {
      std::this_thread::yield();
      continue;
    }
    const std::string expected = std::to_string(next) + std::string(size_t(next % 60), '.');
    if (record.time_ms != next || std::string(record.text, record.size) != expected) ++wrong;
    ring.queue.pop();
    ++next;
  }
  writer.join();
  CHECK(wrong == 0);
  CHECK(ring.queue.dropped() == 0);
}

}  // namespace inktop
