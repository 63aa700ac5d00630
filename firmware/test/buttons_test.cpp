#include "app/buttons.h"

#include <doctest/doctest.h>

#include <vector>

namespace inktop {
namespace {

constexpr uint16_t kLevels[kButtonCount] = {0, 1365, 2730};
constexpr int kRest = 4095;
constexpr int64_t kEvery_ms = 15;

// A pin that is read every 15 ms.
struct Pin {
  Buttons buttons{kLevels};
  int64_t now_ms = 0;
  std::vector<int> presses;

  void hold(int raw, int readings) {
    for (int i = 0; i < readings; ++i) once(raw);
  }
  void once(int raw) {
    const int pressed = buttons.sample(raw, now_ms);
    if (pressed >= 0) presses.push_back(pressed);
    now_ms += kEvery_ms;
  }
};

}  // namespace

TEST_CASE("Buttons: each of the three is told once a press, however long it is held") {
  Pin pin;
  pin.hold(kRest, 10);
  for (int i = 0; i < kButtonCount; ++i) {
    pin.hold(kLevels[i] + 30, 100);
    CHECK(pin.buttons.held() == i);
    pin.hold(kRest, 10);
    CHECK(pin.buttons.held() == -1);
  }
  CHECK(pin.presses == std::vector<int>{0, 1, 2});
}

TEST_CASE("Buttons: readings that jump do not count until they have settled") {
  Pin pin;
  pin.hold(kRest, 10);
  for (int i = 0; i < 50; ++i) {
    pin.once(1365);
    pin.once(kRest);
  }
  CHECK(pin.presses.empty());
  pin.hold(1365, 2);
  CHECK(pin.presses.empty());
  pin.hold(1365, 8);
  CHECK(pin.presses == std::vector<int>{1});
}

TEST_CASE("Buttons: many readings within a moment do not make a press, nor does time with few readings") {
  Pin quick;
  quick.hold(kRest, 10);
  for (int i = 0; i < 100; ++i) CHECK(quick.buttons.sample(0, quick.now_ms) == -1);
  Pin slow;
  slow.hold(kRest, 10);
  CHECK(slow.buttons.sample(0, slow.now_ms) == -1);
  CHECK(slow.buttons.sample(0, slow.now_ms + 5'000) == -1);  // as after a refresh
  CHECK(slow.buttons.sample(0, slow.now_ms + 5'015) == 0);
}

TEST_CASE("Buttons: a reading that failed changes nothing, neither pressed nor at rest") {
  Pin pin;
  pin.hold(kRest, 10);
  pin.hold(0, 10);
  pin.hold(-1, 200);
  CHECK(pin.buttons.held() == 0);
  pin.hold(0, 10);
  CHECK(pin.presses == std::vector<int>{0});
  pin.hold(kRest, 10);
  for (int i = 0; i < 10; ++i) {
    pin.once(-1);
    pin.once(1365);
  }
  CHECK(pin.presses == std::vector<int>{0, 1});
}

TEST_CASE("Buttons: sliding from one button to the next is one press, not two") {
  Pin pin;
  pin.hold(kRest, 10);
  pin.hold(1365, 10);
  pin.hold(0, 10);
  CHECK(pin.presses == std::vector<int>{1});
}

TEST_CASE("Buttons: a pin that looks like a held button from the start presses nothing, but is held") {
  Pin pin;
  pin.hold(0, 100);
  CHECK(pin.presses.empty());
  CHECK(pin.buttons.held() == 0);  // this is how the self-test is asked for
}

TEST_CASE("Buttons: the levels are settings, and a reading that is no button's is told once") {
  Pin pin;
  pin.hold(kRest, 10);
  CHECK(pin.buttons.take_unknown_reading() == -1);
  pin.hold(700, 10);
  CHECK(pin.presses.empty());
  CHECK(pin.buttons.take_unknown_reading() == 700);
  CHECK(pin.buttons.take_unknown_reading() == -1);
  pin.hold(kRest, 10);
  const uint16_t levels[kButtonCount] = {700, 1700, 2700};
  pin.buttons.set_levels(levels);
  pin.hold(700, 10);
  CHECK(pin.presses == std::vector<int>{0});
}

TEST_CASE("Buttons: the tolerance ends where the next button's could begin") {
  Pin pin;
  pin.hold(kRest, 10);
  pin.hold(1365 + Buttons::kTolerance + 1, 10);
  CHECK(pin.presses.empty());
  pin.hold(kRest, 10);
  pin.hold(1365 + Buttons::kTolerance, 10);
  CHECK(pin.presses == std::vector<int>{1});
}

TEST_CASE("Buttons: a press is brief when it is let go within a second, else long, and told once") {
  using Press = PressLength::Press;
  PressLength length;
  CHECK(length.sample(false, false, 0) == Press::none);
  CHECK(length.sample(true, true, 100) == Press::none);
  CHECK(length.sample(false, true, 600) == Press::none);
  CHECK(length.sample(false, false, 700) == Press::brief);
  CHECK(length.sample(false, false, 800) == Press::none);
  CHECK(length.sample(true, true, 1'000) == Press::none);
  CHECK(length.sample(false, true, 1'999) == Press::none);
  CHECK(length.sample(false, true, 2'000) == Press::lengthy);
  CHECK(length.sample(false, true, 5'000) == Press::none);
  CHECK(length.sample(false, false, 5'100) == Press::none);
  // A refresh has lasted for longer than the press.
  CHECK(length.sample(true, true, 6'000) == Press::none);
  CHECK(length.sample(false, false, 9'000) == Press::brief);
}

}  // namespace inktop
