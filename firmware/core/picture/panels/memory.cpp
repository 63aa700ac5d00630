#include "picture/panels/memory.h"

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

void draw_memory(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  const Memory& memory = snapshot.memory;
  LongText total;
  if (snapshot.has_memory) total = memory_text(memory.total_milligib, memory.total_milligib);
  panel_items(scene, rect, m, "MEM", total.c_str(), memory_alarm(view));
  const Inner in = inner_of(rect, m);
  const Font& numeral = *m.numeral;
  const int line = m.body->ascent + m.body->descent;
  const Quantity used = format_memory(memory.used_milligib, memory.total_milligib);
  LongText unit;
  unit.add(used.unit).add(" used");
  const int fixed = numeral.ascent + numeral.descent + m.strip + 3 * line + 4 + m.strip;
  // What is left of the height goes between the lines, evenly.
  int space = (in.bottom - in.y - fixed) / 5;
  if (space > m.pad) space = m.pad;
  if (space < 2) space = 2;
  // A little taller than the number: in an alarm that is the black around it.
  const int around = space < 8 ? space : 8;
  const Rect number = text_rect(numeral, in.x, in.y, in.width);
  quantity_item(scene, {number.x, number.y - around, number.width, number.height + 2 * around}, numeral,
                *m.body, used.number.c_str(), unit.c_str(), emphasis_of(view, AlarmKind::memory_full, 0));
  int y = in.y + numeral.ascent + numeral.descent + space;
  bar_item(scene, {in.x, y, in.width, m.strip}, share_permille(memory.used_milligib, memory.total_milligib));
  y += m.strip + space;
  named_value(scene, m, in.x, y, in.width, "cache",
              memory_text(memory.cache_milligib, memory.total_milligib).c_str());
  y += line + space;
  const bool known = memory.total_milligib != kUnknown && memory.used_milligib != kUnknown;
  const int64_t available = known && memory.total_milligib > memory.used_milligib
                                ? memory.total_milligib - memory.used_milligib
                            : known ? 0
                                    : static_cast<int64_t>(kUnknown);
  if (y + line <= in.bottom) {
    named_value(scene, m, in.x, y, in.width, "available",
                memory_text(available, memory.total_milligib).c_str());
  }
  y += line + space;
  if (y + line + 4 + m.strip > in.bottom) return;
  // Swap is on the lower edge, where the graphs of its neighbours end.
  const int swap_y = in.bottom - line - 4 - m.strip;
  if (snapshot.has_swap) {
    labelled_bar(scene, m, {in.x, swap_y, in.width, 0}, "swap",
                 memory_pair(snapshot.swap.used_milligib, snapshot.swap.total_milligib).c_str(),
                 share_permille(snapshot.swap.used_milligib, snapshot.swap.total_milligib));
  } else {
    named_value(scene, m, in.x, in.bottom - line, in.width, "swap", "none");
  }
}

}  // namespace inktop
