#include "setup/setup_form.h"

#include <cstdio>
#include <cstring>

namespace inktop {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A page that is built piece by piece into memory that was handed in; what does not fit is left off.
class Page {
 public:
  Page(char* out, size_t size) : out_(out), size_(size) {}

  Page& add(const char* text) {
    for (; *text != 0 && length_ + 1 < size_; ++text) out_[length_++] = *text;
    out_[length_] = 0;
    return *this;
  }
  // Nothing in `text` is markup.
  Page& add_escaped(const char* text) {
    for (; *text != 0; ++text) {
      const char one[] = {*text, 0};
      switch (*text) {
        case '&':
          add("&amp;");
          break;
        case '<':
          add("&lt;");
          break;
        case '>':
          add("&gt;");
          break;
        case '"':
          add("&quot;");
          break;
        default:
          add(one);
      }
    }
    return *this;
  }
  Page& field(const char* label, const char* name, const char* type, const char* value, const char* hint) {
    add("<label>").add(label).add("<input name=").add(name).add(" type=").add(type);
    add(" autocapitalize=none autocomplete=off value=\"").add_escaped(value).add("\"></label><p>").add(hint);
    return add("</p>");
  }
  size_t length() const { return length_; }

 private:
  char* out_;
  size_t size_;
  size_t length_ = 0;
};

constexpr char kHead[] =
    "Content-Type: text/html; charset=utf-8\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
    "<!doctype html><html lang=en><meta name=viewport content=\"width=device-width\"><title>inktop</title>"
    "<style>body{font:18px sans-serif;max-width:32em;margin:1em auto;padding:0 1em}label{display:block;"
    "margin-top:1em}input,button{font:inherit;width:100%;box-sizing:border-box;padding:.4em}p{color:#555;"
    "margin:.2em 0;font-size:15px}b{display:block;border-left:4px solid;padding-left:.6em}</style>"
    "<h1>inktop</h1>";

// Wi-Fi, server and key, in the form's order.
constexpr Setting kFields[] = {Setting::ssid, Setting::password, Setting::servers, Setting::key};

}  // namespace

bool form_field(const char* body, const char* name, char* out, size_t size) {
  const size_t name_size = std::strlen(name);
  for (const char* at = body; at != nullptr; at = std::strchr(at, '&')) {
    if (*at == '&') ++at;
    if (std::strncmp(at, name, name_size) != 0 || at[name_size] != '=') continue;
    size_t length = 0;
    for (at += name_size + 1; *at != 0 && *at != '&'; ++at) {
      char c = *at == '+' ? ' ' : *at;
      if (*at == '%') {
        const int high = hex_digit(at[1]);
        const int low = high < 0 ? -1 : hex_digit(at[2]);
        if (low < 0) return false;
        c = char(high << 4 | low);
        at += 2;
      }
      if (static_cast<unsigned char>(c) < 0x20 || length + 1 >= size) return false;
      out[length++] = c;
    }
    out[length] = 0;
    return true;
  }
  return false;
}

SetupForm::SetupForm(const Settings& settings, const char* note, SettingsStore& store)
    : settings_(settings), store_(store) {
  std::snprintf(note_, sizeof note_, "%s", note);
  std::snprintf(ssid_, sizeof ssid_, "%s", settings.ssid);
  setting_text(settings, Setting::servers, servers_, sizeof servers_);
}

bool SetupForm::take(const char* body) {
  Settings filled = settings_;
  bool right = true;
  for (const Setting setting : kFields) {
    char text[kMaxSettingText] = "";
    const bool there = form_field(body, setting_name(setting), text, sizeof text);
    if (there && setting == Setting::ssid) std::snprintf(ssid_, sizeof ssid_, "%.64s", text);
    if (there && setting == Setting::servers) std::memcpy(servers_, text, sizeof text);
    if (!right || (there && set_setting(filled, setting, text))) continue;
    right = false;
    std::snprintf(note_, sizeof note_, "Not saved: %s must be %s.", setting_name(setting),
                  setting_range(setting));
  }
  if (!right) return false;
  settings_ = filled;
  return keep();
}

bool SetupForm::keep() {
  for (const Setting setting : kFields) {
    char text[kMaxSettingText];
    setting_text(settings_, setting, text, sizeof text);
    if (store_.save(setting_name(setting), text)) continue;
    std::snprintf(note_, sizeof note_,
                  "Not saved: the board's flash storage fails. Erase it and flash again.");
    return false;
  }
  return true;
}

size_t SetupForm::form_page(char* out, size_t size) const {
  Page page(out, size);
  page.add("HTTP/1.1 200 OK\r\n").add(kHead);
  if (note_[0] != 0) page.add("<b>").add_escaped(note_).add("</b>");
  page.add("<form method=post action=/>");
  page.field("Wi-Fi name", "ssid", "text", ssid_, "A 2.4 GHz network: the board sees no other.");
  page.field("Wi-Fi password", "password", "password", "", "Empty for an open network.");
  page.field("Server", "servers", "text", servers_,
             "Name or address of the machine to watch. Empty: the board looks for it in the network.");
  page.field("Key", "key", "password", "", "As set on the server. Empty: none.");
  page.add("<p>&nbsp;</p><button>Save and restart</button></form></html>");
  return page.length();
}

size_t SetupForm::saved_page(char* out, size_t size) const {
  Page page(out, size);
  page.add("HTTP/1.1 200 OK\r\n")
      .add(kHead)
      .add("<b>Saved.</b><p>The board restarts, closes this network and joins ");
  page.add_escaped(settings_.ssid);
  page.add(
      ". Its panel says what happens. If it cannot join within a minute, it opens this network "
      "again.</p></html>");
  return page.length();
}

size_t SetupForm::answer(const HttpRequest& request, char* out, size_t size, bool& saved) {
  saved = false;
  if (request.state() != HttpRequest::State::ready) {
    Page page(out, size);
    page.add("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    return page.length();
  }
  // Any other path too: what a phone asks for to find out whether this network leads anywhere.
  if (request.is_post()) saved = take(request.body());
  return saved ? saved_page(out, size) : form_page(out, size);
}

}  // namespace inktop
