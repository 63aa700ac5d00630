// The one-page form by which a board without secrets is set up: what the browser is shown, and what it sends.
#pragma once

#include <cstddef>
#include <cstdint>

#include "console/settings.h"
#include "setup/http_request.h"

namespace inktop {

class SetupForm {
 public:
  // Less than a TCP connection of the board takes at once (5744 bytes): a browser that reads
  // nothing does not block.
  static constexpr size_t kMaxResponse = 5 * 1024;

  // `note`: a sentence above the form ("" for none). What the form says is kept in `store`.
  SetupForm(const Settings& settings, const char* note, SettingsStore& store);

  // Answers one request with a whole HTTP response; returns its size (kMaxResponse always suffices). True in
  // `saved`: the form was right, and settings() is what it says and what is kept.
  size_t answer(const HttpRequest& request, char* out, size_t size, bool& saved);
  const Settings& settings() const { return settings_; }

 private:
  bool take(const char* body);
  bool keep();
  size_t form_page(char* out, size_t size) const;
  size_t saved_page(char* out, size_t size) const;

  Settings settings_;
  SettingsStore& store_;
  char note_[200] = "";
  // As filled in, a longer name cut: shown again when something else was refused.
  char ssid_[65] = "";
  char servers_[kMaxSettingText] = "";
};

// The value of a field of an application/x-www-form-urlencoded body, decoded and NUL-terminated. False: it is
// not there, does not fit, or has a byte below 0x20.
bool form_field(const char* body, const char* name, char* out, size_t size);

}  // namespace inktop
