#include "panel/draw_errors.h"

#include <cstdio>

namespace inktop {
namespace {

struct ErrorText {
  DrawErrors bit;
  const char* word;
  const char* advice;
};

constexpr ErrorText kTexts[kDrawErrorKinds] = {
    {kDrawLookup, "lut", "the display library was started with too small a table: this build is broken"},
    {kDrawCrop, "crop", "the display library refused the area: this build is broken"},
    {kDrawMode, "mode", "the waveform lacks this mode: this build is broken"},
    {kDrawPhases, "phases", "the waveform has nothing for this temperature"},
    {kDrawLineQueue, "lines",
     "the panel was fed too slowly: its clock goes down by itself, or lower it on the console, set speed 5"},
    {kDrawPower, "power", "panel power: the supply did not come up; check its 5 V and the cable"},
    {kDrawOther, "other", "an error that this firmware does not know"},
};

}  // namespace

DrawErrors draw_error_bit(int kind) {
  return kTexts[kind].bit;
}

const char* draw_error_word(int kind) {
  return kTexts[kind].word;
}

void draw_error_words(DrawErrors errors, char* out, size_t size) {
  size_t used = 0;
  std::snprintf(out, size, "ok");
  for (const ErrorText& text : kTexts) {
    if ((errors & text.bit) == 0) continue;
    const int more = std::snprintf(out + used, size - used, used == 0 ? "%s" : "+%s", text.word);
    if (more < 0 || size_t(more) >= size - used) return;
    used += size_t(more);
  }
}

const char* draw_error_advice(DrawErrors errors) {
  for (const ErrorText& text : kTexts) {
    if ((errors & text.bit) != 0) return text.advice;
  }
  return "";
}

}  // namespace inktop
