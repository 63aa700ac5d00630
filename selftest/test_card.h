// The pictures of the self-test: the test card, its inverse, and the table of numbered tiles.
#pragma once

#include "geometry.h"
#include "picture/canvas.h"

namespace inktop {
namespace selftest {

// The panel's line register has 10 bits: it takes 1080 rows as two batches, and this is the first row of the
// second. What crosses it shows a batch fault first.
constexpr int kBatchRow = 1000;

// The whole card, with `name` and `summary` in the title band; cut at the canvas's clip. At least 640 x 400.
void draw_card(Canvas& canvas, const char* name, const char* summary);

// Turns black into white and white into black in these rows; `pixels` is the framebuffer of the canvas.
void invert_rows(uint8_t* pixels, Size size, int first_row, int row_count);

// The rows of ST3: two whole tiles at the middle of the card, with its title.
Rect title_band(Size size);

// The rows [row * 64, row * 64 + 64) as tiles that carry their column and row; the rest of the canvas is not
// touched. Sets the clip back to everything.
void draw_tile_row(Canvas& canvas, int row, const char* name, const char* summary);
int tile_rows(Size size);

// The marks of every screen, each on its own white ground.
void draw_marks(Canvas& canvas);

}  // namespace selftest
}  // namespace inktop
