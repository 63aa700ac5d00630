#include "picture/screens.h"

#include <cstring>

#include "picture/items.h"
#include "picture/panels/frame.h"
#include "picture/wrap.h"

namespace inktop {

namespace {

constexpr int kMaxFacts = 10;

struct Fact {
  const char* name;
  LongText value;
};

// One screen in words: a title, what is known, and the next step.
struct Card {
  LongText title;
  const char* explanation = "";
  Fact facts[kMaxFacts];
  int fact_count = 0;
  const char* advice = "";
  int percent = -1;   // of an update over the air
  LongText codes[2];  // to be scanned, from the left
  int code_count = 0;

  LongText& fact(const char* name) {
    Fact& fact = facts[fact_count < kMaxFacts ? fact_count++ : kMaxFacts - 1];
    fact.name = name;
    fact.value = LongText();
    return fact.value;
  }
};

const BoardFacts kNoFacts;

const BoardFacts& facts_of(const View& view) {
  return view.board != nullptr ? *view.board : kNoFacts;
}

const char* or_none(const char* text) {
  return *text != 0 ? text : kNoValue;
}

void add_identity(Card& card, const BoardFacts& board) {
  card.fact("board").add(or_none(board.id)).add("   firmware ").add(or_none(board.firmware));
}

void add_network(Card& card, const BoardFacts& board) {
  card.fact("Wi-Fi").add(or_none(board.ssid));
  if (board.rssi_dbm != 0)
    card.facts[card.fact_count - 1].value.add("   ").add_number(board.rssi_dbm).add(" dBm");
  if (board.address[0] != 0) card.fact("this board").add(board.address);
}

void add_attempt(Card& card, const BoardFacts& board) {
  if (board.attempt > 1) card.fact("attempt").add_number(board.attempt);
}

void add_bytes(LongText& text, uint32_t bytes) {
  text.add_number(bytes / 1024).add(" KiB");
}

void add_setup(Card& card, const BoardFacts& board) {
  card.title.add("Set up this board");
  card.explanation =
      "Scan the left code with a phone: it joins this board's own network. Then scan the right one: it opens "
      "the "
      "form.";
  card.fact("network").add(board.id);
  card.fact("password").add(board.setup_password);
  card.fact("page").add(board.setup_page);
  if (board.ssid[0] != 0) card.fact("not joined").add(board.ssid);
  card.codes[0].add("WIFI:T:WPA;S:").add(board.id).add(";P:").add(board.setup_password).add(";;");
  card.codes[1].add(board.setup_page);
  card.code_count = 2;
  card.advice = "The form asks for your Wi-Fi and your server. By cable: inktop configure.";
}

Card card_of(const View& view) {
  const BoardFacts& board = facts_of(view);
  Card card;
  switch (view.screen) {
    case Screen::boot:
      card.title.add("inktop");
      card.explanation =
          "Starting: first the panel is cleared, then the board joins Wi-Fi and looks for its server.";
      add_identity(card, board);
      card.fact("start").add("number ").add_number(board.boots);
      card.fact("reason").add(or_none(board.reset_reason));
      card.advice = "Nothing to do. The first picture comes within about half a minute.";
      break;
    case Screen::wifi_unset:
      if (board.setup_password[0] != 0) {
        add_setup(card, board);
        break;
      }
      card.title.add("No Wi-Fi is set");
      card.explanation = board.setup_closed ? "This board knows no network yet, and its own for setting it "
                                              "up has closed after half an hour."
                                            : "This board knows no network yet.";
      add_identity(card, board);
      card.advice =
          board.setup_closed
              ? "Press RST: it opens again, and two codes lead to the form. By cable: inktop configure."
              : "Connect it by USB and run: inktop configure. Or put the network into the secrets "
                "file (inktop secrets init) and flash again.";
      break;
    case Screen::wifi_joining:
      card.title.add("Joining Wi-Fi");
      card.explanation = "Waiting for the access point to let the board in.";
      add_identity(card, board);
      add_network(card, board);
      add_attempt(card, board);
      card.advice = "Nothing to do, unless this takes minutes: then check that the access point is on.";
      break;
    case Screen::wifi_no_ssid:
      card.title.add("Wi-Fi not found");
      card.explanation = "SSID not found: the board sees 2.4 GHz networks only.";
      add_network(card, board);
      add_attempt(card, board);
      card.advice =
          "Switch on 2.4 GHz for this network, move the board nearer, or correct the name with: inktop "
          "configure. It keeps "
          "trying.";
      break;
    case Screen::wifi_bad_key:
      card.title.add("Wi-Fi refused us");
      card.explanation = "Wrong password: the access point did not accept it.";
      add_network(card, board);
      add_attempt(card, board);
      card.advice = "Set the right password with: inktop configure. It keeps trying.";
      break;
    case Screen::wifi_no_address:
      card.title.add("No address");
      card.explanation = "Joined the network, but no DHCP server gave the board an address.";
      add_network(card, board);
      add_attempt(card, board);
      card.advice = "Check the router: is DHCP on, and does it have addresses left? It keeps trying.";
      break;
    case Screen::searching:
      card.title.add("Looking for the server");
      card.explanation = "Trying the known addresses in turn and listening for the collector's announcement.";
      add_network(card, board);
      card.fact("trying").add(or_none(board.server));
      add_attempt(card, board);
      card.advice =
          "On the server, run: inktop-collector serve. Is it running already? Then its port 7910 must be "
          "open, and both must be "
          "in one network.";
      break;
    case Screen::waiting:
      card.title.add("Connected");
      card.explanation = "The server answered; the first line of data comes within a second or two.";
      add_network(card, board);
      card.fact("server").add(or_none(board.server));
      card.advice = "If this stays: look at the collector's log on the server.";
      break;
    case Screen::denied:
      if (board.server_unproven) {
        card.title.add("The server has another key, or none");
        card.explanation =
            "This board has a key, and shows nothing of a server that does not prove the same.";
        add_network(card, board);
        card.fact("server").add(or_none(board.server));
        card.advice =
            "Set the same key on both: inktop configure, and key_file on the server. A collector older than "
            "this firmware cannot prove it: update the collector.";
        break;
      }
      card.title.add("The server hung up");
      card.explanation = "The connection was closed right after the board's hello.";
      add_network(card, board);
      card.fact("server").add(or_none(board.server));
      card.advice =
          "Either the keys differ (set the board's with: inktop configure) or the server's allow list lacks "
          "this board's "
          "address. The collector's log says which.";
      break;
    case Screen::newer_protocol:
      card.title.add("Update this board");
      card.explanation = "The server speaks a newer protocol than this firmware can read.";
      add_identity(card, board);
      card.fact("server").add(or_none(board.server));
      card.advice =
          "Flash the current firmware (inktop flash), or install the older collector on the server.";
      break;
    case Screen::status: {
      card.title.add("Status");
      card.fact("board").add(or_none(board.id)).add("   firmware ").add(or_none(board.firmware));
      card.fact("up").add(format_duration(board.uptime_s).c_str());
      card.facts[card.fact_count - 1].value.add("   start ").add_number(board.boots);
      card.facts[card.fact_count - 1].value.add("   after ").add(or_none(board.reset_reason));
      add_network(card, board);
      card.fact("server").add(or_none(board.server));
      LongText& memory = card.fact("free memory");
      add_bytes(memory, board.heap_bytes);
      memory.add("   PSRAM ");
      add_bytes(memory, board.psram_bytes);
      if (board.largest_block_bytes >= 0) {
        LongText& least = card.fact("least memory");
        add_bytes(least, uint32_t(board.lowest_heap_bytes));
        least.add("   largest block ");
        add_bytes(least, uint32_t(board.largest_block_bytes));
        least.add("   stacks ");
        add_bytes(least, uint32_t(board.main_stack_bytes));
        least.add(", ");
        add_bytes(least, uint32_t(board.network_stack_bytes));
      }
      card.fact("refreshes")
          .add_number(board.updates)
          .add(" updates   ")
          .add_number(board.washes)
          .add(" washes   ")
          .add_number(board.refresh_errors)
          .add(" errors");
      card.fact("bad lines").add_number(board.bad_lines);
      LongText& settings = card.fact("settings");
      settings.add("update every ").add_number(board.update_interval_ms / 1000).add(".");
      settings.add_number(board.update_interval_ms % 1000 / 100)
          .add(" s   wash after ")
          .add_number(board.wash_interval);
      if (board.panel_mhz != 0) settings.add("   clock ").add_number(board.panel_mhz).add(" MHz");
      if (board.vcom_mv != 0) settings.add("   VCOM -").add_number(board.vcom_mv).add(" mV");
      card.advice = "Press button 2 again to go back. Settings are changed with: inktop configure.";
      break;
    }
    case Screen::updating:
      card.title.add("Updating");
      card.explanation = "New firmware is arriving over the air.";
      add_identity(card, board);
      card.percent = board.update_percent;
      card.advice = "Leave the power on. The board restarts by itself.";
      break;
    case Screen::panel_fault:
      card.title.add("The panel has no power");
      card.explanation = "Its supply did not come up three times in a row: the board stopped driving it.";
      add_identity(card, board);
      card.fact("errors").add_number(board.refresh_errors);
      card.advice = "Check the 5 V supply and the panel's cable, then switch the board off and on.";
      break;
    case Screen::live:
      card.title.add("Waiting for data");
      card.explanation = "There has been no line of data yet.";
      card.advice = "On the server, run: inktop-collector serve";
      break;
  }
  return card;
}

// Modules smaller than this are not read from the panel with a phone at arm's length.
constexpr int kLeastModule = 4;
constexpr int kMostModule = 10;

// From the right edge; returns where they begin. Without room for them there are none: the facts say the
// same.
int codes_items(Scene& scene, const Card& card, const Rect& rect, int space) {
  QrCode codes[2];
  int side = 0;
  for (int i = 0; i < card.code_count; ++i) {
    if (!codes[i].encode(card.codes[i].c_str())) return rect.right();
    if (codes[i].side() > side) side = codes[i].side();
  }
  if (side == 0) return rect.right();
  const int modules = side + 2 * QrCode::kQuiet;
  int module = rect.height / modules;
  if (module > kMostModule) module = kMostModule;
  // Half the width stays for the facts.
  while (module >= kLeastModule && card.code_count * (module * modules + space) > rect.width * 6 / 10)
    --module;
  if (module < kLeastModule) return rect.right();
  int x = rect.right();
  for (int i = card.code_count - 1; i >= 0; --i) {
    const int size = module * (codes[i].side() + 2 * QrCode::kQuiet);
    x -= size;
    code_item(scene, {x, rect.y, size, size}, codes[i], module);
    x -= space;
  }
  return x;
}

}  // namespace

void draw_screen(Scene& scene, const View& view, Size size) {
  const Metrics& m = metrics_for(size);
  const Card card = card_of(view);
  const int space = m.pad;
  // Two thirds of the display's width, centred, on the grid.
  const int most = size.width - 2 * m.margin;
  int width = size.width * 2 / 3 / 8 * 8;
  if (width < 640) width = most < 640 ? most : 640;
  int height = size.height * 72 / 100 / 8 * 8;
  if (height < 400) height = size.height - 2 * m.margin < 400 ? size.height - 2 * m.margin : 400;
  const Rect rect{(size.width - width) / 2, (size.height - height) / 2, width, height};
  scene.element("screen", -1, rect);
  panel_items(scene, rect, m, "inktop", facts_of(view).id);
  const int x = rect.x + 2 * space;
  const int inner = rect.width - 4 * space;
  int y = rect.y + m.strip + space;
  const Font& title = text_width(*m.title, card.title.c_str()) <= inner ? *m.title : *m.value;
  text_item(scene, text_rect(title, x, y, inner), title, card.title.c_str());
  y += title.ascent + title.descent + space / 2;

  // The advice stands on the lower edge: the eye finds it in the same place on every screen.
  const Font& body = *m.body;
  const Font& caption = *m.caption;
  const int line = body.ascent + body.descent;
  const int caption_height = caption.ascent + caption.descent;
  // What happened and what to do are read from across the room where there is the height for it.
  const int others = caption_height + 3 * space + card.fact_count * (line + line / 2) +
                     (card.percent >= 0 ? m.strip + space : 0);
  const int needed = wrapped_height(*m.value, card.explanation, inner) +
                     wrapped_height(*m.value, card.advice, inner) + others;
  const Font& words = needed <= rect.bottom() - y ? *m.value : *m.small_value;
  const int advice_y = rect.bottom() - space - wrapped_height(words, card.advice, inner);
  const int rule_y = advice_y - caption_height - space;
  y = wrapped_items(scene, words, card.explanation, x, y, inner) + space / 2;
  if (card.percent >= 0) {
    bar_item(scene, {x, y, inner, m.strip}, card.percent * 10);
    y += m.strip + space;
  }
  int names = 0;
  for (int i = 0; i < card.fact_count; ++i) {
    const int name_width = text_width(caption, card.facts[i].name);
    if (name_width > names) names = name_width;
  }
  const int values = x + names + space;
  const int facts_end = codes_items(scene, card, {x, y, inner, rule_y - space / 2 - y}, space);
  int pitch = line + line / 2;
  const int room = rule_y - space / 2 - y;
  if (card.fact_count > 0 && card.fact_count * pitch > room) pitch = room / card.fact_count;
  if (pitch < line) pitch = line;
  for (int i = 0; i < card.fact_count && y + line < rule_y; ++i) {
    text_item(scene, text_rect(caption, x, y + body.ascent - caption.ascent, names), caption,
              card.facts[i].name);
    text_item(scene, text_rect(body, values, y, facts_end - values), body, card.facts[i].value.c_str());
    y += pitch;
  }
  rule_item(scene, {x, rule_y, inner, m.line});
  text_item(scene, text_rect(caption, x, rule_y + space / 2, inner), caption, "what you can do");
  wrapped_items(scene, words, card.advice, x, advice_y, inner);
}

}  // namespace inktop
