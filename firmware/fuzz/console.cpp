// Console, settings and the form of a board without Wi-Fi: what anybody may type, store or send.
#include "console/console.h"

#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "choices.h"
#include "inktop/encoder.h"
#include "inktop/parser.h"
#include "setup/setup_form.h"

using namespace inktop;
using fuzz::require;

namespace {

class Flash : public SettingsStore {
 public:
  bool load(const char* name, char* out, size_t size) override {
    const auto found = texts.find(name);
    if (found == texts.end() || found->second.size() >= size) return false;
    std::memcpy(out, found->second.c_str(), found->second.size() + 1);
    return true;
  }
  bool save(const char* name, const char* text) override {
    require(std::strlen(name) <= 15, "a name has room in flash");
    require(std::strlen(text) < kMaxSettingText, "a value has room in flash");
    if (full) {
      failed = true;
      return false;
    }
    texts[name] = text;
    return true;
  }
  void erase(const char* name) override { texts.erase(name); }

  std::map<std::string, std::string> texts;
  bool full = false;
  bool failed = false;  // a value in force is not in flash
};

class Host : public ConsoleHost {
 public:
  void reply(const char* line) override {
    replies.push_back(line);
    require(std::strncmp(line, "# ", 2) == 0, "a reply can be told from the log");
    require(std::strchr(line, '\n') == nullptr, "a reply is one line");
  }
  void changed(Setting setting) override {
    require(!setting_needs_restart(setting), "only what acts at once is told");
  }
  int button_reading() override { return reading; }
  void restart() override {}
  bool start_selftest() override { return reading > 100; }

  std::vector<std::string> replies;
  int reading = -1;
};

std::string text_of(const Settings& settings, Setting setting) {
  std::vector<char> out(kMaxSettingText);
  setting_text(settings, setting, out.data(), out.size());
  return out.data();
}

// Every value in force could be typed again.
void check_values(const Settings& settings) {
  for (int i = 0; i < kSettingCount; ++i) {
    const auto setting = Setting(i);
    const std::string text = text_of(settings, setting);
    Settings again = settings;
    require(set_setting(again, setting, text.c_str()), "a value in force is one that is taken");
    require(text_of(again, setting) == text, "a value's text says all of it");
  }
}

void check_restart(const SettingsLayers& layers, Flash& flash) {
  SettingsLayers next(flash);
  require(next.load(Settings()) == 0, "what was stored is taken at the next start");
  for (int i = 0; i < kSettingCount; ++i) {
    const auto setting = Setting(i);
    require(next.origin(setting) == layers.origin(setting), "a value's origin outlives a restart");
    require(text_of(next.in_force(), setting) == text_of(layers.in_force(), setting),
            "a value outlives a restart");
  }
}

void check_report(const SettingsLayers& layers) {
  static Parsed read;
  SettingsLine line;
  std::strcpy(line.board, "desk");
  layers.report(line);
  char out[kMaxLineBytes + 1];
  const size_t length = encode_settings(line, out, sizeof out);
  require(length > 0, "the answer to a server fits into a line");
  parse(out, length, read);
  require(read.kind == LineKind::settings, "the answer to a server can be read");
}

void take_line(SettingsLayers& layers, const std::string& line) {
  static Parsed read;
  parse(line.data(), line.size(), read);
  if (read.kind == LineKind::settings) layers.take(read.settings);
}

// A browser, or what says that it is one.
void ask_form(SetupForm& form, HttpRequest& request, const std::string& bytes) {
  const std::vector<char> own(bytes.begin(), bytes.end());
  if (request.feed(own.data(), own.size()) == HttpRequest::State::reading) return;
  std::unique_ptr<char[]> page(new char[SetupForm::kMaxResponse]);
  bool saved = false;
  if (request.state() == HttpRequest::State::ready) {
    const size_t size = form.answer(request, page.get(), SetupForm::kMaxResponse, saved);
    require(size > 0 && size <= SetupForm::kMaxResponse, "the page has room");
    require(std::strncmp(page.get(), "HTTP/1.", 7) == 0, "the page is an answer");
  }
  request.clear();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Choices choices(data, size);
  Flash flash;
  Host host;
  // What an older version, or a broken one, has left in flash.
  for (uint32_t stored = choices.below(4); stored > 0; --stored) {
    const std::string name = choices.text().substr(0, 15);
    flash.texts[name] = choices.text().substr(0, kMaxSettingText - 1);
  }
  SettingsLayers layers(flash);
  const bool clean = layers.load(Settings()) == 0;
  const bool was_empty = flash.texts.empty();
  check_values(layers.in_force());
  Console console(layers, host);
  SetupForm form(layers.in_force(), "", flash);
  HttpRequest request;
  bool form_used = false;
  for (int i = 0; i < 200 && choices.any(); ++i) {
    switch (choices.below(6)) {
      case 0: {
        const std::string bytes = choices.text();
        console.input(bytes.data(), bytes.size());
        break;
      }
      case 1: {
        const std::string command = choices.text() + "\n";
        console.input("\n", 1);
        host.replies.clear();
        console.input(command.data(), command.size());
        if (host.replies.empty()) break;  // nothing but bytes that are dropped
        const std::string& last = host.replies.back();
        require(last.compare(0, 4, "# ok") == 0 || last.compare(0, 9, "# error: ") == 0, "a reply ends");
        break;
      }
      case 2:
        take_line(layers, choices.line());
        break;
      case 3:
        flash.full = choices.below(4) == 0;
        break;
      case 4:
        host.reading = int(choices.byte()) - 1;
        break;
      default:
        form_used = true;
        ask_form(form, request, choices.text());
        break;
    }
  }
  check_values(layers.in_force());
  check_values(form.settings());
  check_report(layers);
  if (clean && was_empty && !flash.failed && !form_used) check_restart(layers, flash);
  return 0;
}
