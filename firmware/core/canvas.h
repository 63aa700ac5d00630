// Owns drawing into the 4-bpp framebuffer: word fills, dither patterns, frames and 1-bit glyph text, all clipped.
#pragma once

#include <cstdint>

#include "geometry.h"

namespace inktop {

// Framebuffer: 4 bits a pixel, the low nibble is the left (even x) pixel, 0xF white, 0x0 black, rows of width/2 bytes.
// Only 0x0 and 0xF are ever written: greys are ordered-dither patterns.
enum class Ink : uint8_t { white, black, dots, light, half };

class Canvas {
 public:
  // `pixels` holds size.height rows of size.width / 2 bytes, 4-byte aligned; size.width is a multiple of 8.
  Canvas(uint8_t* pixels, Size size);
};

}  // namespace inktop
