#include "picture/dashboard.h"

#include "picture/panels/gpu.h"
#include "picture/panels/header.h"
#include "picture/panels/panels.h"

namespace inktop {

void draw_dashboard(Scene& scene, const View& view, Size size) {
  const Metrics& m = metrics_for(size);
  const Layout layout = arrange(size, view.snapshot->gpu_count, kPanelCount);
  draw_header(scene, view, m, layout.header);
  draw_gpus(scene, view, m, layout);
  for (int i = 0; i < kPanelCount; ++i) {
    scene.element(kPanels[i].name, -1, layout.panels[i]);
    kPanels[i].draw(scene, view, m, layout.panels[i]);
  }
}

}  // namespace inktop
