#include "picture/panels/header.h"

#include <cstring>
#include <initializer_list>

#include "machine/wall_clock.h"
#include "picture/format.h"
#include "picture/items.h"
#include "picture/panels/gpu_parts.h"
#include "picture/panels/server_parts.h"

namespace inktop {

namespace {

// What is in the middle: what no panel's title says.
struct Facts {
  ShortText before;
  ShortText number;  // in the larger font
  ShortText most;    // what the number may come to be
  LongText after;
};

Facts header_facts(const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  Facts facts;
  const HeaderMiddle middle = view.taste.middle;
  if (middle == HeaderMiddle::nothing) return facts;
  if (middle == HeaderMiddle::memory && snapshot.gpu_count > 0) {
    const GpuSums sums = gpu_sums(view, 0);
    if (sums.vram_total_mib == 0) return facts;
    const MemoryPair pair =
        memory_pair(milligib_of_mib(sums.vram_used_mib), milligib_of_mib(sums.vram_total_mib), false);
    facts.before.add("VRAM  ");
    facts.number = pair.used;
    facts.after.add(' ').add(pair.rest.c_str());
    return facts;
  }
  if (middle != HeaderMiddle::power) {
    if (snapshot.uptime_s != kUnknown) facts.after.add("up ").add(format_duration(snapshot.uptime_s).c_str());
    return facts;
  }
  if (snapshot.gpu_count > 0) {
    const GpuSums sums = gpu_sums(view, 0);
    const int32_t power_w = view.gpus_power_w != kUnknown ? view.gpus_power_w : sums.power_w;
    if (power_w != kUnknown) {
      facts.before.add(snapshot.gpu_count == 1 ? "GPU  " : "GPUs  ");
      facts.number.add_number(power_w);
      if (sums.power_cap_w != kUnknown) {
        facts.most.add_number(sums.power_cap_w);
        facts.after.add(" / ").add_number(sums.power_cap_w);
      }
      facts.after.add(" W      ");
    } else {
      facts.after.add_number(snapshot.gpu_count).add(snapshot.gpu_count == 1 ? " GPU      " : " GPUs      ");
    }
  } else if (snapshot.cpus != kUnknown) {
    facts.after.add_number(snapshot.cpus).add(snapshot.cpus == 1 ? " CPU      " : " CPUs      ");
  }
  if (snapshot.uptime_s != kUnknown) facts.after.add("up ").add(format_duration(snapshot.uptime_s).c_str());
  return facts;
}

// "2 of 4", and how many of the others are gone: with several servers it is worth more than the address.
LongText place_words(const View& view) {
  LongText words;
  words.add_number(view.large + 1).add(" of ").add_number(view.server_count);
  int gone = 0;
  for (int i = 0; i < view.server_count; ++i) {
    if (i != view.large && !view.servers[i].is_there()) ++gone;
  }
  if (gone > 0) words.add(", ").add_number(gone).add(" gone");
  return words;
}

// Why this server has come forward.
LongText alarm_words(const View& view) {
  const PanelAlarm alarm = server_alarm(view);
  LongText words = alarm.words;
  if (!words.empty() && alarm.since_s >= 0)
    words.add(" since ").add(format_clock(alarm.since_s, false, alarm.twelve_hours).c_str());
  return words;
}

}  // namespace

HeaderLine::HeaderLine(Scene& scene, const Metrics& m, const Rect& rect)
    : scene_(scene), m_(m), rect_(rect), baseline_((rect.height + m.title->capital) / 2) {
  rule_item(scene, {rect.x, rect.bottom() + kRuleSpace, rect.width, m.line});
}

void HeaderLine::words(const Font& font, int x, int width, const char* text, Align align) {
  if (fit_text(font, text, width).length == 0) return;
  const Run run{&font, text};
  const int above = font.ascent < baseline_ ? font.ascent : baseline_;
  const int room = rect_.height + kRuleSpace - baseline_;
  const int below = room < font.descent ? room : font.descent;
  runs_item(scene_, {x, rect_.y + baseline_ - above, width, above + below}, above, &run, 1, align);
}

int HeaderLine::clock(int32_t second, bool twelve_hours) {
  LongText half;
  if (twelve_hours && second >= 0) half.add(' ').add(half_of_day(second));
  const int half_width = text_width(*m_.body, half.c_str());
  const int width = text_width(*m_.title, "00:00");
  const int x = rect_.right() - half_width - width - 4;
  words(*m_.title, x, width, format_minute(second, twelve_hours).c_str(), Align::right);
  words(*m_.body, rect_.right() - half_width, half_width, half.c_str(), Align::right);
  return x - m_.pad;
}

LongText quiet_words(const View& view, const Metrics& m, int width) {
  const auto said = [&view](const char* before, const char* until) {
    LongText words;
    words.add(before).add("every ").add_number(view.quiet.interval_min).add(" min");
    if (view.quiet.from_h == view.quiet.to_h) return words;
    const int32_t end_s = view.quiet.to_h * 3600;
    return words.add(until).add(format_clock(end_s, false, view.taste.twelve_hours).c_str());
  };
  const LongText words = said("quiet: ", " until ");
  return width < 3 * text_width(*m.body, words.c_str()) ? said("", " to ") : words;
}

// "OOM KILL at 12:13  +1": the newest, and how many others.
LongText event_words(const View& view) {
  const Event& event = *view.event;
  const auto is = [&event](const char* subject, const char* what) {
    return std::strcmp(event.subject, subject) == 0 && std::strcmp(event.what, what) == 0;
  };
  LongText words;
  if (is("mem", "oom")) {
    words.add("OOM KILL");
  } else if (is("sys", "boot")) {
    words.add("REBOOTED");
  } else {
    // In its own words: a later collector may tell of what this firmware does not know.
    for (const char* part : {event.subject, " ", event.what}) {
      for (; *part != 0; ++part) words.add(*part >= 'a' && *part <= 'z' ? char(*part - 'a' + 'A') : *part);
    }
  }
  words.add(" at ").add(format_clock(seconds_of_day(event.time), false, view.taste.twelve_hours).c_str());
  if (view.event_count > 1) words.add("  +").add_number(view.event_count - 1);
  return words;
}

// Unmistakable: the whole header turns black and says since when nothing has come, and what is tried.
void draw_lost(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const char* who) {
  LongText words;
  words.add("NO DATA");
  if (view.last_data_s >= 0)
    words.add(" since ").add(format_clock(view.last_data_s, false, view.taste.twelve_hours).c_str());
  LongText tried;
  tried.add(who);
  if (view.board != nullptr && view.board->server[0] != 0) {
    tried.add("   trying ").add(view.board->server);
  } else {
    tried.add("   is the collector running?");
  }
  if (!scene.item(rect, key_of(Kind::band).add(words.c_str()).add(tried.c_str()))) return;
  Canvas& canvas = scene.canvas();
  canvas.fill(rect, Ink::black);
  const Font& font = m.title->ascent <= rect.height ? *m.title : *m.value;
  const int baseline = rect.y + (rect.height + font.capital) / 2 + 1;
  const int room = rect.width - 2 * m.pad;
  const Fitted loud = fit_text(font, words.c_str(), room);
  draw_fitted(canvas, font, words.c_str(), loud, rect.x + m.pad, baseline, Ink::white);
  const int lowest = rect.bottom() - m.body->descent;
  const Fitted quiet = fit_text(*m.body, tried.c_str(), room - loud.width - m.pad);
  draw_fitted(canvas, *m.body, tried.c_str(), quiet, rect.right() - m.pad - quiet.width,
              baseline < lowest ? baseline : lowest, Ink::white);
}

void draw_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  scene.element("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  if (view.freshness == Freshness::lost) {
    // In place of the rule, too: a band has no double edge.
    draw_lost(scene, view, m, {rect.x, rect.y, rect.width, rect.height + kRuleSpace + m.line}, snapshot.host);
    return;
  }
  HeaderLine line(scene, m, rect);
  const Font& big = *m.value;
  const Font& body = *m.body;
  const int space = m.pad;
  int right = line.clock(seconds_of_day(snapshot.time), view.taste.twelve_hours);
  Facts facts = header_facts(view);
  const bool old = view.freshness == Freshness::old;
  if (old) {
    facts = Facts();
    facts.after.add("data ").add_number(view.age_s).add(" s old");
  }
  // What has happened is worth more than the address, the facts and the end of a long name.
  LongText event;
  if (view.event_count > 0 && view.event != nullptr) event = event_words(view);
  if (event.empty() && view.forward) event = alarm_words(view);
  const int band_width = event.empty() ? 0 : text_width(big, event.c_str()) + 2 * m.pad;
  // In the middle, as wide as it can become: what stands beside it does not depend on the last digit.
  const Run runs[] = {
      {&body, facts.before.c_str()}, {&big, facts.number.c_str()}, {&body, facts.after.c_str()}};
  const Run widest[] = {runs[0], {&big, facts.most.c_str()}, runs[2]};
  const int facts_width = runs_width(runs, 3);
  const int most_width = facts.most.empty() ? facts_width : runs_width(widest, 3);
  const int middle_width = !event.empty() ? band_width : most_width > facts_width ? most_width : facts_width;
  // Host and address from the left, load and clock from the right, the machine's facts between. In quiet
  // hours it matters more how old the load is than what it was.
  if (view.quiet.interval_min > 0) {
    const LongText quiet = quiet_words(view, m, rect.width);
    const int width = text_width(body, quiet.c_str());
    line.words(body, right - width, width, quiet.c_str(), Align::right);
    right -= width + space;
  } else if (snapshot.has_load) {
    LongText load;
    load.add("load ");
    for (int i = 0; i < 3; ++i) load.add(i > 0 ? "  " : "").add(format_load(snapshot.load_centi[i]).c_str());
    int width = text_width(body, "load 00.00  00.00  00.00");
    const int needed = text_width(body, load.c_str());
    if (needed > width) width = needed;
    // What no panel says is worth more than the load.
    const int least = text_width(big, fitted_host(snapshot.host, big, 0).c_str()) + space;
    const bool for_middle = event.empty() && middle_width > 0 && facts_width <= right - rect.x - least &&
                            rect.x + least + middle_width + width + 2 * space > right;
    if (rect.width >= 3 * width && !for_middle) {
      line.words(body, right - width, width, load.c_str(), Align::right);
      right -= width + space;
    }
  }
  const int all = right - rect.x - 4;
  const int room = all - (event.empty() ? 0 : band_width + space);
  const LongText where = view.server_count > 1 ? place_words(view) : LongText().add(snapshot.address);
  const int address_width = text_width(body, where.c_str());
  // A long host is cut at its first dot, then the address goes, so that what is in the middle stays; if that
  // is not enough, the host comes first, then the address, then the facts.
  const int middle_needs = middle_width > 0 ? middle_width + space : 0;
  const int address_needs = where.empty() ? 0 : address_width + space;
  LongText host = LongText().add(snapshot.host);
  if (text_width(big, host.c_str()) + address_needs + middle_needs > all) {
    host = fitted_host(snapshot.host, big, 0);
  }
  const int host_needs = text_width(big, host.c_str());
  const bool for_facts = event.empty() && middle_needs > 0 && view.server_count <= 1 &&
                         host_needs + address_needs + middle_needs + space > all &&
                         host_needs + middle_needs + space <= all;
  int host_room = room;
  int address_room = 0;
  if (!where.empty() && !for_facts && (event.empty() || host_needs + space + address_width <= room)) {
    address_room = address_width;
    if (host_needs + space + address_room > room) {
      // Half an address leads nowhere.
      if (address_room > room * 2 / 5) address_room = 0;
    }
    host_room = room - space - address_room;
  }
  const int host_width = host_needs < host_room ? host_needs : host_room;
  int left = rect.x + 4;
  line.words(big, left, host_width, host.c_str(), Align::left);
  left += host_width + space;
  if (address_room > 0) {
    line.words(body, left, address_room, where.c_str(), Align::left);
    left += address_room + space;
  }
  if (!event.empty()) {
    const int middle = rect.x + (rect.width - band_width) / 2;
    const int least = right - band_width;
    const int x = middle < left ? left : middle > least ? least : middle;
    inverted_item(scene, {x, rect.y, band_width, rect.height}, big, event.c_str());
    return;
  }
  // In the middle of the display where there is room, else in the middle of what is left: in a rectangle that
  // does not move with the text.
  const int free = right - left;
  const int centre = rect.x + rect.width / 2;
  const int half = centre - left < right - centre ? centre - left : right - centre;
  const Rect whole{left, rect.y + line.baseline() - big.ascent, free, big.ascent + body.descent};
  if (facts_width <= 2 * half) {
    runs_item(scene, {centre - half, whole.y, 2 * half, whole.height}, big.ascent, runs, 3, Align::center);
  } else if (facts_width <= free || old) {
    runs_item(scene, whole, big.ascent, runs, 3, Align::center);
  }
}

}  // namespace inktop
