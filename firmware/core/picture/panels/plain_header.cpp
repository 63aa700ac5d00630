#include "picture/panels/plain_header.h"

#include "picture/items.h"
#include "picture/panels/header.h"
#include "picture/text.h"

namespace inktop {

namespace {

constexpr int kRuleSpace = 4;  // from the header to the rule below it

}  // namespace

void draw_plain_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                       const PlainHeader& header) {
  scene.element("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  if (view.freshness == Freshness::lost) {
    // In place of the rule, too.
    return draw_lost(scene, view, m, {rect.x, rect.y, rect.width, rect.height + kRuleSpace + m.line},
                     header.who.c_str());
  }
  rule_item(scene, {rect.x, rect.bottom() + kRuleSpace, rect.width, m.line});
  const Font& big = *m.value;
  const Font& body = *m.body;
  const int baseline = (rect.height + m.title->capital) / 2;
  const auto words = [&](const Font& font, int x, int width, const char* text, Align align) {
    const Fitted fitted = fit_text(font, text, width);
    if (fitted.length == 0) return;
    const Run run{&font, text};
    const int above = font.ascent < baseline ? font.ascent : baseline;
    const int room = rect.height + kRuleSpace - baseline;
    const int below = room < font.descent ? room : font.descent;
    runs_item(scene, {x, rect.y + baseline - above, width, above + below}, above, &run, 1, align);
  };
  const bool twelve = view.taste.twelve_hours;
  LongText half;
  if (twelve && header.second >= 0) half.add(' ').add(half_of_day(header.second));
  const int half_width = text_width(body, half.c_str());
  const int clock_width = text_width(*m.title, "00:00");
  const int clock_x = rect.right() - half_width - clock_width - 4;
  words(*m.title, clock_x, clock_width, format_minute(header.second, twelve).c_str(), Align::right);
  if (half_width > 0) words(body, rect.right() - half_width, half_width, half.c_str(), Align::right);
  int right = clock_x - m.pad;
  if (view.quiet.interval_min > 0) {
    const LongText quiet = quiet_words(view, m, rect.width);
    const int width = text_width(body, quiet.c_str());
    words(body, right - width, width, quiet.c_str(), Align::right);
    right -= width + m.pad;
  }
  int x = rect.x + 4;
  const int urgent_width = header.urgent.empty() ? 0 : text_width(big, header.urgent.c_str()) + 2 * m.pad;
  const int who_room = right - x - (urgent_width > 0 ? urgent_width + m.pad : 0);
  const int who_needs = text_width(big, header.who.c_str());
  const int who_width = who_needs < who_room ? who_needs : who_room;
  words(big, x, who_width, header.who.c_str(), Align::left);
  x += who_width + m.pad;
  if (urgent_width > 0 && x + urgent_width <= right) {
    inverted_item(scene, {x, rect.y, urgent_width, rect.height}, big, header.urgent.c_str());
    x += urgent_width + m.pad;
  }
  const int where_width = text_width(body, header.where.c_str());
  if (where_width > 0 && x + where_width <= right) {
    words(body, x, where_width, header.where.c_str(), Align::left);
    x += where_width + m.pad;
  }
  const int width = text_width(big, header.widest);
  if (header.middle.empty() || x + width > right) return;
  const int middle = rect.x + (rect.width - width) / 2;
  const int left = middle < x ? x : middle + width > right ? right - width : middle;
  words(big, left, width, header.middle.c_str(), Align::center);
}

}  // namespace inktop
