// The board without the power chip, with the self-test built in and an empty secrets header.
#include <doctest/doctest.h>

#include "desk.h"

TEST_CASE("Without the power chip, GPIO46 switches the supply on once and keeps it, and VCOM is left alone") {
  Desk desk;
  desk.world.panel.power_good = false;  // there is no such signal
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.logged("board v7_nopmic"));
  CHECK(desk.world.panel.faults == "");
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.panel.power_ons == 1);
  CHECK(desk.world.pin_level[46] == 1);
  desk.world.type("set power switch");
  REQUIRE(desk.world.run_until([&] { return desk.world.pin_level[46] == 0; }, 5'000));
  const int power_ons = desk.world.panel.power_ons;
  const int drives = desk.world.panel.drives;
  desk.world.run_for_ms(20'000);
  CHECK(desk.world.panel.drives > drives);
  CHECK(desk.world.panel.power_ons - power_ons == desk.world.panel.drives - drives);
  CHECK(desk.app().view().board->vcom_mv == 0);
}

TEST_CASE("An empty secrets header is fine: Wi-Fi comes from the console, updates over the air are off") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(5'000);
  CHECK(desk.app().view().screen == inktop::Screen::wifi_unset);
  CHECK(desk.world.logged("no Wi-Fi is set"));
  desk.world.type("set ssid home");
  desk.world.type("set password correct horse");
  desk.world.type("restart");
  desk.world.run_for_ms(5'000);
  desk.world.announce("192.0.2.17", 7910);
  desk.world.run_for_ms(3'000);
  desk.world.announce("192.0.2.17", 7910);
  CHECK(desk.goes_live(20'000));
  CHECK_FALSE(desk.world.ota_begun);
}

TEST_CASE("A button held at the start leads into the self-test: five stages, then the board runs as ever") {
  Desk desk;
  desk.world.button_reading = 10;
  desk.world.power_on();
  desk.world.run_for_ms(1'000);
  desk.world.button_reading = 4095;
  CHECK(desk.world.logged("selftest ST1 begin"));
  CHECK(desk.world.run_until([&] { return desk.world.logged("selftest ST1 held crc="); }, 10'000));
  desk.world.run_for_ms(500);  // at rest again
  desk.press(1'380);
  CHECK(desk.world.logged("selftest ST2 begin"));
  CHECK(desk.world.run_until([&] { return desk.world.starts == 2; }, 10 * 60'000));
  CHECK(desk.world.logged("selftest ST5 held"));
  CHECK(desk.world.panel.faults == "");
  CHECK(desk.goes_live(20'000));
}

TEST_CASE("The console asks for the self-test, once") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK_FALSE(desk.world.logged("selftest ST1"));
  desk.world.type("selftest");
  desk.world.run_for_ms(2'000);
  CHECK(desk.world.logged("selftest ST1 begin"));
  desk.world.press_reset();
  CHECK(desk.goes_live(20'000));
}
