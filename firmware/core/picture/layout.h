// Where everything is: marks, header and panels, from the size of the display and the number of GPUs.
#pragma once

#include "geometry.h"
#include "picture/fonts/fonts.h"

namespace inktop {

// The measures that follow from the size of the display. All are multiples of 4 px.
struct Metrics {
  const Font* caption;
  const Font* body;
  const Font* small_value;
  const Font* medium;  // the lesser numbers of a panel
  const Font* value;
  const Font* title;
  const Font* numeral;      // the big number of a compact panel
  const Font* big_numeral;  // the big number of a panel

  int mark;     // side of a corner mark
  int inset;    // from a mark to the edge of the display; also the white that every mark has around it
  int small;    // side of a mark at mid-height
  int margin;   // left and right of the content: a corner mark and its white fit in
  int gap;      // between columns
  int row_gap;  // between rows
  int header;   // height of the header's text
  int top;      // first row of the panels
  int bottom;   // rows below the panels
  int strip;    // height of a panel's title; the frame's upper edge runs through its middle
  int pad;      // from a frame to what is in it
  int radius;
  int line;  // thickness of frames and graph lines
};

const Metrics& metrics_for(Size size);

constexpr int kMarks = 6;
// Top-left (hollow), top-right, bottom-left, bottom-right; the small ones at mid-height, left and right.
void place_marks(Size size, Rect (&marks)[kMarks]);

constexpr int kMaxGpuPanels = 8;
constexpr int kMaxPanels = 8;

struct Layout {
  Rect header;
  int columns = 2;        // all panels are in these
  int gpu_panels = 0;     // at most kMaxGpuPanels
  bool together = false;  // an odd number of GPUs in two rows leaves a place: all of them together
  Rect together_rect;
  bool gpu_rest = false;  // the last of them stands for all further GPUs: "+N more"
  Rect gpus[kMaxGpuPanels];
  int panel_count = 0;
  Rect panels[kMaxPanels];  // all others, in the order of panels/panels.h
};

// `panels` of them besides the GPUs', at least one.
Layout arrange(Size size, int gpus, int panels);

}  // namespace inktop
