// The frame of a panel with its title, and the alarm that takes the title's place.
#pragma once

#include <cstdint>

#include "picture/format.h"
#include "picture/items.h"
#include "picture/layout.h"
#include "picture/scene.h"
#include "picture/view.h"

namespace inktop {

// What is wrong with what a panel shows, and the second of the day at which the worst of it began (-1
// unknown).
struct PanelAlarm {
  LongText words;
  LongText first;  // the worst of them
  int more = 0;    // how many others
  int32_t since_s = -1;
  bool twelve_hours = false;
  // The title is worth more than the words, which are said below it too.
  bool title_first = false;
};

// Empty words: nothing is wrong.
PanelAlarm gpu_alarm(const View& view, int gpu);
PanelAlarm memory_alarm(const View& view);
// All that is wrong with a server, a GPU's with its number.
PanelAlarm server_alarm(const View& view);

bool has_alarm(const View& view, AlarmKind kind, int gpu);
// Of the number that an alarm of that kind is about.
Emphasis emphasis_of(const View& view, AlarmKind kind, int gpu);
// The same for a big number: what is old is in half ink.
Emphasis big_emphasis(const View& view);
Emphasis big_emphasis_of(const View& view, AlarmKind kind, int gpu);

// Frame and title of a panel. With an alarm the title is inverted and shows it in place of `right`.
void panel_items(Scene& scene, const Rect& rect, const Metrics& metrics, const char* left, const char* right,
                 const PanelAlarm& alarm = PanelAlarm());

// Whether both fit into the title of a panel of that width, uncut.
bool title_fits(const Metrics& metrics, int width, const char* left, const char* right);

// The room inside a panel's frame.
struct Inner {
  int x;
  int y;
  int width;
  int bottom;
};

Inner inner_of(const Rect& rect, const Metrics& m);

}  // namespace inktop
