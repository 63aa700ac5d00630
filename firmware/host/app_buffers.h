// The memory that an app draws in, on a PC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/app.h"

namespace inktop {

struct AppBuffers {
  explicit AppBuffers(Size size)
      : front(FrameStore::frame_bytes(size) / 4),
        back(front.size()),
        difference(FrameStore::difference_bytes(size) / 4),
        dirty(new bool[size_t(size.height)]()) {}
  AppMemory memory() { return {bytes(front), bytes(back), bytes(difference), dirty.get()}; }
  static uint8_t* bytes(std::vector<uint32_t>& words) { return reinterpret_cast<uint8_t*>(words.data()); }

  std::vector<uint32_t> front;
  std::vector<uint32_t> back;
  std::vector<uint32_t> difference;
  std::unique_ptr<bool[]> dirty;
};

}  // namespace inktop
