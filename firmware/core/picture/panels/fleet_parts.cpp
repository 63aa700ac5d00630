#include "picture/panels/fleet_parts.h"

#include <cstring>

namespace inktop {

namespace {

constexpr int32_t kKilowatts_w = 10'000;  // from here on

bool is(const char* word, const char* what) {
  return std::strcmp(word, what) == 0;
}

Gauge up_of(const View& view, const char* caption, bool has, const UpOf& up) {
  Gauge gauge;
  gauge.stat.caption = caption;
  gauge.stat.emphasis = big_emphasis(view);
  gauge.stat.number = format_whole(has ? up.up : static_cast<int32_t>(kUnknown));
  if (has && up.total != kUnknown) {
    gauge.stat.unit.add("/ ").add_number(up.total);
    gauge.has_bar = true;
    gauge.permille = share_permille(up.up, up.total);
  }
  return gauge;
}

// Kilowatts without tenths from 100 of them up.
ShortText kilowatts(int32_t watts) {
  ShortText text;
  return watts >= 100'000 ? text.add_number((watts + 500) / 1000) : text.add_fixed((watts + 50) / 100, 1);
}

}  // namespace

Gauge machines_gauge(const View& view) {
  return up_of(view, "machines up", view.fleet->has_machines, view.fleet->machines);
}

Gauge gpus_gauge(const View& view) {
  return up_of(view, "GPUs up", view.fleet->has_gpus, view.fleet->gpus);
}

Gauge busy_gauge(const View& view) {
  Gauge gauge;
  gauge.stat.caption = "GPUs busy, mean";
  gauge.stat.emphasis = big_emphasis(view);
  gauge.stat.number = format_whole(view.fleet->busy_percent);
  gauge.stat.unit.add('%');
  gauge.has_bar = true;
  if (view.fleet->busy_percent != kUnknown) gauge.permille = view.fleet->busy_percent * 10;
  return gauge;
}

Gauge power_gauge(const View& view) {
  Gauge gauge;
  gauge.stat.caption = "power";
  gauge.stat.emphasis = big_emphasis(view);
  const FleetPower& power = view.fleet->power;
  const int32_t drawn = view.fleet->has_power ? power.drawn_w : static_cast<int32_t>(kUnknown);
  const int32_t limit = view.fleet->has_power ? power.limit_w : static_cast<int32_t>(kUnknown);
  const bool large = drawn >= kKilowatts_w || limit >= kKilowatts_w;
  gauge.stat.number = drawn == kUnknown ? ShortText().add(kNoValue)
                      : large           ? kilowatts(drawn)
                                        : format_whole(drawn);
  if (limit != kUnknown) {
    gauge.stat.unit.add("/ ").add((large ? kilowatts(limit) : format_whole(limit)).c_str()).add(' ');
    gauge.has_bar = true;
    gauge.permille = share_permille(drawn, limit);
  }
  gauge.stat.unit.add(large ? "kW" : "W");
  return gauge;
}

Gauge vram_gauge(const View& view) {
  Gauge gauge;
  gauge.stat.caption = "VRAM";
  gauge.stat.emphasis = big_emphasis(view);
  const FleetVram& vram = view.fleet->vram;
  const auto unknown = static_cast<int64_t>(kUnknown);
  const int64_t used = view.fleet->has_vram ? milligib_of_mib(vram.used_mib) : unknown;
  const int64_t total = view.fleet->has_vram ? milligib_of_mib(vram.total_mib) : unknown;
  const MemoryPair pair = memory_pair(used, total, true);
  gauge.stat.number = pair.used;
  gauge.stat.unit = pair.rest;
  gauge.has_bar = true;
  gauge.permille = share_permille(used, total);
  return gauge;
}

Gauge wrong_gauge(const View& view) {
  Gauge gauge;
  gauge.stat.caption = "things wrong";
  gauge.stat.number = format_whole(view.fleet->wrong);
  gauge.stat.emphasis =
      view.freshness != Freshness::lost && view.fleet->wrong > 0 ? Emphasis::alarm : big_emphasis(view);
  return gauge;
}

LongText source_words(const Fleet& fleet) {
  LongText words;
  if (fleet.source[0] == 0) return words;
  if (is(fleet.source, "down")) return words.add("SOURCE DOWN");
  if (is(fleet.source, "slow")) return words.add("SOURCE SLOW");
  if (is(fleet.source, "refused")) return words.add("SOURCE REFUSES");
  if (is(fleet.source, "wrong")) return words.add("SOURCE UNREADABLE");
  if (is(fleet.source, "stale")) return words.add("NUMBERS TOO OLD");
  return words.add("SOURCE: ").add(fleet.source);
}

LongText worst_words(const View& view, const Worst& worst) {
  LongText words;
  const bool known = worst.value != kUnknown;
  if (is(worst.what, "down")) {
    words.add("down");
    if (known) words.add(" for ").add(format_duration(worst.value).c_str());
    return words;
  }
  const bool is_gpu = std::strncmp(worst.part, "gpu", 3) == 0;
  if (is_gpu) {
    words.add("GPU").add(worst.part + 3);
  } else {
    words.add(worst.part);
  }
  const bool disk = is(worst.what, "disk");
  const char* const what = is(worst.what, "vram")  ? "VRAM"
                           : is(worst.what, "mem") ? "memory"
                           : is(worst.what, "cpu") ? "CPU"
                                                   : worst.what;
  // Where a file system is mounted says that it is one.
  if (!disk || words.empty()) words.add(words.empty() ? "" : " ").add(what);
  if (!known) return words;
  const bool hot = is(worst.what, "hot");
  const bool share =
      is(worst.what, "vram") || is(worst.what, "mem") || is(worst.what, "cpu") || is(worst.what, "disk");
  words.add(' ').add_number(hot ? degrees(view, int32_t(worst.value < 9999 ? worst.value : 9999))
                                : worst.value);
  if (hot) words.add(' ').add(degrees_unit(view));
  if (share) words.add(" %");
  return words;
}

ServerParts fleet_cell_parts(const View& view) {
  ServerParts parts;
  const Fleet& fleet = *view.fleet;
  parts.gauges[0] = busy_gauge(view);
  parts.gauges[0].has_bar = false;
  parts.gauges[1] = gpus_gauge(view);
  parts.gauges[2] = vram_gauge(view);
  parts.gauges[3] = machines_gauge(view);
  parts.gauges[4] = power_gauge(view);
  parts.gauges[5] = wrong_gauge(view);
  parts.gauge_count = 6;
  const LongText source = source_words(fleet);
  if (!source.empty()) {
    parts.urgent = source;
  } else if (fleet.worst_count > 0) {
    parts.urgent.add(fleet.worst[0].host).add(' ').add(worst_words(view, fleet.worst[0]).c_str());
    const int others = (fleet.wrong > fleet.worst_count ? fleet.wrong : fleet.worst_count) - 1;
    if (others > 0) parts.urgent.add(" +").add_number(others);
  }
  parts.fact.add(fleet.wrong == 0 ? "a fleet, all is well" : "a fleet");
  return parts;
}

}  // namespace inktop
