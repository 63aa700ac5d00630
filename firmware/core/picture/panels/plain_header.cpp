#include "picture/panels/plain_header.h"

#include "picture/items.h"
#include "picture/panels/header.h"
#include "picture/text.h"

namespace inktop {

void draw_plain_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                       const PlainHeader& header) {
  scene.element("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  if (view.freshness == Freshness::lost) {
    // In place of the rule, too.
    return draw_lost(scene, view, m, {rect.x, rect.y, rect.width, rect.height + kRuleSpace + m.line},
                     header.who.c_str());
  }
  HeaderLine line(scene, m, rect);
  const Font& big = *m.value;
  const Font& body = *m.body;
  int right = line.clock(header.second, view.taste.twelve_hours);
  if (view.quiet.interval_min > 0) {
    const LongText quiet = quiet_words(view, m, rect.width);
    const int width = text_width(body, quiet.c_str());
    line.words(body, right - width, width, quiet.c_str(), Align::right);
    right -= width + m.pad;
  }
  int x = rect.x + 4;
  const int urgent_width = header.urgent.empty() ? 0 : text_width(big, header.urgent.c_str()) + 2 * m.pad;
  const int who_room = right - x - (urgent_width > 0 ? urgent_width + m.pad : 0);
  const int who_needs = text_width(big, header.who.c_str());
  const int who_width = who_needs < who_room ? who_needs : who_room;
  line.words(big, x, who_width, header.who.c_str(), Align::left);
  x += who_width + m.pad;
  if (urgent_width > 0 && x + urgent_width <= right) {
    inverted_item(scene, {x, rect.y, urgent_width, rect.height}, big, header.urgent.c_str());
    x += urgent_width + m.pad;
  }
  const int where_width = text_width(body, header.where.c_str());
  if (where_width > 0 && x + where_width <= right) {
    line.words(body, x, where_width, header.where.c_str(), Align::left);
    x += where_width + m.pad;
  }
  const int width = text_width(big, header.widest);
  if (header.middle.empty() || x + width > right) return;
  const int middle = rect.x + (rect.width - width) / 2;
  const int left = middle < x ? x : middle + width > right ? right - width : middle;
  line.words(big, left, width, header.middle.c_str(), Align::center);
}

}  // namespace inktop
