// The panels beside the GPUs', in the order in which they are laid out. A new panel is a file in this folder
// and a line here.
#pragma once

#include "picture/panels/cpu.h"
#include "picture/panels/memory.h"
#include "picture/panels/model_server.h"
#include "picture/panels/network.h"

namespace inktop {

struct Panel {
  const char* name;  // of its element
  void (*draw)(Scene& scene, const View& view, const Metrics& m, const Rect& rect);
};

// From the left. The first one gets the most room: beside the GPUs where a column is free.
constexpr Panel kPanels[] = {
    {"cpu", draw_cpu},
    {"mem", draw_memory},
    {"net", draw_network},
};
constexpr int kPanelCount = sizeof(kPanels) / sizeof(kPanels[0]);
static_assert(kPanelCount < kMaxPanels, "a place in the layout for each panel, and for the model server's");

// There only while the line tells of a server: then it is the second one.
constexpr Panel kModelServerPanel{"llm", draw_model_server};
constexpr int kModelServerPlace = 1;

}  // namespace inktop
