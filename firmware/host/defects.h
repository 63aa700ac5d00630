// What can go wrong between picture and panel: each defect can be switched on for a picture of the damage.
#pragma once

#include <cstdint>
#include <vector>

#include "app/app.h"
#include "naive_driver.h"
#include "panel_model.h"

namespace inktop {

enum class Defect : uint8_t {
  none,
  wash_skips_rows,  // E1
  unknown_start,    // E2
  stale_rows,       // E3
  stale_columns,    // E4
  silent_error,     // E5, at updates, again and again
  black_ghosts,     // E8
  draw_error,       // E5, once, in the middle of the first picture
};
constexpr int kDefects = 8;

const char* defect_name(Defect defect);     // "stale-rows"; "none"
const char* defect_summary(Defect defect);  // one line for a person
// Defect::none when there is no such name.
Defect defect_by_name(const char* name);
HighLevelHabits habits_of(Defect defect);

// Shows the app's pictures on the panel with the naive driver, one update for each element, as high-level
// code does; the differences that the app hands over are ignored. The app is told that all went well, as such
// a driver believes. With Defect::none the panel shows the app's picture after each refresh.
class DefectivePanel : public Panel {
 public:
  DefectivePanel(const App& app, PanelModel& panel, Defect defect);
  DrawErrors drive(Waveform waveform, const Difference& difference) override;
  NaiveDriver& driver() { return driver_; }

 private:
  void update();
  void arm();

  const App& app_;
  PanelModel& panel_;
  Defect defect_;
  NaiveDriver driver_;
  std::vector<Rect> elements_;  // of the last update
  int passes_ = 0;              // of the wash that is being driven
};

}  // namespace inktop
