// What holds for every picture: its items lie within the display and never overlap.
#pragma once

#include <doctest/doctest.h>

#include "picture/scene.h"
#include "views.h"

namespace inktop {
namespace test {

inline void require_apart(const Easel& easel) {
  const Scene& scene = easel.picture->scene();
  REQUIRE(scene.item_count() > 0);
  REQUIRE(scene.item_count() < Scene::kMaxItems);
  REQUIRE(scene.element_count() < Scene::kMaxElements);
  for (int a = 0; a < scene.item_count(); ++a) {
    const Rect& rect = scene.item_rect(a);
    REQUIRE_MESSAGE(easel.canvas.bounds().contains(rect), "item " << a << " at " << rect.x << "," << rect.y
                                                                  << " " << rect.width << "x" << rect.height);
    for (int b = a + 1; b < scene.item_count(); ++b) {
      const Rect& other = scene.item_rect(b);
      REQUIRE_MESSAGE(!rect.overlaps(other), "items " << a << " at " << rect.x << "," << rect.y << " "
                                                      << rect.width << "x" << rect.height << " and " << b
                                                      << " at " << other.x << "," << other.y << " "
                                                      << other.width << "x" << other.height);
    }
  }
}

}  // namespace test
}  // namespace inktop
