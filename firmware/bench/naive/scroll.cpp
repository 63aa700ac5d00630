// In place of picture/sweep.cpp: graphs that scroll, as one would draw them without thinking of ink.
#include "picture/graph.h"

namespace inktop {

Segment segment_at(const GraphTime& time, int index) {
  Segment segment;
  segment.first_second = time.newest_second + 1 - kHistorySeconds + index * kGraphStepSeconds;
  segment.joined = index > 0;
  return segment;
}

}  // namespace inktop
