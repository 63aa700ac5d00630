#include "picture/panels/model_server.h"

#include <initializer_list>

#include "picture/panels/frame.h"
#include "picture/panels/pieces.h"

namespace inktop {

namespace {

Stat stat_of(const char* caption, int32_t value) {
  Stat stat;
  stat.caption = caption;
  stat.number = format_whole(value);
  return stat;
}

}  // namespace

void draw_model_server(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const ModelServer& server = view.snapshot->model_server;
  panel_items(scene, rect, m, "LLM", server.name);
  const Inner in = inner_of(rect, m);
  // The number that the machine is there for.
  Stat generated = stat_of("tokens/s", server.generated_tokens_s);
  generated.emphasis = big_emphasis(view);
  const Stat stats[] = {stat_of("prompt/s", server.prompt_tokens_s), stat_of("running", server.running),
                        stat_of("waiting", server.waiting)};
  const int rows = stat_rows_height(m, in.width, 3);
  const int line = font_height(*m.body);
  const int all = rows + line + bar_height(m) + 2 * m.line;
  // The number as large as leaves room for the others, while it can be.
  const Font* numeral = m.title;
  for (const Font* larger : {m.big_numeral, m.numeral}) {
    const bool wide = numeral_width(m, *larger) <= in.width;
    if (wide && in.y + block_height(m, *larger) + 2 * m.line + all <= in.bottom) {
      numeral = larger;
      break;
    }
  }
  stat(scene, m, in.x, in.y, in.width, *numeral, generated);
  // What is left goes between them, evenly.
  int space = (in.bottom - in.y - stat_height(m, *numeral) - all) / 3;
  space = space < m.line ? m.line : space > m.pad ? m.pad : space;
  int y = in.y + stat_height(m, *numeral) + space;
  if (y + rows > in.bottom) return;
  stat_rows(scene, m, in.x, y, in.width, stats, 3);
  y += rows + space;
  if (server.cache_percent == kUnknown || y + line > in.bottom) return;
  ShortText percent;
  percent.add_number(server.cache_percent).add('%');
  named_value(scene, m, in.x, y, in.width, "KV cache", percent.c_str());
  y += line + m.line;
  if (y + bar_height(m) <= in.bottom) {
    bar_item(scene, {in.x, y, in.width, bar_height(m)}, server.cache_percent * 10);
  }
}

}  // namespace inktop
