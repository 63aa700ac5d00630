// The table of the line for the codec. Made by protocol/generate.py from inktop_protocol/table.py:
// change that, then `make generate`.
#pragma once

#include "inktop/line_structs.h"
#include "inktop/schema.h"

namespace inktop {

// clang-format off
// member, form, size, offset, decimals, required, may be unknown, counter, low, high
inline constexpr Value kMemoryValues[] = {
    {"used_milligib", Form::number, sizeof(int32_t), offsetof(Memory, used_milligib), 3, false, true, false, 0, 1048576000},
    {"total_milligib", Form::number, sizeof(int32_t), offsetof(Memory, total_milligib), 3, false, true, false, 0, 1048576000},
    {"cache_milligib", Form::number, sizeof(int32_t), offsetof(Memory, cache_milligib), 3, false, true, false, 0, 1048576000},
};
inline constexpr Value kSwapValues[] = {
    {"used_milligib", Form::number, sizeof(int32_t), offsetof(Swap, used_milligib), 3, false, true, false, 0, 1048576000},
    {"total_milligib", Form::number, sizeof(int32_t), offsetof(Swap, total_milligib), 3, false, true, false, 0, 1048576000},
};
inline constexpr Value kNetworkValues[] = {
    {"name", Form::printable, sizeof(Network::name), offsetof(Network, name), 0, true, false, false, 0, 0},
    {"received_bytes_s", Form::number, sizeof(int64_t), offsetof(Network, received_bytes_s), 0, false, true, false, 0, 100000000000000},
    {"sent_bytes_s", Form::number, sizeof(int64_t), offsetof(Network, sent_bytes_s), 0, false, true, false, 0, 100000000000000},
};
inline constexpr Value kDiskValues[] = {
    {"used_mib", Form::number, sizeof(int64_t), offsetof(Disk, used_mib), 0, true, false, false, 0, 1000000000000},
    {"total_mib", Form::number, sizeof(int64_t), offsetof(Disk, total_mib), 0, true, false, false, 0, 1000000000000},
    {"name", Form::printable, sizeof(Disk::name), offsetof(Disk, name), 0, true, false, false, 0, 0},
};
inline constexpr Value kDiskTrafficValues[] = {
    {"read_bytes_s", Form::number, sizeof(int64_t), offsetof(DiskTraffic, read_bytes_s), 0, false, true, false, 0, 100000000000000},
    {"written_bytes_s", Form::number, sizeof(int64_t), offsetof(DiskTraffic, written_bytes_s), 0, false, true, false, 0, 100000000000000},
};
inline constexpr Value kGpuValues[] = {
    {"busy_percent", Form::number, sizeof(int32_t), offsetof(Gpu, busy_percent), 0, false, true, false, 0, 100},
    {"vram_used_mib", Form::number, sizeof(int32_t), offsetof(Gpu, vram_used_mib), 0, false, true, false, 0, 16777216},
    {"vram_total_mib", Form::number, sizeof(int32_t), offsetof(Gpu, vram_total_mib), 0, false, true, false, 0, 16777216},
    {"edge_c", Form::number, sizeof(int32_t), offsetof(Gpu, edge_c), 0, false, true, false, -99, 999},
    {"junction_c", Form::number, sizeof(int32_t), offsetof(Gpu, junction_c), 0, false, true, false, -99, 999},
    {"memory_c", Form::number, sizeof(int32_t), offsetof(Gpu, memory_c), 0, false, true, false, -99, 999},
    {"power_w", Form::number, sizeof(int32_t), offsetof(Gpu, power_w), 0, false, true, false, 0, 9999},
    {"fan_rpm", Form::number, sizeof(int32_t), offsetof(Gpu, fan_rpm), 0, false, true, false, 0, 99999},
    {"core_clock_mhz", Form::number, sizeof(int32_t), offsetof(Gpu, core_clock_mhz), 0, false, true, false, 0, 99999},
    {"memory_clock_mhz", Form::number, sizeof(int32_t), offsetof(Gpu, memory_clock_mhz), 0, false, true, false, 0, 99999},
    {"fan_percent", Form::number, sizeof(int32_t), offsetof(Gpu, fan_percent), 0, false, true, false, 0, 100},
    {"state", Form::letters, sizeof(Gpu::state), offsetof(Gpu, state), 0, false, false, false, 0, 0},
    {"throttle", Form::letters, sizeof(Gpu::throttle), offsetof(Gpu, throttle), 0, false, true, false, 0, 0},
    {"link_generation", Form::number, sizeof(int32_t), offsetof(Gpu, link_generation), 0, false, true, false, 1, 9},
    {"link_width", Form::number, sizeof(int32_t), offsetof(Gpu, link_width), 0, false, true, false, 1, 32},
};
inline constexpr Value kGpuUserValues[] = {
    {"name", Form::printable, sizeof(GpuUser::name), offsetof(GpuUser, name), 0, true, false, false, 0, 0},
    {"vram_mib", Form::number, sizeof(int32_t), offsetof(GpuUser, vram_mib), 0, false, true, false, 0, 16777216},
    {"busy_percent", Form::number, sizeof(int32_t), offsetof(GpuUser, busy_percent), 0, false, true, false, 0, 100},
    {"others", Form::number, sizeof(int32_t), offsetof(GpuUser, others), 0, false, true, false, 0, 9999},
};
inline constexpr Value kModelServerValues[] = {
    {"name", Form::printable, sizeof(ModelServer::name), offsetof(ModelServer, name), 0, true, false, false, 0, 0},
    {"running", Form::number, sizeof(int32_t), offsetof(ModelServer, running), 0, false, true, false, 0, 99999},
    {"waiting", Form::number, sizeof(int32_t), offsetof(ModelServer, waiting), 0, false, true, false, 0, 99999},
    {"generated_tokens_s", Form::number, sizeof(int32_t), offsetof(ModelServer, generated_tokens_s), 0, false, true, false, 0, 9999999},
    {"prompt_tokens_s", Form::number, sizeof(int32_t), offsetof(ModelServer, prompt_tokens_s), 0, false, true, false, 0, 9999999},
    {"cache_percent", Form::number, sizeof(int32_t), offsetof(ModelServer, cache_percent), 0, false, true, false, 0, 100},
};
inline constexpr Value kEventValues[] = {
    {"subject", Form::letters_digits, sizeof(Event::subject), offsetof(Event, subject), 0, true, false, false, 0, 0},
    {"what", Form::letters, sizeof(Event::what), offsetof(Event, what), 0, true, false, false, 0, 0},
    {"time", Form::second, sizeof(Event::time), offsetof(Event, time), 0, true, false, false, 0, 0},
};
inline constexpr Value kClockValues[] = {
    {"time", Form::second, sizeof(Clock::time), offsetof(Clock, time), 0, true, false, false, 0, 0},
    {"uptime_s", Form::number, sizeof(int64_t), offsetof(Clock, uptime_s), 0, true, false, true, 0, 4294967295},
};
inline constexpr Value kGpuInfoValues[] = {
    {"name", Form::printable, sizeof(GpuInfo::name), offsetof(GpuInfo, name), 0, true, false, false, 0, 0},
    {"pci", Form::pci, sizeof(GpuInfo::pci), offsetof(GpuInfo, pci), 0, false, true, false, 0, 0},
    {"power_cap_w", Form::number, sizeof(int32_t), offsetof(GpuInfo, power_cap_w), 0, false, true, false, 0, 9999},
    {"edge_critical_c", Form::number, sizeof(int32_t), offsetof(GpuInfo, edge_critical_c), 0, false, true, false, -99, 999},
    {"junction_critical_c", Form::number, sizeof(int32_t), offsetof(GpuInfo, junction_critical_c), 0, false, true, false, -99, 999},
    {"memory_critical_c", Form::number, sizeof(int32_t), offsetof(GpuInfo, memory_critical_c), 0, false, true, false, -99, 999},
    {"link_generation", Form::number, sizeof(int32_t), offsetof(GpuInfo, link_generation), 0, false, true, false, 1, 9},
    {"link_width", Form::number, sizeof(int32_t), offsetof(GpuInfo, link_width), 0, false, true, false, 1, 32},
};
inline constexpr Value kCountValues[] = {
    {"kind", Form::letters, sizeof(Count::kind), offsetof(Count, kind), 0, true, false, false, 0, 0},
    {"count", Form::number, sizeof(int64_t), offsetof(Count, count), 0, true, false, true, 0, 4294967295},
};
inline constexpr Value kAssignmentValues[] = {
    {"name", Form::name, sizeof(Assignment::name), offsetof(Assignment, name), 0, true, false, false, 0, 0},
    {"value", Form::printable, sizeof(Assignment::value), offsetof(Assignment, value), 0, true, false, false, 0, 0},
};
inline constexpr Value kRefusalValues[] = {
    {"name", Form::name, sizeof(Refusal::name), offsetof(Refusal, name), 0, true, false, false, 0, 0},
    {"why", Form::letters, sizeof(Refusal::why), offsetof(Refusal, why), 0, true, false, false, 0, 0},
};
inline constexpr Value kUpOfValues[] = {
    {"up", Form::number, sizeof(int32_t), offsetof(UpOf, up), 0, false, true, false, 0, 9999999},
    {"total", Form::number, sizeof(int32_t), offsetof(UpOf, total), 0, false, true, false, 0, 9999999},
};
inline constexpr Value kFleetPowerValues[] = {
    {"drawn_w", Form::number, sizeof(int32_t), offsetof(FleetPower, drawn_w), 0, false, true, false, 0, 1000000000},
    {"limit_w", Form::number, sizeof(int32_t), offsetof(FleetPower, limit_w), 0, false, true, false, 0, 1000000000},
};
inline constexpr Value kFleetVramValues[] = {
    {"used_mib", Form::number, sizeof(int64_t), offsetof(FleetVram, used_mib), 0, false, true, false, 0, 1000000000000},
    {"total_mib", Form::number, sizeof(int64_t), offsetof(FleetVram, total_mib), 0, false, true, false, 0, 1000000000000},
};
inline constexpr Value kWorstValues[] = {
    {"host", Form::printable, sizeof(Worst::host), offsetof(Worst, host), 0, true, false, false, 0, 0},
    {"what", Form::letters, sizeof(Worst::what), offsetof(Worst, what), 0, true, false, false, 0, 0},
    {"value", Form::number, sizeof(int64_t), offsetof(Worst, value), 0, false, true, false, 0, 4294967295},
    {"part", Form::printable, sizeof(Worst::part), offsetof(Worst, part), 0, false, true, false, 0, 0},
};
inline constexpr Value kSnapshotValues[] = {
    {"host", Form::printable, sizeof(Snapshot::host), 0, 0, true, false, false, 0, 0},
    {"address", Form::printable, sizeof(Snapshot::address), 0, 0, false, false, false, 0, 0},
    {"time", Form::minute, sizeof(Snapshot::time), 0, 0, false, false, false, 0, 0},
    {"uptime_s", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"cpu_permille", Form::number, sizeof(int32_t), 0, 1, false, true, false, 0, 1000},
    {"cpus", Form::number, sizeof(int32_t), 0, 0, false, false, false, 1, 65535},
    {"load_centi", Form::number, sizeof(int32_t), 0, 2, false, true, false, 0, 9999999},
    {"cpu_c", Form::number, sizeof(int32_t), 0, 0, false, false, false, -99, 999},
};
inline constexpr Value kInfoLineValues[] = {
    {"collector", Form::printable, sizeof(InfoLine::collector), 0, 0, false, false, false, 0, 0},
    {"nonce", Form::hex, sizeof(InfoLine::nonce), 0, 0, false, false, false, 0, 0},
    {"cpu_model", Form::printable, sizeof(InfoLine::cpu_model), 0, 0, false, false, false, 0, 0},
};
inline constexpr Value kHelloValues[] = {
    {"board", Form::name, sizeof(Hello::board), 0, 0, true, false, false, 0, 0},
    {"firmware", Form::printable, sizeof(Hello::firmware), 0, 0, true, false, false, 0, 0},
    {"panel", Form::size, sizeof(Hello::panel), 0, 0, false, false, false, 0, 0},
    {"boots", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"reset", Form::printable, sizeof(Hello::reset), 0, 0, false, false, false, 0, 0},
    {"nonce", Form::hex, sizeof(Hello::nonce), 0, 0, false, false, false, 0, 0},
    {"mac", Form::hex, sizeof(Hello::mac), 0, 0, false, false, false, 0, 0},
};
inline constexpr Value kHealthValues[] = {
    {"board", Form::name, sizeof(Health::board), 0, 0, true, false, false, 0, 0},
    {"uptime_s", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"heap_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"psram_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"rssi_dbm", Form::number, sizeof(int32_t), 0, 0, false, true, false, -127, 0},
    {"updates", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"washes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"refresh_ms", Form::number, sizeof(int64_t), 0, 0, false, true, false, 0, 4294967295},
    {"receive_high_water_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"largest_block_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"lowest_heap_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"main_stack_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"network_stack_bytes", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"panel_mhz", Form::number, sizeof(int32_t), 0, 0, false, false, true, 0, 255},
};
inline constexpr Value kSettingsLineValues[] = {
    {"board", Form::name, sizeof(SettingsLine::board), 0, 0, false, false, false, 0, 0},
    {"origins", Form::letters, sizeof(SettingsLine::origins), 0, 0, false, false, false, 0, 0},
};
inline constexpr Value kAckValues[] = {
    {"board", Form::name, sizeof(Ack::board), 0, 0, true, false, false, 0, 0},
};
inline constexpr Value kAnnouncementValues[] = {
    {"host", Form::printable, sizeof(Announcement::host), 0, 0, true, false, false, 0, 0},
    {"address", Form::printable, sizeof(Announcement::address), 0, 0, true, false, false, 0, 0},
    {"port", Form::number, sizeof(int32_t), 0, 0, true, false, false, 1, 65535},
    {"time_s", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"mac", Form::hex, sizeof(Announcement::mac), 0, 0, false, false, false, 0, 0},
};
inline constexpr Value kFleetValues[] = {
    {"host", Form::printable, sizeof(Fleet::host), 0, 0, true, false, false, 0, 0},
    {"address", Form::printable, sizeof(Fleet::address), 0, 0, false, false, false, 0, 0},
    {"time", Form::minute, sizeof(Fleet::time), 0, 0, false, false, false, 0, 0},
    {"uptime_s", Form::number, sizeof(int64_t), 0, 0, false, false, true, 0, 4294967295},
    {"source", Form::letters, sizeof(Fleet::source), 0, 0, false, false, false, 0, 0},
    {"busy_percent", Form::number, sizeof(int32_t), 0, 0, false, false, false, 0, 100},
    {"wrong", Form::number, sizeof(int32_t), 0, 0, false, false, true, 0, 9999999},
};

// key, member, shape, separator, required, always, last, closed, offset, that of its count,
// stride, most, values, how many of them
inline constexpr Key kSnapshotKeys[] = {
    {"h", "host", Shape::value, 0, true, false, false, false, offsetof(Snapshot, host), 0, 0, 1, kSnapshotValues + 0, 1},
    {"i", "address", Shape::value, 0, false, false, false, false, offsetof(Snapshot, address), 0, 0, 1, kSnapshotValues + 1, 1},
    {"t", "time", Shape::value, 0, false, false, false, false, offsetof(Snapshot, time), 0, 0, 1, kSnapshotValues + 2, 1},
    {"u", "uptime_s", Shape::value, 0, false, false, false, false, offsetof(Snapshot, uptime_s), 0, 0, 1, kSnapshotValues + 3, 1},
    {"c", "cpu_permille", Shape::value, 0, false, true, false, false, offsetof(Snapshot, cpu_permille), 0, 0, 1, kSnapshotValues + 4, 1},
    {"n", "cpus", Shape::value, 0, false, false, false, false, offsetof(Snapshot, cpus), 0, 0, 1, kSnapshotValues + 5, 1},
    {"k", "cpu_levels", Shape::cells, 0, false, false, false, false, offsetof(Snapshot, cpu_levels), offsetof(Snapshot, cpu_level_count), sizeof(int8_t), 256, nullptr, 0},
    {"l", "load_centi", Shape::row, ',', false, false, false, false, offsetof(Snapshot, load_centi), offsetof(Snapshot, has_load), sizeof(int32_t), 3, kSnapshotValues + 6, 1},
    {"m", "memory", Shape::group, '/', false, false, false, false, offsetof(Snapshot, memory), offsetof(Snapshot, has_memory), sizeof(Memory), 1, kMemoryValues, 3},
    {"s", "swap", Shape::group, '/', false, false, false, false, offsetof(Snapshot, swap), offsetof(Snapshot, has_swap), sizeof(Swap), 1, kSwapValues, 2},
    {"w", "network", Shape::group, ',', false, false, false, false, offsetof(Snapshot, network), offsetof(Snapshot, has_network), sizeof(Network), 1, kNetworkValues, 3},
    {"ct", "cpu_c", Shape::value, 0, false, false, false, false, offsetof(Snapshot, cpu_c), 0, 0, 1, kSnapshotValues + 7, 1},
    {"d", "disks", Shape::repeat, ':', false, false, false, true, offsetof(Snapshot, disks), offsetof(Snapshot, disk_count), sizeof(Disk), 4, kDiskValues, 3},
    {"io", "disk_traffic", Shape::group, ',', false, false, false, false, offsetof(Snapshot, disk_traffic), offsetof(Snapshot, has_disk_traffic), sizeof(DiskTraffic), 1, kDiskTrafficValues, 2},
    {"g", "gpus", Shape::numbered, ',', false, false, false, false, offsetof(Snapshot, gpus), offsetof(Snapshot, gpu_count), sizeof(Gpu), 16, kGpuValues, 15},
    {"p", "gpu_users", Shape::numbered, ',', false, false, false, false, offsetof(Snapshot, gpu_users), offsetof(Snapshot, gpu_user_count), sizeof(GpuUser), 16, kGpuUserValues, 4},
    {"llm", "model_server", Shape::group, ',', false, false, false, false, offsetof(Snapshot, model_server), offsetof(Snapshot, has_model_server), sizeof(ModelServer), 1, kModelServerValues, 6},
    {"e", "events", Shape::repeat, ':', false, false, false, true, offsetof(Snapshot, events), offsetof(Snapshot, event_count), sizeof(Event), 8, kEventValues, 3},
};
inline constexpr Key kInfoLineKeys[] = {
    {"v", "collector", Shape::value, 0, false, false, false, false, offsetof(InfoLine, collector), 0, 0, 1, kInfoLineValues + 0, 1},
    {"nonce", "nonce", Shape::value, 0, false, false, false, false, offsetof(InfoLine, nonce), 0, 0, 1, kInfoLineValues + 1, 1},
    {"clock", "clock", Shape::group, ',', false, false, false, false, offsetof(InfoLine, clock), offsetof(InfoLine, has_clock), sizeof(Clock), 1, kClockValues, 2},
    {"cpu", "cpu_model", Shape::value, 0, false, false, false, false, offsetof(InfoLine, cpu_model), 0, 0, 1, kInfoLineValues + 2, 1},
    {"g", "gpus", Shape::numbered, ',', false, false, false, false, offsetof(InfoLine, gpus), offsetof(InfoLine, gpu_count), sizeof(GpuInfo), 16, kGpuInfoValues, 8},
};
inline constexpr Key kHelloKeys[] = {
    {"id", "board", Shape::value, 0, true, false, false, false, offsetof(Hello, board), 0, 0, 1, kHelloValues + 0, 1},
    {"fw", "firmware", Shape::value, 0, true, false, false, false, offsetof(Hello, firmware), 0, 0, 1, kHelloValues + 1, 1},
    {"panel", "panel", Shape::value, 0, false, false, false, false, offsetof(Hello, panel), 0, 0, 1, kHelloValues + 2, 1},
    {"boots", "boots", Shape::value, 0, false, false, false, false, offsetof(Hello, boots), 0, 0, 1, kHelloValues + 3, 1},
    {"reset", "reset", Shape::value, 0, false, false, false, false, offsetof(Hello, reset), 0, 0, 1, kHelloValues + 4, 1},
    {"nonce", "nonce", Shape::value, 0, false, false, false, false, offsetof(Hello, nonce), 0, 0, 1, kHelloValues + 5, 1},
    {"mac", "mac", Shape::value, 0, false, false, true, false, offsetof(Hello, mac), 0, 0, 1, kHelloValues + 6, 1},
};
inline constexpr Key kHealthKeys[] = {
    {"id", "board", Shape::value, 0, true, false, false, false, offsetof(Health, board), 0, 0, 1, kHealthValues + 0, 1},
    {"u", "uptime_s", Shape::value, 0, false, false, false, false, offsetof(Health, uptime_s), 0, 0, 1, kHealthValues + 1, 1},
    {"heap", "heap_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, heap_bytes), 0, 0, 1, kHealthValues + 2, 1},
    {"psram", "psram_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, psram_bytes), 0, 0, 1, kHealthValues + 3, 1},
    {"rssi", "rssi_dbm", Shape::value, 0, false, true, false, false, offsetof(Health, rssi_dbm), 0, 0, 1, kHealthValues + 4, 1},
    {"upd", "updates", Shape::value, 0, false, false, false, false, offsetof(Health, updates), 0, 0, 1, kHealthValues + 5, 1},
    {"wash", "washes", Shape::value, 0, false, false, false, false, offsetof(Health, washes), 0, 0, 1, kHealthValues + 6, 1},
    {"err", "refresh_errors", Shape::repeat, ':', false, false, false, true, offsetof(Health, refresh_errors), offsetof(Health, refresh_error_count), sizeof(Count), 12, kCountValues, 2},
    {"ms", "refresh_ms", Shape::value, 0, false, true, false, false, offsetof(Health, refresh_ms), 0, 0, 1, kHealthValues + 7, 1},
    {"bad", "bad_lines", Shape::repeat, ':', false, false, false, true, offsetof(Health, bad_lines), offsetof(Health, bad_line_count), sizeof(Count), 12, kCountValues, 2},
    {"buf", "receive_high_water_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, receive_high_water_bytes), 0, 0, 1, kHealthValues + 8, 1},
    {"block", "largest_block_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, largest_block_bytes), 0, 0, 1, kHealthValues + 9, 1},
    {"low", "lowest_heap_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, lowest_heap_bytes), 0, 0, 1, kHealthValues + 10, 1},
    {"main", "main_stack_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, main_stack_bytes), 0, 0, 1, kHealthValues + 11, 1},
    {"net", "network_stack_bytes", Shape::value, 0, false, false, false, false, offsetof(Health, network_stack_bytes), 0, 0, 1, kHealthValues + 12, 1},
    {"mhz", "panel_mhz", Shape::value, 0, false, false, false, false, offsetof(Health, panel_mhz), 0, 0, 1, kHealthValues + 13, 1},
};
inline constexpr Key kSettingsLineKeys[] = {
    {"id", "board", Shape::value, 0, false, false, false, false, offsetof(SettingsLine, board), 0, 0, 1, kSettingsLineValues + 0, 1},
    {"set", "values", Shape::repeat, ':', false, false, false, true, offsetof(SettingsLine, values), offsetof(SettingsLine, value_count), sizeof(Assignment), 20, kAssignmentValues, 2},
    {"from", "origins", Shape::value, 0, false, false, false, false, offsetof(SettingsLine, origins), 0, 0, 1, kSettingsLineValues + 1, 1},
    {"not", "refusals", Shape::repeat, ':', false, false, false, true, offsetof(SettingsLine, refusals), offsetof(SettingsLine, refusal_count), sizeof(Refusal), 8, kRefusalValues, 2},
};
inline constexpr Key kAckKeys[] = {
    {"id", "board", Shape::value, 0, true, false, false, false, offsetof(Ack, board), 0, 0, 1, kAckValues + 0, 1},
    {"e", "events", Shape::repeat, ':', false, false, false, true, offsetof(Ack, events), offsetof(Ack, event_count), sizeof(Event), 8, kEventValues, 3},
};
inline constexpr Key kAnnouncementKeys[] = {
    {"h", "host", Shape::value, 0, true, false, false, false, offsetof(Announcement, host), 0, 0, 1, kAnnouncementValues + 0, 1},
    {"i", "address", Shape::value, 0, true, false, false, false, offsetof(Announcement, address), 0, 0, 1, kAnnouncementValues + 1, 1},
    {"port", "port", Shape::value, 0, true, false, false, false, offsetof(Announcement, port), 0, 0, 1, kAnnouncementValues + 2, 1},
    {"at", "time_s", Shape::value, 0, false, false, false, false, offsetof(Announcement, time_s), 0, 0, 1, kAnnouncementValues + 3, 1},
    {"mac", "mac", Shape::value, 0, false, false, true, false, offsetof(Announcement, mac), 0, 0, 1, kAnnouncementValues + 4, 1},
};
inline constexpr Key kFleetKeys[] = {
    {"h", "host", Shape::value, 0, true, false, false, false, offsetof(Fleet, host), 0, 0, 1, kFleetValues + 0, 1},
    {"i", "address", Shape::value, 0, false, false, false, false, offsetof(Fleet, address), 0, 0, 1, kFleetValues + 1, 1},
    {"t", "time", Shape::value, 0, false, false, false, false, offsetof(Fleet, time), 0, 0, 1, kFleetValues + 2, 1},
    {"u", "uptime_s", Shape::value, 0, false, false, false, false, offsetof(Fleet, uptime_s), 0, 0, 1, kFleetValues + 3, 1},
    {"src", "source", Shape::value, 0, false, false, false, false, offsetof(Fleet, source), 0, 0, 1, kFleetValues + 4, 1},
    {"up", "machines", Shape::group, '/', false, false, false, false, offsetof(Fleet, machines), offsetof(Fleet, has_machines), sizeof(UpOf), 1, kUpOfValues, 2},
    {"gpu", "gpus", Shape::group, '/', false, false, false, false, offsetof(Fleet, gpus), offsetof(Fleet, has_gpus), sizeof(UpOf), 1, kUpOfValues, 2},
    {"busy", "busy_percent", Shape::value, 0, false, false, false, false, offsetof(Fleet, busy_percent), 0, 0, 1, kFleetValues + 5, 1},
    {"p", "power", Shape::group, '/', false, false, false, false, offsetof(Fleet, power), offsetof(Fleet, has_power), sizeof(FleetPower), 1, kFleetPowerValues, 2},
    {"v", "vram", Shape::group, '/', false, false, false, false, offsetof(Fleet, vram), offsetof(Fleet, has_vram), sizeof(FleetVram), 1, kFleetVramValues, 2},
    {"n", "wrong", Shape::value, 0, false, false, false, false, offsetof(Fleet, wrong), 0, 0, 1, kFleetValues + 6, 1},
    {"x", "worst", Shape::repeat, ':', false, false, false, false, offsetof(Fleet, worst), offsetof(Fleet, worst_count), sizeof(Worst), 8, kWorstValues, 4},
};

// kind, name, first key, keys, how many, version: written, first, where it is
inline constexpr Kind kKinds[] = {
    {LineKind::data, "data", "h", kSnapshotKeys, 18, false, false, 0},
    {LineKind::info, "info", "info", kInfoLineKeys, 5, true, true, offsetof(InfoLine, version)},
    {LineKind::hello, "hello", "hello", kHelloKeys, 7, true, false, offsetof(Hello, version)},
    {LineKind::health, "health", "health", kHealthKeys, 16, true, false, offsetof(Health, version)},
    {LineKind::settings, "settings", "settings", kSettingsLineKeys, 4, true, false, offsetof(SettingsLine, version)},
    {LineKind::ack, "ack", "ack", kAckKeys, 2, true, false, offsetof(Ack, version)},
    {LineKind::announce, "announce", "announce", kAnnouncementKeys, 5, true, false, offsetof(Announcement, version)},
    {LineKind::fleet, "fleet", "fleet", kFleetKeys, 12, true, false, offsetof(Fleet, version)},
};
// clang-format on

static_assert(offsetof(Gpu, index) == 0, "the codec finds it there");
static_assert(offsetof(GpuUser, index) == 0, "the codec finds it there");
static_assert(offsetof(GpuInfo, index) == 0, "the codec finds it there");

}  // namespace inktop
