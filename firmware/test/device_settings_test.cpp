// Settings and the console that sets them.
#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "console.h"
#include "settings.h"

using namespace inktop;

namespace {

std::string text_of(const Settings& settings, Setting setting) {
  char text[kMaxSettingText];
  setting_text(settings, setting, text, sizeof text);
  return text;
}

struct MapStore : SettingsStore {
  bool load(const char* name, char* out, size_t size) override {
    const auto found = values.find(name);
    if (found == values.end() || found->second.size() >= size) return false;
    std::memcpy(out, found->second.c_str(), found->second.size() + 1);
    return true;
  }
  bool save(const char* name, const char* text) override {
    if (fails) return false;
    values[name] = text;
    return true;
  }
  void erase(const char* name) override { values.erase(name); }

  std::map<std::string, std::string> values;
  bool fails = false;
};

struct Host : ConsoleHost {
  void reply(const char* line) override { replies.emplace_back(line); }
  void changed(Setting setting) override { changes.push_back(setting); }
  int button_reading() override { return reading; }
  void restart() override { ++restarts; }
  bool start_selftest() override { return has_selftest; }

  std::vector<std::string> replies;
  std::vector<Setting> changes;
  int reading = 1234;
  int restarts = 0;
  bool has_selftest = false;
};

struct Bench {
  std::string say(const std::string& text) {
    host.replies.clear();
    console.input(text.data(), text.size());
    return host.replies.empty() ? "" : host.replies.back();
  }

  Settings defaults;
  Settings settings;
  MapStore store;
  Host host;
  Console console{settings, defaults, store, host};
};

}  // namespace

TEST_CASE("Each setting takes the ends of its range and refuses what lies beyond, unchanged") {
  struct Case {
    Setting setting;
    std::vector<std::string> good;
    std::vector<std::string> bad;
  };
  const std::string hex64(64, 'a');
  const Case cases[] = {
      {Setting::ssid,
       {"", "a", std::string(32, 'x'), " spaces ", "caf\xC3\xA9"},
       {std::string(33, 'x'), "a\tb"}},
      {Setting::password,
       {"", "12345678", std::string(63, 'x'), hex64},
       {"1234567", std::string(64, 'x'), hex64 + "a"}},
      {Setting::servers,
       {"", "t7910", "192.0.2.17:7911", "a,b,c,d", "[2001:db8::1]:7910", std::string(63, 'h')},
       {"a,b,c,d,e", "a,", ",a", "a b", "a:0", "a:65536", "a:x", std::string(64, 'h')}},
      {Setting::key,
       {"", "0123456789abcdef", std::string(64, 'k')},
       {"short", std::string(65, 'k'), "0123456789abcd\x7F\x7F"}},
      {Setting::id,
       {"a", "Wall_2.left-side", std::string(31, 'i')},
       {"", "a b", std::string(32, 'i'), "a|b"}},
      {Setting::vcom, {"1000", "4000"}, {"999", "4001", "-1600", "1.6", "", "99999999999999999999"}},
      {Setting::wash, {"1", "20000"}, {"0", "20001"}},
      {Setting::update, {"1000", "60000"}, {"999", "60001"}},
      {Setting::hot_spot, {"0", "60000"}, {"60001"}},
      {Setting::rotate, {"0", "180"}, {"90", "1"}},
      {Setting::mdns, {"0", "1"}, {"2", "yes"}},
      {Setting::speed, {"5", "22"}, {"4", "23"}},
      {Setting::buttons,
       {"0,1365,2730", "4095,0,2000"},
       {"0,1", "0,100,2000", "0,1365,2730,3000", "0,1365,4096", "a,b,c"}},
  };
  CHECK(sizeof cases / sizeof cases[0] == size_t(kSettingCount));
  for (const Case& c : cases) {
    CAPTURE(setting_name(c.setting));
    for (const std::string& good : c.good) {
      CAPTURE(good);
      Settings settings;
      CHECK(set_setting(settings, c.setting, good.c_str()));
      Settings again;
      CHECK(set_setting(again, c.setting, text_of(settings, c.setting).c_str()));
      CHECK(text_of(again, c.setting) == text_of(settings, c.setting));
    }
    for (const std::string& bad : c.bad) {
      CAPTURE(bad);
      Settings settings;
      const std::string before = text_of(settings, c.setting);
      CHECK_FALSE(set_setting(settings, c.setting, bad.c_str()));
      CHECK(text_of(settings, c.setting) == before);
    }
  }
}

TEST_CASE("A setting's name fits the key of flash storage and is found again") {
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting setting = static_cast<Setting>(i);
    CHECK(std::strlen(setting_name(setting)) <= 15);
    Setting found;
    REQUIRE(find_setting(setting_name(setting), found));
    CHECK(found == setting);
  }
  Setting found;
  CHECK_FALSE(find_setting("colour", found));
}

