#include "picture/panels/frame.h"

#include "picture/text.h"

namespace inktop {

namespace {

const char* fixed_words(AlarmKind kind) {
  switch (kind) {
    case AlarmKind::gpu_lost:
      return "LOST";
    case AlarmKind::gpu_reset:
      return "RESET";
    case AlarmKind::gpu_stale:
      return "NO ANSWER";
    case AlarmKind::gpu_junction_hot:
      return "JUNCTION HOT";
    case AlarmKind::gpu_edge_hot:
      return "EDGE HOT";
    case AlarmKind::gpu_memory_hot:
      return "MEMORY HOT";
    case AlarmKind::gpu_fan_stopped:
      return "FAN STOPPED";
    case AlarmKind::gpu_throttled_heat:
      return "THROTTLED: HEAT";
    case AlarmKind::gpu_throttled_current:
      return "THROTTLED: CURRENT";
    case AlarmKind::gpu_throttled_power:
      return "THROTTLED: POWER";
    case AlarmKind::gpu_throttled_other:
      return "THROTTLED";
    case AlarmKind::gpu_link_narrow:
      return "LINK NARROW";
    case AlarmKind::gpu_link_slow:
      return "LINK SLOW";
    case AlarmKind::gpu_vram_full:
      return "VRAM FULL";
    case AlarmKind::memory_full:
      return "NEARLY FULL";
    case AlarmKind::disk_full:
      return "DISK NEARLY FULL";
  }
  return "ALARM";
}

ShortText alarm_words(const Alarm& alarm) {
  ShortText text;
  const bool narrow = alarm.kind == AlarmKind::gpu_link_narrow;
  if (alarm.most > 0 && (narrow || alarm.kind == AlarmKind::gpu_link_slow)) {
    const char* unit = narrow ? "x" : "GEN ";
    return text.add("LINK ").add(unit).add_number(alarm.now).add(" OF ").add(unit).add_number(alarm.most);
  }
  return text.add(fixed_words(alarm.kind));
}

// What is wrong with one panel in one text: the worst first, which is the order of the enumerators, with the
// earliest time of the worst one.
PanelAlarm alarm_of(const View& view, bool of_gpu, int gpu) {
  PanelAlarm panel;
  panel.twelve_hours = view.taste.twelve_hours;
  LongText& text = panel.words;
  for (int kind = 0; kind < kAlarmKinds; ++kind) {
    for (int i = 0; i < view.alarm_count; ++i) {
      const Alarm& alarm = view.alarms[i];
      if (static_cast<int>(alarm.kind) != kind || is_gpu_alarm(alarm.kind) != of_gpu) continue;
      if (of_gpu && alarm.gpu != gpu) continue;
      if (!text.empty()) {
        text.add(", ");
        ++panel.more;
      } else {
        panel.since_s = alarm.since_s;
        panel.first.add(alarm_words(alarm).c_str());
      }
      text.add(alarm_words(alarm).c_str());
      break;
    }
  }
  return panel;
}

// The alarm in as many words as there is room for: all that is wrong with its time to the second or to the
// minute, else the worst and how many others, with the time, and at last without it.
LongText alarm_within(const Font& font, const PanelAlarm& alarm, int width, bool& with_time) {
  LongText text;
  for (int variant = 0; variant < 4; ++variant) {
    const bool all = variant < 2;
    text = all ? alarm.words : alarm.first;
    if (!all && alarm.more > 0) text.add(" +").add_number(alarm.more);
    if (alarm.since_s >= 0 && variant < 3) {
      text.add(variant == 0 ? " since " : " ")
          .add(format_clock(alarm.since_s, variant == 0, alarm.twelve_hours).c_str());
    }
    with_time = variant < 3;
    if (text_width(font, text.c_str()) <= width) return text;
  }
  return text;
}

// "GPU0  MI210" without the card's name.
LongText short_name(const char* name) {
  LongText text;
  while (*name != 0 && !(name[0] == ' ' && name[1] == ' ')) text.add(*name++);
  return text;
}

}  // namespace

PanelAlarm gpu_alarm(const View& view, int gpu) {
  return alarm_of(view, true, gpu);
}

PanelAlarm memory_alarm(const View& view) {
  return alarm_of(view, false, 0);
}

PanelAlarm server_alarm(const View& view) {
  PanelAlarm alarm;
  alarm.twelve_hours = view.taste.twelve_hours;
  const Alarm* worst = nullptr;
  for (int i = 0; i < view.alarm_count; ++i) {
    if (worst == nullptr || view.alarms[i].kind < worst->kind) worst = &view.alarms[i];
  }
  if (worst == nullptr) return alarm;
  if (is_gpu_alarm(worst->kind)) alarm.first.add("GPU").add_number(worst->gpu).add(' ');
  if (worst->kind == AlarmKind::memory_full) alarm.first.add("MEMORY ");
  alarm.first.add(alarm_words(*worst).c_str());
  alarm.more = view.alarm_count - 1;
  alarm.since_s = worst->since_s;
  alarm.words = alarm.first;
  if (alarm.more > 0) alarm.words.add(" +").add_number(alarm.more);
  return alarm;
}

bool has_alarm(const View& view, AlarmKind kind, int gpu) {
  for (int i = 0; i < view.alarm_count; ++i) {
    // An alarm of the machine is no GPU's, whatever number it has.
    if (view.alarms[i].kind == kind && (!is_gpu_alarm(kind) || view.alarms[i].gpu == gpu)) return true;
  }
  return false;
}

Emphasis emphasis_of(const View& view, AlarmKind kind, int gpu) {
  return has_alarm(view, kind, gpu) ? Emphasis::alarm : Emphasis::none;
}

Emphasis big_emphasis(const View& view) {
  return view.freshness == Freshness::lost ? Emphasis::old : Emphasis::none;
}

Emphasis big_emphasis_of(const View& view, AlarmKind kind, int gpu) {
  return has_alarm(view, kind, gpu) ? Emphasis::alarm : big_emphasis(view);
}

Inner inner_of(const Rect& rect, const Metrics& m) {
  return {rect.x + m.pad, rect.y + m.strip + m.pad / 2, rect.width - 2 * m.pad,
          rect.bottom() - m.pad * 2 / 3};
}

bool title_fits(const Metrics& metrics, int width, const char* left, const char* right) {
  const int space = metrics.pad * 3 / 8;
  return text_width(*metrics.body, left) + text_width(*metrics.body, right) + 4 * space <=
         width - 2 * metrics.pad;
}

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
                      .add_byte(static_cast<uint8_t>(alarm.more))
                      .add_byte(alarm.twelve_hours ? 1 : 0)
                      .add(&font)
                      .add(static_cast<uint64_t>(static_cast<int64_t>(alarm.since_s)));
  if (scene.item(strip, key)) {
    Canvas& canvas = scene.canvas();
    const int baseline = strip.y + (strip.height + font.capital) / 2;
    // The title's edges are those of what stands below it.
    const int side = metrics.pad;
    const int space = metrics.pad * 3 / 8;  // white between the text and the frame's line
    if (!alarm.words.empty()) {
      canvas.round_top(strip, metrics.radius, Ink::black);
      // The time is worth more than the card's name.
      LongText shown;
      shown.add(left);
      bool with_time = false;
      const int words_width = alarm.title_first ? text_width(font, alarm.words.c_str()) + 2 * space : 0;
      const int most =
          alarm.title_first ? strip.width - 2 * side - words_width : (strip.width - 2 * side) / 2;
      Fitted name = fit_text(font, shown.c_str(), most);
      int room = strip.width - 2 * side - name.width - 2 * space;
      LongText text = alarm_within(font, alarm, room, with_time);
      if (!with_time && alarm.since_s >= 0) {
        shown = short_name(left);
        name = fit_text(font, shown.c_str(), (strip.width - 2 * side) / 2);
        room = strip.width - 2 * side - name.width - 2 * space;
        text = alarm_within(font, alarm, room, with_time);
      }
      draw_fitted(canvas, font, shown.c_str(), name, strip.x + side, baseline, Ink::white);
      // Larger than a title where that costs none of its words.
      const bool larger = !alarm.title_first && text_width(*metrics.small_value, text.c_str()) <= room;
      const Font& loud = larger ? *metrics.small_value : font;
      const Fitted fitted = fit_text(loud, text.c_str(), room);
      draw_fitted(canvas, loud, text.c_str(), fitted, strip.right() - side - fitted.width, baseline,
                  Ink::white);
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

}  // namespace inktop
