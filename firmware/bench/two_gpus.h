// The scene that the drawing is timed on: two GPUs, 32 CPUs, five minutes of history. Compiled twice:
// with the core's canvas, and with one that sets a pixel at a time.
#pragma once

#include <cstring>
#include <vector>

#include "panel/es108fc1.h"
#include "picture/picture.h"
#include "picture/view.h"

namespace inktop {
namespace bench {

constexpr Size kPanel = kEs108fc1.size;

struct SceneOfTwoGpus {
  SceneOfTwoGpus() {
    std::strcpy(snapshot.host, "t7910");
    std::strcpy(snapshot.address, "192.0.2.17");
    std::strcpy(snapshot.time, "12:14");
    snapshot.uptime_s = 1051200;
    snapshot.cpu_permille = 124;
    snapshot.cpus = snapshot.cpu_level_count = 32;
    for (int i = 0; i < 32; ++i) snapshot.cpu_levels[i] = static_cast<int8_t>(i * 7 % 16);
    snapshot.has_load = snapshot.has_memory = snapshot.has_swap = snapshot.has_network = true;
    snapshot.load_centi[0] = snapshot.load_centi[1] = snapshot.load_centi[2] = 98;
    snapshot.memory = {6900, 125900, 41200};
    snapshot.swap = {0, 8000};
    std::strcpy(snapshot.network.name, "eno1");
    snapshot.gpu_count = 2;
    for (int g = 0; g < 2; ++g) {
      Gpu& gpu = snapshot.gpus[g];
      gpu.index = g;
      gpu.busy_percent = 95 - 57 * g;
      gpu.vram_used_mib = 30207;
      gpu.vram_total_mib = 32624;
      gpu.edge_c = 67;
      gpu.junction_c = 81;
      gpu.memory_c = 92;
      gpu.power_w = 209;
      gpu.fan_rpm = 2990;
      gpu.core_clock_mhz = 2786;
    }
    Snapshot sample = snapshot;
    for (int second = 0; second < kGraphColumns; ++second) {
      sample.uptime_s = snapshot.uptime_s - kGraphColumns + 1 + second;
      sample.cpu_permille = 100 + second * 37 % 90;
      for (int g = 0; g < 2; ++g) sample.gpus[g].busy_percent = 55 + (second * (13 + g)) % 40;
      sample.network.received_bytes_s = 1000000 + second * 91973 % 9000000;
      sample.network.sent_bytes_s = 300000 + second * 51973 % 400000;
      history.add(sample);
    }
    snapshot.network = sample.network;
    view.screen = Screen::live;
    view.snapshot = &snapshot;
    view.history = &history;
    view.second_of_day = 12 * 3600 + 14 * 60 + 7;
  }
  Snapshot snapshot;
  History history;
  View view;
};

// `count` whole pictures from scratch; returns a word of the picture, so that nothing is optimised away.
inline uint32_t redraw(int count) {
  static SceneOfTwoGpus scene;
  static Picture picture(kPanel);
  std::vector<uint32_t> pixels(static_cast<size_t>(kPanel.width) * kPanel.height / 8, 0xFFFFFFFFu);
  Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), kPanel);
  for (int i = 0; i < count; ++i) {
    picture.invalidate();
    picture.draw(scene.view, canvas);
  }
  uint32_t sum = 0;
  for (const uint32_t word : pixels) sum = sum * 31 + word;
  return sum;
}

// The same picture, as tall as the panel is wide, drawn into the frame of a panel that hangs turned; or, to
// compare, into a frame of its own shape.
inline uint32_t redraw_tall(int count, bool on_its_side) {
  static SceneOfTwoGpus scene;
  static Picture picture(turned(kPanel));
  std::vector<uint32_t> pixels(static_cast<size_t>(kPanel.width) * kPanel.height / 8, 0xFFFFFFFFu);
  Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), turned(kPanel), on_its_side);
  for (int i = 0; i < count; ++i) {
    picture.invalidate();
    picture.draw(scene.view, canvas);
  }
  uint32_t sum = 0;
  for (const uint32_t word : pixels) sum = sum * 31 + word;
  return sum;
}

// `count` times the whole display and a rectangle that lies across words, in black, white and grey.
inline uint32_t fill(int count) {
  std::vector<uint32_t> pixels(static_cast<size_t>(kPanel.width) * kPanel.height / 8, 0xFFFFFFFFu);
  Canvas canvas(reinterpret_cast<uint8_t*>(pixels.data()), kPanel);
  constexpr Ink kInks[] = {Ink::black, Ink::fill, Ink::white};
  for (int i = 0; i < count; ++i) {
    canvas.fill(canvas.bounds(), kInks[i % 3]);
    canvas.fill({61, 93, 843, 201}, kInks[(i + 1) % 3]);
  }
  uint32_t sum = 0;
  for (const uint32_t word : pixels) sum = sum * 31 + word;
  return sum;
}

}  // namespace bench
}  // namespace inktop
