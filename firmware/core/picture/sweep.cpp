// Which samples each segment of a graph shows.
#include "picture/graph.h"

namespace inktop {

Segment segment_at(const GraphTime& time, int index) {
  const int32_t end = time.end();
  const int now = end % kHistorySeconds / kGraphStepSeconds;
  Segment segment;
  segment.bar = index == now;
  // Left of the bar this turn, right of it what is left of the turn before.
  segment.first_second = end - end % kHistorySeconds + index * kGraphStepSeconds;
  if (index > now) segment.first_second -= kHistorySeconds;
  segment.joined = index > 0 && index != now + 1;
  return segment;
}

}  // namespace inktop
