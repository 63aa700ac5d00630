// The core's parts that only the board needs: buttons, the queue between its tasks, the turned panel, the
// guard.
#include <doctest/doctest.h>

#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "buttons.h"
#include "draw_errors.h"
#include "power_guard.h"
#include "record_queue.h"
#include "rotated_panel.h"

using namespace inktop;

namespace {

constexpr uint16_t kLevels[kButtonCount] = {0, 1365, 2730};
constexpr int kRest = 4095;

// Samples `raw` every 15 ms for `ms`; returns the presses.
std::vector<int> hold(Buttons& buttons, int64_t& now_ms, int raw, int ms) {
  std::vector<int> presses;
  for (int passed = 0; passed < ms; passed += 15) {
    now_ms += 15;
    const int pressed = buttons.sample(raw, now_ms);
    if (pressed >= 0) presses.push_back(pressed);
  }
  return presses;
}

Record bytes_record(const std::string& text, int64_t time_ms) {
  Record record;
  record.kind = Record::Kind::bytes;
  record.time_ms = time_ms;
  record.bytes = text.data();
  record.size = text.size();
  return record;
}

Record mark(Record::Kind kind, int64_t time_ms = 0) {
  Record record;
  record.kind = kind;
  record.time_ms = time_ms;
  return record;
}

}  // namespace

TEST_CASE("A press counts once, when it has settled, and again only after rest") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  CHECK(hold(buttons, now, kRest, 100).empty());
  CHECK(hold(buttons, now, 1380, 1'000) == std::vector<int>{1});
  CHECK(buttons.held() == 1);
  CHECK(hold(buttons, now, kRest, 100).empty());
  CHECK(hold(buttons, now, 2700, 100) == std::vector<int>{2});
}

TEST_CASE("A spike shorter than the debounce time presses nothing") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  hold(buttons, now, kRest, 100);
  for (int i = 0; i < 50; ++i) {
    CHECK(hold(buttons, now, 0, 30).empty());
    CHECK(hold(buttons, now, kRest, 15).empty());
  }
}

TEST_CASE("Sliding from one button to the next presses the first only") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  hold(buttons, now, kRest, 100);
  CHECK(hold(buttons, now, 0, 100) == std::vector<int>{0});
  CHECK(hold(buttons, now, 1365, 100).empty());
}

TEST_CASE("A failed reading is no change: neither a press nor a release") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  hold(buttons, now, kRest, 100);
  CHECK(hold(buttons, now, 0, 100) == std::vector<int>{0});
  CHECK(hold(buttons, now, -1, 500).empty());
  CHECK(buttons.held() == 0);
  CHECK(hold(buttons, now, 0, 100).empty());
}

