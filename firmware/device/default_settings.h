// The settings of a board on which nothing was set: from the secrets header and the chip's own number.
#pragma once

#include "console/settings.h"

namespace inktop {

// Logs every value of the secrets header that is refused; it then counts as not given.
Settings default_settings();
// Empty: no update over the air.
const char* ota_password();

}  // namespace inktop
