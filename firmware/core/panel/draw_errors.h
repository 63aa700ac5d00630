// The panel's errors in words: for the log, and for the person who reads it.
#pragma once

#include <cstddef>

#include "panel/panel.h"

namespace inktop {

// The kinds, numbered: a bit of DrawErrors and its word in the health line.
constexpr int kDrawErrorKinds = 7;
DrawErrors draw_error_bit(int kind);
const char* draw_error_word(int kind);

// "ok", or the kinds of the health line (protocol/README.md, section 7) joined by "+". 48 bytes suffice.
void draw_error_words(DrawErrors errors, char* out, size_t size);
// What to do about the first of them, in one sentence; empty: nothing.
const char* draw_error_advice(DrawErrors errors);

}  // namespace inktop