TEST_CASE("The longest server list fits its text") {
  const std::string host(57, 'h');
  const std::string list = host + ":65535," + host + ":65534," + host + ":65533," + host + ":65532";
  Settings settings;
  REQUIRE(set_setting(settings, Setting::servers, list.c_str()));
  CHECK(text_of(settings, Setting::servers) == list);
}

TEST_CASE("What is stored goes over the defaults; what is out of range does not") {
  Settings settings;
  MapStore store;
  store.values = {{"wash", "8"}, {"update", "1"}, {"ssid", "home"}};
  CHECK(load_settings(settings, store) == 1);
  CHECK(settings.wash_interval == 8);
  CHECK(settings.update_interval_ms == 2000);
  CHECK(std::string(settings.ssid) == "home");
  CHECK(refresh_settings(settings).wash_interval == 8);
  CHECK(link_settings(settings).ssid_set);
  CHECK_FALSE(link_settings(settings).keyed);
}

TEST_CASE("The console sets, stores and tells what acts at once and what after a restart") {
  Bench bench;
  CHECK(bench.say("set wash 8\n") == "# ok");
  CHECK(bench.settings.wash_interval == 8);
  CHECK(bench.store.values["wash"] == "8");
  CHECK(bench.host.changes == std::vector<Setting>{Setting::wash});
  CHECK(bench.say("set ssid  two spaces \r") == "# ok, from the next start on: restart");
  CHECK(std::string(bench.settings.ssid) == " two spaces ");
  CHECK(bench.host.changes.size() == 1);
  CHECK(bench.say("restart\n") == "# ok, restarting");
  CHECK(bench.host.restarts == 1);
}

TEST_CASE("A bad value is refused with its range, and nothing is stored") {
  Bench bench;
  CHECK(
      bench.say("set vcom 12\n") ==
      "# error: vcom must be 1000 to 4000 mV, without the minus sign of the panel's label; it is unchanged");
  CHECK(bench.store.values.empty());
  CHECK(bench.host.changes.empty());
  CHECK(bench.say("set colour red\n") == "# error: no such setting; list shows them all");
  CHECK(bench.say("dance\n") == "# error: unknown command; try help");
  CHECK(bench.say("set wash\n").find("# error: wash must be") == 0);
}

TEST_CASE("List shows every setting with its range, and no secret") {
  Bench bench;
  bench.say("set password correct horse\n");
  bench.say("set key 0123456789abcdef\n");
  CHECK(bench.say("list\n") == "# ok");
  CHECK(bench.host.replies.size() == size_t(kSettingCount) + 1);
  for (const std::string& line : bench.host.replies) {
    CHECK(line.rfind("# ", 0) == 0);
    CHECK(line.find("correct horse") == std::string::npos);
    CHECK(line.find("0123456789abcdef") == std::string::npos);
  }
  CHECK(bench.host.replies[1] ==
        "# password=(set)  ; 8 to 63 characters or 64 hexadecimal digits; empty: an open network");
}

TEST_CASE("Reset goes back to the defaults, one setting or all") {
  Bench bench;
  bench.say("set wash 8\nset vcom 2000\n");
  bench.say("reset wash\n");
  CHECK(bench.settings.wash_interval == 1800);
  CHECK(bench.settings.vcom_mv == 2000);
  CHECK(bench.store.values.count("wash") == 0);
  bench.say("reset all\n");
  CHECK(bench.settings.vcom_mv == 1600);
  CHECK(bench.store.values.empty());
  CHECK(bench.say("reset\n") == "# error: no such setting; list shows them all");
}

TEST_CASE("Storage that fails is an error, not an ok") {
  Bench bench;
  bench.store.fails = true;
  CHECK(bench.say("set wash 8\n").find("# error: it could not be stored") == 0);
}

TEST_CASE("A line that is too long is refused whole, in any portions, and the next one is read") {
  Bench bench;
  const std::string longest = "set servers " + std::string(2'000, 'x');
  for (const char c : longest) bench.console.input(&c, 1);
  CHECK(bench.say("\n") == "# error: that line is too long; nothing was changed");
  CHECK(bench.say("get wash\n") == "# ok");
  CHECK(bench.host.replies[0] == "# wash=1800  ; 1 to 20000 updates");
}

TEST_CASE("The buttons' pin is shown as it reads; the self-test only where it is built in") {
  Bench bench;
  CHECK(bench.say("buttons\n") == "# ok");
  CHECK(bench.host.replies[0] == "# buttons reading 1234");
  bench.host.reading = -1;
  CHECK(bench.say("buttons\n").find("# error:") == 0);
  CHECK(bench.say("selftest\n").find("# error: not in this build") == 0);
  bench.host.has_selftest = true;
  bench.say("selftest\n");
  CHECK(bench.host.restarts == 1);
}
