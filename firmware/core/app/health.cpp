// The lines in which the board tells the server what was acknowledged on it, and how it is.
#include <cstdio>

#include "app/app.h"
#include "inktop/encoder.h"

namespace inktop {

size_t App::outbox(int64_t now_ms, char* out, size_t size, int& place) {
  for (place = 0; place < kMaxServers; ++place) {
    Server& server = servers_[place];
    if (!server.open() || server.link().phase != LinkPhase::connected) continue;
    if (server.machine().events().untold_count() > 0) return ack_line(server.machine(), out, size);
    if (now_ms < next_health_ms_[place]) continue;
    next_health_ms_[place] = now_ms + settings_.health_interval_ms;
    return health_line(now_ms, out, size);
  }
  return 0;
}

size_t App::ack_line(Machine& machine, char* out, size_t size) {
  const Events& events = machine.events();
  Ack ack;
  std::snprintf(ack.board, sizeof ack.board, "%s", facts_.id);
  ack.event_count = events.untold_count();
  for (int i = 0; i < ack.event_count; ++i) ack.events[i] = events.untold()[i];
  machine.told();
  return encode_ack(ack, out, size);
}

size_t App::health_line(int64_t now_ms, char* out, size_t size) const {
  Health health;
  std::snprintf(health.board, sizeof health.board, "%s", facts_.id);
  health.uptime_s = now_ms / 1000;
  health.heap_bytes = facts_.heap_bytes;
  health.psram_bytes = facts_.psram_bytes;
  if (facts_.largest_block_bytes >= 0) health.largest_block_bytes = facts_.largest_block_bytes;
  if (facts_.lowest_heap_bytes >= 0) health.lowest_heap_bytes = facts_.lowest_heap_bytes;
  if (facts_.main_stack_bytes >= 0) health.main_stack_bytes = facts_.main_stack_bytes;
  if (facts_.network_stack_bytes >= 0) health.network_stack_bytes = facts_.network_stack_bytes;
  if (facts_.panel_mhz != 0) health.panel_mhz = facts_.panel_mhz;
  if (facts_.rssi_dbm != 0) health.rssi_dbm = facts_.rssi_dbm;
  health.updates = updates_;
  health.washes = washes_;
  for (int i = 0; i < kDrawErrorKinds; ++i) {
    if (errors_[i] == 0) continue;
    Count& item = health.refresh_errors[health.refresh_error_count++];
    std::snprintf(item.kind, sizeof item.kind, "%s", draw_error_word(i));
    item.count = errors_[i];
  }
  if (last_.refresh.kind != RefreshKind::nothing) health.refresh_ms = last_.ended_ms - last_.started_ms;
  for (int i = 1; i < kLineErrors; ++i) {
    if (bad_lines().counts[i] == 0) continue;
    Count& item = health.bad_lines[health.bad_line_count++];
    std::snprintf(item.kind, sizeof item.kind, "%s", line_error_name(LineError(i)));
    item.count = bad_lines().counts[i];
  }
  health.receive_high_water_bytes = receive_high_water_;
  return encode_health(health, out, size);
}

}  // namespace inktop
