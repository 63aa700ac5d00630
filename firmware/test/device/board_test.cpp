// The firmware as it runs on the board, from main.cpp down to the adapters, in a simulated world.
#include <doctest/doctest.h>
#include <epdiy.h>
#include <esp_system.h>

#include <fstream>
#include <memory>

#include "desk.h"
#include "hmac.h"
#include "memory_table.h"
#include "version.h"

using inktop::Freshness;
using inktop::Screen;

TEST_CASE("The board starts: panel before Wi-Fi, clear and wash, then data") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.run_for_ms(3'000);
  CHECK(desk.world.panel.initialized_before_wifi);
  CHECK(desk.world.panel.init_options == unsigned(EPD_LUT_64K | EPD_FEED_QUEUE_32));
  CHECK(desk.world.panel.gc16_drives == 3);
  CHECK(desk.world.panel.all_row_drives == 3);
  CHECK(desk.world.panel.du_drives >= 1);
  CHECK(desk.world.panel.faults == "");
  CHECK(desk.world.logged("refresh: clear_and_wash, first_frame"));
  CHECK_FALSE(desk.world.logged("(wrong"));
  CHECK(desk.newest_from_board("hello") ==
        "hello=1|id=inktop-a1b2|fw=" + std::string(inktop::kFirmwareVersion) +
            "|panel=" + std::to_string(sim::kPanelColumns) + "x" + std::to_string(sim::kPanelRows) +
            "|boots=1|reset=poweron" +
            desk.newest_from_board("hello").substr(desk.newest_from_board("hello").size() - 5));
  CHECK(desk.world.starts == 1);
}

TEST_CASE("The boot counter and the reason of the last reset are kept, and told in the hello") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.press_reset();
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.newest_from_board("hello").find("|boots=2|reset=pin") != std::string::npos);
  CHECK(desk.app().view().board->boots == 2);
  desk.world.type("restart");
  desk.world.run_for_ms(1'000);
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.newest_from_board("hello").find("|boots=3|reset=software") != std::string::npos);
}

