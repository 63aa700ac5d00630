// Which parts of the picture must be redrawn: items, each with its rectangle and a hash of what it shows.
#pragma once

#include <cstdint>
#include <cstring>

#include "geometry.h"
#include "picture/canvas.h"

namespace inktop {

// A hash (FNV-1a over 64 bits) of everything that an item's pixels depend on, its rectangle apart.
class Key {
 public:
  Key& add(uint64_t value) {
    for (int i = 0; i < 8; ++i) step(static_cast<uint8_t>(value >> (8 * i)));
    return *this;
  }
  Key& add_byte(uint8_t value) {
    step(value);
    return *this;
  }
  Key& add(const char* text) {
    while (*text != 0) step(static_cast<uint8_t>(*text++));
    step(0);
    return *this;
  }
  Key& add(const void* address) { return add(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(address))); }
  uint64_t value() const { return hash_; }

 private:
  void step(uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001B3ull; }

  uint64_t hash_ = 0xCBF29CE484222325ull;
};

// The same items in the same places: only those whose key changed are cleared and drawn again. Another list
// of rectangles (a GPU more, another screen): everything is. Items never overlap, and what an item draws is
// cut at its rectangle, so the picture is the same as one that is drawn from scratch.
class Scene {
 public:
  static constexpr int kMaxItems = 1024;
  static constexpr int kMaxElements = 48;

  // Emission happens in passes: begin(), the items, end(). While end() answers false, emit the items again.
  void begin(Canvas& canvas);
  bool end();

  // Groups the items that follow under a name; `name` is copied, its rectangle is for the cost tables.
  void element(const char* name, int number, const Rect& rect);
  // True: draw the item now; its rectangle has been cleared to white and the canvas is clipped to it.
  bool item(const Rect& rect, const Key& key);

  Canvas& canvas() { return *canvas_; }
  // Of the frame: what was drawn lies in them.
  const RowSet& rows() const { return rows_; }
  void invalidate() { count_ = -1; }

  int item_count() const { return count_ < 0 ? 0 : count_; }
  const Rect& item_rect(int index) const { return items_[index].rect; }
  int element_count() const { return element_count_; }
  const char* element_name(int index) const { return elements_[index].name; }
  const Rect& element_rect(int index) const { return elements_[index].rect; }

 private:
  struct Item {
    Rect rect;
    uint64_t key = 0;
  };
  struct Element {
    char name[16] = "";
    Rect rect;
  };

  Canvas* canvas_ = nullptr;
  Item items_[kMaxItems];
  Element elements_[kMaxElements];
  int count_ = -1;  // of the items on the screen; -1: nothing is known to be drawn
  int emitted_ = 0;
  int element_count_ = 0;
  bool all_ = true;       // this pass draws everything
  bool differs_ = false;  // this pass found another list of rectangles
  RowSet rows_;
};

}  // namespace inktop
