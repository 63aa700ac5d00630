// Who uses a GPU, as its panel's title says it.
#include "picture/panels/gpu_user.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "picture/layout.h"
#include "picture/panels/panels.h"
#include "views.h"

using namespace inktop;
using namespace inktop::test;

namespace {

GpuUser user_of(int index, const char* name, int32_t vram_mib, int32_t others) {
  GpuUser user;
  user.index = index;
  std::strcpy(user.name, name);
  user.vram_mib = vram_mib;
  user.others = others;
  return user;
}

std::string words(const GpuUser& user, int index) {
  static Snapshot snapshot;
  snapshot = Snapshot();
  snapshot.gpu_user_count = 1;
  snapshot.gpu_users[0] = user;
  View view;
  view.snapshot = &snapshot;
  return gpu_user_text(view, index).c_str();
}

}  // namespace

TEST_CASE("a GPU's user is named with its memory and the number of others") {
  CHECK(words(user_of(1, "vllm", 27750, 2), 1) == "vllm 27.1 GiB +2");
  CHECK(words(user_of(1, "python3", 512, 0), 1) == "python3 512 MiB");
  CHECK(words(user_of(0, "vllm", kUnknown, kUnknown), 0) == "vllm");
  CHECK(words(user_of(15, "123456789012345", 16777216, 9999), 15) == "123456789012345 16.0 TiB +9999");
  CHECK(words(user_of(1, "vllm", 27750, 2), 0).empty());
}

TEST_CASE(
    "a GPU's user is in the title of its own panel, in place of the address, and an alarm goes before") {
  Scenery scenery;
  Dice dice(5);
  invent(scenery, dice, 2);
  Snapshot& snapshot = scenery.snapshot;
  scenery.view.screen = Screen::live;
  scenery.view.snapshot = &snapshot;
  scenery.view.freshness = Freshness::fresh;
  scenery.view.alarm_count = 0;
  snapshot.gpu_user_count = 0;
  const Layout layout = arrange(kPanel, 2, kPanelCount);
  // The right half of the panel's title, pixel by pixel.
  const auto strip_of = [&](int panel) {
    Easel easel(kPanel);
    easel.picture->draw(scenery.view, easel.canvas);
    const Rect& rect = layout.gpus[panel];
    std::vector<bool> black;
    for (int y = rect.y; y < rect.y + metrics_for(kPanel).strip; ++y) {
      for (int x = rect.x + rect.width / 2; x < rect.right(); ++x)
        black.push_back(easel.canvas.is_black(x, y));
    }
    return black;
  };
  const auto left = strip_of(0);
  const auto right = strip_of(1);
  snapshot.gpu_user_count = 1;
  snapshot.gpu_users[0] = user_of(snapshot.gpus[1].index, "vllm", 27750, 2);
  const bool same = strip_of(0) == left;
  CHECK(same);
  const bool changed = strip_of(1) != right;
  CHECK(changed);
  scenery.alarms[0] = {AlarmKind::gpu_lost, static_cast<uint8_t>(snapshot.gpus[1].index), 10875};
  scenery.view.alarm_count = 1;
  const auto alarmed = strip_of(1);
  snapshot.gpu_user_count = 0;
  const bool alarm_first = strip_of(1) == alarmed;
  CHECK(alarm_first);
}
