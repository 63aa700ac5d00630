// One server's cell of a grid: its name, what it does, and what is wrong with it.
#pragma once

#include "picture/layout.h"
#include "picture/panels/server_parts.h"
#include "picture/scene.h"

namespace inktop {

// In a grid the name is the title, to be read from across the room.
const Font& cell_name_font(const Metrics& m);
int cell_name_room(const Metrics& m, int width);
void draw_server_cell(Scene& scene, const View& view, const Metrics& m, const Rect& rect,
                      const ServerParts& parts);

}  // namespace inktop
