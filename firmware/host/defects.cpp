#include "defects.h"

#include <cstring>

namespace inktop {

namespace {

struct Text {
  const char* name;
  const char* summary;
};

constexpr Text kTexts[kDefects] = {
    {"none", "a driver without any of these habits"},
    {"wash-skips-rows", "E1: the wash drives only rows that changed, so ghosts stay in all others"},
    {"unknown-start",
     "E2: the panel is believed to be white at start, so an old picture stays where nothing is drawn"},
    {"stale-rows",
     "E3: rows of an earlier update are driven again and count as shown, so new content never appears"},
    {"stale-columns",
     "E4: beside a narrow area old differences are driven, and what lies there counts as shown"},
    {"silent-error", "E5: updates that break off count as shown: half-driven greys that nobody repairs"},
    {"black-ghosts", "E8: a wash in one pass drives no black pixel, so ghosts stay in the ink"},
    {"draw-error", "E5: the first picture breaks off and counts as shown: grey until a pixel changes"},
};

// From this phase on a broken refresh feeds nothing. GC16 darkens white pixels first and then lightens them:
// here the ink is black already, and the paper half way back.
constexpr int kBrokenAtPhase = 22;
constexpr int kBrokenUpdateAtPhase = 2;
// Every fourth update breaks off.
constexpr int kDrivesBetweenFaults = 3;

}  // namespace

const char* defect_name(Defect defect) {
  return kTexts[static_cast<int>(defect)].name;
}
const char* defect_summary(Defect defect) {
  return kTexts[static_cast<int>(defect)].summary;
}

Defect defect_by_name(const char* name) {
  for (int i = 0; i < kDefects; ++i) {
    if (std::strcmp(kTexts[i].name, name) == 0) return static_cast<Defect>(i);
  }
  return Defect::none;
}

HighLevelHabits habits_of(Defect defect) {
  HighLevelHabits habits;
  habits.wash_skips_rows = defect == Defect::wash_skips_rows;
  habits.assumes_white = defect == Defect::unknown_start;
  habits.stale_rows = defect == Defect::stale_rows;
  habits.stale_columns = defect == Defect::stale_columns;
  habits.silent_errors = defect == Defect::silent_error || defect == Defect::draw_error;
  habits.one_pass_wash = defect == Defect::black_ghosts;
  return habits;
}

DefectivePanel::DefectivePanel(const App& app, PanelModel& panel, Defect defect)
    : app_(app),
      panel_(panel),
      defect_(defect),
      driver_(app.frames().size(), app.frames().front(), panel, habits_of(defect)) {
  // The clear and the white of the first wash go through; its picture breaks off.
  if (defect == Defect::draw_error) panel_.fail(2, kDrawLineQueue, kBrokenAtPhase);
}

void DefectivePanel::arm() {
  if (defect_ != Defect::silent_error) return;
  const auto& counters = panel_.counters();
  const uint64_t updates = counters.updates + counters.failures;
  if (updates % (kDrivesBetweenFaults + 1) == 0) {
    panel_.fail(kDrivesBetweenFaults, kDrawLineQueue, kBrokenUpdateAtPhase);
  }
}

void DefectivePanel::update() {
  const Size size = app_.frames().size();
  const Rect all{0, 0, size.width, size.height};
  std::vector<Rect> elements;
  for (int i = 0; i < app_.picture().element_count(); ++i) {
    const Rect rect = intersection(app_.picture().element_rect(i), all);
    if (!rect.empty() && !(rect == all)) elements.push_back(rect);
  }
  if (elements != elements_) {
    elements_ = elements;
    arm();
    driver_.update(all);
    return;
  }
  for (const Rect& rect : elements) {
    arm();
    driver_.update(rect);
  }
}

DrawErrors DefectivePanel::drive(Waveform waveform, const Difference&) {
  if (waveform == Waveform::du) {
    update();
    return kDrawOk;
  }
  // With the first pass of a wash the naive driver does all that it does.
  const bool starts = app_.last_refresh().refresh.kind == RefreshKind::clear_and_wash;
  if (passes_ == 0) starts ? driver_.start() : driver_.wash();
  passes_ = (passes_ + 1) % (starts ? 3 : 2);
  return kDrawOk;
}

}  // namespace inktop
