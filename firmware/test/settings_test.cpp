#include "console/settings.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>

namespace inktop {
namespace {

std::string text_of(const Settings& settings, Setting setting) {
  char text[kMaxSettingText];
  setting_text(settings, setting, text, sizeof text);
  return text;
}

Setting named(const std::string& name) {
  Setting setting;
  REQUIRE(find_setting(name.c_str(), setting));
  return setting;
}

bool takes(const std::string& name, const std::string& text) {
  Settings settings;
  return set_setting(settings, named(name), text.c_str());
}

}  // namespace

TEST_CASE("Settings: a number is taken from the least to the most of its range, and not beyond") {
  struct Range {
    const char* name;
    int least;
    int most;
  };
  const Range ranges[] = {{"vcom", 1000, 4000},   {"wash", 1, 20000}, {"update", 1000, 60000},
                          {"hot_spot", 0, 60000}, {"speed", 1, 10},   {"mdns", 0, 1}};
  for (const Range& range : ranges) {
    CAPTURE(range.name);
    CHECK(takes(range.name, std::to_string(range.least)));
    CHECK(takes(range.name, std::to_string(range.most)));
    CHECK_FALSE(takes(range.name, std::to_string(range.least - 1)));
    CHECK_FALSE(takes(range.name, std::to_string(range.most + 1)));
    CHECK_FALSE(takes(range.name, ""));
    CHECK_FALSE(takes(range.name, "1x"));
    CHECK_FALSE(takes(range.name, "4294968296"));  // 1000 again in 32 bits
    // What is said to the person is what is held.
    const std::string said = setting_range(named(range.name));
    CHECK(said.find(std::to_string(range.least)) != std::string::npos);
    CHECK(said.find(std::to_string(range.most)) != std::string::npos);
  }
}

TEST_CASE("Settings: a refused value leaves everything as it was") {
  struct Bad {
    const char* name;
    const char* text;
  };
  const Bad bads[] = {{"ssid", "a network's name that is longer than 32"},
                      {"password", "short"},
                      {"password", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"},
                      {"servers", "a,b,c,d,e"},
                      {"servers", "host:0"},
                      {"servers", "host:99999"},
                      {"servers", "host,"},
                      {"servers", "[2001:db8::1]:7910"},
                      {"servers", ",host"},
                      {"key", "fifteen letters"},
                      {"id", ""},
                      {"id", "a b"},
                      {"id", "a|b"},
                      {"rotate", "45"},
                      {"rotate", "360"},
                      {"speed", "11"},
                      {"power", "off"},
                      {"buttons", "0,399,2000"},
                      {"buttons", "0,1000"},
                      {"buttons", "0,1000,2000,3000"},
                      {"buttons", "0,1000,4096"},
                      {"span", "10m"},
                      {"span", ""},
                      {"clock", "13"},
                      {"degrees", "K"},
                      {"middle", "fun"},
                      {"quiet", "22-7"},
                      {"quiet", "22/15"},
                      {"quiet", "24-7/15"},
                      {"quiet", "22-7/0"},
                      {"quiet", "22-7/61"},
                      {"quiet", "22-7/"},
                      {"quiet", "22/7-15"},
                      {"quiet", "0000000022-7/15"}};
  for (const Bad& bad : bads) {
    CAPTURE(bad.name);
    CAPTURE(bad.text);
    Settings settings;
    CHECK_FALSE(set_setting(settings, named(bad.name), bad.text));
    const Settings untouched;
    for (int i = 0; i < kSettingCount; ++i) {
      CHECK(text_of(settings, Setting(i)) == text_of(untouched, Setting(i)));
    }
  }
}

TEST_CASE("Settings: the text form of every setting is taken back and gives the same setting") {
  const std::map<std::string, std::string> texts = {{"ssid", " caf\xC3\xA9 2.4 "},
                                                    {"password", "correct horse"},
                                                    {"servers", "t7910.example:7910,192.0.2.17:7911"},
                                                    {"key", "0123456789abcdef"},
                                                    {"id", "desk-2"},
                                                    {"vcom", "2310"},
                                                    {"wash", "8"},
                                                    {"update", "5000"},
                                                    {"hot_spot", "0"},
                                                    {"rotate", "270"},
                                                    {"mdns", "0"},
                                                    {"speed", "5"},
                                                    {"power", "keep"},
                                                    {"buttons", "12,1234,2345"},
                                                    {"hot_junction", "95"},
                                                    {"hot_edge", "85"},
                                                    {"hot_memory", "90"},
                                                    {"full_memory", "80"},
                                                    {"full_disk", "90"},
                                                    {"full_vram", "99"},
                                                    {"throttle", "any"},
                                                    {"link", "60"},
                                                    {"span", "24h"},
                                                    {"clock", "12"},
                                                    {"degrees", "F"},
                                                    {"middle", "uptime"},
                                                    {"quiet", "22-7/15"}};
  CHECK(texts.size() == size_t(kSettingCount));
  Settings settings;
  for (const auto& [name, text] : texts) {
    CAPTURE(name);
    REQUIRE(set_setting(settings, named(name), text.c_str()));
    CHECK(text_of(settings, named(name)) == text);
    CHECK(std::strlen(setting_name(named(name))) <= 15);  // what flash storage takes as a key
  }
  const Settings defaults;
  for (int i = 0; i < kSettingCount; ++i) {
    CHECK(text_of(settings, Setting(i)) != text_of(defaults, Setting(i)));
  }
}

TEST_CASE("Settings: the longest list of servers fits its text form") {
  const std::string host(63, 'h');
  const std::string list = host + ":65535," + host + ":65534," + host + ":65533," + host + ":65532";
  Settings settings;
  REQUIRE(set_setting(settings, Setting::servers, list.c_str()));
  CHECK(text_of(settings, Setting::servers) == list);
}

TEST_CASE("Settings: only the passwords and the key are secret") {
  for (int i = 0; i < kSettingCount; ++i) {
    const Setting setting = Setting(i);
    CHECK(setting_is_secret(setting) == (setting == Setting::password || setting == Setting::key));
  }
}

TEST_CASE("Settings: a limit of an alarm is off, or within its range") {
  for (const char* name : {"hot_junction", "hot_edge", "hot_memory"}) {
    CAPTURE(name);
    for (const char* good : {"0", "40", "150"}) CHECK(takes(name, good));
    for (const char* bad : {"39", "1", "151", "-5", "", "auto"}) CHECK_FALSE(takes(name, bad));
  }
  for (const char* name : {"full_memory", "full_disk", "full_vram"}) {
    CAPTURE(name);
    for (const char* good : {"0", "50", "100"}) CHECK(takes(name, good));
    for (const char* bad : {"49", "101"}) CHECK_FALSE(takes(name, bad));
  }
  for (const char* good : {"0", "10", "100"}) CHECK(takes("link", good));
  for (const char* bad : {"9", "101", "x4"}) CHECK_FALSE(takes("link", bad));
  for (const char* good : {"never", "heat", "any"}) CHECK(takes("throttle", good));
  for (const char* bad : {"power", "1", ""}) CHECK_FALSE(takes("throttle", bad));
}

TEST_CASE("Settings: the parts of the core get what was set") {
  Settings settings;
  REQUIRE(set_setting(settings, Setting::wash, "8"));
  REQUIRE(set_setting(settings, Setting::update, "5000"));
  REQUIRE(set_setting(settings, Setting::hot_spot, "77"));
  REQUIRE(set_setting(settings, Setting::mdns, "0"));
  REQUIRE(set_setting(settings, Setting::servers, "192.0.2.17"));
  CHECK(refresh_settings(settings).wash_interval == 8);
  CHECK(refresh_settings(settings).update_interval_ms == 5000);
  CHECK(refresh_settings(settings).hot_spot_flips == 77);
  LinkSettings link = link_settings(settings);
  CHECK(std::string(link.servers[0].host) == "192.0.2.17");
  CHECK(link.servers[0].port == kDefaultPort);
  CHECK(link.servers[1].host[0] == 0);
  CHECK_FALSE(link.use_mdns);
  CHECK_FALSE(link.key.set);
  CHECK_FALSE(link.ssid_set);
  REQUIRE(set_setting(settings, Setting::key, "0123456789abcdef"));
  REQUIRE(set_setting(settings, Setting::ssid, "home"));
  CHECK(link_settings(settings).key.set);
  CHECK(link_settings(settings).ssid_set);
}

}  // namespace inktop
