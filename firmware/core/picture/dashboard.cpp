#include "picture/dashboard.h"

#include "picture/panels/gpu.h"
#include "picture/panels/header.h"
#include "picture/panels/panels.h"

namespace inktop {

void draw_dashboard(Scene& scene, const View& view, Size size) {
  const Metrics& m = metrics_for(size);
  const int extra = view.snapshot->has_model_server ? 1 : 0;
  const Layout layout = arrange(size, view.snapshot->gpu_count, kPanelCount + extra);
  draw_header(scene, view, m, layout.header);
  draw_gpus(scene, view, m, layout);
  for (int i = 0; i < kPanelCount + extra; ++i) {
    const Panel& panel = extra == 0 || i < kModelServerPlace ? kPanels[i]
                         : i == kModelServerPlace            ? kModelServerPanel
                                                             : kPanels[i - 1];
    scene.element(panel.name, -1, layout.panels[i]);
    panel.draw(scene, view, m, layout.panels[i]);
  }
}

}  // namespace inktop
