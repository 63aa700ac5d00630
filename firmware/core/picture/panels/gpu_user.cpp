#include "picture/panels/gpu_user.h"

#include "picture/panels/pieces.h"

namespace inktop {

LongText gpu_user_text(const View& view, int index) {
  LongText text;
  const Snapshot& snapshot = *view.snapshot;
  for (int i = 0; i < snapshot.gpu_user_count; ++i) {
    const GpuUser& user = snapshot.gpu_users[i];
    if (user.index != index) continue;
    text.add(user.name);
    const int64_t used = milligib_of_mib(user.vram_mib);
    if (used != kUnknown) {
      const Quantity vram = format_memory(used, used);
      text.add(' ').add(vram.number.c_str()).add(' ').add(vram.unit);
    }
    if (user.others > 0) text.add(" +").add_number(user.others);
  }
  return text;
}

}  // namespace inktop
