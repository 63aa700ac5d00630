// In place of picture/sweep.cpp: graphs that scroll, as one would draw them without thinking of ink.
#include "picture/graph.h"

namespace inktop {

Column column_at(const GraphTime& time, int index, int /*gap*/) {
  Column column;
  column.second = time.newest_second + 1 - span_seconds(time.span) + index * column_seconds(time.span);
  column.joined = index > 0;
  return column;
}

}  // namespace inktop
