// Which samples each column of a graph shows.
#include "picture/graph.h"

namespace inktop {

Column column_at(const GraphTime& time, int index, int gap) {
  const int32_t seconds = column_seconds(time.span);
  const int32_t span = span_seconds(time.span);
  const int32_t end = time.end();
  const int now = static_cast<int>(end % span / seconds);
  Column column;
  // Left of the gap this turn, right of it what is left of the turn before. At the right edge the gap ends.
  column.gap = index >= now && index < now + gap;
  column.second = end - end % span + index * seconds;
  if (index >= now) column.second -= span;
  column.joined = index > 0 && index != now && index != now + gap;
  return column;
}

}  // namespace inktop
