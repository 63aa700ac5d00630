#include "picture/widgets.h"

#include <cstring>

namespace inktop {

namespace {

// Glyphs may reach this far over their pen position: text items are that much wider than their text.
constexpr int kOverhang = 4;

enum class Kind : uint8_t { text, quantity, inverted, bar, rule, title, border, cells, segment };

Key key_of(Kind kind) {
  return Key().add_byte(static_cast<uint8_t>(kind));
}

int placed(const Rect& rect, int width, Align align) {
  switch (align) {
    case Align::left:
      return rect.x;
    case Align::right:
      return rect.right() - width;
    case Align::center:
      return rect.x + (rect.width - width) / 2;
  }
  return rect.x;
}

Rect with_overhang(const Rect& rect) {
  return {rect.x - kOverhang, rect.y, rect.width + 2 * kOverhang, rect.height};
}

// Units start with white of their own: beside big numbers a twelfth of their height would be a hole.
int unit_space(const Font& number_font) {
  const int space = number_font.capital / 12 + 3;
  return space < 5 ? space : 5;
}

}  // namespace

Rect text_rect(const Font& font, int x, int y, int width) {
  return {x, y, width, font.ascent + font.descent};
}

void text_item(Scene& scene, const Rect& rect, const Font& font, const char* text, Align align) {
  const Key key = key_of(Kind::text).add(&font).add_byte(static_cast<uint8_t>(align)).add(text);
  if (!scene.item(with_overhang(rect), key)) return;
  const Fitted fitted = fit_text(font, text, rect.width);
  draw_fitted(scene.canvas(), font, text, fitted, placed(rect, fitted.width, align), rect.y + font.ascent);
}

int quantity_width(const Font& number_font, const Font& unit_font, const char* number, const char* unit) {
  const int width = text_width(number_font, number);
  return *unit == 0 ? width : width + unit_space(number_font) + text_width(unit_font, unit);
}

void quantity_item(Scene& scene, const Rect& rect, const Font& number_font, const Font& unit_font,
                   const char* number, const char* unit, Emphasis emphasis) {
  const Key key = key_of(Kind::quantity)
                      .add(&number_font)
                      .add(&unit_font)
                      .add_byte(static_cast<uint8_t>(emphasis))
                      .add(number)
                      .add(unit);
  if (!scene.item(with_overhang(rect), key)) return;
  Canvas& canvas = scene.canvas();
  // A number that does not fit loses its unit first: the caption above it stands for that.
  int width = quantity_width(number_font, unit_font, number, unit);
  const bool with_unit = width <= rect.width;
  const Fitted fitted = fit_text(number_font, number, rect.width);
  if (!with_unit) width = fitted.width;
  const bool black = emphasis == Emphasis::none;
  if (!black) canvas.fill(with_overhang({rect.x, rect.y, width, rect.height}), Ink::black);
  const int baseline =
      rect.y + (rect.height - number_font.ascent - number_font.descent) / 2 + number_font.ascent;
  const int x = draw_fitted(canvas, number_font, number, fitted, rect.x, baseline, black);
  if (with_unit) draw_text(canvas, unit_font, unit, x + unit_space(number_font), baseline, black);
}

void inverted_item(Scene& scene, const Rect& rect, const Font& font, const char* text) {
  if (!scene.item(rect, key_of(Kind::inverted).add(&font).add(text))) return;
  scene.canvas().fill(rect, Ink::black);
  const int side = rect.height / 3;
  const Fitted fitted = fit_text(font, text, rect.width - 2 * side);
  draw_fitted(scene.canvas(), font, text, fitted, rect.x + (rect.width - fitted.width) / 2,
              rect.y + (rect.height + font.capital) / 2, false);
}

void rule_item(Scene& scene, const Rect& rect, Ink ink) {
  if (scene.item(rect, key_of(Kind::rule).add_byte(static_cast<uint8_t>(ink))))
    scene.canvas().fill(rect, ink);
}

void bar_item(Scene& scene, const Rect& rect, int32_t permille) {
  const int frame = rect.height >= 24 ? 3 : 2;
  const int space = rect.height >= 24 ? 4 : 2;  // between the frame and the blocks
  const int block = rect.height >= 24 ? 11 : 7;
  const int pitch = block + (rect.height >= 24 ? 3 : 2);
  const int inner = rect.width - 2 * (frame + space);
  const int blocks = (inner + pitch - block) / pitch;
  int filled = -1;
  if (permille != kUnknown) {
    // A block is what is used up whole: an idle card's few watts do not toggle one at its half, and full
    // means full. Nor is anything more than a trace shown as nothing.
    filled = permille * blocks / 1000;
    if (permille > 5 && filled == 0) filled = 1;
  }
  if (filled > blocks) filled = blocks;
  const Key key = key_of(Kind::bar).add(static_cast<uint64_t>(static_cast<int64_t>(filled)));
  if (!scene.item(rect, key)) return;
  Canvas& canvas = scene.canvas();
  canvas.outline(rect, frame);
  const int left = rect.x + frame + space + (inner - (blocks * pitch - (pitch - block))) / 2;
  for (int i = 0; i < blocks; ++i) {
    const int x = left + i * pitch;
    if (i < filled) {
      canvas.fill({x, rect.y + frame + space, block, rect.height - 2 * (frame + space)}, Ink::black);
    } else if (filled >= 0) {
      canvas.fill({x + block / 2 - 1, rect.y + rect.height / 2 - 1, 2, 2}, Ink::black);
    }
  }
}

namespace {

// The alarm in as many words as there is room for: with its time to the second, to the minute, or without it.
LongText alarm_within(const Font& font, const PanelAlarm& alarm, int width) {
  for (int variant = 0; variant < 3; ++variant) {
    LongText text;
    text.add(alarm.words.c_str());
    if (alarm.since_s >= 0 && variant < 2) {
      text.add(variant == 0 ? " since " : " ").add(format_clock(alarm.since_s, variant == 0).c_str());
    }
    if (variant == 2 || text_width(font, text.c_str()) <= width) return text;
  }
  return alarm.words;
}

}  // namespace

void panel_items(Scene& scene, const Rect& rect, const Metrics& metrics, const char* left, const char* right,
                 const PanelAlarm& alarm) {
  const Font& font = *metrics.body;
  const int line = metrics.line;
  const Rect strip{rect.x, rect.y, rect.width, metrics.strip};
  const Rect frame{rect.x, rect.y + metrics.strip / 2, rect.width, rect.height - metrics.strip / 2};
  const Key key = key_of(Kind::title)
                      .add(left)
                      .add(right)
                      .add(alarm.words.c_str())
                      .add(static_cast<uint64_t>(static_cast<int64_t>(alarm.since_s)));
  if (scene.item(strip, key)) {
    Canvas& canvas = scene.canvas();
    const int baseline = strip.y + (strip.height + font.capital) / 2;
    // The title's edges are those of what stands below it.
    const int side = metrics.pad;
    const int space = metrics.pad * 3 / 8;  // white between the text and the frame's line
    if (!alarm.words.empty()) {
      canvas.round_top(strip, metrics.radius, Ink::black);
      const Fitted name = fit_text(font, left, (strip.width - 2 * side) / 2);
      const int x = draw_fitted(canvas, font, left, name, strip.x + side, baseline, false);
      const int room = strip.right() - side - x - 2 * space;
      const LongText text = alarm_within(font, alarm, room);
      const Fitted fitted = fit_text(font, text.c_str(), room);
      draw_fitted(canvas, font, text.c_str(), fitted, strip.right() - side - fitted.width, baseline, false);
    } else {
      canvas.set_clip({strip.x, strip.y, strip.width, frame.y + metrics.radius - strip.y});
      canvas.round_outline({frame.x, frame.y, frame.width, 4 * metrics.radius}, metrics.radius, line,
                           Canvas::kTop);
      canvas.set_clip(strip);
      canvas.fill({frame.x, frame.y + metrics.radius, line, strip.bottom() - frame.y - metrics.radius},
                  Ink::black);
      canvas.fill(
          {frame.right() - line, frame.y + metrics.radius, line, strip.bottom() - frame.y - metrics.radius},
          Ink::black);
      const int room = strip.width - 2 * side;
      const int right_width = text_width(font, right);
      const int right_room = right_width < room / 2 ? right_width : room / 2;
      const Fitted name = fit_text(font, left, room - right_room - (*right != 0 ? 4 * space : 0));
      canvas.fill({strip.x + side - space, frame.y, name.width + 2 * space, line}, Ink::white);
      draw_fitted(canvas, font, left, name, strip.x + side, baseline);
      if (*right != 0) {
        const Fitted fact = fit_text(font, right, room - name.width - 4 * space);
        const int x = strip.right() - side - fact.width;
        canvas.fill({x - space, frame.y, fact.width + 2 * space, line}, Ink::white);
        draw_fitted(canvas, font, right, fact, x, baseline);
      }
    }
  }
  const int top = strip.bottom();
  const int bottom = rect.bottom() - metrics.radius;
  const Key border = key_of(Kind::border);
  if (scene.item({rect.x, top, line, bottom - top}, border)) {
    scene.canvas().fill({rect.x, top, line, bottom - top}, Ink::black);
  }
  if (scene.item({rect.right() - line, top, line, bottom - top}, border)) {
    scene.canvas().fill({rect.right() - line, top, line, bottom - top}, Ink::black);
  }
  if (scene.item({rect.x, bottom, rect.width, metrics.radius}, border)) {
    scene.canvas().round_outline({rect.x, rect.bottom() - 4 * metrics.radius, rect.width, 4 * metrics.radius},
                                 metrics.radius, line, Canvas::kBottom);
  }
}

void cells_items(Scene& scene, const Rect& rect, const int8_t* levels, int count) {
  if (count <= 0) return;
  // The number of rows whose cells come nearest to half as wide as tall.
  int rows = 1;
  int best = INT32_MAX;
  for (int candidate = 1; candidate <= 16; ++candidate) {
    const int columns = (count + candidate - 1) / candidate;
    if ((columns * (candidate - 1)) >= count && candidate > 1) continue;  // an empty row
    const int width = rect.width / columns;
    const int height = rect.height / candidate;
    if (width < 5 || height < 10) continue;
    const int wrong = width * 2 > height * 1 ? width * 2 * 100 / height : height * 100 / (width * 2);
    // A grid without a ragged last row looks better.
    const int cost = wrong + (columns * candidate != count ? 120 : 0);
    if (cost < best) {
      best = cost;
      rows = candidate;
    }
  }
  if (best == INT32_MAX) return;  // no room for cells that could be read
  const int columns = (count + rows - 1) / rows;
  const int pitch_y = rect.height / rows;
  int pitch_x = rect.width / columns;
  if (pitch_x > 2 * pitch_y) pitch_x = 2 * pitch_y;
  const int space = pitch_x >= 24 ? 6 : pitch_x >= 12 ? 4 : 2;
  const int frame = pitch_x >= 24 ? 2 : 1;
  const int width = pitch_x - space;
  // The last row ends on the lower edge of the rectangle, the last column on its right edge. Large cells
  // reach its left edge too: what their widths do not divide goes between them, where a pixel more is not
  // seen.
  const int height = pitch_y - space;
  const bool spread = pitch_x >= 24 && pitch_x == rect.width / columns;
  const int left = spread ? rect.x : rect.right() - (columns * pitch_x - space);
  const int extra = spread ? rect.width - (columns * pitch_x - space) : 0;
  const int top = rect.bottom() - (rows * pitch_y - space);
  for (int row = 0; row < rows; ++row) {
    const int first = row * columns;
    const int last = first + columns < count ? first + columns : count;
    const Rect line{left, top + row * pitch_y, columns * pitch_x - space + extra, height};
    Key key = key_of(Kind::cells).add(static_cast<uint64_t>(last - first));
    for (int i = first; i < last; ++i) key.add_byte(static_cast<uint8_t>(levels[i]));
    if (!scene.item(line, key)) continue;
    Canvas& canvas = scene.canvas();
    for (int i = first; i < last; ++i) {
      const int gaps = columns > 1 ? columns - 1 : 1;
      const Rect cell{left + (i - first) * pitch_x + (i - first) * extra / gaps, line.y, width, height};
      canvas.outline(cell, frame);
      const int room = height - 2 * frame;
      if (levels[i] < 0) {
        canvas.fill({cell.x + frame, cell.y + frame, width - 2 * frame, room}, Ink::light);
        continue;
      }
      const int filled = (levels[i] * room + 7) / 15;
      canvas.fill({cell.x, cell.bottom() - frame - filled, width, filled}, Ink::black);
    }
  }
}

namespace {

// Heights of the samples of one segment, px above the axis; -1 unknown. The one before them joins the line.
struct Heights {
  int before = -1;
  int of[kGraphStepSeconds];
};

int height_of(const Series& series, const GraphTime& time, int32_t second, int room, uint64_t full) {
  const int32_t age = time.newest_second - second;
  if (age < 0 || age >= kHistorySeconds || static_cast<int64_t>(age) > time.newest_uptime) return -1;
  const uint64_t value = series.at(time.newest_uptime - static_cast<uint32_t>(age));
  if (value == Series::kUnknown) return -1;
  if (value >= full) return room;
  return static_cast<int>((value * static_cast<uint64_t>(room) + full / 2) / full);
}

// Draws the columns of seconds [0, kGraphStepSeconds) between x0 and x1; y grows downwards from the top of
// the plot.
void draw_segment(Canvas& canvas, const Rect& plot, int x0, int x1, const Heights& heights, int line) {
  const int axis = plot.bottom() - line;
  const int width = x1 - x0;
  const auto y_of = [&](int height) { return axis - height; };
  int before = heights.before;
  // What every column of the segment has in common is filled at once, word-wise.
  int common = plot.y;
  for (const int height : heights.of) {
    const int lower = height < 0 ? axis : y_of(height) + line;
    if (lower > common) common = lower;
  }
  if (before >= 0 && heights.of[0] >= 0 && y_of(before) + line > common) common = y_of(before) + line;
  if (common < axis) canvas.fill({x0, common, width, axis - common}, Ink::fill);
  // The line is as thick where it is steep: a column covers what the `line` columns up to it pass through.
  constexpr int kMostLine = 4;
  int trail[kMostLine];
  int trailing = 0;
  if (before >= 0 && heights.of[0] >= 0) trail[trailing++] = y_of(before);
  for (int x = 0; x < width; ++x) {
    const int column = x * kGraphStepSeconds / width;
    const int height = heights.of[column];
    const int start = (column * width + kGraphStepSeconds - 1) / kGraphStepSeconds;
    if (x == start && column > 0) before = heights.of[column - 1];
    if (height < 0) {
      canvas.fill({x0 + x, axis + line - 1, 1, 1}, Ink::black);
      trailing = 0;
      continue;
    }
    // From the sample before to this one over the width of the column.
    const int next = ((column + 1) * width + kGraphStepSeconds - 1) / kGraphStepSeconds;
    int y = y_of(height);
    if (before >= 0) y = y_of(before) + (y_of(height) - y_of(before)) * (x - start + 1) / (next - start);
    if (trailing >= line || trailing == kMostLine) {
      for (int i = 1; i < trailing; ++i) trail[i - 1] = trail[i];
      --trailing;
    }
    trail[trailing++] = y;
    int from = y;
    int to = y;
    for (int i = 0; i < trailing; ++i) {
      if (trail[i] < from) from = trail[i];
      if (trail[i] > to) to = trail[i];
    }
    to += line;
    canvas.fill({x0 + x, from, 1, to - from}, Ink::black);
    if (to < common) canvas.fill({x0 + x, to, 1, common - to}, Ink::fill);
    if (axis > from) canvas.fill({x0 + x, axis, 1, line}, Ink::black);
  }
}

}  // namespace

void graph_items(Scene& scene, const Rect& rect, int line, const Series& series, const GraphTime& time,
                 uint64_t full) {
  const int room = rect.height - line;
  const int32_t end = time.motion == Motion::sweep ? time.end() : time.newest_second + 1;
  const int now = end % kHistorySeconds / kGraphStepSeconds;
  for (int segment = 0; segment < kGraphSegments; ++segment) {
    const int x0 = rect.x + segment * rect.width / kGraphSegments;
    const int x1 = rect.x + (segment + 1) * rect.width / kGraphSegments;
    const Rect box{x0, rect.y, x1 - x0, rect.height};
    const bool gap = time.motion == Motion::sweep && segment == now;
    Heights heights;
    Key key = key_of(Kind::segment).add_byte(gap ? 1 : 0);
    if (!gap) {
      // Left of the bar this turn, right of it what is left of the turn before.
      int32_t first;
      if (time.motion == Motion::sweep) {
        first = end - end % kHistorySeconds + segment * kGraphStepSeconds;
        if (segment > now) first -= kHistorySeconds;
      } else {
        first = end - kHistorySeconds + segment * kGraphStepSeconds;
      }
      const bool joined = segment > 0 && (time.motion == Motion::scroll || segment != now + 1);
      if (joined) heights.before = height_of(series, time, first - 1, room, full);
      key.add(static_cast<uint64_t>(static_cast<int64_t>(heights.before)));
      for (int i = 0; i < kGraphStepSeconds; ++i) {
        heights.of[i] = height_of(series, time, first + i, room, full);
        key.add_byte(static_cast<uint8_t>(heights.of[i])).add_byte(static_cast<uint8_t>(heights.of[i] >> 8));
      }
    }
    if (!scene.item(box, key)) continue;
    Canvas& canvas = scene.canvas();
    if (gap) {
      // Thinner than the line: on an idle machine the bar is nearly all that moves.
      canvas.fill({x0, rect.y, line - 1, rect.height}, Ink::black);
      continue;
    }
    // The grid lies under the curve: quarters of the height, and the minutes.
    for (int quarter = 0; quarter < 4; ++quarter) {
      canvas.dots_across(x0, rect.y + quarter * room / 4, x1 - x0, 8);
    }
    if (segment % (60 / kGraphStepSeconds) == 0 && segment > 0) canvas.dots_down(x0, rect.y, room, 8);
    draw_segment(canvas, rect, x0, x1, heights, line);
  }
}

void minutes_items(Scene& scene, const Rect& rect, const Font& font, const GraphTime& time,
                   const char* caption) {
  const int positions = kHistorySeconds / 60;
  const int pitch = rect.width / positions;
  const int label = text_width(font, "00:00");
  const int caption_width = text_width(font, caption);
  // Narrow graphs name fewer minutes rather than squeezing them.
  const int every = label + 12 <= pitch ? 1 : 2 * pitch >= label + 12 ? 2 : positions;
  for (int position = 0; position < positions; position += every) {
    const int x = rect.x + position * rect.width / positions;
    if (x + label > rect.right()) break;
    if (position > 0 && caption_width > 0 && x + label + 16 > rect.right() - caption_width) break;
    ShortText text;
    if (time.has_clock) {
      // The newest minute that this place stands for: right of the bar it belongs to the turn before, and
      // says so.
      const int32_t minute = (time.end() + 86400) / 60;
      const int32_t shown = minute - (minute - position + positions) % positions;
      text = format_clock(shown % 1440 * 60, false);
    }
    text_item(scene, text_rect(font, x + (position > 0 ? 2 : 0), rect.y, label), font, text.c_str());
  }
  if (caption_width > 0) {
    const int width = caption_width < rect.width / 2 ? caption_width : rect.width / 2;
    text_item(scene, text_rect(font, rect.right() - width, rect.y, width), font, caption, Align::right);
  }
}

}  // namespace inktop
