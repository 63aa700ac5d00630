// What the panels of GPUs say, whatever their size: texts, numbers with their limits, the word for trouble.
#pragma once

#include "picture/panels/pieces.h"

namespace inktop {

struct GpuParts {
  LongText title;
  ShortText short_title;  // without the card's name
  LongText place;         // who uses it; else its PCI address without the domain 0000
  bool has_user = false;
  LongText link;  // "PCIe 4 x16"
  PanelAlarm alarm;
  const char* word = nullptr;  // for the big number where the card is not simply working
  bool word_alarm = false;
  const char* advice = nullptr;  // what to do about a card that says nothing at all
  Stat busy;
  Stat vram;
  int32_t vram_permille = kUnknown;
  LongText vram_words;   // "29.1 / 31.9 GiB"
  Stat heat;             // junction, or edge where there is no junction
  ShortText heat_limit;  // "/ 110 °C"
  bool heat_has_limit = false;
  int32_t heat_permille = kUnknown;
  Stat power;
  bool has_power = false;
  bool power_has_cap = false;
  int32_t power_permille = kUnknown;  // of its cap
  Stat power_of_cap;                  // "212" "/ 300 W"
  Stat memory;
  bool has_memory = false;
  // All sensors besides heat and power that have ever been read.
  Stat lesser[4];
  int lesser_count = 0;
};

GpuParts gpu_parts(const View& view, const Gpu& gpu);

// All GPUs from `first` on, together.
struct GpuSums {
  int count = 0;
  int32_t busy_percent = kUnknown;  // their mean
  int32_t hottest_c = kUnknown;
  int32_t power_w = kUnknown;
  int32_t power_cap_w = kUnknown;  // known only where every card's is
  int64_t vram_used_mib = 0;
  int64_t vram_total_mib = 0;
};
GpuSums gpu_sums(const View& view, int first);

// Frame and title. Who uses the card is worth more than its name.
void gpu_panel_items(Scene& scene, const Metrics& m, const GpuParts& parts, const Rect& rect);
// The big number, or the word in its place.
void gpu_numeral(Scene& scene, const Metrics& m, const GpuParts& parts, const Rect& rect, const Font& numeral,
                 const Font& word_font);
void gpu_graph(Scene& scene, const View& view, const Metrics& m, const Rect& rect, const Gpu& gpu,
               bool words);

// For the two rows of five to eight GPUs.
void draw_compact_gpu(Scene& scene, const View& view, const Gpu& gpu, const Metrics& m, const Rect& rect);
// The GPUs for which there is no panel of their own, in one; and all of them, where a place is left.
void draw_gpu_rest(Scene& scene, const View& view, int first, const Metrics& m, const Rect& rect);
void draw_gpus_together(Scene& scene, const View& view, const Metrics& m, const Rect& rect);

}  // namespace inktop
