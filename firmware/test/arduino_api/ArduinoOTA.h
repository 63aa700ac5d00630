// Updates over the air.
#pragma once

#include <functional>

typedef enum {
  OTA_AUTH_ERROR,
  OTA_BEGIN_ERROR,
  OTA_CONNECT_ERROR,
  OTA_RECEIVE_ERROR,
  OTA_END_ERROR
} ota_error_t;

// The real class returns the object from its setters in some releases; nobody here looks at the result.
class ArduinoOTAClass {
 public:
  void setHostname(const char* name);
  void setPassword(const char* password);
  void setMdnsEnabled(bool enabled);
  void onStart(std::function<void()> callback);
  void onEnd(std::function<void()> callback);
  void onProgress(std::function<void(unsigned int, unsigned int)> callback);
  void onError(std::function<void(ota_error_t)> callback);
  void begin();
  void handle();
};
extern ArduinoOTAClass ArduinoOTA;
