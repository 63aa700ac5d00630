// What most scenarios begin with: a board that has been set up, and one server.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "firmware.h"
#include "world.h"

extern inktop::Firmware* board;  // of firmware/device/main.cpp

struct Desk {
  Desk() {
    world.flash["inktop/ssid"] = "home";
    world.flash["inktop/password"] = "correct horse";
    world.flash["inktop/servers"] = kServer;
    world.servers[kServer] = sim::Server();
  }

  // In every scenario: nobody writes to flash during a refresh, and the panel takes nothing amiss.
  ~Desk() { CHECK(world.panel.faults == ""); }

  static constexpr char kServer[] = "192.0.2.17:7910";

  const inktop::App& app() const { return board->app(); }
  bool live() const {
    return app().view().screen == inktop::Screen::live && app().view().freshness == inktop::Freshness::fresh;
  }
  // True: the board shows fresh data within `ms`.
  bool goes_live(int64_t ms) {
    return world.run_until([this] { return live(); }, ms);
  }
  // How many of the newest `seconds` of the history are there.
  int seconds_known(int seconds) const {
    const inktop::History& history = *app().view().history;
    int known = 0;
    for (int i = 0; i < seconds; ++i) {
      known += history.cpu_permille().at(history.newest() - uint32_t(i)).known() ? 1 : 0;
    }
    return known;
  }
  // The newest line of this kind that any server has received; empty: none.
  std::string newest_from_board(const std::string& kind) const {
    std::string newest;
    for (const auto& connection : world.connections) {
      size_t from = 0;
      for (size_t end; (end = connection->from_board.find('\n', from)) != std::string::npos; from = end + 1) {
        const std::string line = connection->from_board.substr(from, end - from);
        if (line.compare(0, kind.size(), kind) == 0) newest = line;
      }
    }
    return newest;
  }
  // A line of the server on the newest connection, in between its data lines.
  void send(const std::string& body) { world.connections.back()->to_board.push_back(sim::closed_line(body)); }
  // A press of a button, long enough to be seen beside a refresh.
  void press(int raw, int64_t ms = 500) {
    world.button_reading = raw;
    world.run_for_ms(ms);
    world.button_reading = 4095;
    world.run_for_ms(200);
  }

  sim::World world;
};
