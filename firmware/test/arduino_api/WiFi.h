// The radio and TCP.
#pragma once

#include <Arduino.h>
#include <IPAddress.h>

#include <functional>

typedef enum { WIFI_MODE_NULL = 0, WIFI_MODE_STA, WIFI_MODE_AP } wifi_mode_t;
#define WIFI_STA WIFI_MODE_STA
#define WIFI_AP WIFI_MODE_AP

typedef enum {
  WL_IDLE_STATUS = 0,
  WL_NO_SSID_AVAIL = 1,
  WL_CONNECTED = 3,
  WL_CONNECT_FAILED = 4,
  WL_DISCONNECTED = 6,
} wl_status_t;

typedef enum {
  WIFI_REASON_AUTH_EXPIRE = 2,
  WIFI_REASON_ASSOC_LEAVE = 8,
  WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT = 15,
  WIFI_REASON_BEACON_TIMEOUT = 200,
  WIFI_REASON_NO_AP_FOUND = 201,
  WIFI_REASON_AUTH_FAIL = 202,
  WIFI_REASON_HANDSHAKE_TIMEOUT = 204,
} wifi_err_reason_t;

typedef enum {
  ARDUINO_EVENT_WIFI_STA_CONNECTED = 4,
  ARDUINO_EVENT_WIFI_STA_DISCONNECTED = 5,
  ARDUINO_EVENT_WIFI_STA_GOT_IP = 7,
  ARDUINO_EVENT_WIFI_STA_LOST_IP = 9,
  ARDUINO_EVENT_MAX = 39,
} arduino_event_id_t;

typedef struct {
  uint8_t reason;
} wifi_event_sta_disconnected_t;

typedef union {
  wifi_event_sta_disconnected_t wifi_sta_disconnected;
} arduino_event_info_t;

typedef std::function<void(arduino_event_id_t event, arduino_event_info_t info)> WiFiEventFuncCb;

class WiFiClass {
 public:
  size_t onEvent(WiFiEventFuncCb callback, arduino_event_id_t event = ARDUINO_EVENT_MAX);
  void persistent(bool persistent);
  bool setAutoReconnect(bool reconnect);
  bool setHostname(const char* name);
  bool mode(wifi_mode_t mode);
  bool setSleep(bool enabled);
  wl_status_t begin(const char* ssid, const char* passphrase = nullptr, int32_t channel = 0,
                    const uint8_t* bssid = nullptr, bool connect = true);
  bool disconnect(bool wifi_off = false, bool erase = false);
  bool softAP(const char* ssid, const char* passphrase = nullptr, int channel = 1, int ssid_hidden = 0,
              int max_connection = 4, bool ftm_responder = false);
  wl_status_t status();
  int8_t RSSI();
  IPAddress localIP();
};
extern WiFiClass WiFi;

class WiFiClient {
 public:
  size_t write(const uint8_t* bytes, size_t size);
  int read(uint8_t* bytes, size_t size);
  uint8_t connected();
  void stop();
  int fd() const;  // -1: none

 private:
  friend class WiFiServer;
  int connection_ = 0;
};

class WiFiServer {
 public:
  WiFiServer(uint16_t port = 80, uint8_t max_clients = 4) : port_(port) { (void)max_clients; }
  // Each connection once; one that is not connected when there is none.
  WiFiClient available();
  void begin(uint16_t port = 0);

 private:
  uint16_t port_;
  bool listening_ = false;
};
