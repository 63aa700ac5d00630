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

// Name, bar and value in one line; its height.
int cache_line(Scene& scene, const Metrics& m, const Inner& in, int y, int32_t cache_percent) {
  const int height = font_height(*m.body);
  ShortText percent;
  percent.add_number(cache_percent).add(" %");
  const int name_width = text_width(*m.body, "KV cache");
  const int value_width = text_width(*m.body, "100 %");
  const int bar_x = in.x + name_width + 16;
  const int bar_width = in.x + in.width - value_width - 16 - bar_x;
  text_item(scene, text_rect(*m.body, in.x, y, name_width), *m.body, "KV cache");
  if (bar_width >= 48) {
    const int bar_y = y + (height - bar_height(m)) / 2;
    bar_item(scene, {bar_x, bar_y, bar_width, bar_height(m)}, cache_percent * 10);
  }
  text_item(scene, text_rect(*m.body, in.x + in.width - value_width, y, value_width), *m.body,
            percent.c_str(), Align::right);
  return height;
}

// A busy server's line is not a flat one, and an idle one's is.
constexpr uint64_t kFloorTokens = 10;

// "500", "20k": beside the line that it names.
ShortText scale_text(uint64_t tokens) {
  ShortText text;
  if (tokens < 10'000) return text.add_number(int64_t(tokens));
  return text.add_number(int64_t(tokens / 1000)).add('k');
}

void history(Scene& scene, const View& view, const Metrics& m, const Rect& rect) {
  const GraphTime time = graph_time(view);
  Graph graph;
  graph.series = &view.history->tokens();
  graph.full = nice_ceiling(graph.series->max(time.span), kFloorTokens);
  const ShortText top = scale_text(graph.full);
  const ShortText middle = scale_text(graph.full / 2);
  graph.scale[0] = top.c_str();
  graph.scale[1] = middle.c_str();
  graph.left = "tokens/s";
  const LongText summary = summary_text(*graph.series, time, 1);
  graph.right = summary.c_str();
  scene.element("llm graph", -1, rect);
  graph_items(scene, m, rect, graph, time);
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
  // With a graph the number is as those of its neighbours.
  const int graph_height = least_graph(m) - m.pad - font_height(*m.caption);
  const int below = in.y + block_height(m, *m.numeral) + rows + line + 3 * m.line;
  if (in.bottom - below >= graph_height && numeral_width(m, *m.numeral) <= in.width) {
    stat(scene, m, in.x, in.y, in.width, *m.numeral, generated);
    int y = in.y + block_height(m, *m.numeral) + m.line;
    stat_rows(scene, m, in.x, y, in.width, stats, 3);
    y += rows + m.line;
    if (server.cache_percent != kUnknown) y += cache_line(scene, m, in, y, server.cache_percent);
    history(scene, view, m, {in.x, y + m.line, in.width, in.bottom - y - m.line});
    return;
  }
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
  percent.add_number(server.cache_percent).add(" %");
  named_value(scene, m, in.x, y, in.width, "KV cache", percent.c_str());
  y += line + m.line;
  if (y + bar_height(m) <= in.bottom) {
    bar_item(scene, {in.x, y, in.width, bar_height(m)}, server.cache_percent * 10);
  }
}

}  // namespace inktop
