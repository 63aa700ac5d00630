#include "picture/picture.h"

#include "picture/dashboard.h"
#include "picture/fleet.h"
#include "picture/grid.h"
#include "picture/layout.h"
#include "picture/screens.h"

namespace inktop {

namespace {

// Squares for finding and righting the board in a photograph; the top-left one is hollow, so that 180 degrees
// are no doubt.
void draw_marks(Scene& scene, Size size) {
  Rect marks[kMarks];
  place_marks(size, marks);
  for (int i = 0; i < kMarks; ++i) {
    if (!scene.item(marks[i], Key().add("mark").add_byte(static_cast<uint8_t>(i)))) continue;
    if (i == 0) {
      scene.canvas().outline(marks[i], marks[i].width / 4);
    } else {
      scene.canvas().fill(marks[i], Ink::black);
    }
  }
}

}  // namespace

void Picture::emit(const View& view) {
  scene_.element("marks", -1, {0, 0, size_.width, size_.height});
  draw_marks(scene_, size_);
  const bool live = view.screen == Screen::live;
  if (live && view.server_count > 1 && view.large < 0) {
    draw_grid(scene_, view, size_);
  } else if (live && view.fleet != nullptr) {
    draw_fleet(scene_, view, size_);
  } else if (live && view.snapshot != nullptr && view.history != nullptr) {
    draw_dashboard(scene_, view, size_);
  } else {
    draw_screen(scene_, view, size_);
  }
}

RowSet Picture::draw(const View& view, Canvas& canvas) {
  scene_.begin(canvas);
  do {
    emit(view);
  } while (!scene_.end());
  return scene_.rows();
}

}  // namespace inktop