TEST_CASE("A pin that rests where a button would be presses nothing by itself") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  CHECK(hold(buttons, now, 5, 10'000).empty());
  CHECK(buttons.held() == 0);
}

TEST_CASE("A settled reading that is no button's is told once, for the log") {
  Buttons buttons(kLevels);
  int64_t now = 0;
  hold(buttons, now, kRest, 100);
  CHECK(buttons.take_unknown_reading() == -1);
  hold(buttons, now, 900, 100);
  CHECK(buttons.take_unknown_reading() == 900);
  CHECK(buttons.take_unknown_reading() == -1);
}

TEST_CASE("The queue gives back records in order, with their times, over many turns of the ring") {
  alignas(8) uint8_t memory[1024];
  RecordQueue queue(memory, sizeof memory);
  std::deque<std::string> expected;
  uint32_t random = 7;
  int64_t sent = 0;
  int64_t received = 0;
  for (int step = 0; step < 20'000; ++step) {
    random = random * 1664525u + 1013904223u;
    if ((random >> 16 & 3) != 0) {
      std::string text(random >> 20 & 127, char('a' + sent % 26));
      if (queue.used() + 2 * RecordQueue::record_bytes(text.size()) + 200 <= sizeof memory) {
        REQUIRE(queue.push(bytes_record(text, sent++)));
        expected.push_back(text);
      }
    } else {
      Record record;
      if (!queue.peek(record)) continue;
      REQUIRE(record.time_ms == received++);
      REQUIRE(std::string(record.bytes, record.size) == expected.front());
      expected.pop_front();
      queue.pop();
    }
  }
  CHECK(received > 2'000);
  CHECK(queue.dropped() == 0);
  CHECK(queue.high_water() <= sizeof memory);
}

TEST_CASE("A full queue drops, counts, and marks the gap as an end and a beginning of the connection") {
  alignas(8) uint8_t memory[2048];
  RecordQueue queue(memory, sizeof memory);
  REQUIRE(queue.push(mark(Record::Kind::opened)));
  const std::string line(100, 'x');
  int pushed = 0;
  while (queue.push(bytes_record(line, pushed))) ++pushed;
  CHECK(pushed > 10);
  LinkStatus status;
  status.attempt = 7;
  Record told = mark(Record::Kind::status);
  told.status = &status;
  CHECK_FALSE(queue.push(told));
  CHECK(queue.dropped() == 2);
  Record record;
  while (queue.peek(record)) queue.pop();
  REQUIRE(queue.push(bytes_record("next", 99)));
  REQUIRE(queue.peek(record));
  CHECK(record.kind == Record::Kind::closed);
  queue.pop();
  REQUIRE(queue.peek(record));
  CHECK(record.kind == Record::Kind::opened);
  queue.pop();
  REQUIRE(queue.peek(record));
  CHECK(record.kind == Record::Kind::status);
  CHECK(record.status->attempt == 7);  // what was dropped last is told now
  queue.pop();
  REQUIRE(queue.peek(record));
  CHECK(std::string(record.bytes, record.size) == "next");
}

TEST_CASE("A connection that ended while the queue was full is not opened again by the mark") {
  alignas(8) uint8_t memory[1024];
  RecordQueue queue(memory, sizeof memory);
  queue.push(mark(Record::Kind::opened));
  while (queue.push(bytes_record(std::string(60, 'x'), 0))) {
  }
  queue.push(mark(Record::Kind::closed));
  Record record;
  while (queue.peek(record)) queue.pop();
  REQUIRE(queue.push(mark(Record::Kind::opened, 5)));
  REQUIRE(queue.peek(record));
  CHECK(record.kind == Record::Kind::closed);
  queue.pop();
  REQUIRE(queue.peek(record));
  CHECK(record.kind == Record::Kind::opened);
  CHECK(record.time_ms == 5);
  queue.pop();
  CHECK_FALSE(queue.peek(record));
}

TEST_CASE("A turned panel drives the same pixels, back to front, and the mirrored rows") {
  struct Seen : Panel {
    DrawErrors drive(Waveform, const Difference& difference) override {
      pixels.assign(difference.pixels, difference.pixels + difference.size.width * difference.size.height);
      rows.clear();
      for (int row = 0; row < difference.size.height; ++row) {
        rows.push_back(difference.dirty_rows == nullptr || difference.dirty_rows[row]);
      }
      first = difference.first_row;
      count = difference.row_count;
      return kDrawLineQueue;
    }
    std::vector<uint8_t> pixels;
    std::vector<bool> rows;
    int first = -1;
    int count = -1;
  };
  for (const int height : {5, 6}) {
    const Size size{16, height};
    std::vector<uint8_t> original(size_t(size.width * height));
    for (size_t i = 0; i < original.size(); ++i) original[i] = uint8_t(i * 37 + 11);
    for (unsigned set = 0; set <= 1u << height; ++set) {
      CAPTURE(set);
      std::vector<uint8_t> pixels = original;
      bool dirty[6] = {};
      bool turned[6] = {};
      const bool all = set == 1u << height;  // no flags at all: every row
      Difference difference{pixels.data(), size, all ? nullptr : dirty, 0, height};
      for (int row = 0; row < height; ++row) dirty[row] = (set >> row & 1) != 0;
      Seen seen;
      RotatedPanel panel(seen, pixels.data(), turned);
      CHECK(panel.drive(Waveform::du, difference) == kDrawLineQueue);
      for (int row = 0; row < height; ++row) {
        const bool expected = all || dirty[row];
        REQUIRE(seen.rows[size_t(height - 1 - row)] == expected);
        for (int x = 0; expected && x < size.width; ++x) {
          REQUIRE(seen.pixels[size_t((height - 1 - row) * size.width + size.width - 1 - x)] ==
                  original[size_t(row * size.width + x)]);
        }
      }
    }
  }
  std::vector<uint8_t> pixels(16 * 6);
  bool turned[6] = {};
  bool dirty[6] = {false, true, true, false, false, false};
  Seen seen;
  RotatedPanel panel(seen, pixels.data(), turned);
  panel.drive(Waveform::du, {pixels.data(), {16, 6}, dirty, 1, 2});
  CHECK(seen.first == 3);
  CHECK(seen.count == 2);
}

TEST_CASE("Starts that ended while the supply was switched on are counted in a row") {
  PowerRecord record = {0xDEADBEEF, 77, 99};  // what memory holds after power was off
  CHECK(PowerGuard(record, true).failures() == 0);
  for (int failures = 1; failures <= 3; ++failures) {
    PowerGuard before(record, false);
    before.switching_on();
    CHECK(PowerGuard(record, false).failures() == failures);
  }
  PowerGuard guard(record, false);
  CHECK(guard.failures() == 3);
  guard.switching_on();
  guard.is_on();
  CHECK(PowerGuard(record, false).failures() == 0);
  record = {0xDEADBEEF, 1, 5};
  CHECK(PowerGuard(record, false).failures() == 0);
}

TEST_CASE("Every draw error has a word and an advice") {
  char words[48];
  draw_error_words(kDrawOk, words, sizeof words);
  CHECK(std::string(words) == "ok");
  CHECK(std::string(draw_error_advice(kDrawOk)) == "");
  draw_error_words(
      kDrawLookup | kDrawCrop | kDrawMode | kDrawPhases | kDrawLineQueue | kDrawPower | kDrawOther, words,
      sizeof words);
  CHECK(std::string(words) == "lut+crop+mode+phases+lines+power+other");
  for (const DrawErrors bit :
       {kDrawLookup, kDrawCrop, kDrawMode, kDrawPhases, kDrawLineQueue, kDrawPower, kDrawOther}) {
    CHECK(std::strlen(draw_error_advice(bit)) > 10);
  }
}
