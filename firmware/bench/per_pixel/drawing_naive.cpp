// The yardstick: the very same drawing, compiled once more with a canvas that sets one pixel at a time with
// bounds checks.
//
// The build gives the whole core a namespace of its own for that (`inktop` is a macro here), so that both
// versions live in one program.
#include "drawing.h"
#include "two_gpus.h"

#if !defined(INKTOP_PER_PIXEL) || !defined(inktop)
#error "this file belongs to the library inktop_per_pixel of CMakeLists.txt"
#endif

uint32_t bench_redraw_naive(int count) {
  return inktop::bench::redraw(count);
}
uint32_t bench_fill_naive(int count) {
  return inktop::bench::fill(count);
}
