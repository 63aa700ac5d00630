// The secrets header, which lies outside the tree, as the defaults of the settings.
#pragma once

#if __has_include("secrets.h")
#include "secrets.h"
#else
#error \
    "no secrets.h: run `inktop secrets init` (it writes ~/.config/inktop/secrets.h; or set INKTOP_SECRETS_DIR)"
#endif

// An empty header is fine: Wi-Fi then comes from the serial console (`inktop configure`).
#ifndef INKTOP_WIFI_SSID
#define INKTOP_WIFI_SSID ""
#endif
#ifndef INKTOP_WIFI_PASSWORD
#define INKTOP_WIFI_PASSWORD ""
#endif
#ifndef INKTOP_SERVERS
#define INKTOP_SERVERS ""
#endif
#ifndef INKTOP_STREAM_KEY
#define INKTOP_STREAM_KEY ""
#endif
#ifndef INKTOP_OTA_PASSWORD
#define INKTOP_OTA_PASSWORD ""
#endif
