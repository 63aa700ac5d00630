// Owns the list of what can go wrong between picture and panel, each of which can be switched on for a
// picture of the damage.
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

// Takes the place of App::carry_out: shows the app's pictures with the naive driver, one update for each
// element, as high-level code does. The app is told that all went well, as such a driver believes.
class DefectiveBoard {
 public:
  DefectiveBoard(App& app, PanelModel& panel, Defect defect);
  // Returns kDrawOk; with Defect::none the panel shows the app's picture afterwards.
  DrawErrors carry_out(const Refresh& refresh);
  NaiveDriver& driver() { return driver_; }

 private:
  // Tells the app's own buffers that everything was driven.
  class Believer : public Panel {
   public:
    DrawErrors drive(Waveform, const Difference&) override { return kDrawOk; }
  };

  void update();
  void arm();

  App& app_;
  PanelModel& panel_;
  Defect defect_;
  NaiveDriver driver_;
  std::vector<Rect> elements_;  // of the last update
};

}  // namespace inktop
