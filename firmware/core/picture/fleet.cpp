#include "picture/fleet.h"

#include <initializer_list>

#include "machine/wall_clock.h"
#include "picture/items.h"
#include "picture/panels/fleet_parts.h"
#include "picture/panels/frame.h"
#include "picture/panels/plain_header.h"
#include "picture/text.h"

namespace inktop {

namespace {

constexpr int kSumPanels = 3;

// Two numbers below each other, the first the larger, each with its bar.
void draw_sums(Scene& scene, const Metrics& m, const Rect& rect, const char* title, const Gauge& first,
               const Gauge& second) {
  panel_items(scene, rect, m, title, "");
  const Inner in = inner_of(rect, m);
  const int bar = bar_height(m) + 2 * m.line;
  const auto fitting = [&](const Gauge& gauge, std::initializer_list<const Font*> fonts) {
    const Font* last = m.value;
    for (const Font* font : fonts) {
      last = font;
      if (widest(m, *font, gauge.stat) <= in.width) break;
    }
    return last;
  };
  const Font& large = *fitting(first, {m.big_numeral, m.numeral, m.title, m.value});
  const Font& small = *fitting(second, {m.numeral, m.title, m.value});
  const int heights = gauge_height(m, large) + gauge_height(m, small) + 2 * bar;
  int space = in.bottom - in.y - heights;
  if (space < 0) return;
  if (space > 2 * m.pad) space = 2 * m.pad;
  int y = in.y;
  const auto one = [&](const Gauge& gauge, const Font& font) {
    const int bar_y = gauge_height(m, font) + m.line;
    barred_gauge(scene, m, in.x, y, in.width, font, gauge, bar_y);
    y += bar_y + bar - m.line + space;
  };
  one(first, large);
  one(second, small);
}

// The worst first, in as many columns as it takes: whose name, and what is wrong with it.
void draw_worst(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Fleet& fleet = *view.fleet;
  LongText count;
  if (fleet.worst_count > 0 && fleet.wrong > fleet.worst_count) {
    count.add_number(fleet.worst_count).add(" of ").add_number(fleet.wrong);
  }
  const LongText source = source_words(fleet);
  PanelAlarm alarm;
  alarm.words = source;
  alarm.first = source;
  panel_items(scene, rect, m, "WORST", count.c_str(), alarm);
  const Inner in = inner_of(rect, m);
  const int room = in.bottom - in.y;
  if (fleet.worst_count == 0) {
    const char* const words = fleet.wrong == 0 ? "All is well."
                              : source.empty() ? "Nobody has looked for what is wrong."
                                               : "Nothing is known of what is wrong.";
    const Font& font = text_width(*m.title, words) <= in.width ? *m.title : *m.value;
    if (font_height(font) > room) return;
    text_item(scene, text_rect(font, in.x, in.y + (room - font_height(font)) / 2, in.width), font, words,
              Align::center);
    return;
  }
  const int columns = fleet.worst_count > 4 && in.width >= 40 * m.pad ? 2 : 1;
  const int rows = (fleet.worst_count + columns - 1) / columns;
  const int width = (in.width - (columns - 1) * 2 * m.pad) / columns;
  const int pitch = room / rows;
  const auto longest = [&](const Font& font) {
    int most = 0;
    for (int i = 0; i < fleet.worst_count; ++i) {
      const int needs = text_width(font, worst_words(view, fleet.worst[i]).c_str());
      if (needs > most) most = needs;
    }
    return most;
  };
  // A short name does not draw its fault away from its neighbours'; one cut at its dot is short enough.
  const auto longest_name = [&](const Font& font) {
    int most = text_width(font, "node000");
    for (int i = 0; i < fleet.worst_count; ++i) {
      const int needs = text_width(font, fitted_host(fleet.worst[i].host, font, width * 4 / 10).c_str());
      if (needs > most) most = needs;
    }
    return most;
  };
  // As large as all of them allow, name and fault beside each other.
  const Font* font = m.body;
  for (const Font* each : {m.title, m.value, m.medium}) {
    if (pitch < font_height(*each)) continue;
    if (longest(*each) + m.pad + longest_name(*each) > width) continue;
    font = each;
    break;
  }
  int words_width = longest(*font);
  if (words_width > width * 6 / 10) words_width = width * 6 / 10;
  const int most_name = width - words_width - m.pad;
  const int name_width = longest_name(*font) < most_name ? longest_name(*font) : most_name;
  const int words_room = width - name_width - m.pad;
  for (int i = 0; i < fleet.worst_count; ++i) {
    const int y = in.y + i % rows * pitch + (pitch - font_height(*font)) / 2;
    if (y < in.y || y + font_height(*font) > in.bottom) continue;
    const int x = in.x + i / rows * (width + 2 * m.pad);
    text_item(scene, text_rect(*font, x, y, name_width), *font,
              fitted_host(fleet.worst[i].host, *font, name_width).c_str());
    text_item(scene, text_rect(*font, x + name_width + m.pad, y, words_room), *font,
              worst_words(view, fleet.worst[i]).c_str());
  }
}

// "rack7 … 2 of 4".
PlainHeader header_of(const View& view) {
  const Fleet& fleet = *view.fleet;
  PlainHeader header;
  header.who.add(fleet.host);
  header.second = seconds_of_day(fleet.time);
  header.urgent = source_words(fleet);
  if (view.server_count > 1) {
    header.where.add_number(view.large + 1).add(" of ").add_number(view.server_count);
  } else {
    header.where.add(fleet.address);
  }
  if (view.freshness == Freshness::old) {
    header.middle.add("data ").add_number(view.age_s).add(" s old");
    header.widest = "data 12 s old";
  } else if (fleet.uptime_s != kUnknown) {
    header.middle.add("up ").add(format_duration(fleet.uptime_s).c_str());
    header.widest = "up 0000d 00h";
  }
  return header;
}

}  // namespace

void draw_fleet(Scene& scene, const View& view, Size size) {
  const Metrics& m = metrics_for(size);
  draw_plain_header(scene, view, m, {m.margin, m.inset, size.width - 2 * m.margin, m.header},
                    header_of(view));
  const int width = size.width - 2 * m.margin;
  const int height = size.height - m.bottom - m.top;
  const bool portrait = size.height > size.width;
  const int columns = portrait ? 1 : kSumPanels;
  const int rows = kSumPanels / columns;
  const int upper = height * (portrait ? 62 : 46) / 100 / 4 * 4;
  const auto place = [&](int index) {
    const auto x_of = [&](int column) { return column * (width + m.gap) / columns / 4 * 4; };
    const auto y_of = [&](int row) { return row * (upper + m.row_gap) / rows / 4 * 4; };
    const int column = index % columns;
    const int row = index / columns;
    return Rect{m.margin + x_of(column), m.top + y_of(row), x_of(column + 1) - m.gap - x_of(column),
                y_of(row + 1) - m.row_gap - y_of(row)};
  };
  scene.element("machines", -1, place(0));
  draw_sums(scene, m, place(0), "MACHINES", machines_gauge(view), wrong_gauge(view));
  scene.element("gpus", -1, place(1));
  draw_sums(scene, m, place(1), "GPUS", gpus_gauge(view), busy_gauge(view));
  scene.element("power", -1, place(2));
  draw_sums(scene, m, place(2), "POWER AND VRAM", power_gauge(view), vram_gauge(view));
  const int y = m.top + upper + m.row_gap;
  const Rect below{m.margin, y, width / 4 * 4, (size.height - m.bottom - y) / 4 * 4};
  scene.element("worst", -1, below);
  draw_worst(scene, view, m, below);
}

}  // namespace inktop
