#include "nvs_store.h"

#include <cstdio>
#include <cstring>
#include <initializer_list>

namespace inktop {

bool NvsStore::begin() {
  return settings_.begin("inktop", false) && state_.begin("inktop-state", false);
}

bool NvsStore::load(const char* name, char* out, size_t size) {
  return settings_.isKey(name) && settings_.getString(name, out, size) > 0;
}

bool NvsStore::save(const char* name, const char* text) {
  // An empty text is stored too: it overrides a default that is not empty. putString answers how many
  // characters it wrote, which says nothing about an empty one.
  const size_t written = settings_.putString(name, text);
  return written == std::strlen(text) && settings_.isKey(name);
}

void NvsStore::erase(const char* name) {
  if (settings_.isKey(name)) settings_.remove(name);
  if (std::strcmp(name, setting_name(Setting::ssid)) == 0 && state_.isKey("join")) state_.remove("join");
}

FirstJoin NvsStore::first_join() {
  char word[12] = "";
  if (!state_.isKey("join") || state_.getString("join", word, sizeof word) == 0)
    return FirstJoin::never_tried;
  for (const FirstJoin value : {FirstJoin::tried, FirstJoin::failed, FirstJoin::done}) {
    if (std::strcmp(word, first_join_word(value)) == 0) return value;
  }
  return FirstJoin::never_tried;
}

bool NvsStore::keep_first_join(FirstJoin value) {
  return state_.putString("join", first_join_word(value)) > 0;
}

uint32_t NvsStore::count_boot() {
  const uint32_t boots = state_.getUInt("boots", 0) + 1;
  state_.putUInt("boots", boots);
  return boots;
}

ServerAddress NvsStore::last_server() {
  ServerAddress server;
  char text[80] = "";
  if (state_.isKey("server") && state_.getString("server", text, sizeof text) > 0) parse_server(text, server);
  return server;
}

bool NvsStore::remember_later(const ServerAddress& server) {
  if (is_waiting_.load(std::memory_order_acquire)) return false;
  waiting_ = server;
  is_waiting_.store(true, std::memory_order_release);
  return true;
}

void NvsStore::write_waiting() {
  if (!is_waiting_.load(std::memory_order_acquire)) return;
  const ServerAddress server = waiting_;
  is_waiting_.store(false, std::memory_order_release);
  char text[80];
  const bool bare = std::strchr(server.host, ':') == nullptr;
  std::snprintf(text, sizeof text, bare ? "%s:%u" : "[%s]:%u", server.host, unsigned(server.port));
  state_.putString("server", text);
}

}  // namespace inktop
