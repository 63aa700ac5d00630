// The drawing as it ships.
#include "drawing.h"
#include "two_gpus.h"

uint32_t bench_redraw_fast(int count) {
  return inktop::bench::redraw(count);
}
uint32_t bench_turned_fast(int count) {
  return inktop::bench::redraw_tall(count, true);
}
uint32_t bench_tall(int count) {
  return inktop::bench::redraw_tall(count, false);
}
uint32_t bench_fill_fast(int count) {
  return inktop::bench::fill(count);
}
