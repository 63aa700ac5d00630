#include "panel/draw_errors.h"

#include <doctest/doctest.h>

#include <string>

namespace inktop {
namespace {

std::string words(DrawErrors errors) {
  char text[48];
  draw_error_words(errors, text, sizeof text);
  return text;
}

}  // namespace

TEST_CASE("Draw errors: each has a word of its own and an advice; none is ok") {
  CHECK(words(kDrawOk) == "ok");
  CHECK(std::string(draw_error_advice(kDrawOk)).empty());
  std::string seen = " ";
  for (const DrawErrors error :
       {kDrawLookup, kDrawCrop, kDrawMode, kDrawPhases, kDrawLineQueue, kDrawPower, kDrawOther}) {
    const std::string word = words(error);
    CHECK(word.size() >= 3);
    CHECK(seen.find(" " + word + " ") == std::string::npos);
    seen += word + " ";
    CHECK_FALSE(std::string(draw_error_advice(error)).empty());
  }
}

TEST_CASE("Draw errors: several at once are all named, and fit their room") {
  CHECK(words(kDrawMode | kDrawLineQueue) == "mode+lines");
  CHECK(words(0xFFFF) == "lut+crop+mode+phases+lines+power+other");
}

}  // namespace inktop
