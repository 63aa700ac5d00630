// What only the board with the power chip does, in a build with secrets.
#include <doctest/doctest.h>
#include <esp_system.h>

#include <string>

#include "desk.h"

using inktop::Screen;

TEST_CASE(
    "An endless power-on becomes a reset; after three in a row the panel is left alone, the link lives") {
  Desk desk;
  desk.world.panel.power_good = false;
  desk.world.power_on();
  desk.world.run_for_ms(4 * 15'000);
  CHECK(desk.world.starts == 4);
  CHECK(desk.world.ended_by_watchdog);
  CHECK(desk.world.panel.power_ons == 3);
  CHECK(desk.world.panel.drives == 0);
  CHECK(desk.world.logged("the supply did not come up, 3 times in a row"));
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.starts == 4);
  CHECK(desk.newest_from_board("hello").find("|reset=watchdog") != std::string::npos);
  CHECK_FALSE(desk.newest_from_board("health").empty());

  SUBCASE("a button tries again, and a supply that came up ends it") {
    desk.world.panel.power_good = true;
    desk.press(10);
    desk.world.run_for_ms(5'000);
    CHECK(desk.world.panel.gc16_drives == 3);
    desk.world.press_reset();
    desk.world.run_for_ms(5'000);
    CHECK(desk.world.panel.gc16_drives == 6);
  }
  SUBCASE("power off and on begins the count again") {
    desk.world.panel.power_good = true;
    desk.world.power_off();
    desk.world.run_for_ms(2'000);
    desk.world.power_on();
    CHECK(desk.goes_live(20'000));
    CHECK(desk.world.panel.gc16_drives == 3);
  }
}

TEST_CASE(
    "Flashed to a board without the power chip, the library's aborts end after three, and the link lives") {
  Desk desk;
  desk.world.panel.chip_answers = false;
  desk.world.power_on();
  desk.world.run_for_ms(45'000);
  CHECK(desk.world.starts == 4);
  CHECK(desk.world.panel.drives == 0);
  CHECK(desk.world.logged("3 times in a row"));
  CHECK(desk.world.logged("needs v7_nopmic"));
  CHECK(desk.newest_from_board("hello").find("|reset=panic") != std::string::npos);
  desk.world.type("set vcom 2310");
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.starts == 4);
  CHECK(desk.world.panel.power_ons == 0);
  CHECK(desk.world.panel.faults == "");
  desk.press(10);  // three more tries, no more
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.starts == 8);
  CHECK(desk.world.connection()->open);
  CHECK_FALSE(desk.newest_from_board("health").empty());
}

TEST_CASE("A reset for another reason while the panel is off counts no power failure") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  for (int i = 0; i < 5; ++i) {
    REQUIRE(desk.world.run_until([&] { return !desk.world.panel.powered; }, 5'000));
    desk.world.press_reset();
    desk.world.run_for_ms(100);
  }
  CHECK(desk.goes_live(25'000));
}

TEST_CASE("A supply that the library gave up on is an error of the refresh, not ok") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK_FALSE(desk.world.logged("ms: power"));
  desk.world.panel.rails_good = false;
  desk.world.log.clear();
  REQUIRE(desk.world.run_until([&] { return desk.world.logged("ms: "); }, 10'000));
  CHECK(desk.world.logged("ms: power\n"));
  CHECK_FALSE(desk.world.logged("ms: ok\n"));
  CHECK(desk.world.logged("the supply did not come up"));
  CHECK_FALSE(desk.world.panel.powered);
  desk.world.panel.rails_good = true;
  CHECK(desk.world.run_until([&] { return desk.world.logged("clear_and_wash, after_fault"); }, 20'000));
  CHECK(desk.world.logged("ms: ok\n"));
}

TEST_CASE("A supply that breaks down during a refresh is an error of that refresh") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
  desk.world.panel.rails_good = false;
  desk.world.log.clear();
  REQUIRE(desk.world.run_until([&] { return desk.world.logged("ms: "); }, 10'000));
  CHECK(desk.world.logged("ms: power\n"));
}

TEST_CASE("A glitch on the power chip's bus is told as such at the next start, whenever it comes") {
  for (const char* const when : {"on", "driving", "off"}) {
    CAPTURE(when);
    Desk desk;
    desk.world.power_on();
    REQUIRE(desk.goes_live(20'000));
    const bool on = when == std::string("on");
    REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
    if (on) REQUIRE(desk.world.run_until([&] { return !desk.world.panel.powered; }, 10'000));
    // The refresh speaks to the chip at its end, too: what is left of it comes before the supply is switched.
    desk.world.panel.transfers_before_glitch = when == std::string("off") ? 1 : 0;
    desk.world.panel.bus_glitch = true;
    REQUIRE(desk.world.run_until([&] { return desk.world.starts == 2; }, 10'000));
    CHECK(desk.world.logged("panel power: the power chip did not answer on its I2C bus, 1 times in a row"));
    CHECK_FALSE(desk.world.logged("the supply did not come up"));
    CHECK(desk.goes_live(20'000));
    desk.world.run_for_ms(5'000);
    desk.world.log.clear();
    desk.world.press_reset();
    CHECK_FALSE(desk.world.logged("did not answer"));  // it worked meanwhile
  }
}

TEST_CASE(
    "A board that does not survive any refresh leaves its panel alone after three, and the link lives") {
  struct Case {
    int reason;
    const char* message;
  };
  for (const Case& each :
       {Case{ESP_RST_PANIC, "the power chip did not answer"},
        Case{ESP_RST_TASK_WDT, "panel: the last refresh did not end, 3 times in a row"},
        Case{ESP_RST_BROWNOUT, "the board's own supply broke down while the panel was driven"}}) {
    CAPTURE(each.message);
    Desk desk;
    desk.world.panel.ends_in_refresh = each.reason;
    desk.world.power_on();
    desk.world.run_for_ms(4 * 45'000);
    CHECK(desk.world.starts == 4);
    CHECK(desk.world.panel.power_ons == 3);
    CHECK(desk.world.logged(each.message));
    CHECK(desk.world.logged("the panel is left alone"));
    CHECK(desk.world.logged("needs v7_nopmic") == (each.reason == ESP_RST_PANIC));
    CHECK(desk.world.connection()->open);
    CHECK_FALSE(desk.newest_from_board("health").empty());
    desk.world.panel.ends_in_refresh = 0;
    desk.press(10);
    CHECK(desk.world.run_until([&] { return desk.world.panel.gc16_drives >= 3; }, 20'000));
  }
}

TEST_CASE("RST pressed in a refresh, again and again, is no failure of the panel") {
  Desk desk;
  desk.world.power_on();
  for (int i = 0; i < 5; ++i) {
    REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
    desk.world.press_reset();
  }
  CHECK_FALSE(desk.world.logged("in a row"));
  CHECK(desk.goes_live(25'000));
}

TEST_CASE("VCOM and the bus clock are settings") {
  Desk desk;
  desk.world.flash["inktop/vcom"] = "2310";
  desk.world.flash["inktop/speed"] = "5";
  desk.world.power_on();
  desk.world.run_for_ms(1'000);
  CHECK(desk.world.panel.vcom_mv == 2310);
  CHECK(desk.world.panel.clock_mhz == 5);
  REQUIRE(desk.goes_live(20'000));
  desk.world.type("set vcom 1985");
  desk.world.run_for_ms(4'000);
  CHECK(desk.world.panel.vcom_mv == 1980);  // the chip has steps of 10 mV
  CHECK(desk.app().view().board->vcom_mv == 1985);
}

TEST_CASE("A new VCOM acts at the next refresh, also when the supply is kept on between refreshes") {
  Desk desk;
  desk.world.flash["inktop/power"] = "keep";
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.powered && !desk.world.panel.driving; }, 5'000));
  CHECK(desk.world.panel.vcom_mv == 1600);
  desk.world.type("set vcom 2560");
  desk.world.run_for_ms(5'000);
  CHECK(desk.world.panel.vcom_mv == 2560);  // needs the ninth bit
  CHECK(desk.world.panel.powered);
}

TEST_CASE("Asleep the power chip forgets what was written to it, and each power-on writes it again") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  REQUIRE(desk.world.run_until([&] { return !desk.world.panel.powered; }, 5'000));
  CHECK(desk.world.panel.chip.vcom_mv() == 0);
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 5'000));
  CHECK(desk.world.panel.chip.vcom_mv() == 1600);
}

TEST_CASE("An update over the air shows its progress in a few steps only") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.ota_password == "for updates");
  const int drives = desk.world.panel.drives;
  SUBCASE("it succeeds and the board starts again") {
    desk.world.ota_waits = true;
    desk.world.run_for_ms(10'000);
    CHECK(desk.app().view().screen == Screen::updating);
    desk.world.run_for_ms(7'000);
    CHECK(desk.world.panel.drives - drives >= 3);
    CHECK(desk.world.panel.drives - drives <= 8);
    CHECK(desk.world.run_until([&] { return desk.world.starts == 2; }, 20'000));
    CHECK(desk.goes_live(20'000));
  }
  SUBCASE("it fails and the board goes on") {
    desk.world.ota_waits = true;
    desk.world.ota_fails = true;
    desk.world.run_for_ms(20'000);
    CHECK(desk.world.starts == 1);
    CHECK(desk.world.logged("update: failed"));
    CHECK(desk.live());
  }
}

TEST_CASE("The secrets header gives the defaults; reset goes back to them") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  CHECK(desk.goes_live(20'000));  // ssid, password and server of the secrets header
  desk.world.type("set servers 192.0.2.200");
  desk.world.type("reset servers");
  desk.world.type("get servers");
  desk.world.run_for_ms(500);
  CHECK(desk.world.logged("# servers=192.0.2.17:7910"));
  CHECK(desk.world.flash.count("inktop/servers") == 0);
}

TEST_CASE("A build without the self-test says which one has it") {
  Desk desk;
  desk.world.power_on();
  desk.world.type("selftest");
  desk.world.run_for_ms(5'000);
  CHECK(desk.world.last_reply() == "# error: not in this build: flash v7_selftest or v7_nopmic_selftest");
}
