// Sentences in lines: whole words, as many as fit.
#pragma once

#include "picture/fonts/fonts.h"
#include "picture/scene.h"

namespace inktop {

int line_pitch(const Font& font);
int wrapped_height(const Font& font, const char* text, int width);
// Emits `text` in lines of at most `width` px; returns the y below it.
int wrapped_items(Scene& scene, const Font& font, const char* text, int x, int y, int width);

}  // namespace inktop
