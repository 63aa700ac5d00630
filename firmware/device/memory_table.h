// Everything that is allocated, computed: all of it at start, nothing afterwards.
#pragma once

#include <cstddef>
#include <cstdint>

#include "app/app.h"
#include "app/links.h"
#include "app/record_queue.h"
#include "epdiy_display.h"
#include "network_task.h"
#include "panel/frame_store.h"
#include "setup_point.h"

namespace inktop {

constexpr uint32_t kKiB = 1024;

// PSRAM. The board has 8 MiB.
constexpr uint32_t kPsramBytes = 8 * 1024 * kKiB;
constexpr uint32_t kFrameBytes = FrameStore::frame_bytes(kPanelSize);
constexpr uint32_t kDifferenceBytes = FrameStore::difference_bytes(kPanelSize);
constexpr uint32_t kFlagBytes = (uint32_t(kPanelSize.height) + 7) / 8 * 8;
// Health lines: one in 30 s, and a few more while the network is away.
constexpr uint32_t kOutwardBytes = 8 * kKiB;
static_assert(kOutwardBytes >= 4 * RecordQueue::record_bytes(kMaxLineBytes),
              "the outward queue holds four lines");
constexpr uint32_t kAppBytes = 1280 * kKiB;  // as much as App may take
static_assert(sizeof(App) <= kAppBytes,
              "App has outgrown its place: look at what it keeps, then raise kAppBytes");

// A link for each server, each with the lines that it parses.
constexpr uint32_t kLinksBytes = 112 * kKiB;
static_assert(sizeof(Links) <= kLinksBytes, "Links has outgrown its place");

// The form by which the board is set up: taken while it is open only.
constexpr uint32_t kSetupBytes = 16 * kKiB;
static_assert(sizeof(SetupPoint) <= kSetupBytes, "SetupPoint has outgrown its place");

// Internal RAM. The chip has 512 KiB, of which the system leaves an application about 300.
constexpr uint32_t kInternalBytes = 300 * kKiB;
constexpr uint32_t kLibraryTableBytes = 64 * kKiB;  // epdiy's look-up table, one block (EPD_LUT_64K)
// epdiy's feed: two queues of 32 rows and two bounce buffers of 4, a quarter byte a pixel; two row buffers, a
// byte a pixel; a byte a row; the stacks of its two tasks.
constexpr uint32_t kLibraryFeedBytes = 2 * (32 + 4) * uint32_t(kPanelSize.width) / 4 +
                                       2 * uint32_t(kPanelSize.width) + uint32_t(kPanelSize.height) +
                                       2 * 2 * kKiB;
constexpr uint32_t kMainStackBytes = 16 * kKiB;
constexpr uint32_t kNetworkStackBytes = NetworkTask::kStackBytes;
constexpr uint32_t kNetworkBytes = 4 * kKiB;
static_assert(sizeof(NetworkTask) <= kNetworkBytes, "NetworkTask has outgrown its place");
// Wi-Fi and TCP/IP: an allowance for what the system takes for itself, not a measurement. It holds for the
// board's own network as well: while that is open there is no network task.
constexpr uint32_t kWifiBytes = 100 * kKiB;
// Of each further server's connection, an allowance too: the network stack's own window, 5.6 KiB, which a
// line a second never fills, and its control block.
constexpr uint32_t kConnectionBytes = (kMaxServers - 1) * 6 * kKiB;

struct MemoryRow {
  const char* what;
  bool psram;  // else internal RAM
  uint32_t bytes;
};

constexpr MemoryRow kMemoryTable[] = {
    {"frame to be shown (4 bits a pixel)", true, kFrameBytes},
    {"frame that the panel shows", true, kFrameBytes},
    {"difference (8 bits a pixel)", true, kDifferenceBytes},
    {"flags of the changed rows", true, kFlagBytes},
    {"flags of the changed rows, turned by 180 degrees", true, kFlagBytes},
    {"queue from the network: half a minute of eight servers", true, kInwardBytes},
    {"queue to the network", true, kOutwardBytes},
    {"app: eight histories, picture, lines", true, kAppBytes},
    {"links: of eight servers", true, kLinksBytes},
    {"form for setting up, while it is open", true, kSetupBytes},
    {"epdiy: look-up table", false, kLibraryTableBytes},
    {"epdiy: queues, row buffers and stacks of its feed", false, kLibraryFeedBytes},
    {"stack of the main task", false, kMainStackBytes},
    {"stack of the network task", false, kNetworkStackBytes},
    {"network buffers", false, kNetworkBytes},
    {"Wi-Fi and TCP/IP (allowance)", false, kWifiBytes},
    {"connections of seven further servers (allowance)", false, kConnectionBytes},
};

constexpr uint32_t memory_sum(bool psram) {
  uint32_t sum = 0;
  for (const MemoryRow& row : kMemoryTable) {
    if (row.psram == psram) sum += row.bytes;
  }
  return sum;
}
// A quarter stays free: for what the libraries put there, and for the next version.
static_assert(memory_sum(true) <= kPsramBytes / 4 * 3, "PSRAM is over its budget");
static_assert(memory_sum(false) <= kInternalBytes, "internal RAM is over its budget");

}  // namespace inktop
