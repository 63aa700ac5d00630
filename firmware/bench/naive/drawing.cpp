// The yardstick: the very same drawing, compiled once more with a canvas that sets one pixel at a time.
#include "drawing.h"
#include "two_gpus.h"

uint32_t bench_redraw_naive(int count) {
  return inktop::bench::redraw(count);
}
uint32_t bench_turned_naive(int count) {
  return inktop::bench::redraw_tall(count, true);
}
uint32_t bench_fill_naive(int count) {
  return inktop::bench::fill(count);
}
