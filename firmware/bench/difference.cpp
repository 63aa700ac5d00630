// The bench of one update's difference: the core's, word by word, and one that looks at each pixel.
#include <vector>

#include "drawing.h"
#include "panel/frame_store.h"
#include "two_gpus.h"

namespace {

using namespace inktop;
using inktop::bench::kPanel;

// Two pictures, two seconds apart, and the rows that were redrawn between them.
struct OneUpdate {
  OneUpdate() {
    bench::SceneOfTwoGpus scene;
    static Picture drawing(kPanel);
    Canvas canvas(front(), kPanel);
    drawing.draw(scene.view, canvas);
    shown = picture;
    scene.snapshot.uptime_s += 2;
    scene.view.second_of_day += 2;
    scene.snapshot.cpu_permille = 211;
    for (int i = 0; i < scene.snapshot.cpu_level_count; i += 3) scene.snapshot.cpu_levels[i] = 9;
    scene.snapshot.network.received_bytes_s = 11800000;
    scene.snapshot.gpus[0].power_w = 231;
    scene.snapshot.gpus[1].busy_percent = 61;
    scene.history.add(scene.snapshot);
    rows = drawing.draw(scene.view, canvas);
  }
  uint8_t* front() { return reinterpret_cast<uint8_t*>(picture.data()); }
  uint8_t* back() { return reinterpret_cast<uint8_t*>(shown.data()); }

  std::vector<uint32_t> picture = std::vector<uint32_t>(FrameStore::frame_bytes(kPanel) / 4, 0xFFFFFFFFu);
  std::vector<uint32_t> shown = picture;
  RowSet rows;
};

// Of the rows that are driven: which they are, and what they get.
uint32_t checksum(const uint8_t* difference, const bool* dirty) {
  uint32_t sum = 0;
  for (int row = 0; row < kPanel.height; ++row) {
    for (int x = 0; dirty[row] && x < kPanel.width; ++x) {
      sum = sum * 31 + difference[size_t(row) * kPanel.width + x];
    }
    sum = sum * 31 + (dirty[row] ? 1 : 0);
  }
  return sum;
}

// The same rows, a pixel at a time: both nibbles fetched, the pair stored.
void naive_difference(const uint8_t* to, const uint8_t* from, const RowSet& rows, uint8_t* difference,
                      bool* dirty) {
  for (int row = 0; row < kPanel.height; ++row) {
    dirty[row] = false;
    if (!rows.contains(row)) continue;
    for (int x = 0; x < kPanel.width; ++x) {
      const int pixel = row * kPanel.width + x;
      const int shift = pixel % 2 * 4;
      const uint8_t is = to[pixel / 2] >> shift & 15;
      const uint8_t was = from[pixel / 2] >> shift & 15;
      difference[pixel] = uint8_t(is << 4 | was);
      if (is != was) dirty[row] = true;
    }
  }
}

}  // namespace

uint32_t bench_difference_fast(int count) {
  OneUpdate update;
  std::vector<uint32_t> front(update.picture.size());
  std::vector<uint32_t> back(update.picture.size());
  std::vector<uint32_t> difference(FrameStore::difference_bytes(kPanel) / 4);
  static bool dirty[kPanel.height];
  FrameStore frames(kPanel, reinterpret_cast<uint8_t*>(front.data()), reinterpret_cast<uint8_t*>(back.data()),
                    reinterpret_cast<uint8_t*>(difference.data()), dirty);
  front = update.shown;
  frames.wash_to_picture();
  frames.driven();
  front = update.picture;
  for (int i = 0; i < count; ++i) frames.update(update.rows);
  return checksum(reinterpret_cast<const uint8_t*>(difference.data()), dirty);
}

uint32_t bench_difference_naive(int count) {
  OneUpdate update;
  std::vector<uint8_t> difference(FrameStore::difference_bytes(kPanel));
  static bool dirty[kPanel.height];
  for (int i = 0; i < count; ++i) {
    naive_difference(update.front(), update.back(), update.rows, difference.data(), dirty);
  }
  return checksum(difference.data(), dirty);
}
