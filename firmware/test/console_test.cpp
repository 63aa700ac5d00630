#include "console/console.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace inktop {
namespace {

// A console with everything around it.
struct Desk : SettingsStore, ConsoleHost {
  Desk() : layers(*this), console(layers, *this) { layers.load(defaults); }

  bool load(const char*, char*, size_t) override { return false; }
  bool save(const char* name, const char* text) override {
    if (!stores) return false;
    stored[name] = text;
    return true;
  }
  void erase(const char* name) override { stored.erase(name); }
  void reply(const char* line) override { replies.push_back(line); }
  void changed(Setting setting) override { told.push_back(setting); }
  int button_reading() override { return reading; }
  void restart() override { ++restarts; }
  bool start_selftest() override { return has_selftest; }

  // The replies to one command.
  std::vector<std::string> say(const std::string& command, const char* end = "\n") {
    replies.clear();
    const std::string bytes = command + end;
    console.input(bytes.data(), bytes.size());
    return replies;
  }
  std::string last(const std::string& command) {
    const std::vector<std::string> all = say(command);
    return all.empty() ? "" : all.back();
  }

  void take(const std::vector<std::pair<const char*, const char*>>& values) {
    SettingsLine line;
    for (const auto& [name, value] : values) {
      std::strcpy(line.values[line.value_count].name, name);
      std::strcpy(line.values[line.value_count++].value, value);
    }
    layers.take(line);
  }

  SettingsLayers layers;
  const Settings& settings = layers.in_force();
  Settings defaults;
  bool stores = true;
  bool has_selftest = false;
  int reading = 2000;
  int restarts = 0;
  std::map<std::string, std::string> stored;
  std::vector<std::string> replies;
  std::vector<Setting> told;
  Console console;
};

}  // namespace

TEST_CASE("Console: set stores, tells the board and says ok") {
  Desk desk;
  CHECK(desk.last("set wash 8") == "# ok");
  CHECK(desk.settings.wash_interval == 8);
  CHECK(desk.stored["wash"] == "8");
  CHECK(desk.told == std::vector<Setting>{Setting::wash});
}

TEST_CASE("Console: what acts from the next start on says so, and the running board is not told") {
  Desk desk;
  CHECK(desk.last("set ssid home") == "# ok, from the next start on: restart");
  CHECK(desk.told.empty());
  CHECK(desk.stored["ssid"] == "home");
}

TEST_CASE("Console: a bad value is refused with its range and changes nothing") {
  Desk desk;
  CHECK(desk.last("set update 10") == "# error: update must be 1000 to 60000 ms; it is unchanged");
  CHECK(desk.settings.update_interval_ms == 2000);
  CHECK(desk.stored.empty());
  CHECK(desk.told.empty());
}

TEST_CASE("Console: a value may hold spaces, also at its ends, and be empty") {
  Desk desk;
  desk.say("set ssid  my net ");
  CHECK(std::string(desk.settings.ssid) == " my net ");
  desk.say("set ssid ");
  CHECK(std::string(desk.settings.ssid) == "");
  desk.say("set ssid x");
  desk.say("set ssid");
  CHECK(std::string(desk.settings.ssid) == "");
}

TEST_CASE("Console: get and list show names, values and ranges, but no secret") {
  Desk desk;
  desk.say("set password correct horse");
  desk.say("set key 0123456789abcdef");
  CHECK(desk.say("get vcom") ==
        std::vector<std::string>{
            "# vcom=1600  ; 1000 to 4000 mV, without the minus sign of the panel's label", "# ok"});
  const std::vector<std::string> all = desk.say("list");
  CHECK(all.size() == size_t(kSettingCount) + 1);
  CHECK(all.back() == "# ok");
  for (const std::string& line : all) {
    CHECK(line.find("# ") == 0);
    CHECK(line.find("correct horse") == std::string::npos);
    CHECK(line.find("0123456789abcdef") == std::string::npos);
  }
  CHECK(desk.say("get password")[0].find("# password=(set)") == 0);
  desk.say("set password ");
  CHECK(desk.say("get password")[0].find("# password=(not set)") == 0);
}

