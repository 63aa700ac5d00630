// The board without the power chip, with the self-test built in and an empty secrets header.
#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "desk.h"
#include "memory_table.h"

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

namespace {

// A request as a phone sends it, with a body or without.
std::string request(const std::string& body = "") {
  if (body.empty()) return "GET / HTTP/1.1\r\nHost: 192.168.4.1\r\n\r\n";
  return "POST / HTTP/1.1\r\nHost: 192.168.4.1\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}
const std::string kRight = "ssid=home&password=correct+horse&servers=192.0.2.17&key=";

}  // namespace

TEST_CASE(
    "A board without secrets is set up by its own access point, which closes for good when it has joined") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  CHECK(desk.app().view().screen == inktop::Screen::wifi_unset);
  CHECK(desk.world.own_network == "inktop-a1b2");
  CHECK(desk.world.own_password.size() == 10);
  CHECK(desk.app().view().board->setup_password == desk.world.own_password);
  const auto form = desk.world.browse(request());
  desk.world.run_for_ms(4'000);
  CHECK(form->from_board.find("HTTP/1.1 200 OK") == 0);
  CHECK(form->from_board.find("name=ssid") != std::string::npos);
  CHECK_FALSE(form->open);
  const auto bad = desk.world.browse(request("ssid=home&password=short&servers=&key="));
  desk.world.run_for_ms(4'000);
  CHECK(bad->from_board.find("Not saved: password must be") != std::string::npos);
  CHECK(desk.world.starts == 1);
  const auto saved = desk.world.browse(request(kRight));
  CHECK(desk.goes_live(30'000));
  CHECK(saved->from_board.find("Saved.") != std::string::npos);
  CHECK(desk.world.starts == 2);
  CHECK(desk.world.own_network == "");
  desk.world.run_for_ms(3'000);
  CHECK(desk.world.flash["inktop-state/join"] == "done");

  SUBCASE("the network is away for good: it stays closed") {
    desk.world.access_point = false;
    desk.world.wifi_lost(201);
    desk.world.run_for_ms(10 * 60'000);
    desk.world.press_reset();
    desk.world.run_for_ms(3 * 60'000);
    CHECK(desk.world.own_network == "");
    CHECK(desk.world.starts == 3);
    CHECK(desk.app().view().screen == inktop::Screen::wifi_no_ssid);
  }
  SUBCASE("the stored name is lost: it stays closed") {
    desk.world.flash.erase("inktop/ssid");
    desk.world.press_reset();
    desk.world.run_for_ms(60'000);
    CHECK(desk.world.own_network == "");
    CHECK(desk.app().view().screen == inktop::Screen::wifi_unset);
  }
  SUBCASE("a person takes the name back: it opens again") {
    desk.world.type("reset ssid");
    desk.world.run_for_ms(3'000);
    desk.world.press_reset();
    desk.world.run_for_ms(6'000);
    CHECK(desk.world.own_network == "inktop-a1b2");
  }
}

TEST_CASE("A form with a wrong password comes back after a minute, with what was filled in") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  desk.world.browse(request("ssid=home&password=wrong+horse&servers=192.0.2.17&key="));
  REQUIRE(desk.world.run_until([&] { return desk.world.starts == 2; }, 10'000));
  CHECK(desk.world.run_until([&] { return desk.world.starts == 3; }, 75'000));
  desk.world.run_for_ms(6'000);
  CHECK(desk.world.own_network == "inktop-a1b2");
  const auto again = desk.world.browse(request());
  desk.world.run_for_ms(4'000);
  CHECK(again->from_board.find("Could not join home.") != std::string::npos);
  CHECK(again->from_board.find("value=\"192.0.2.17:7910\"") != std::string::npos);
  desk.world.browse(request(kRight));
  CHECK(desk.goes_live(30'000));
  CHECK(desk.world.own_network == "");
}

TEST_CASE("A browser that says nothing, or breaks off, holds up nobody") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  std::vector<std::shared_ptr<sim::Connection>> silent;
  for (int i = 0; i < 3; ++i) silent.push_back(desk.world.browse(""));  // opened in advance, as phones do
  const auto other = desk.world.browse(request());
  desk.world.run_for_ms(4'000);
  for (const auto& each : silent) CHECK_FALSE(each->open);
  CHECK(other->from_board.find("HTTP/1.1 200 OK") == 0);
  const auto half = desk.world.browse("GET / HTT");
  const auto next = desk.world.browse(request());
  desk.world.run_for_ms(8'000);
  CHECK_FALSE(half->open);
  CHECK(half->from_board == "");
  CHECK(next->from_board.find("HTTP/1.1 200 OK") == 0);
  CHECK(desk.world.starts == 1);
}

TEST_CASE("A radio that refuses to open the board's own network shows no codes that lead nowhere") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.radio_refuses = true;
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  CHECK(desk.world.logged("setup: cannot open network"));
  CHECK(desk.app().view().screen == inktop::Screen::wifi_unset);
  CHECK(desk.app().view().board->setup_password[0] == 0);
}

TEST_CASE("A browser is heard although the last error of another socket was that its peer has gone") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  desk.world.socket_error = true;
  const auto form = desk.world.browse(request());
  desk.world.run_for_ms(2'000);
  CHECK(form->from_board.find("HTTP/1.1 200 OK") == 0);
}

TEST_CASE("The board's own network closes after half an hour, whoever is in it, until a person presses RST") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  const std::string bad = request("ssid=" + std::string(300, 'x') + "&password=&servers=&key=");
  for (int i = 0; i < 29 * 12; ++i) {
    desk.world.browse(bad);
    desk.world.run_for_ms(5'000);
  }
  CHECK(desk.world.own_network == "inktop-a1b2");
  CHECK(desk.world.run_until([&] { return desk.world.starts == 2; }, 2 * 60'000));
  desk.world.run_for_ms(60 * 60'000);
  CHECK(desk.world.starts == 2);
  CHECK(desk.world.own_network == "");
  CHECK(desk.app().view().screen == inktop::Screen::wifi_unset);
  CHECK(desk.app().view().board->setup_closed);
  desk.world.press_reset();
  desk.world.run_for_ms(6'000);
  CHECK(desk.world.own_network == "inktop-a1b2");
  CHECK_FALSE(desk.app().view().board->setup_closed);
}

TEST_CASE(
    "A network that was off when the form was filled in is joined when it comes back, within half an hour") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  desk.world.access_point = false;
  desk.world.browse(request(kRight));
  CHECK(desk.world.run_until([&] { return desk.world.starts == 3; }, 90'000));
  desk.world.access_point = true;
  CHECK(desk.goes_live(32 * 60'000));
  CHECK(desk.world.own_network == "");
  CHECK(desk.world.starts == 4);
  desk.world.run_for_ms(3'000);
  CHECK(desk.world.flash["inktop-state/join"] == "done");
}

TEST_CASE("The form and the codes fit into the main task's stack, and take their memory once") {
  Desk desk;
  desk.world.flash.clear();
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  const size_t blocks = desk.world.psram_blocks;
  CHECK(blocks == 9);
  for (int i = 0; i < 20; ++i) {
    desk.world.browse(request(i % 2 == 0 ? "" : "ssid=home&password=short&servers=&key="));
    desk.world.run_for_ms(2'000);
  }
  CHECK(desk.world.psram_blocks == blocks);
  CHECK(desk.world.psram_bytes <= inktop::memory_sum(true));
#ifndef __SANITIZE_ADDRESS__  // which pads every variable
  // Measured on this machine, whose pointers are twice as wide.
  MESSAGE("main " << desk.world.scheduler.stack_used("main") << ", the form " << sizeof(inktop::SetupPoint)
                  << " of " << inktop::kSetupBytes);
  CHECK(desk.world.scheduler.stack_used("main") <= inktop::kMainStackBytes * 3 / 4);
#endif
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
