// A board's console on standard input and output: the firmware's own, with a map for flash storage and a log
// line before each reply. For tools/tests/test_configure.py.
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>

#include "console/console.h"

namespace {

struct Board : inktop::SettingsStore, inktop::ConsoleHost {
  bool load(const char*, char*, size_t) override { return false; }
  bool save(const char* name, const char* text) override {
    stored[name] = text;
    return true;
  }
  void erase(const char* name) override { stored.erase(name); }
  void reply(const char* line) override {
    say("inktop: refresh: update, content_changed");
    say(line);
  }
  void changed(inktop::Setting) override {}
  int button_reading() override { return 1234; }
  void restart() override { say("inktop: restarted"); }
  bool start_selftest() override { return false; }

  static void say(const std::string& line) {
    const std::string bytes = line + "\r\n";
    if (write(STDOUT_FILENO, bytes.data(), bytes.size()) < 0) _exit(1);
  }

  std::map<std::string, std::string> stored;
};

}  // namespace

int main() {
  Board board;
  inktop::SettingsLayers settings(board);
  settings.load(inktop::Settings());
  inktop::Console console(settings, board);
  char bytes[64];
  for (ssize_t size; (size = read(STDIN_FILENO, bytes, sizeof bytes)) > 0;)
    console.input(bytes, size_t(size));
  return 0;
}
