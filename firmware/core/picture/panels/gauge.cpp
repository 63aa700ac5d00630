#include "picture/panels/gauge.h"

#include <cstring>

namespace inktop {

namespace {

// Units are small beside every number but the biggest.
const Font& unit_of(const Metrics& m, const Font& number) {
  return &number == m.big_numeral ? *m.value : *m.body;
}

int room_of(const Metrics& m, const Font& font) {
  return font_height(font) + (font.descent < 4 ? 2 * m.line : 0);
}

}  // namespace

Stat brief_of(const Stat& stat) {
  Stat out = stat;
  const char* const last = std::strrchr(stat.unit.c_str(), ' ');
  if (stat.unit.c_str()[0] == '/' && last != nullptr) {
    out.unit = ShortText();
    out.unit.add(last + 1);
  }
  return out;
}

int widest(const Metrics& m, const Font& font, const Stat& stat) {
  ShortText number = stat.number;
  const char* const unit = stat.unit.c_str();
  if (unit[0] == '/') {
    ShortText total;
    for (const char* c = unit + 2; *c != 0 && *c != ' '; ++c) total.add(*c);
    if (text_width(font, total.c_str()) > text_width(font, number.c_str())) number = total;
  } else if (std::strcmp(unit, "%") == 0) {
    number = ShortText().add("100");
  } else if (text_width(font, "100") > text_width(font, number.c_str())) {
    number = ShortText().add("100");
  }
  const int width = quantity_width(font, unit_of(m, font), number.c_str(), unit);
  const int caption = text_width(*m.caption, stat.caption);
  return width > caption ? width : caption;
}

int gauge_height(const Metrics& m, const Font& font) {
  return font_height(*m.caption) + m.line + 1 + room_of(m, font);
}

void gauge_stat(Scene& scene, const Metrics& m, int x, int y, int width, const Font& font, const Stat& stat) {
  text_item(scene, text_rect(*m.caption, x, y, width), *m.caption, stat.caption);
  quantity_item(scene, {x, y + font_height(*m.caption) + m.line + 1, width, room_of(m, font)}, font,
                unit_of(m, font), stat.number.c_str(), stat.unit.c_str(), stat.emphasis);
}

void gauge_bar(Scene& scene, const Metrics& m, int x, int y, int width, const Gauge& gauge) {
  if (gauge.has_bar) bar_item(scene, {x, y, width, bar_height(m)}, gauge.permille);
}

void barred_gauge(Scene& scene, const Metrics& m, int x, int y, int width, const Font& font,
                  const Gauge& gauge, int bar_y) {
  const bool whole = widest(m, font, gauge.stat) <= width;
  if (whole || !gauge.has_bar || bar_y == 0) {
    gauge_stat(scene, m, x, y, width, font, whole ? gauge.stat : brief_of(gauge.stat));
    if (bar_y > 0) gauge_bar(scene, m, x, y + bar_y, width, gauge);
    return;
  }
  Stat stat = brief_of(gauge.stat);
  LongText caption;
  caption.add(stat.caption).add(" of ").add(gauge.stat.unit.c_str() + 2);
  const bool fits = text_width(*m.caption, caption.c_str()) <= width;
  if (fits) stat.caption = caption.c_str();
  gauge_stat(scene, m, x, y, width, font, stat);
  if (fits) gauge_bar(scene, m, x, y + bar_y, width, gauge);
}

Stat fitted_stat(const Metrics& m, const Font& font, const Stat& stat, int width) {
  return widest(m, font, stat) <= width ? stat : brief_of(stat);
}

}  // namespace inktop
