// What the picture of a fleet says: its sums, and the words for what is wrong.
#pragma once

#include "picture/panels/gauge.h"
#include "picture/panels/server_parts.h"

namespace inktop {

Gauge machines_gauge(const View& view);
Gauge gpus_gauge(const View& view);
Gauge busy_gauge(const View& view);
Gauge power_gauge(const View& view);
Gauge vram_gauge(const View& view);
Gauge wrong_gauge(const View& view);

// "down since 5m", "GPU3 lost", "GPU2 104 C".
LongText worst_words(const View& view, const Worst& worst);
// What is wrong with where the numbers come from; empty: nothing.
LongText source_words(const Fleet& fleet);

// For a cell of a grid.
ServerParts fleet_cell_parts(const View& view);

}  // namespace inktop
