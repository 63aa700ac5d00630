// Whose value of a setting is in force: the server's, the board's own, or the default.
#include "console/settings_layers.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "inktop/encoder.h"

namespace inktop {
namespace {

// Flash storage that is a map and counts what is written.
struct Flash : SettingsStore {
  bool load(const char* name, char* out, size_t size) override {
    const auto found = texts.find(name);
    if (found == texts.end() || found->second.size() >= size) return false;
    std::memcpy(out, found->second.c_str(), found->second.size() + 1);
    return true;
  }
  bool save(const char* name, const char* text) override {
    CHECK(std::strlen(name) <= 15);  // what flash storage takes as a key
    ++writes;
    if (full) return false;
    texts[name] = text;
    return true;
  }
  void erase(const char* name) override {
    ++writes;
    texts.erase(name);
  }

  std::map<std::string, std::string> texts;
  int writes = 0;
  bool full = false;
};

SettingsLine line_of(const std::vector<std::pair<std::string, std::string>>& values) {
  SettingsLine line;
  for (const auto& [name, value] : values) {
    Assignment& item = line.values[line.value_count++];
    std::strcpy(item.name, name.c_str());
    std::strcpy(item.value, value.c_str());
  }
  return line;
}

constexpr uint32_t bit(Setting setting) {
  return 1u << static_cast<int>(setting);
}

// What the board would answer its server.
std::string answer(const SettingsLayers& layers) {
  SettingsLine line;
  std::strcpy(line.board, "desk");
  layers.report(line);
  char out[kMaxLineBytes + 1];
  const size_t size = encode_settings(line, out, sizeof out);
  return std::string(out, size);
}

bool says(const SettingsLayers& layers, const std::string& part) {
  return answer(layers).find(part) != std::string::npos;
}

std::string origin_of(const SettingsLayers& layers, const std::string& name) {
  SettingsLine line;
  layers.report(line);
  for (int i = 0; i < line.value_count; ++i) {
    if (name == line.values[i].name) return std::string(1, line.origins[i]);
  }
  return "";
}

}  // namespace

TEST_CASE("Layers: what is stored lies over the defaults; what is out of range does not, and is counted") {
  Flash flash;
  flash.texts = {{"wash", "8"}, {"update", "1"}, {"vcom", "hot"}, {"ssid", "home"}};
  SettingsLayers layers(flash);
  CHECK(layers.load(Settings()) == 2);
  CHECK(layers.in_force().wash_interval == 8);
  CHECK(layers.in_force().update_interval_ms == 2000);
  CHECK(layers.in_force().vcom_mv == Settings().vcom_mv);
  CHECK(std::string(layers.in_force().ssid) == "home");
  CHECK(layers.origin(Setting::wash) == SettingOrigin::own);
  CHECK(layers.origin(Setting::update) == SettingOrigin::standard);
}

TEST_CASE("Layers: a server's value acts, is kept over a restart, and goes when it is no longer named") {
  Flash flash;
  flash.texts = {{"wash", "8"}};
  SettingsLayers layers(flash);
  layers.load(Settings());
  CHECK(layers.take(line_of({{"wash", "900"}, {"hot_junction", "95"}})) ==
        (bit(Setting::wash) | bit(Setting::hot_junction)));
  CHECK(layers.in_force().wash_interval == 900);
  CHECK(layers.in_force().alarms.hot_junction_c == 95);
  CHECK(origin_of(layers, "wash") == "s");

  SettingsLayers restarted(flash);
  CHECK(restarted.load(Settings()) == 0);
  CHECK(restarted.in_force().wash_interval == 900);
  CHECK(restarted.in_force().alarms.hot_junction_c == 95);

  CHECK(restarted.take(line_of({{"hot_junction", "95"}})) == bit(Setting::wash));
  CHECK(restarted.in_force().wash_interval == 8);
  CHECK(origin_of(restarted, "wash") == "o");
  CHECK(restarted.take(line_of({})) == bit(Setting::hot_junction));
  CHECK(restarted.in_force().alarms.hot_junction_c == 0);
  CHECK(flash.texts == std::map<std::string, std::string>{{"wash", "8"}});
}

TEST_CASE("Layers: the same line again writes nothing to flash and changes nothing") {
  Flash flash;
  SettingsLayers layers(flash);
  layers.load(Settings());
  const SettingsLine line = line_of({{"wash", "900"}, {"rotate", "180"}});
  CHECK(layers.take(line) != 0);
  const int writes = flash.writes;
  for (int i = 0; i < 5; ++i) CHECK(layers.take(line) == 0);
  CHECK(flash.writes == writes);
}

TEST_CASE("Layers: the board's own value wins while it is held, and only then") {
  Flash flash;
  SettingsLayers layers(flash);
  layers.load(Settings());
  CHECK(layers.set_own(Setting::wash, "8") == SettingsLayers::Kept::ok);
  CHECK(layers.hold(Setting::wash, true) == SettingsLayers::Kept::ok);
  CHECK(layers.take(line_of({{"wash", "900"}})) == 0);
  CHECK(layers.in_force().wash_interval == 8);
  CHECK(origin_of(layers, "wash") == "h");
  SettingsLayers restarted(flash);
  restarted.load(Settings());
  CHECK(restarted.in_force().wash_interval == 8);
  CHECK(restarted.hold(Setting::wash, false) == SettingsLayers::Kept::ok);
  CHECK(restarted.in_force().wash_interval == 900);
  CHECK(origin_of(restarted, "wash") == "s");
  CHECK(restarted.hold(Setting::ssid, true) == SettingsLayers::Kept::refused);
}

TEST_CASE("Layers: what a server may not set, does not know or gets wrong is told, and the rest is taken") {
  Flash flash;
  SettingsLayers layers(flash);
  layers.load(Settings());
  layers.set_own(Setting::update, "5000");
  const uint32_t changed = layers.take(line_of({{"password", "correct horse"},
                                                {"vcom", "4000"},
                                                {"colour", "red"},
                                                {"update", "5"},
                                                {"wash", "900"}}));
  CHECK(changed == bit(Setting::wash));
  CHECK(std::string(layers.in_force().password) == "");
  CHECK(layers.in_force().vcom_mv == Settings().vcom_mv);
  CHECK(layers.in_force().update_interval_ms == 5000);
  CHECK(says(layers, "|not=password:cable,vcom:cable,colour:unknown,update:value*"));
  CHECK(layers.take(line_of({{"wash", "900"}})) == 0);
  CHECK_FALSE(says(layers, "|not="));
  CHECK_FALSE(says(layers, "password"));
}

TEST_CASE("Layers: the answer names every setting that a server may set, its value and whose it is") {
  Flash flash;
  SettingsLayers layers(flash);
  layers.load(Settings());
  layers.set_own(Setting::update, "5000");
  layers.take(line_of({{"wash", "900"}}));
  const std::string said = answer(layers);
  CHECK(said.find("settings=1|id=desk|set=wash:900,update:5000,hot_spot:300,rotate:0,hot_junction:0,") == 0);
  CHECK(said.find("|from=sodd") != std::string::npos);
  for (int i = 0; i < kSettingCount; ++i) {
    const std::string name = std::string(setting_name(Setting(i))) + ":";
    CHECK((said.find(name) != std::string::npos) == setting_from_server(Setting(i)));
  }
}

TEST_CASE("Layers: reset forgets the board's own value, its mark and the server's") {
  Flash flash;
  SettingsLayers layers(flash);
  layers.load(Settings());
  layers.set_own(Setting::wash, "8");
  layers.hold(Setting::wash, true);
  layers.take(line_of({{"wash", "900"}, {"update", "3000"}}));
  layers.reset(Setting::wash);
  CHECK(layers.in_force().wash_interval == 1800);
  CHECK(layers.origin(Setting::wash) == SettingOrigin::standard);
  CHECK(layers.origin(Setting::update) == SettingOrigin::server);
  CHECK(flash.texts == std::map<std::string, std::string>{{"s.update", "3000"}});
}

TEST_CASE("Layers: flash that takes nothing leaves what was set in force") {
  Flash flash;
  flash.full = true;
  SettingsLayers layers(flash);
  layers.load(Settings());
  CHECK(layers.set_own(Setting::wash, "8") == SettingsLayers::Kept::not_stored);
  CHECK(layers.in_force().wash_interval == 8);
  layers.take(line_of({{"wash", "900"}}));
  CHECK(layers.in_force().wash_interval == 900);
}

TEST_CASE(
    "Layers: whatever a server may set goes into the line as it is: short, printable, without a comma") {
  int settings = 0;
  for (int i = 0; i < kSettingCount; ++i) {
    if (!setting_from_server(Setting(i))) continue;
    ++settings;
    char text[kMaxSettingText];
    setting_text(Settings(), Setting(i), text, sizeof text);
    CAPTURE(setting_name(Setting(i)));
    CHECK(std::strlen(text) > 0);
    CHECK(std::strlen(text) < sizeof Assignment::value);
    CHECK(std::strpbrk(text, ",|") == nullptr);
    CHECK(std::strlen(setting_name(Setting(i))) <= 13);  // "s." before it in flash
    CHECK_FALSE(setting_is_secret(Setting(i)));
  }
  CHECK(settings <= kMaxSettings);
  // The longest answer that there can be fits into a line.
  SettingsLine line;
  std::memset(line.board, 'b', sizeof line.board - 1);
  for (int i = 0; i < settings; ++i) {
    std::memset(line.values[i].name, 'n', sizeof line.values[i].name - 1);
    std::memset(line.values[i].value, 'v', sizeof line.values[i].value - 1);
    line.origins[i] = 's';
  }
  line.value_count = settings;
  for (Refusal& refusal : line.refusals) {
    std::memset(refusal.name, 'n', sizeof refusal.name - 1);
    std::memset(refusal.why, 'w', sizeof refusal.why - 1);
  }
  line.refusal_count = kMaxRefusals;
  char out[kMaxLineBytes + 1];
  CHECK(encode_settings(line, out, sizeof out) > 0);
}

}  // namespace inktop
