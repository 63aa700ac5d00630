#include "picture/scene.h"

namespace inktop {

void Scene::begin(Canvas& canvas) {
  canvas_ = &canvas;
  rows_.clear();
  emitted_ = 0;
  element_count_ = 0;
  all_ = count_ < 0;
  differs_ = false;
  if (all_) {
    canvas.set_clip(canvas.bounds());
    canvas.fill(canvas.bounds(), Ink::white);
    canvas.add_rows(rows_, canvas.bounds());
  }
}

bool Scene::end() {
  canvas_->set_clip(canvas_->bounds());
  if (!all_ && (differs_ || emitted_ != count_)) {
    count_ = -1;
    begin(*canvas_);
    return false;
  }
  count_ = emitted_;
  return true;
}

void Scene::element(const char* name, int number, const Rect& rect) {
  if (element_count_ == kMaxElements) return;
  Element& element = elements_[element_count_++];
  element.rect = rect;
  int length = 0;
  while (*name != 0 && length < 12) element.name[length++] = *name++;
  if (number >= 10) element.name[length++] = static_cast<char>('0' + number / 10);
  if (number >= 0) element.name[length++] = static_cast<char>('0' + number % 10);
  element.name[length] = 0;
}

bool Scene::item(const Rect& rect, const Key& key) {
  if (differs_ || emitted_ == kMaxItems) return false;
  Item& item = items_[emitted_];
  if (!all_ && (emitted_ >= count_ || !(item.rect == rect))) {
    differs_ = true;
    return false;
  }
  ++emitted_;
  const bool draw = all_ || item.key != key.value();
  item.rect = rect;
  item.key = key.value();
  if (!draw) return false;
  canvas_->set_clip(rect);
  if (!all_) canvas_->fill(rect, Ink::white);
  canvas_->add_rows(rows_, rect);
  return true;
}

}  // namespace inktop
