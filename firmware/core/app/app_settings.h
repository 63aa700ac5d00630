// What the app gets of the settings.
#pragma once

#include "app/app.h"
#include "console/settings.h"

namespace inktop {

inline void take_settings(AppSettings& app, const Settings& settings) {
  app.refresh = refresh_settings(settings);
  app.alarms = settings.alarms;
  app.quiet = settings.quiet;
  app.taste = settings.taste;
  app.span = settings.span;
}

}  // namespace inktop