TEST_CASE("Console: reset goes back to the defaults and forgets what is stored") {
  Desk desk;
  desk.defaults.wash_interval = 900;
  desk.layers.load(desk.defaults);
  desk.say("set wash 8");
  desk.say("set id desk");
  CHECK(desk.last("reset wash").find("# ok") == 0);
  CHECK(desk.settings.wash_interval == 900);
  CHECK(desk.stored.count("wash") == 0);
  CHECK(std::string(desk.settings.id) == "desk");
  desk.told.clear();
  desk.say("reset all");
  for (const Setting setting : desk.told) CHECK_FALSE(setting_needs_restart(setting));
  size_t at_once = 0;
  for (int i = 0; i < kSettingCount; ++i) at_once += setting_needs_restart(Setting(i)) ? 0 : 1;
  CHECK(desk.told.size() == at_once);  // all but those that act from the next start on
  CHECK(std::string(desk.settings.id) == "inktop");
  CHECK(desk.stored.empty());
}

TEST_CASE("Console: what cannot be stored is said") {
  Desk desk;
  desk.stores = false;
  CHECK(desk.last("set wash 8").find("# error: it could not be stored") == 0);
}

TEST_CASE("Console: an unknown command and an unknown setting name the next step") {
  Desk desk;
  CHECK(desk.last("reboot") == "# error: unknown command; try help");
  CHECK(desk.last("set colour red") == "# error: no such setting; list shows them all");
  CHECK(desk.last("get") == "# error: no such setting; list shows them all");
  CHECK(desk.last("help") == "# ok");
}

TEST_CASE("Console: bytes in any pieces, with any line end, are the same command") {
  Desk desk;
  for (const char* end : {"\n", "\r", "\r\n"}) {
    desk.say("set wash 1800");
    CHECK(desk.say("set wash 8", end).size() == 1);
    CHECK(desk.settings.wash_interval == 8);
  }
  desk.replies.clear();
  for (const char c : std::string("set wash 9\n")) desk.console.input(&c, 1);
  CHECK(desk.replies == std::vector<std::string>{"# ok"});
  CHECK(desk.settings.wash_interval == 9);
}

TEST_CASE("Console: a line that is too long is refused whole, and the next one is heard") {
  Desk desk;
  CHECK(desk.last("set id " + std::string(1000, 'a')).find("# error: that line is too long") == 0);
  CHECK(std::string(desk.settings.id) == "inktop");
  CHECK(desk.last("set wash 8") == "# ok");
}

TEST_CASE("Console: any bytes leave the settings within their ranges") {
  Desk desk;
  uint32_t seed = 1;
  std::string bytes;
  for (int i = 0; i < 200'000; ++i) {
    seed = seed * 1664525u + 1013904223u;
    bytes += seed >> 28 == 0 ? '\n' : char(seed >> 24);
  }
  desk.console.input(bytes.data(), bytes.size());
  desk.console.input("\n", 1);
  for (int i = 0; i < kSettingCount; ++i) {
    char text[kMaxSettingText];
    setting_text(desk.settings, Setting(i), text, sizeof text);
    Settings again;
    CHECK(set_setting(again, Setting(i), text));
  }
  CHECK(desk.last("set wash 8") == "# ok");
}

TEST_CASE("Console: a server's value acts until the board's own is held, and list says whose it is") {
  Desk desk;
  desk.take({{"wash", "900"}});
  CHECK(desk.say("get wash")[0] == "# wash=900  ; 1 to 20000 updates; set by the server");
  CHECK(desk.last("set wash 8") == "# ok, but the server's value acts: hold wash");
  CHECK(desk.settings.wash_interval == 900);
  desk.told.clear();
  CHECK(desk.last("hold wash") == "# ok");
  CHECK(desk.told == std::vector<Setting>{Setting::wash});
  CHECK(desk.settings.wash_interval == 8);
  CHECK(desk.say("get wash")[0] == "# wash=8  ; 1 to 20000 updates; held against the server's");
  desk.last("release wash");
  CHECK(desk.settings.wash_interval == 900);
  CHECK(desk.last("hold ssid") == "# error: no server sets this one: there is nothing to hold it against");
  CHECK(desk.last("hold colour") == "# error: no such setting; list shows them all");
  desk.stores = false;
  CHECK(desk.last("hold wash").find("# error: it could not be stored") == 0);
}

TEST_CASE("Console: buttons, restart and self-test reach the board") {
  Desk desk;
  CHECK(desk.say("buttons") == std::vector<std::string>{"# buttons reading 2000", "# ok"});
  desk.reading = -1;
  CHECK(desk.last("buttons").find("# error: ") == 0);
  CHECK(desk.last("restart") == "# ok, restarting");
  CHECK(desk.restarts == 1);
  CHECK(desk.last("selftest").find("# error: not in this build") == 0);
  CHECK(desk.restarts == 1);
  desk.has_selftest = true;
  desk.say("selftest");
  CHECK(desk.restarts == 2);
}

}  // namespace inktop
