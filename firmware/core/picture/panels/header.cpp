#include "picture/panels/header.h"

#include <cstring>

#include "picture/format.h"
#include "picture/items.h"

namespace inktop {

namespace {

LongText header_facts(const View& view) {
  const Snapshot& snapshot = *view.snapshot;
  LongText text;
  if (snapshot.gpu_count > 0) {
    const GpuInfo* first = view.gpu_info(snapshot.gpus[0].index);
    bool same = first != nullptr && first->name[0] != 0;
    for (int i = 1; same && i < snapshot.gpu_count; ++i) {
      const GpuInfo* other = view.gpu_info(snapshot.gpus[i].index);
      same = other != nullptr && std::strcmp(other->name, first->name) == 0;
    }
    if (same && snapshot.gpu_count == 1) {
      text.add(first->name);
    } else if (same) {
      text.add_number(snapshot.gpu_count).add("x ").add(first->name);
    } else {
      text.add_number(snapshot.gpu_count).add(snapshot.gpu_count == 1 ? " GPU" : " GPUs");
    }
    text.add("   ");
  }
  if (snapshot.cpus != kUnknown) {
    text.add_number(snapshot.cpus).add(snapshot.cpus == 1 ? " CPU   " : " CPUs   ");
  }
  if (snapshot.uptime_s != kUnknown) text.add("up ").add(format_duration(snapshot.uptime_s).c_str());
  return text;
}

}  // namespace

void draw_header(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const Snapshot& snapshot = *view.snapshot;
  scene.element("header", -1, {rect.x, rect.y, rect.width, m.top - m.row_gap / 2 - rect.y});
  const Font& big = *m.value;
  const Font& body = *m.body;
  // One baseline for all of the header.
  const int big_y = rect.y + (rect.height - big.ascent - big.descent) / 2;
  const int body_y = big_y + big.ascent - body.ascent;
  const int space = m.pad;

  const bool lost = view.freshness == Freshness::lost;
  const int clock_width = text_width(big, "00:00");
  const int clock_x = rect.right() - clock_width - 4;
  int right = clock_x - space;
  if (lost) {
    // Unmistakable: the whole header turns black and says since when nothing has come.
    LongText text;
    text.add("NO DATA");
    if (view.last_data_s >= 0) text.add(" since ").add(format_clock(view.last_data_s, true).c_str());
    if (view.board != nullptr && view.board->server[0] != 0) {
      text.add("   trying ").add(view.board->server);
    } else {
      text.add("   is the collector running?");
    }
    const Fitted host = fit_text(big, snapshot.host, rect.width / 3);
    text_item(scene, text_rect(big, rect.x + 4, big_y, host.width), big, snapshot.host);
    const int x = rect.x + 4 + host.width + space;
    inverted_item(scene, {x, rect.y, rect.right() - x, rect.height}, big, text.c_str());
  } else {
    text_item(scene, text_rect(big, clock_x, big_y, clock_width), big,
              snapshot.time[0] != 0 ? snapshot.time : "--:--", Align::right);
    // Host and address from the left, load and clock from the right, the machine's facts between.
    if (snapshot.has_load) {
      LongText load;
      load.add("load ");
      for (int i = 0; i < 3; ++i)
        load.add(i > 0 ? "  " : "").add(format_load(snapshot.load_centi[i]).c_str());
      int width = text_width(body, "load 00.00  00.00  00.00");
      const int needed = text_width(body, load.c_str());
      if (needed > width) width = needed;
      if (rect.width >= 3 * width) {
        text_item(scene, text_rect(body, right - width, body_y, width), body, load.c_str(), Align::right);
        right -= width + space;
      }
    }
    LongText facts = header_facts(view);
    const bool old = view.freshness == Freshness::old;
    if (old) {
      facts = LongText();
      facts.add("data ").add_number(view.age_s).add(" s old");
    }
    const int room = right - rect.x - 4;
    const int address_width = text_width(body, snapshot.address);
    const int host_needs = text_width(big, snapshot.host);
    const int facts_width = text_width(body, facts.c_str());
    // The host's name comes first, then the address, then the facts: what does not fit is cut or left out.
    int host_room = room;
    int address_room = 0;
    if (snapshot.address[0] != 0) {
      address_room = address_width;
      if (host_needs + space + address_room > room) {
        if (address_room > room * 2 / 5) address_room = room * 2 / 5;
      }
      host_room = room - space - address_room;
    }
    const int host_width = host_needs < host_room ? host_needs : host_room;
    int left = rect.x + 4;
    text_item(scene, text_rect(big, left, big_y, host_width), big, snapshot.host);
    left += host_width + space;
    if (address_room > 0) {
      text_item(scene, text_rect(body, left, body_y, address_room), body, snapshot.address);
      left += address_room + space;
    }
    // In the middle of the display where there is room, else in the middle of what is left: in a rectangle
    // that does not move with the text.
    const int free = right - left;
    const int centre = rect.x + rect.width / 2;
    const int half = centre - left < right - centre ? centre - left : right - centre;
    if (facts_width <= 2 * half) {
      text_item(scene, text_rect(body, centre - half, body_y, 2 * half), body, facts.c_str(), Align::center);
    } else if (facts_width <= free || old) {
      text_item(scene, text_rect(body, left, body_y, free), body, facts.c_str(), Align::center);
    }
  }
  rule_item(scene, {rect.x, rect.bottom() + 4, rect.width, m.line});
}

}  // namespace inktop
