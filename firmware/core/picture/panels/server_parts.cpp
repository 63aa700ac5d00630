#include "picture/panels/server_parts.h"

#include <cstring>

#include "picture/panels/fleet_parts.h"
#include "picture/panels/gpu_parts.h"
#include "picture/panels/header.h"
#include "picture/text.h"

namespace inktop {

namespace {

// Thousands of watts flicker in their last digit.
constexpr int32_t kCoarse_w = 1000;

bool any_alarm(const View& view, AlarmKind kind) {
  for (int i = 0; i < view.alarm_count; ++i) {
    if (view.alarms[i].kind == kind) return true;
  }
  return false;
}

Emphasis emphasis(const View& view, bool alarm) {
  return alarm ? Emphasis::alarm : big_emphasis(view);
}

Gauge& add(ServerParts& parts, const char* caption, Emphasis emphasis) {
  Gauge& gauge = parts.gauges[parts.gauge_count++];
  gauge.stat.caption = caption;
  gauge.stat.emphasis = emphasis;
  return gauge;
}

void percent(ServerParts& parts, const char* caption, const ShortText& number, Emphasis emphasis) {
  Gauge& gauge = add(parts, caption, emphasis);
  gauge.stat.number = number;
  gauge.stat.unit.add('%');
}

void memory(ServerParts& parts, const char* caption, int64_t used_milligib, int64_t total_milligib,
            Emphasis emphasis) {
  Gauge& gauge = add(parts, caption, emphasis);
  const MemoryPair pair = memory_pair(used_milligib, total_milligib, true);
  gauge.stat.number = pair.used;
  gauge.stat.unit = pair.rest;
  gauge.permille = share_permille(used_milligib, total_milligib);
  gauge.has_bar = true;
}

void power(ServerParts& parts, int32_t power_w, int32_t cap_w, Emphasis emphasis) {
  Gauge& gauge = add(parts, "power", emphasis);
  if (power_w >= kCoarse_w) power_w = (power_w + 5) / 10 * 10;
  gauge.stat.number = format_whole(power_w);
  if (cap_w != kUnknown) gauge.stat.unit.add("/ ").add_number(cap_w).add(' ');
  gauge.stat.unit.add('W');
  parts.watts.add(gauge.stat.number.c_str()).add(' ').add(gauge.stat.unit.c_str());
  gauge.permille = share_permille(power_w, cap_w);
  gauge.has_bar = cap_w != kUnknown;
}

void rate(ServerParts& parts, const char* caption, int64_t bytes_s, Emphasis emphasis) {
  Gauge& gauge = add(parts, caption, emphasis);
  const Quantity quantity = format_rate(bytes_s);
  gauge.stat.number = quantity.number;
  gauge.stat.unit.add(quantity.unit);
}

struct Heat {
  int32_t celsius = kUnknown;
  int32_t limit_c = 0;
  bool by_edge = true;
};

Heat hottest(const View& view) {
  Heat heat;
  for (int i = 0; i < view.snapshot->gpu_count; ++i) {
    const Gpu& gpu = view.snapshot->gpus[i];
    const bool by_edge = gpu.junction_c == kUnknown;
    const int32_t celsius = by_edge ? gpu.edge_c : gpu.junction_c;
    if (celsius == kUnknown || celsius <= heat.celsius) continue;
    heat.celsius = celsius;
    const GpuInfo* info = view.gpu_info(gpu.index);
    heat.limit_c = info == nullptr ? 0 : by_edge ? info->edge_critical_c : info->junction_critical_c;
    heat.by_edge = by_edge;
  }
  return heat;
}

int32_t busiest(const View& view) {
  int32_t most = kUnknown;
  for (int i = 0; i < view.snapshot->gpu_count; ++i) {
    const int32_t busy = view.snapshot->gpus[i].busy_percent;
    if (busy > most) most = busy;
  }
  return most;
}

void temperature(ServerParts& parts, const View& view, const char* caption, int32_t celsius, int32_t limit_c,
                 Emphasis emphasis) {
  Gauge& gauge = add(parts, caption, emphasis);
  gauge.stat.number = format_whole(degrees(view, celsius));
  gauge.stat.unit = degrees_of(view, limit_c);
  gauge.permille = limit_c > 0 ? share_permille(celsius, limit_c) : static_cast<int32_t>(kUnknown);
  gauge.has_bar = limit_c > 0;
}

void with_gpus(ServerParts& parts, const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  const GpuSums sums = gpu_sums(view, 0);
  const bool one = snapshot.gpu_count == 1;
  const Emphasis plain = big_emphasis(view);
  percent(parts, one ? "GPU busy" : "busiest GPU", format_whole(busiest(view)), plain);
  const Heat heat = hottest(view);
  const bool edge = heat.by_edge && heat.celsius != kUnknown;
  const bool hot = any_alarm(view, AlarmKind::gpu_junction_hot);
  temperature(parts, view, edge ? "edge" : "junction", heat.celsius, heat.limit_c, emphasis(view, hot));
  const bool known = sums.vram_total_mib > 0;
  memory(parts, "VRAM", known ? milligib_of_mib(sums.vram_used_mib) : static_cast<int64_t>(kUnknown),
         known ? milligib_of_mib(sums.vram_total_mib) : static_cast<int64_t>(kUnknown),
         emphasis(view, any_alarm(view, AlarmKind::gpu_vram_full)));
  percent(parts, "CPU busy", format_percent(snapshot.cpu_permille), plain);
  const bool has = snapshot.has_memory;
  memory(parts, "memory", has ? snapshot.memory.used_milligib : static_cast<int64_t>(kUnknown),
         has ? snapshot.memory.total_milligib : static_cast<int64_t>(kUnknown),
         emphasis(view, any_alarm(view, AlarmKind::memory_full)));
  const int32_t power_w = view.gpus_power_w != kUnknown ? view.gpus_power_w : sums.power_w;
  power(parts, power_w, sums.power_cap_w, plain);
}

void without_gpus(ServerParts& parts, const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  const Emphasis plain = big_emphasis(view);
  percent(parts, "CPU busy", format_percent(snapshot.cpu_permille), plain);
  if (snapshot.cpu_c != kUnknown) {
    temperature(parts, view, "CPU", snapshot.cpu_c, 0, plain);
  } else {
    Gauge& load = add(parts, "load", plain);
    load.stat.number =
        format_load(snapshot.has_load ? snapshot.load_centi[0] : static_cast<int32_t>(kUnknown));
  }
  const bool has = snapshot.has_memory;
  memory(parts, "memory", has ? snapshot.memory.used_milligib : static_cast<int64_t>(kUnknown),
         has ? snapshot.memory.total_milligib : static_cast<int64_t>(kUnknown),
         emphasis(view, any_alarm(view, AlarmKind::memory_full)));
  const Network& network = snapshot.network;
  const auto unknown = static_cast<int64_t>(kUnknown);
  rate(parts, "down", snapshot.has_network ? network.received_bytes_s : unknown, plain);
  rate(parts, "up", snapshot.has_network ? network.sent_bytes_s : unknown, plain);
  if (snapshot.disk_count > 0) {
    const Disk& disk = snapshot.disks[0];
    memory(parts, "disk", milligib_of_mib(disk.used_mib), milligib_of_mib(disk.total_mib),
           emphasis(view, any_alarm(view, AlarmKind::disk_full)));
  } else {
    memory(parts, "cache", has ? snapshot.memory.cache_milligib : unknown,
           has ? snapshot.memory.total_milligib : unknown, plain);
  }
}

// "8x MI210   up 12d 4h".
LongText fact_of(const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  LongText fact;
  if (snapshot.gpu_count > 0) {
    const GpuInfo* const first = view.gpu_info(snapshot.gpus[0].index);
    bool same = first != nullptr && first->name[0] != 0;
    for (int i = 1; i < snapshot.gpu_count && same; ++i) {
      const GpuInfo* const info = view.gpu_info(snapshot.gpus[i].index);
      same = info != nullptr && std::strcmp(info->name, first->name) == 0;
    }
    if (snapshot.gpu_count > 1 || !same) fact.add_number(snapshot.gpu_count).add(same ? "x " : " GPU");
    if (same) fact.add(first->name);
    if (!same && snapshot.gpu_count > 1) fact.add('s');
  } else if (snapshot.cpus != kUnknown) {
    fact.add_number(snapshot.cpus).add(snapshot.cpus == 1 ? " CPU" : " CPUs");
  }
  if (snapshot.uptime_s != kUnknown) {
    if (!fact.empty()) fact.add("   ");
    fact.add("up ").add(format_duration(snapshot.uptime_s).c_str());
  }
  return fact;
}

void say_what_is_wrong(ServerParts& parts, const View& view) {
  const bool twelve = view.taste.twelve_hours;
  if (view.freshness == Freshness::lost) {
    parts.urgent = LongText();
    parts.urgent.add("NO DATA");
    if (view.last_data_s >= 0)
      parts.urgent.add(" since ").add(format_clock(view.last_data_s, false, twelve).c_str());
    return;
  }
  const PanelAlarm alarm = server_alarm(view);
  parts.urgent = alarm.words;
  if (!alarm.words.empty()) {
    if (alarm.since_s >= 0) parts.urgent.add(' ').add(format_clock(alarm.since_s, false, twelve).c_str());
    return;
  }
  if (view.event_count > 0 && view.event != nullptr) parts.urgent = event_words(view);
}

}  // namespace

LongText fitted_host(const char* name, const Font& font, int width) {
  LongText text;
  text.add(name);
  const bool is_address = name[std::strspn(name, "0123456789.")] == 0;
  if (is_address || text_width(font, name) <= width) return text;
  LongText host;
  while (*name != 0 && *name != '.') host.add(*name++);
  return host.empty() ? text : host;
}

ServerParts server_parts(const View& view, const Font& font, int width) {
  ServerParts parts;
  parts.name = fitted_host(view.server_name, font, width);
  if (view.newer) {
    parts.words = "It speaks a newer protocol than this firmware can read: update the board.";
    return parts;
  }
  if (view.fleet != nullptr) {
    const LongText name = parts.name;
    parts = fleet_cell_parts(view);
    parts.name = name;
    if (view.freshness != Freshness::lost) return parts;
    say_what_is_wrong(parts, view);
    return parts;
  }
  if (view.snapshot == nullptr) {
    parts.words = view.denied ? "It ends the connection, or does not prove the key: see the collector's log."
                              : "No answer yet. On that server: inktop-collector doctor";
    return parts;
  }
  if (view.snapshot->gpu_count > 0) {
    with_gpus(parts, view);
  } else {
    without_gpus(parts, view);
  }
  parts.fact = fact_of(view);
  if (view.freshness == Freshness::old) {
    parts.fact = LongText();
    parts.fact.add("data ").add_number(view.age_s).add(" s old");
  }
  say_what_is_wrong(parts, view);
  return parts;
}

ServerParts together_parts(const View& view) {
  ServerParts parts;
  parts.name.add("all together");
  int up = 0;
  int gpus = 0;
  GpuSums sums;
  int32_t most_busy = kUnknown;
  Heat heat;
  int32_t power_w = kUnknown;
  int32_t cap_w = 0;
  int64_t used = 0;
  int64_t total = 0;
  int64_t cpu = 0;
  int cpus_known = 0;
  for (int i = 0; i < view.server_count; ++i) {
    const View& each = view.servers[i];
    // What is gone counts for nothing: its numbers are old.
    if (!each.is_there()) continue;
    ++up;
    if (each.snapshot == nullptr) continue;
    const Snapshot& snapshot = *each.snapshot;
    gpus += snapshot.gpu_count;
    const GpuSums one = gpu_sums(each, 0);
    sums.vram_used_mib += one.vram_used_mib;
    sums.vram_total_mib += one.vram_total_mib;
    if (busiest(each) > most_busy) most_busy = busiest(each);
    const Heat its = hottest(each);
    if (its.celsius > heat.celsius) heat = its;
    const int32_t its_w = each.gpus_power_w != kUnknown ? each.gpus_power_w : one.power_w;
    if (its_w != kUnknown) power_w = (power_w == kUnknown ? 0 : power_w) + its_w;
    if (snapshot.gpu_count > 0) {
      cap_w = cap_w < 0 || one.power_cap_w == kUnknown ? -1 : cap_w + one.power_cap_w;
    }
    if (snapshot.has_memory && snapshot.memory.used_milligib != kUnknown &&
        snapshot.memory.total_milligib != kUnknown) {
      used += snapshot.memory.used_milligib;
      total += snapshot.memory.total_milligib;
    }
    if (snapshot.cpu_permille != kUnknown) {
      cpu += snapshot.cpu_permille;
      ++cpus_known;
    }
  }
  const Emphasis plain = Emphasis::none;
  if (gpus > 0) {
    percent(parts, "busiest GPU", format_whole(most_busy), plain);
    temperature(parts, view, "hottest", heat.celsius, 0, plain);
    memory(parts, "VRAM", milligib_of_mib(sums.vram_used_mib), milligib_of_mib(sums.vram_total_mib), plain);
  }
  const auto mean = cpus_known > 0 ? static_cast<int32_t>(cpu / cpus_known) : static_cast<int32_t>(kUnknown);
  percent(parts, "CPUs, mean", format_percent(mean), plain);
  memory(parts, "memory", total > 0 ? used : static_cast<int64_t>(kUnknown),
         total > 0 ? total : static_cast<int64_t>(kUnknown), plain);
  if (gpus > 0) power(parts, power_w, cap_w > 0 ? cap_w : static_cast<int32_t>(kUnknown), plain);
  parts.fact.add_number(up).add(" of ").add_number(view.server_count).add(" servers up");
  if (gpus > 0) parts.fact.add("   ").add_number(gpus).add(gpus == 1 ? " GPU" : " GPUs");
  return parts;
}

}  // namespace inktop
