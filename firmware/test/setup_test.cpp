// The form by which a board without secrets is set up: requests, what they say, and when it is open.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "setup/first_join.h"
#include "setup/http_request.h"
#include "setup/setup_form.h"

namespace inktop {
namespace {

using State = HttpRequest::State;

class Store : public SettingsStore {
 public:
  bool load(const char*, char*, size_t) override { return false; }
  bool save(const char* name, const char* text) override {
    if (fails) return false;
    kept[name] = text;
    return true;
  }
  void erase(const char*) override {}

  std::map<std::string, std::string> kept;
  bool fails = false;
};

std::string post(const std::string& body) {
  return "POST / HTTP/1.1\r\nHost: 192.168.4.1\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\n\r\n" + body;
}

struct Browser {
  explicit Browser(const char* note = "", const Settings& settings = Settings())
      : form(settings, note, store) {}

  std::string send(const std::string& text) {
    HttpRequest request;
    request.feed(text.data(), text.size());
    const size_t size = form.answer(request, page, sizeof page, saved);
    CHECK(size < sizeof page - 1);
    return std::string(page, size);
  }

  Store store;
  SetupForm form;
  bool saved = false;
  char page[SetupForm::kMaxResponse];
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("a request is read in whatever pieces it comes") {
  const std::string text = "POST /save?x=1 HTTP/1.1\r\nUser-Agent: " + std::string(600, 'm') +
                           "\r\ncOnTent-LENGTH: \t11\r\n\r\nssid=a&b=cd";
  for (size_t piece = 1; piece <= text.size(); ++piece) {
    HttpRequest request;
    for (size_t at = 0; at < text.size(); at += piece) {
      CHECK(request.state() == State::reading);
      request.feed(text.data() + at, std::min(piece, text.size() - at));
    }
    REQUIRE(request.state() == State::ready);
    REQUIRE(request.is_post());
    REQUIRE(std::string(request.path()) == "/save");
    REQUIRE(std::string(request.body()) == "ssid=a&b=cd");
  }
}

TEST_CASE("a request without a body is ready after its empty line, and what follows is ignored") {
  HttpRequest request;
  const std::string text = "GET /generate_204 HTTP/1.1\nHost: a\n\nGET /again HTTP/1.1\n\n";
  CHECK(request.feed(text.data(), text.size()) == State::ready);
  CHECK_FALSE(request.is_post());
  CHECK(std::string(request.path()) == "/generate_204");
  CHECK(request.body_size() == 0);
}

TEST_CASE("what is no request, or too long, is refused") {
  for (const std::string& text : {
           std::string("\x16\x03\x01\x02TLS\n"),
           std::string("DELETE / HTTP/1.1\r\n"),
           std::string("nonsense\n"),
           std::string("POST / HTTP/1.1\nContent-Length: 2049\n\n"),
           std::string("POST / HTTP/1.1\nContent-Length: 99999999999999999999\n\n"),
           std::string("POST / HTTP/1.1\nContent-Length: -1\n\n"),
           std::string("POST / HTTP/1.1\nContent-Length:\n\n"),
           std::string("POST / HTTP/1.1\nContent-Length: 1x\n\n"),
           "GET / HTTP/1.1\n" + std::string(HttpRequest::kMaxHead, 'a'),
       }) {
    HttpRequest request;
    CAPTURE(text.substr(0, 60));
    CHECK(request.feed(text.data(), text.size()) == State::refused);
    CHECK(request.feed("\n\n", 2) == State::refused);
  }
  Browser browser;
  CHECK(has(browser.send("nonsense\n"), "HTTP/1.1 400"));
  CHECK_FALSE(browser.saved);
}

TEST_CASE("a body of the longest size fits, and a longer path is cut") {
  HttpRequest request;
  const std::string body(HttpRequest::kMaxBody, 'b');
  const std::string text = "POST /" + std::string(200, 'p') + " HTTP/1.1\nContent-Length: 2048\n\n" + body;
  CHECK(request.feed(text.data(), text.size()) == State::ready);
  CHECK(request.body_size() == HttpRequest::kMaxBody);
  CHECK(std::strlen(request.path()) == HttpRequest::kMaxPath);
}

TEST_CASE("any bytes at all leave a request within its bounds, and the form as it was or right") {
  uint32_t seed = 1;
  const auto dice = [&seed](uint32_t sides) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % sides;
  };
  const std::string pieces[] = {"POST ",
                                "GET ",
                                "/",
                                " HTTP/1.1",
                                "\r\n",
                                "\n",
                                "Content-Length: ",
                                "12",
                                "2048",
                                "ssid=",
                                "%4",
                                "%",
                                "&",
                                "=",
                                "+",
                                "password=",
                                "%00",
                                "key=",
                                "servers",
                                "home",
                                ":",
                                std::string(1, '\0'),
                                "\xFF"};
  Browser browser;
  for (int round = 0; round < 20'000; ++round) {
    std::string text =
        dice(2) == 0 ? "POST / HTTP/1.1\nContent-Length: " + std::to_string(dice(80)) + "\n\n" : "";
    for (uint32_t i = dice(40); i > 0; --i)
      text += dice(5) == 0 ? std::string(1, char(dice(256))) : pieces[dice(sizeof pieces / sizeof *pieces)];
    HttpRequest request;
    for (size_t at = 0; at < text.size();) {
      const size_t size = std::min<size_t>(1 + dice(9), text.size() - at);
      request.feed(text.data() + at, size);
      at += size;
    }
    REQUIRE(request.body_size() <= HttpRequest::kMaxBody);
    REQUIRE(std::strlen(request.path()) <= HttpRequest::kMaxPath);
    const size_t size = browser.form.answer(request, browser.page, sizeof browser.page, browser.saved);
    REQUIRE(size == std::strlen(browser.page));
    REQUIRE(browser.saved == (browser.form.settings().ssid[0] != 0 && browser.saved));
  }
}

TEST_CASE("a field is decoded, and refused where it is broken") {
  char out[8];
  CHECK(form_field("a=1&ssid=x+%26%C3%A9", "ssid", out, sizeof out));
  CHECK(std::string(out) == "x &\xC3\xA9");
  CHECK(form_field("ssid=", "ssid", out, sizeof out));
  CHECK(std::string(out).empty());
  CHECK(form_field("ssid=1234567", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=12345678", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("xssid=1", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=%", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=%4", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=%4g", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=a%00b", "ssid", out, sizeof out));
  CHECK_FALSE(form_field("ssid=a%0Ab", "ssid", out, sizeof out));
}

TEST_CASE("the form that is filled in is kept, and the last page says what comes") {
  Browser browser;
  CHECK(has(browser.send("GET / HTTP/1.1\n\n"), "<form method=post"));
  CHECK_FALSE(browser.saved);
  const std::string page =
      browser.send(post("ssid=My+%3CWi-Fi%3E&password=correct+horse&servers=t7910.example%3A7911&key="));
  CHECK(browser.saved);
  CHECK(has(page, "joins My &lt;Wi-Fi&gt;"));
  CHECK(browser.store.kept["ssid"] == "My <Wi-Fi>");
  CHECK(browser.store.kept["password"] == "correct horse");
  CHECK(browser.store.kept["servers"] == "t7910.example:7911");
  CHECK(browser.store.kept["key"].empty());
  CHECK(std::string(browser.form.settings().servers[0].host) == "t7910.example");
}

TEST_CASE("a bad value changes nothing, is named with its range, and the rest stays filled in") {
  Browser browser;
  const std::string page = browser.send(post("ssid=%22home%22&password=short&servers=192.0.2.17&key="));
  CHECK_FALSE(browser.saved);
  CHECK(has(page, "Not saved: password must be 8 to 63 characters"));
  CHECK(has(page, "value=\"&quot;home&quot;\""));
  CHECK(has(page, "value=\"192.0.2.17\""));
  CHECK_FALSE(has(page, "short"));  // no password comes back
  CHECK(browser.store.kept.empty());
  CHECK(browser.form.settings().ssid[0] == 0);
  CHECK(has(browser.send(post("password=correct+horse")), "Not saved: ssid must be"));
  CHECK(browser.store.kept.empty());
}

TEST_CASE("flash storage that fails is said on the page, and the board does not restart for nothing") {
  Browser browser;
  browser.store.fails = true;
  CHECK(has(browser.send(post("ssid=home&password=&servers=&key=")), "flash storage fails"));
  CHECK_FALSE(browser.saved);
}

TEST_CASE("the longest form there can be fits into its response") {
  Settings settings;
  std::memset(settings.ssid, '"', sizeof settings.ssid - 1);
  Browser browser(std::string(199, '&').c_str(), settings);
  const std::string quotes(32 * 3, ' ');
  std::string body = "password=x&ssid=";
  for (int i = 0; i < 280; ++i) body += "%22";
  body += "&servers=";
  for (int i = 0; i < 280; ++i) body += "%22";
  const std::string page = browser.send(post(body));
  MESSAGE("the longest form has " << page.size() << " of " << SetupForm::kMaxResponse << " bytes");
  CHECK(has(page, "</html>"));
  CHECK_FALSE(browser.saved);
}

TEST_CASE("the access point opens until a network was joined once, and never after by itself") {
  CHECK(opens_access_point(FirstJoin::never_tried, false));
  CHECK_FALSE(opens_access_point(FirstJoin::never_tried, true));  // with secrets
  CHECK_FALSE(opens_access_point(FirstJoin::tried, true));
  CHECK(opens_access_point(FirstJoin::failed, true));
  CHECK_FALSE(opens_access_point(FirstJoin::done, true));
  CHECK_FALSE(opens_access_point(FirstJoin::done, false));
  CHECK(next_first_join(FirstJoin::tried, false, kFirstJoin_ms - 1) == FirstJoin::tried);
  CHECK(next_first_join(FirstJoin::tried, false, kFirstJoin_ms) == FirstJoin::failed);
  CHECK(next_first_join(FirstJoin::tried, true, kFirstJoin_ms) == FirstJoin::done);
  CHECK(next_first_join(FirstJoin::never_tried, false, 10 * kFirstJoin_ms) == FirstJoin::never_tried);
  CHECK(next_first_join(FirstJoin::never_tried, true, 5) == FirstJoin::done);
  CHECK(next_first_join(FirstJoin::done, false, 10 * kFirstJoin_ms) == FirstJoin::done);
}

}  // namespace
}  // namespace inktop