TEST_CASE("An hour with Wi-Fi drops: the board comes back each time by itself") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  const uint8_t reasons[] = {200, 2, 201, 15, 6, 204};
  for (int drop = 0; drop < 6; ++drop) {
    desk.world.run_for_ms(9 * 60'000);
    desk.world.access_point = false;
    desk.world.wifi_lost(reasons[drop]);
    desk.world.run_for_ms(5'000 + drop * 8'000);
    CHECK(desk.app().view().freshness != Freshness::fresh);
    CHECK(desk.app().view().screen == Screen::live);  // the last board stays
    desk.world.access_point = true;
    INFO("drop " << drop);
    CHECK(desk.goes_live(15'000));
  }
  desk.world.run_for_ms(5 * 60'000);
  CHECK(desk.live());
  CHECK(desk.seconds_known(inktop::kGraphColumns - 10) == inktop::kGraphColumns - 10);
  CHECK(desk.world.starts == 1);
  CHECK_FALSE(desk.world.logged("(wrong"));
  int open = 0;
  for (const auto& connection : desk.world.connections) open += connection->open ? 1 : 0;
  CHECK(open == 1);  // each old one was closed on this side, too
  CHECK(desk.world.panel.faults == "");
  CHECK(desk.newest_from_board("health").find("|bad=") == std::string::npos);
}

namespace {

// A board that found its server by itself: none is configured, and the last one is remembered.
void finds_by_itself(Desk& desk) {
  desk.world.flash["inktop/servers"] = "";
  desk.world.flash["inktop-state/server"] = Desk::kServer;
}

// Kills the old server in its manner, announces the new one, and checks when there is data again.
void server_moves(Desk& desk, sim::Server::Manner old_manner, bool close) {
  desk.world.power_on();
  REQUIRE(desk.goes_live(30'000));
  const std::string moved = "192.0.2.99:7910";
  desk.world.servers[moved] = sim::Server();
  sim::Server& old = desk.world.servers[Desk::kServer];
  desk.world.name_server_us = 14'000'000;
  old.silent = true;
  old.manner = old_manner;
  if (close) desk.world.close_connections();
  const auto dead = [&] { return desk.world.logged("link: closed"); };
  int64_t next_announcement_ms = desk.world.now_ms() + 1'000;
  const auto announce = [&] {
    if (desk.world.now_ms() < next_announcement_ms) return;
    next_announcement_ms += 5'000;
    desk.world.announce("192.0.2.99", 7910);
  };
  REQUIRE(desk.world.run_until(
      [&] {
        announce();
        return dead();
      },
      20'000));
  const int64_t death_ms = desk.world.now_ms();
  const bool back = desk.world.run_until(
      [&] {
        announce();
        return desk.world.connection()->address == moved && desk.live();
      },
      60'000);
  INFO("data again after " << desk.world.now_ms() - death_ms << " ms");
  CHECK(back);
  CHECK(desk.world.now_ms() - death_ms <= 15'000);
  MESSAGE("data again after " << desk.world.now_ms() - death_ms << " ms");
  CHECK(desk.world.starts == 1);
}

}  // namespace

TEST_CASE("A server that moves is found within 15 s: the old one is silent but accepts") {
  Desk desk;
  finds_by_itself(desk);
  server_moves(desk, sim::Server::Manner::accepts, false);
}

TEST_CASE("A server that moves is found within 15 s: the old one refuses") {
  Desk desk;
  finds_by_itself(desk);
  server_moves(desk, sim::Server::Manner::refuses, true);
}

TEST_CASE("A server that moves is found within 15 s: nothing answers at the old address") {
  Desk desk;
  finds_by_itself(desk);
  server_moves(desk, sim::Server::Manner::swallows, false);
}

TEST_CASE("A server that moves is found within 15 s: with three dead names and a slow name server") {
  Desk desk;
  desk.world.names["t7910.example"] = "192.0.2.17";
  desk.world.flash["inktop/servers"] = "t7910.example,two.example,three.example,four.example";
  server_moves(desk, sim::Server::Manner::swallows, true);
}

TEST_CASE("The address that last worked is the first one tried after a restart") {
  Desk desk;
  desk.world.flash["inktop/servers"] = "";
  desk.world.power_on();
  desk.world.run_for_ms(8'000);
  desk.world.announce("192.0.2.17", 7910);
  REQUIRE(desk.goes_live(20'000));
  desk.world.run_for_ms(5'000);  // written between two refreshes
  CHECK(desk.world.flash["inktop-state/server"] == Desk::kServer);
  desk.world.press_reset();
  desk.world.log.clear();
  REQUIRE(desk.goes_live(20'000));
  CHECK_FALSE(desk.world.logged("does not answer"));
}

TEST_CASE("mDNS finds the server when nothing is configured and nothing is announced") {
  Desk desk;
  desk.world.flash["inktop/servers"] = "";
  desk.world.mdns_service = Desk::kServer;
  desk.world.power_on();
  CHECK(desk.goes_live(30'000));
  CHECK(desk.world.mdns_queries >= 1);
}

TEST_CASE("A slow name server holds up nothing: its late answer is ignored") {
  Desk desk;
  desk.world.names["old.example"] = "192.0.2.66";
  desk.world.flash["inktop/servers"] = std::string("old.example,") + Desk::kServer;
  desk.world.name_server_us = 9'000'000;
  desk.world.power_on();
  CHECK(desk.goes_live(20'000));
  desk.world.run_for_ms(20'000);
  CHECK(desk.live());
  CHECK(desk.world.connections.size() == 1);
  CHECK_FALSE(desk.world.logged("(name looked up"));
}

TEST_CASE("A late answer of the name server is not taken for the next name's") {
  Desk desk;
  desk.world.names["old.example"] = "192.0.2.66";
  desk.world.names["t7910.example"] = "192.0.2.17";
  desk.world.servers["192.0.2.66:7910"] = sim::Server();
  desk.world.flash["inktop/servers"] = "old.example,t7910.example";
  desk.world.name_server_us = 3'000'000;  // the first name's answer comes while the second one is asked for
  desk.world.power_on();
  desk.world.run_for_ms(30'000);
  CHECK(desk.world.joins > 0);
  CHECK(desk.world.connections.empty());
  desk.world.announce("192.0.2.17", 7910);
  CHECK(desk.goes_live(10'000));
}

TEST_CASE("A stalled stream is dropped after 12 s and taken up again when it flows") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.servers[Desk::kServer].silent = true;
  desk.world.connection()->pretends = true;  // connected() goes on to say yes
  desk.world.run_for_ms(11'000);
  CHECK_FALSE(desk.world.logged("link: closed"));
  desk.world.run_for_ms(2'500);
  CHECK(desk.world.logged("link: closed, silent"));
  CHECK_FALSE(desk.world.connections[0]->open);
  desk.world.run_for_ms(60'000);
  CHECK(desk.app().view().freshness == Freshness::lost);
  CHECK(desk.app().view().screen == Screen::live);
  desk.world.servers[Desk::kServer].silent = false;
  CHECK(desk.goes_live(15'000));
}

TEST_CASE("A peer that has gone while connected() says yes costs 12 s, no more") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.close_connections(true);
  CHECK(desk.world.run_until([&] { return desk.world.connections.size() == 2 && desk.live(); }, 20'000));
}

TEST_CASE("A connection that ended is marked after a few seconds, long before its data is 12 s old") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.servers[Desk::kServer].manner = sim::Server::Manner::refuses;
  desk.world.close_connections();
  CHECK(desk.world.run_until([&] { return desk.app().view().freshness == Freshness::lost; }, 7'000));
}

TEST_CASE("Half a line at the end of a connection never runs into the next one") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.connection()->to_board.push_back("h=t7910|i=192.0.2.17|t=12:14|u=99");
  desk.world.run_for_ms(500);
  desk.world.close_connections();
  CHECK(desk.world.run_until([&] { return desk.world.connections.size() == 2 && desk.live(); }, 10'000));
  desk.world.run_for_ms(31'000);
  CHECK(desk.newest_from_board("health").find("|bad=cut:1") != std::string::npos);
}

TEST_CASE("A refresh of more than a minute loses no line and no patience") {
  for (const bool starves : {false, true}) {
    CAPTURE(starves);
    Desk desk;
    desk.world.power_on();
    REQUIRE(desk.goes_live(20'000));
    desk.world.run_for_ms(200'000);
    desk.world.panel.gc16_us = 25'000'000;
    desk.world.panel.starves = starves;
    desk.world.panel.answers = {EPD_DRAW_EMPTY_LINE_QUEUE};  // a fault: clear and wash, three passes of 25 s
    const int drives = desk.world.panel.gc16_drives;
    REQUIRE(desk.world.run_until([&] { return desk.world.panel.gc16_drives == drives + 1; }, 30'000));
    REQUIRE(desk.world.run_until(
        [&] { return !desk.world.panel.driving && desk.world.panel.gc16_drives == drives + 3; }, 140'000));
    desk.world.panel.gc16_us = 1'000'000;
    desk.world.run_for_ms(10'000);
    CHECK(desk.live());
    CHECK(desk.world.starts == 1);
    CHECK(desk.world.connections.size() == 1);
    CHECK_FALSE(desk.world.logged("queue: full"));
    CHECK(desk.seconds_known(280) == 280);
    CHECK_FALSE(desk.world.logged("link: closed"));
  }
}

TEST_CASE("Each kind of panel error is named, counted, and repaired by a clear and a wash") {
  struct Kind {
    unsigned bit;
    const char* word;
  };
  const Kind kinds[] = {{EPD_DRAW_LOOKUP_NOT_IMPLEMENTED, "lut"}, {EPD_DRAW_INVALID_CROP, "crop"},
                        {EPD_DRAW_MODE_NOT_FOUND, "mode"},        {EPD_DRAW_NO_PHASES_AVAILABLE, "phases"},
                        {EPD_DRAW_EMPTY_LINE_QUEUE, "lines"},     {EPD_DRAW_FAILED_ALLOC, "other"}};
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  for (const Kind& kind : kinds) {
    CAPTURE(kind.word);
    desk.world.log.clear();
    desk.world.panel.answers = {kind.bit};
    CHECK(desk.world.run_until([&] { return desk.world.logged("refresh: clear_and_wash, after_fault"); },
                               30'000));
    CHECK(desk.world.logged(std::string("ms: ") + kind.word + "\n"));
    desk.world.run_for_ms(31'000);
    CHECK(desk.newest_from_board("health").find(std::string(kind.word) + ":1") != std::string::npos);
    CHECK(desk.live());
  }
  CHECK(desk.world.panel.faults == "");
}

TEST_CASE("Repeated clears after errors back off") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  for (int i = 0; i < 1'000; ++i) desk.world.panel.answers.push_back(EPD_DRAW_FAILED_ALLOC);
  const int before = desk.world.panel.drives;
  desk.world.run_for_ms(10 * 60'000);
  CHECK(desk.world.panel.drives - before >= 4);
  CHECK(desk.world.panel.drives - before <= 12);  // 5 s, doubling to 5 min; without a back-off: some 300
  desk.world.panel.answers.clear();
  CHECK(desk.world.run_until(
      [&] {
        return desk.world.panel.last_dirty.size() == sim::kPanelRows && desk.live() &&
               desk.app().policy().panel_known();
      },
      6 * 60'000));
}

TEST_CASE("The setting `speed` is the clock that the panel gets") {
  struct Case {
    const char* setting;
    int clock_mhz;
  };
  for (const Case& each : {Case{"", 8}, Case{"8", 8}, Case{"5", 5}, Case{"3", 3}, Case{"2", 2}}) {
    CAPTURE(each.setting);
    Desk desk;
    if (each.setting[0] != 0) desk.world.flash["inktop/speed"] = each.setting;
    desk.world.power_on();
    desk.world.run_for_ms(1'000);
    CHECK(desk.world.panel.clock_mhz == each.clock_mhz);
    CHECK(desk.world.panel.faults == "");
  }
}

TEST_CASE("A first join that fails is tried once again by Arduino itself, beside the board's own way") {
  for (const int failures : {1, 2}) {
    CAPTURE(failures);
    Desk desk;
    desk.world.join_failures = failures;
    desk.world.power_on();
    CHECK(desk.goes_live(20'000));
    CHECK(desk.world.logged("wifi: connection lost (reason 2)"));
    desk.world.run_for_ms(20'000);
    CHECK(desk.live());
    CHECK(desk.world.connections.size() == 1);
    CHECK_FALSE(desk.world.logged("(wrong"));
  }
}

TEST_CASE("A board whose rows take longer than its clock allows steps down until they are in time") {
  Desk desk;
  // 42 us a row: too long for 8 MHz (31 us), in time at 5 MHz (50 us).
  desk.world.panel.feed_row_ns = 42'000;
  desk.world.power_on();
  CHECK(desk.world.run_until([&] { return desk.world.panel.clock_mhz == 5; }, 120'000));
  CHECK(desk.goes_live(60'000));
  const int starts = desk.world.starts;
  desk.world.log.clear();
  desk.world.run_for_ms(10 * 60'000);
  CHECK(desk.world.starts == starts);
  CHECK_FALSE(desk.world.logged("ms: lines"));
  CHECK(desk.newest_from_board("health").find("|mhz=5") != std::string::npos);
}

TEST_CASE("Rows that come late three times slow the panel's clock down, for good, until it is reset") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.panel.clock_mhz == 8);
  for (int i = 0; i < 2; ++i) {
    desk.world.panel.answers = {EPD_DRAW_EMPTY_LINE_QUEUE};
    desk.world.run_for_ms(30'000);
  }
  CHECK(desk.world.starts == 1);
  desk.world.panel.answers = {EPD_DRAW_EMPTY_LINE_QUEUE};
  CHECK(desk.world.run_until([&] { return desk.world.starts == 2; }, 30'000));
  CHECK(desk.world.logged("panel: fed too slowly 3 times in an hour: its clock goes from 8 to 5 MHz"));
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.panel.clock_mhz == 5);
  desk.world.power_off();
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.panel.clock_mhz == 5);
  desk.world.type("get speed");
  desk.world.run_for_ms(500);
  CHECK(desk.world.logged("# speed=5 "));
  desk.world.type("reset speed");
  desk.world.type("restart");
  desk.world.run_for_ms(1'000);
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.panel.clock_mhz == 8);
  CHECK(desk.world.panel.faults == "");
}

TEST_CASE("At the slowest clock, late rows restart nothing") {
  Desk desk;
  desk.world.flash["inktop/speed"] = "1";
  desk.world.power_on();
  REQUIRE(desk.goes_live(60'000));  // a pass of GC16 takes 8 s at this clock
  for (int i = 0; i < 5; ++i) {
    desk.world.panel.answers = {EPD_DRAW_EMPTY_LINE_QUEUE};
    desk.world.run_for_ms(60'000);
  }
  CHECK(desk.world.starts == 1);
  CHECK(desk.world.panel.clock_mhz == 1);
}

TEST_CASE("What the radio writes to flash at its first start meets no refresh") {
  Desk desk;
  desk.world.flash["inktop/ssid"] = "";  // a board out of the box
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.gc16_drives == 3; }, 10'000));
  CHECK(desk.world.flash.count("phy/cal_data") == 1);
  CHECK(desk.world.panel.faults == "");
  CHECK(desk.world.starts == 1);
}

TEST_CASE("What the system writes to flash during a refresh waits until it is over") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
  desk.world.flash_operation("a small value of the system's");
  REQUIRE(desk.world.run_until([&] { return !desk.world.panel.driving; }, 5'000));
  CHECK(desk.world.panel.shifted_rows == 0);
  desk.press(10);
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
  desk.world.flash_operation("a sector, erased", 45'000);
  desk.world.run_for_ms(10'000);
  CHECK(desk.world.panel.faults == "");
  CHECK(desk.world.starts == 1);
  CHECK(desk.live());
}

TEST_CASE("A server found during a refresh is remembered after it, and the network task waits for nothing") {
  Desk desk;
  desk.world.panel.gc16_us = 20'000'000;  // the board connects during its first clear and wash
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.world.connection() != nullptr; }, 30'000));
  CHECK(desk.world.panel.driving);
  const size_t lines = desk.world.connection()->to_board.size();
  desk.world.run_for_ms(5'000);
  CHECK(desk.world.panel.driving);
  CHECK(desk.world.connection()->to_board.size() <= lines);
  CHECK(desk.world.flash_waited_us["inktop-network"] == 0);
  CHECK(desk.world.flash.count("inktop-state/server") == 0);
  desk.world.panel.gc16_us = 1'000'000;
  REQUIRE(desk.goes_live(90'000));
  desk.world.run_for_ms(2'000);
  CHECK(desk.world.flash["inktop-state/server"] == Desk::kServer);
  CHECK(desk.world.panel.faults == "");
}

TEST_CASE("A refresh that never ends is a reset after half a minute") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.panel.hangs = true;
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 10'000));
  CHECK(desk.world.run_until([&] { return desk.world.starts == 2; }, 35'000));
  desk.world.panel.hangs = false;
  CHECK(desk.goes_live(20'000));
}

TEST_CASE("One clear and wash is one switching of the supply; it is off before a restart") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.gc16_drives == 3; }, 10'000));
  CHECK(desk.world.panel.power_ons == 1);
  for (int i = 0; i < 2; ++i) {
    REQUIRE(desk.goes_live(20'000));
    desk.world.type("restart");
    desk.world.run_for_ms(2'000);
  }
  CHECK(desk.world.starts == 3);
  CHECK(desk.world.panel.faults == "");
}

TEST_CASE("Kept on, the supply is switched off when nothing was drawn for a minute") {
  Desk desk;
  desk.world.flash["inktop/power"] = "keep";
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.panel.power_ons == 1);
  CHECK(desk.world.panel.powered);
  desk.world.type("set update 60000");
  desk.world.servers[Desk::kServer].silent = true;
  CHECK(desk.world.run_until([&] { return !desk.world.panel.powered; }, 200'000));
  desk.world.servers[Desk::kServer].silent = false;
  desk.world.type("set update 2000");
  REQUIRE(desk.goes_live(20'000));
  CHECK(desk.world.panel.power_ons >= 2);
  desk.world.type("set power switch");
  REQUIRE(desk.world.run_until([&] { return !desk.world.panel.powered; }, 10'000));
  CHECK(desk.world.panel.faults == "");
}

TEST_CASE("Buttons: wash now, status screen, and a converter that is busy with Wi-Fi") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  const int washes = desk.world.panel.gc16_drives;
  desk.press(10);
  desk.world.run_for_ms(5'000);
  CHECK(desk.world.panel.gc16_drives == washes + 2);
  CHECK(desk.world.logged("refresh: wash, button"));
  desk.press(1'380);
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().view().screen == Screen::status);
  CHECK(desk.app().view().board->rssi_dbm == -61);
  CHECK(std::string(desk.app().view().board->address) == "192.0.2.50");
  CHECK(desk.app().view().board->psram_bytes > 0);
  desk.world.adc_busy = true;
  desk.press(1'380);
  desk.world.adc_busy = false;
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().view().screen == Screen::status);
  desk.press(1'380);
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().view().screen == Screen::live);
}

TEST_CASE("A reading that is no button's is logged, so that the levels can be found and set") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.press(900);
  CHECK(desk.world.logged("buttons: reading 900"));
  desk.world.type("set buttons 900,1900,2900");
  desk.world.run_for_ms(500);
  CHECK(desk.world.last_reply() == "# ok");
  desk.press(1'900);
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().view().screen == Screen::status);
}

TEST_CASE("Settings come from the console, act, and stay over a restart") {
  Desk desk;
  for (const char* name : {"inktop/ssid", "inktop/password", "inktop/servers"}) desk.world.flash[name] = "";
  desk.world.power_on();
  desk.world.run_for_ms(6'000);
  CHECK(desk.app().view().screen == Screen::wifi_unset);
  desk.world.type("set ssid home");
  desk.world.type("set password correct horse");
  desk.world.type("set servers 192.0.2.17");
  desk.world.type("set id desk");
  desk.world.type("set wash 8");
  desk.world.type("set vcom 2310");
  desk.world.run_for_ms(500);
  CHECK(desk.app().policy().settings().wash_interval == 8);
  desk.world.type("set wash 0");
  desk.world.run_for_ms(500);
  CHECK(desk.world.last_reply() == "# error: wash must be 1 to 20000 updates; it is unchanged");
  desk.world.type("get password");
  desk.world.run_for_ms(500);
  CHECK(desk.world.logged("# password=(set)"));
  CHECK_FALSE(desk.world.logged("correct horse"));
  desk.world.type("restart");
  REQUIRE(desk.goes_live(25'000));
  CHECK(desk.newest_from_board("hello").find("|id=desk|") != std::string::npos);
  const int gc16 = desk.world.panel.gc16_drives;
  desk.world.run_for_ms(25'000);
  CHECK(desk.world.panel.gc16_drives > gc16);  // a wash after 8 updates
}

TEST_CASE("The longest command, typed while the panel refreshes, is heard whole") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.world.panel.driving; }, 5'000));
  const std::string host(63, 'h');
  const std::string list = host + ":65535," + host + ":65534," + host + ":65533," + host + ":65532";
  desk.world.type("set servers " + list);
  desk.world.run_for_ms(6'000);
  CHECK(desk.world.last_reply().find("# ok") == 0);
  CHECK(desk.world.flash["inktop/servers"] == list);
}

TEST_CASE("Each way that Wi-Fi fails has its own screen (A5), and the board keeps trying") {
  SUBCASE("no such network, or a 5 GHz one") {
    Desk desk;
    desk.world.access_point = false;
    desk.world.power_on();
    CHECK(desk.world.run_until([&] { return desk.app().view().screen == Screen::wifi_no_ssid; }, 30'000));
    CHECK(desk.world.logged("SSID not found: the board sees 2.4 GHz networks only"));
    desk.world.access_point = true;
    CHECK(desk.goes_live(40'000));
  }
  SUBCASE("wrong password") {
    Desk desk;
    desk.world.password = "another";
    desk.world.power_on();
    CHECK(desk.world.run_until([&] { return desk.app().view().screen == Screen::wifi_bad_key; }, 30'000));
  }
  SUBCASE("no DHCP") {
    Desk desk;
    desk.world.dhcp = false;
    desk.world.power_on();
    CHECK(desk.world.run_until([&] { return desk.app().view().screen == Screen::wifi_no_address; }, 40'000));
    desk.world.dhcp = true;
    CHECK(desk.goes_live(40'000));
  }
}

TEST_CASE("With a key: the hello is signed, and an unsigned announcement is ignored") {
  Desk desk;
  const std::string key = "correct horse battery staple";
  desk.world.flash["inktop/key"] = key;
  desk.world.flash["inktop/servers"] = "";
  sim::Server& server = desk.world.servers[Desk::kServer];
  server.key = key;
  server.checks_hello = true;
  desk.world.servers["192.0.2.66:7910"] = sim::Server();
  desk.world.power_on();
  desk.world.run_for_ms(15'000);
  desk.world.announce("192.0.2.66", 7910);
  desk.world.run_for_ms(10'000);
  CHECK(desk.world.connections.empty());
  desk.world.announce("192.0.2.17", 7910, key);
  CHECK(desk.goes_live(15'000));
  CHECK(desk.newest_from_board("hello").find("|mac=") != std::string::npos);
}

TEST_CASE("What the server holds for the board acts at once, is kept over a restart, and is answered") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.send("settings=1|set=wash:8,full_memory:80,vcom:4000");
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().policy().settings().wash_interval == 8);
  CHECK(desk.world.logged("settings: wash=8, from the server"));
  const std::string answer = desk.newest_from_board("settings");
  CHECK(answer.find("|set=wash:8,") != std::string::npos);
  CHECK(answer.find("|not=vcom:cable") != std::string::npos);
  CHECK(desk.world.flash["inktop/s.wash"] == "8");
  CHECK(desk.world.starts == 1);
  desk.world.type("restart");
  desk.world.run_for_ms(3'000);
  CHECK(desk.world.starts == 2);
  CHECK(desk.app().policy().settings().wash_interval == 8);
  REQUIRE(desk.goes_live(25'000));
  desk.send("settings=1");
  desk.world.run_for_ms(3'000);
  CHECK(desk.app().policy().settings().wash_interval == 1800);
  CHECK(desk.world.flash.count("inktop/s.wash") == 0);
}

TEST_CASE(
    "A server's setting that acts from the start on restarts the board, ten minutes after its start at the "
    "earliest") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.send("settings=1|set=rotate:180");
  desk.world.run_for_ms(500'000);
  CHECK(desk.world.starts == 1);
  desk.world.run_for_ms(120'000);
  CHECK(desk.world.starts == 2);
  REQUIRE(desk.goes_live(25'000));
  // The same line again: nothing has changed.
  desk.send("settings=1|set=rotate:180");
  desk.world.run_for_ms(700'000);
  CHECK(desk.world.starts == 2);
}

TEST_CASE("A keyed board shows nothing of a server without the key, and finds the one that has it") {
  Desk desk;
  const std::string key = "correct horse battery staple";
  desk.world.flash["inktop/key"] = key;
  desk.world.flash["inktop/servers"] = std::string("192.0.2.66,") + Desk::kServer;
  desk.world.servers["192.0.2.66:7910"] = sim::Server();
  desk.world.servers[Desk::kServer].manner = sim::Server::Manner::refuses;
  desk.world.servers[Desk::kServer].key = key;
  desk.world.servers[Desk::kServer].checks_hello = true;
  desk.world.power_on();
  desk.world.run_for_ms(40'000);
  CHECK(desk.world.logged("link: closed, unproven"));
  CHECK(desk.app().view().screen == Screen::denied);
  CHECK(desk.app().view().snapshot == nullptr);
  CHECK(desk.app().view().info == nullptr);
  CHECK(desk.world.flash.count("inktop-state/server") == 0);
  desk.world.servers[Desk::kServer].manner = sim::Server::Manner::accepts;
  CHECK(desk.goes_live(15'000));
  desk.world.run_for_ms(65'000);  // its health is sealed, too
  const std::string health = desk.newest_from_board("health");
  INFO(health);
  CHECK(health.find("|q=3|mac=") != std::string::npos);
}

TEST_CASE("A flood of datagrams, or of bytes from the server, keeps the board from nothing") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.world.floods = true;
  desk.world.run_for_ms(30'000);
  CHECK(desk.world.starts == 1);
  CHECK(desk.live());
  // A step, then 20 ms of rest: at most 8 datagrams in each, or 16 reads; here each takes 1 ms.
  CHECK(desk.world.flood_datagrams > 1'000);
  CHECK(desk.world.flood_datagrams <= 30'000 / (20 + 8) * 8 + 8);
  desk.world.floods = false;
  // Bytes without an end of line: they are no data, and the board leaves that connection after 12 s.
  const auto flood = desk.world.connection();
  flood->floods = true;
  desk.world.run_for_ms(10'000);
  CHECK(flood->flood_reads > 1'000);
  CHECK(flood->flood_reads <= 10'000 / (20 + 16) * 16 + 16);
  desk.world.floods = true;
  desk.world.run_for_ms(20'000);
  CHECK(desk.world.starts == 1);
  desk.world.floods = false;
  CHECK(desk.goes_live(40'000));
}

TEST_CASE("mbedTLS behind the core's HMAC agrees with the protocol's vectors") {
  std::ifstream file("protocol/vectors/keyed.jsonl");
  REQUIRE(file.good());
  const auto value = [](const std::string& line, const std::string& name) {
    const std::string begin = "\"" + name + "\":\"";
    const size_t from = line.find(begin);
    if (from == std::string::npos) return std::string();
    const size_t at = from + begin.size();
    return line.substr(at, line.find('"', at) - at);
  };
  int checked = 0;
  for (std::string line; std::getline(file, line);) {
    const std::string nonce = value(line, "nonce");
    std::string key = value(line, "key");
    if (nonce.empty() || line.find('\\') != std::string::npos) continue;
    const std::string text = nonce + "|" + value(line, "text");
    char hex[65];
    inktop::hmac_sha256(key.data(), text.data(), text.size(), hex);
    CHECK(value(line, "mac") == hex);
    ++checked;
  }
  CHECK(checked >= 2);
}

TEST_CASE("Turned by 180 degrees, the panel gets every difference back to front") {
  std::vector<uint8_t> upright;
  std::vector<bool> rows;
  for (const bool turned : {false, true}) {
    Desk desk;
    if (turned) desk.world.flash["inktop/rotate"] = "180";
    desk.world.power_on();
    REQUIRE(desk.world.run_until([&] { return desk.world.panel.gc16_drives == 3; }, 10'000));
    if (!turned) {
      upright = desk.world.panel.last_difference;
      continue;
    }
    std::vector<uint8_t> back(desk.world.panel.last_difference.rbegin(),
                              desk.world.panel.last_difference.rend());
    CHECK(back == upright);
    CHECK(back != desk.world.panel.last_difference);
    REQUIRE(desk.goes_live(20'000));
    CHECK(desk.world.panel.faults == "");
  }
}

TEST_CASE("Turned by 90 or 270 degrees, the panel shows the tall picture as it hangs") {
  constexpr inktop::Size kTall{sim::kPanelRows, sim::kPanelColumns};
  for (const char* degrees : {"90", "270"}) {
    CAPTURE(degrees);
    Desk desk;
    desk.world.flash["inktop/rotate"] = degrees;
    desk.world.power_on();
    REQUIRE(desk.goes_live(20'000));
    desk.world.run_for_ms(5'000);
    // A wash drives every pixel, so that the last difference holds the whole picture.
    const int drives = desk.world.panel.gc16_drives;
    desk.world.button_reading = 0;
    desk.world.run_for_ms(500);
    desk.world.button_reading = 4095;
    REQUIRE(desk.world.run_until([&] { return desk.world.panel.gc16_drives == drives + 2; }, 10'000));

    std::vector<uint32_t> pixels(size_t(kTall.width) * kTall.height / 8);
    inktop::Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), kTall);
    const auto picture = std::make_unique<inktop::Picture>(kTall);
    picture->draw(desk.app().view(), canvas);
    int black = 0;
    int wrong = 0;
    for (int y = 0; y < kTall.height; ++y) {
      for (int x = 0; x < kTall.width; ++x) {
        // Turned clockwise by 90 degrees its left edge is up, by 270 its right edge.
        const bool quarter = std::string(degrees) == "90";
        const int row = quarter ? kTall.width - 1 - x : x;
        const int column = quarter ? y : kTall.height - 1 - y;
        const bool shown = desk.world.panel.last_difference[size_t(row * kTall.height + column)] >> 4 == 0;
        black += shown ? 1 : 0;
        wrong += shown != canvas.is_black(x, y) ? 1 : 0;
      }
    }
    CHECK(wrong == 0);
    CHECK(black > 50'000);
    const std::string size = std::to_string(kTall.height) + "x" + std::to_string(kTall.width);
    CHECK(desk.newest_from_board("hello").find("|panel=" + size + "|") != std::string::npos);
  }
}

TEST_CASE("Memory is taken at start, as the table says, and never again") {
  Desk desk;
  desk.world.power_on();
  desk.world.run_for_ms(100);
  const size_t blocks = desk.world.psram_blocks;
  CHECK(blocks == 9);
  CHECK(desk.world.psram_bytes <= inktop::memory_sum(true));
  REQUIRE(desk.goes_live(20'000));
  desk.world.run_for_ms(60'000);
  CHECK(desk.world.psram_blocks == blocks);
}

TEST_CASE("Flash storage that fails is said, and the board runs") {
  Desk desk;
  desk.world.flash_works = false;
  desk.world.power_on();
  desk.world.run_for_ms(5'000);
  CHECK(desk.world.logged("flash storage cannot be used"));
  desk.world.type("set wash 8");
  desk.world.run_for_ms(500);
  CHECK(desk.world.last_reply().find("# error: it could not be stored") == 0);
  CHECK(desk.world.starts == 1);
}

TEST_CASE("A stored setting out of range is replaced by its default, and said") {
  Desk desk;
  desk.world.flash["inktop/update"] = "5";
  desk.world.power_on();
  desk.world.run_for_ms(1'000);
  CHECK(desk.world.logged("1 stored settings are out of range"));
  CHECK(desk.app().policy().settings().update_interval_ms == 2'000);
}

TEST_CASE("The tasks' stacks hold what they do, with room for the libraries' own calls, and health tells") {
  Desk desk;
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  desk.press(1'380);
  desk.world.type("list");
  desk.world.run_for_ms(40'000);
  desk.press(1'380);
  desk.world.wifi_lost(200);
  CHECK(desk.goes_live(30'000));
  const std::string health = desk.newest_from_board("health");
  const auto told = [&](const std::string& key) {
    const size_t at = health.find("|" + key + "=");
    return at == std::string::npos ? -1 : std::stol(health.substr(at + key.size() + 2));
  };
  CHECK(told("block") == 65'524);
  CHECK(told("low") == 98'304);
  CHECK(told("mhz") == 8);
#ifndef __SANITIZE_ADDRESS__  // which pads every variable
  CHECK(told("main") >= long(inktop::kMainStackBytes / 4));
  CHECK(told("main") < long(inktop::kMainStackBytes));
  CHECK(told("net") >= long(inktop::kNetworkStackBytes / 4));
  CHECK(told("net") < long(inktop::kNetworkStackBytes));
  CHECK(desk.app().view().board->main_stack_bytes >= told("main") / 2);
  // Measured on this machine, whose pointers are twice as wide.
  MESSAGE("main " << desk.world.scheduler.stack_used("main") << ", network "
                  << desk.world.scheduler.stack_used("inktop-network"));
  CHECK(desk.world.scheduler.stack_used("main") <= inktop::kMainStackBytes * 3 / 4);
  CHECK(desk.world.scheduler.stack_used("inktop-network") <= inktop::kNetworkStackBytes * 3 / 4);
#endif
}

namespace {

constexpr char kSecond[] = "192.0.2.18:7910";

void add_second(Desk& desk, const std::string& setting) {
  desk.world.flash["inktop/servers"] = setting;
  desk.world.servers[kSecond].host = "rack3";
}

}  // namespace

TEST_CASE("Two servers that are configured are both followed, each with its own history and health line") {
  Desk desk;
  add_second(desk, std::string(Desk::kServer) + "," + kSecond);
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.app().view().server_count == 2 && desk.live(); }, 30'000));
  desk.world.run_for_ms(40'000);
  for (int i = 0; i < 2; ++i) {
    const inktop::View& server = desk.app().view().servers[i];
    CHECK(std::string(server.server_name) == (i == 0 ? "t7910" : "rack3"));
    REQUIRE(server.history != nullptr);
    int known = 0;
    for (uint32_t back = 0; back < 30; ++back)
      known += server.history->cpu_permille().at(server.history->newest() - back).known() ? 1 : 0;
    CHECK(known == 30);
  }
  for (const auto& connection : desk.world.connections) {
    CHECK(connection->from_board.find("hello=1") == 0);
    CHECK(connection->from_board.find("health=1") != std::string::npos);
  }
}

TEST_CASE("A server that does not answer, or a slow name server, holds up no other one") {
  Desk desk;
  desk.world.names["dead.example"] = "192.0.2.99";
  desk.world.name_server_us = 5'000'000;
  desk.world.servers["192.0.2.98:7910"].manner = sim::Server::Manner::swallows;
  add_second(desk, std::string("192.0.2.98,dead.example,") + Desk::kServer + "," + kSecond);
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.live(); }, 30'000));
  desk.world.run_for_ms(60'000);
  const inktop::View& view = desk.app().view();
  REQUIRE(view.server_count == 4);
  for (int i = 2; i < 4; ++i) {
    int known = 0;
    const inktop::View& server = view.servers[i];
    for (uint32_t back = 0; back < 50; ++back)
      known += server.history->cpu_permille().at(server.history->newest() - back).known() ? 1 : 0;
    CHECK(known == 50);
    CHECK(server.freshness == inktop::Freshness::fresh);
  }
  CHECK(view.servers[0].snapshot == nullptr);
  CHECK_FALSE(desk.world.logged("(wrong"));
}

TEST_CASE("Without configured servers, each that announces itself is followed; who is gone is marked") {
  Desk desk;
  add_second(desk, "");
  desk.world.power_on();
  const auto announced = [&](int64_t ms) {
    for (const int64_t end = desk.world.now_ms() + ms; desk.world.now_ms() < end;
         desk.world.run_for_ms(2'000)) {
      desk.world.announce("192.0.2.17", 7910);
      desk.world.announce("192.0.2.18", 7910, "", "rack3");
    }
  };
  announced(40'000);
  REQUIRE(desk.app().view().server_count == 2);
  desk.world.servers[kSecond].manner = sim::Server::Manner::refuses;
  desk.world.servers[kSecond].silent = true;
  announced(30'000);
  const inktop::View& view = desk.app().view();
  REQUIRE(view.server_count == 2);
  int gone = 0;
  for (int i = 0; i < 2; ++i) gone += view.servers[i].is_there() ? 0 : 1;
  CHECK(gone == 1);
  CHECK(view.freshness == inktop::Freshness::fresh);
}

TEST_CASE("Button 3 with several servers: brief goes on to the next one, long changes the span") {
  Desk desk;
  add_second(desk, std::string(Desk::kServer) + "," + kSecond);
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.app().view().server_count == 2 && desk.live(); }, 30'000));
  desk.world.run_for_ms(10'000);
  CHECK(desk.app().view().large == -1);
  desk.press(2730);
  desk.world.run_for_ms(5'000);
  CHECK(desk.app().view().large == 0);
  CHECK(desk.app().view().span == inktop::Span::five_minutes);
  desk.press(2730, 1'600);
  desk.world.run_for_ms(5'000);
  CHECK(desk.app().view().large == 0);
  CHECK(desk.app().view().span == inktop::Span::hour);
}

TEST_CASE("What two servers hold for the board: the first one's counts, and each is answered") {
  Desk desk;
  add_second(desk, std::string(Desk::kServer) + "," + kSecond);
  desk.world.power_on();
  REQUIRE(desk.world.run_until([&] { return desk.app().view().server_count == 2 && desk.live(); }, 30'000));
  const auto send = [&](const std::string& to, const std::string& span) {
    for (const auto& connection : desk.world.connections) {
      if (connection->address == to)
        connection->to_board.push_back(sim::closed_line("settings=1|set=span:" + span));
    }
    desk.world.run_for_ms(5'000);
  };
  send(kSecond, "60m");
  CHECK(desk.app().view().span == inktop::Span::hour);
  send(Desk::kServer, "24h");
  CHECK(desk.app().view().span == inktop::Span::day);
  send(kSecond, "60m");
  CHECK(desk.app().view().span == inktop::Span::day);
  for (const auto& connection : desk.world.connections)
    CHECK(connection->from_board.find("settings=1|id=") != std::string::npos);
}

TEST_CASE("One hour with everything: drops, a move, each panel error, a stall, a refresh of a minute") {
  Desk desk;
  finds_by_itself(desk);
  desk.world.power_on();
  REQUIRE(desk.goes_live(20'000));
  const std::string places[] = {Desk::kServer, "192.0.2.99:7910"};
  desk.world.servers[places[1]] = sim::Server();
  desk.world.servers[places[1]].manner = sim::Server::Manner::swallows;
  const unsigned bits[] = {EPD_DRAW_LOOKUP_NOT_IMPLEMENTED, EPD_DRAW_INVALID_CROP,
                           EPD_DRAW_MODE_NOT_FOUND,         EPD_DRAW_NO_PHASES_AVAILABLE,
                           EPD_DRAW_EMPTY_LINE_QUEUE,       EPD_DRAW_FAILED_ALLOC};
  int at = 0;  // where the server is
  for (int minute = 0; minute < 60; ++minute) {
    CAPTURE(minute);
    switch (minute % 5) {
      case 0:
        desk.world.panel.answers = {bits[minute / 5 % 6]};
        break;
      case 1:
        desk.world.wifi_lost(minute % 2 == 0 ? 200 : 4);
        break;
      case 2: {
        desk.world.servers[places[at]].manner = sim::Server::Manner::swallows;
        desk.world.close_connections(minute % 2 == 0);
        at = 1 - at;
        desk.world.servers[places[at]].manner = sim::Server::Manner::accepts;
        for (int i = 0; i < 4; ++i) {
          desk.world.run_for_ms(5'000);
          desk.world.announce(at == 0 ? "192.0.2.17" : "192.0.2.99", 7910);
        }
        break;
      }
      case 3:
        desk.world.servers[places[at]].silent = true;
        desk.world.run_for_ms(20'000);
        desk.world.servers[places[at]].silent = false;
        break;
      default:
        if (minute == 29) {
          desk.world.panel.gc16_us = 25'000'000;
          desk.world.panel.starves = true;
          desk.press(10);  // a wash: two passes of 25 s
          desk.world.run_for_ms(60'000);
          desk.world.panel.gc16_us = 1'000'000;
          desk.world.panel.starves = false;
        }
    }
    desk.world.run_for_ms(30'000);
    CHECK(desk.live());
    desk.world.run_for_ms(30'000);
  }
  CHECK(desk.world.starts == 1);
  CHECK(desk.world.panel.faults == "");
  CHECK_FALSE(desk.world.logged("queue: full"));
  CHECK(desk.newest_from_board("health").find("|err=lut:2,crop:2,mode:2,phases:2,lines:2,other:2|") !=
        std::string::npos);
  MESSAGE(desk.newest_from_board("health"));
}
