// The system's calls, answered by the simulated world. Each does what the real one is known to do, and no
// more.
#include <Arduino.h>
#include <ArduinoOTA.h>
#include <ESPmDNS.h>
#include <Preferences.h>
#include <WiFi.h>
#include <WiFiUdp.h>
#include <driver/adc.h>
#include <driver/gpio.h>
#include <driver/i2c.h>
#include <epdiy.h>
#include <esp_heap_caps.h>
#include <esp_system.h>
#include <esp_task_wdt.h>
#include <esp_timer.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>
#include <lwip/dns.h>
#include <lwip/sockets.h>
#include <lwip/tcpip.h>
#include <mbedtls/md.h>
#include <soc/usb_serial_jtag_reg.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

extern "C" {
#include <output_lcd/lcd_driver.h>
// Of the system's flash driver, which has no public header for them.
void spi_flash_op_lock(void);
void spi_flash_op_unlock(void);
}

#include "sha256.h"
#include "world.h"

using sim::world;

HardwareSerial Serial;
EspClass ESP;
WiFiClass WiFi;
MDNSResponder MDNS;
ArduinoOTAClass ArduinoOTA;

namespace {

std::string text_of(const IPAddress& ip, uint16_t port) {
  char text[32];
  std::snprintf(text, sizeof text, "%u.%u.%u.%u:%u", unsigned(ip[0]), unsigned(ip[1]), unsigned(ip[2]),
                unsigned(ip[3]), unsigned(port));
  return text;
}

void sleep_ms(int64_t ms) {
  world().scheduler.sleep_us(ms * 1000);
}

void tell_radio(int event, uint8_t reason = 0) {
  for (const auto& callback : world().wifi_events) callback(event, reason);
}

// One attempt to join.
void join(const std::string& name, const std::string& given) {
  world().radio_begun = true;
  const int attempt = ++world().joins;
  const auto later = [attempt](int64_t ms, std::function<void()> what) {
    world().scheduler.at(world().scheduler.now_us() + ms * 1000, [attempt, what] {
      if (world().joins == attempt) what();
    });
  };
  later(1'200, [name, given, later] {
    if (!world().access_point || name != world().ssid) {
      world().radio_failed(WIFI_REASON_NO_AP_FOUND);
    } else if (world().join_failures > 0) {
      --world().join_failures;
      world().radio_failed(WIFI_REASON_AUTH_EXPIRE);
    } else if (given != world().password) {
      later(2'000, [] { world().radio_failed(WIFI_REASON_4WAY_HANDSHAKE_TIMEOUT); });
    } else {
      world().associated = true;
      tell_radio(ARDUINO_EVENT_WIFI_STA_CONNECTED);
      if (!world().dhcp) return;
      later(500, [] {
        world().has_address = true;
        std::string& kept = world().flash["dhcp_state/ip"];
        if (kept.empty()) world().flash_operation("dhcp_state/ip");
        kept = "192.0.2.50";
        tell_radio(ARDUINO_EVENT_WIFI_STA_GOT_IP);
      });
    }
  });
}

}  // namespace

// --- chip and tasks

int64_t esp_timer_get_time() {
  return world().uptime_us();
}
esp_reset_reason_t esp_reset_reason() {
  return static_cast<esp_reset_reason_t>(world().reset_reason);
}
uint32_t esp_random() {
  static uint32_t next = 0x2545F491u;
  return next = next * 1664525u + 1013904223u;
}
void delay(uint32_t ms) {
  sleep_ms(ms);
}

void vTaskDelay(TickType_t ticks) {
  sleep_ms(ticks);
  // While the panel is driven, the library's own tasks leave nothing to those below them.
  while (world().panel.starves && world().panel.driving && world().scheduler.task_name() != "main")
    sleep_ms(1);
}

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char* name, uint32_t stack_bytes,
                                   void* parameter, UBaseType_t, TaskHandle_t* handle, BaseType_t) {
  const auto task = world().stack_bytes.insert_or_assign(name, stack_bytes).first;
  if (handle != nullptr) *handle = const_cast<std::string*>(&task->first);
  world().scheduler.spawn(name, [code, parameter] { code(parameter); });
  return 1;
}

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task) {
  const std::string name =
      task != nullptr ? *static_cast<const std::string*>(task) : world().scheduler.task_name();
  const size_t used = world().scheduler.stack_used(name);
  const size_t all = world().stack_bytes.at(name);
  return UBaseType_t(used < all ? all - used : 0);
}

esp_err_t esp_task_wdt_init(uint32_t timeout, bool panic) {
  if (panic) world().watchdog_s = timeout;
  // The timer starts again, for every task.
  for (auto& watched : world().watched_us) watched.second = world().scheduler.now_us();
  return ESP_OK;
}
esp_err_t esp_task_wdt_add(TaskHandle_t) {
  return esp_task_wdt_reset();
}
esp_err_t esp_task_wdt_reset() {
  world().watched_us[world().scheduler.task_name()] = world().scheduler.now_us();
  return ESP_OK;
}

uint64_t EspClass::getEfuseMac() {
  return 0xA1B2C3D4E5F6ull;
}
uint32_t EspClass::getFreePsram() {
  return uint32_t(8 * 1024 * 1024 - world().psram_bytes);
}
void EspClass::restart() {
  if (world().panel.powered) world().panel.faults += "restarted with the panel's supply on\n";
  world().reset_from_inside(ESP_RST_SW);
}

size_t heap_caps_get_free_size(uint32_t caps) {
  return caps == (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT) ? 181'200 : 0;
}
size_t heap_caps_get_minimum_free_size(uint32_t caps) {
  return caps == (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT) ? world().lowest_heap_bytes : 0;
}
size_t heap_caps_get_largest_free_block(uint32_t caps) {
  return caps == (MALLOC_CAP_INTERNAL | MALLOC_CAP_8BIT) ? world().largest_block_bytes : 0;
}
void* heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t) {
  void* const block = std::aligned_alloc(alignment < 8 ? 8 : alignment, (size + 15) / 16 * 16);
  world().psram.push_back(block);
  world().psram_bytes += size;
  ++world().psram_blocks;
  return block;
}

// --- pins

esp_err_t gpio_set_direction(gpio_num_t pin, gpio_mode_t mode) {
  world().pin_drives[pin] = mode == GPIO_MODE_OUTPUT;
  return ESP_OK;
}
esp_err_t gpio_set_level(gpio_num_t pin, uint32_t level) {
  if (world().pin_level[pin] != int(level)) world().pin_since_us[pin] = world().scheduler.now_us();
  world().pin_level[pin] = int(level);
  return ESP_OK;
}
void fake_clear_register_bits(uint32_t address, uint32_t mask) {
  if (address == USB_SERIAL_JTAG_CONF0_REG && (mask & USB_SERIAL_JTAG_USB_PAD_ENABLE) != 0)
    world().usb_pads = false;
}
esp_err_t adc2_config_channel_atten(adc2_channel_t, adc_atten_t) {
  return ESP_OK;
}
esp_err_t adc2_get_raw(adc2_channel_t, adc_bits_width_t, int* raw) {
  if (world().adc_busy) return ESP_ERR_TIMEOUT;
  *raw = world().usb_pads ? 0 : world().button_reading;
  return ESP_OK;
}

// --- serial port

size_t HardwareSerial::setRxBufferSize(size_t bytes) {
  if (world().console_open) return 0;
  world().console_room = bytes;
  return bytes;
}
void HardwareSerial::begin(unsigned long baud, uint32_t, int8_t rxPin, int8_t txPin) {
  world().console_open = true;
  if (baud != 115200 || rxPin != 44 || txPin != 43) world().log += "(wrong serial pins)\n";
}
int HardwareSerial::available() {
  return int(world().console_in.size());
}
int HardwareSerial::read() {
  if (world().console_in.empty()) return -1;
  const char c = world().console_in[0];
  world().console_in.erase(0, 1);
  return static_cast<unsigned char>(c);
}
size_t HardwareSerial::print(const char* text) {
  world().log += text;
  return std::strlen(text);
}
size_t HardwareSerial::println(const char* text) {
  return print(text) + print("\n");
}
void HardwareSerial::flush() {}

// --- flash

bool Preferences::begin(const char* name, bool) {
  // NVS: at most 15 characters.
  name_ = name;
  return world().flash_works && name_.size() <= 15;
}
bool Preferences::isKey(const char* key) {
  return world().flash.count(name_ + "/" + key) != 0;
}
bool Preferences::remove(const char* key) {
  world().flash_operation(name_ + "/" + key);
  return world().flash.erase(name_ + "/" + key) != 0;
}
size_t Preferences::putString(const char* key, const char* value) {
  if (!world().flash_works || std::strlen(key) > 15) return 0;
  world().flash_operation(name_ + "/" + key);
  world().flash[name_ + "/" + key] = value;
  return std::strlen(value);
}
size_t Preferences::getString(const char* key, char* value, size_t size) {
  const std::string& text = world().flash[name_ + "/" + key];
  if (text.size() + 1 > size) return 0;
  std::memcpy(value, text.c_str(), text.size() + 1);
  return text.size() + 1;
}
size_t Preferences::putUInt(const char* key, uint32_t value) {
  return putString(key, std::to_string(value).c_str()) > 0 ? 4 : 0;
}
uint32_t Preferences::getUInt(const char* key, uint32_t default_value) {
  return isKey(key) ? uint32_t(std::stoul(world().flash[name_ + "/" + key])) : default_value;
}

void spi_flash_op_lock() {
  sim::World& it = world();
  const std::string task = it.scheduler.task_name();
  while (it.flash_operations_now > 0 || (it.flash_lock_depth > 0 && it.flash_lock_holder != task))
    it.scheduler.sleep_us(100);
  it.flash_lock_holder = task;
  ++it.flash_lock_depth;
}
void spi_flash_op_unlock() {
  if (world().flash_lock_holder != world().scheduler.task_name() || world().flash_lock_depth == 0)
    world().panel.faults += "the lock on flash given back by who does not hold it\n";
  --world().flash_lock_depth;
}

// --- radio

bool IPAddress::fromString(const char* text) {
  unsigned a, b, c, d;
  char rest;
  if (std::sscanf(text, "%u.%u.%u.%u%c", &a, &b, &c, &d, &rest) != 4 || a > 255 || b > 255 || c > 255 ||
      d > 255) {
    return false;
  }
  *this = IPAddress(uint8_t(a), uint8_t(b), uint8_t(c), uint8_t(d));
  return true;
}

size_t WiFiClass::onEvent(WiFiEventFuncCb callback, arduino_event_id_t) {
  world().wifi_events.push_back([callback](int event, uint8_t reason) {
    arduino_event_info_t info = {};
    info.wifi_sta_disconnected.reason = reason;
    callback(static_cast<arduino_event_id_t>(event), info);
  });
  return world().wifi_events.size();
}
void WiFiClass::persistent(bool) {}
bool WiFiClass::setAutoReconnect(bool on) {
  world().radio_rejoins = on;
  return true;
}
bool WiFiClass::setHostname(const char*) {
  return true;
}
bool WiFiClass::mode(wifi_mode_t) {
  world().panel.initialized_before_wifi = world().panel.initialized;
  sleep_ms(20);
  // The first start of a radio calibrates it, and keeps the result.
  std::string& calibration = world().flash["phy/cal_data"];
  if (calibration.empty()) world().flash_operation("phy/cal_data", 45'000);
  calibration = "kept";
  return true;
}
bool WiFiClass::setSleep(bool on) {
  world().radio_sleeps = on;
  return true;
}
bool WiFiClass::disconnect(bool, bool) {
  world().radio_begun = false;
  if (world().associated) tell_radio(ARDUINO_EVENT_WIFI_STA_DISCONNECTED, WIFI_REASON_ASSOC_LEAVE);
  world().associated = false;
  world().has_address = false;
  ++world().joins;
  return true;
}
wl_status_t WiFiClass::begin(const char* ssid, const char* passphrase, int32_t, const uint8_t*, bool) {
  if (world().radio_rejoins) world().log += "(wrong: two who join)\n";
  if (world().radio_begun) world().log += "(wrong: joining twice)\n";
  const std::string given = passphrase != nullptr ? passphrase : "";
  const std::string name = ssid;
  world().radio_rejoin = [name, given] { join(name, given); };
  join(name, given);
  return WL_DISCONNECTED;
}
bool WiFiClass::softAP(const char* ssid, const char* passphrase, int, int, int, bool) {
  // WPA2 takes no fewer than eight characters.
  if (world().radio_refuses || std::strlen(passphrase) < 8 || std::strlen(ssid) > 32) return false;
  world().own_network = ssid;
  world().own_password = passphrase;
  return true;
}
wl_status_t WiFiClass::status() {
  return world().has_address ? WL_CONNECTED : WL_DISCONNECTED;
}
int8_t WiFiClass::RSSI() {
  return -61;
}
IPAddress WiFiClass::localIP() {
  return world().has_address ? IPAddress(192, 0, 2, 50) : IPAddress();
}

// --- TCP

namespace {

// A server accepts a connection, and greets.
std::shared_ptr<sim::Connection> accept(const std::string& address) {
  auto connection = std::make_shared<sim::Connection>();
  connection->address = address;
  const sim::Server& server = world().servers[address];
  if (!server.silent && server.speaks) {
    std::string info = "info=1|v=0.1.0";
    if (!server.key.empty()) info += "|nonce=000102030405060708090a0b0c0d0e0f";
    connection->to_board.push_back(sim::closed_line(info));
  }
  world().connections.push_back(connection);
  return connection;
}

// What the peer has sent, as a segment brings it: several lines at once when they have waited.
size_t take_bytes(sim::Connection& connection, char* bytes, size_t size) {
  size_t used = 0;
  while (used < size && !connection.to_board.empty()) {
    std::string& front = connection.to_board.front();
    const size_t take = front.size() < size - used ? front.size() : size - used;
    std::memcpy(bytes + used, front.data(), take);
    used += take;
    front.erase(0, take);
    if (front.empty()) connection.to_board.pop_front();
  }
  return used;
}

}  // namespace

int lwip_socket(int, int, int) {
  const int number = world().next_socket++ % 512;
  world().sockets[number] = sim::World::Socket();
  return number;
}
int lwip_connect(int s, const struct sockaddr* name, socklen_t) {
  const auto* const to = reinterpret_cast<const struct sockaddr_in*>(name);
  const uint32_t ip = lwip_htonl(to->sin_addr.s_addr);
  sim::World::Socket& socket = world().sockets[s];
  socket.address = text_of(IPAddress(uint8_t(ip >> 24), uint8_t(ip >> 16), uint8_t(ip >> 8), uint8_t(ip)),
                           lwip_htons(to->sin_port));
  socket.begun_us = world().scheduler.now_us();
  errno = EINPROGRESS;
  return -1;
}
int lwip_close(int s) {
  const auto found = world().sockets.find(s);
  if (found == world().sockets.end()) return -1;
  if (found->second.connection) found->second.connection->open = false;
  world().sockets.erase(found);
  return 0;
}
int lwip_fcntl(int s, int, int) {
  return world().sockets.count(s) != 0 ? 0 : -1;
}
int lwip_select(int count, fd_set*, fd_set* writable, fd_set*, struct timeval* timeout) {
  if (timeout == nullptr || timeout->tv_sec != 0 || timeout->tv_usec != 0)
    world().log += "(wrong: the network task waits for a socket)\n";
  int ready = 0;
  for (int s = 0; s < count; ++s) {
    if (!FD_ISSET(s, writable)) continue;
    sim::World::Socket& socket = world().sockets[s];
    const auto found = world().servers.find(socket.address);
    const int64_t waited_us = world().scheduler.now_us() - socket.begun_us;
    const bool there = world().has_address && found != world().servers.end() &&
                       found->second.manner != sim::Server::Manner::swallows;
    if (there && waited_us >= 10'000) {
      ++ready;
    } else {
      FD_CLR(s, writable);
    }
  }
  return ready;
}
int lwip_getsockopt(int s, int, int, void* value, socklen_t*) {
  sim::World::Socket& socket = world().sockets[s];
  const auto found = world().servers.find(socket.address);
  const bool accepts = found != world().servers.end() && found->second.manner == sim::Server::Manner::accepts;
  *static_cast<int*>(value) = accepts ? 0 : ECONNREFUSED;
  if (accepts) socket.connection = accept(socket.address);
  return 0;
}
ssize_t lwip_recv(int s, void* bytes, size_t size, int) {
  const auto socket = world().sockets[s];
  errno = EWOULDBLOCK;
  if (!socket.connection) return -1;
  sim::Connection& connection = *socket.connection;
  // The network stack was starved as well: what the peer has sent meanwhile comes a moment later.
  const sim::PanelSide& side = world().panel;
  if (side.starves && world().scheduler.now_us() - side.driven_us < 300'000) return -1;
  if (connection.open && connection.floods) {
    ++connection.flood_reads;
    sleep_ms(1);
    std::memset(bytes, 'x', size);
    return ssize_t(size);
  }
  const size_t used = take_bytes(connection, static_cast<char*>(bytes), size);
  if (used > 0) return ssize_t(used);
  return connection.open || connection.pretends ? -1 : 0;
}
ssize_t lwip_send(int s, const void* bytes, size_t size, int) {
  const auto socket = world().sockets[s];
  errno = ECONNRESET;
  if (!socket.connection || (!socket.connection->open && !socket.connection->pretends)) return -1;
  socket.connection->from_board.append(static_cast<const char*>(bytes), size);
  return ssize_t(size);
}

size_t WiFiClient::write(const uint8_t* bytes, size_t size) {
  if (connection_ == 0) return 0;
  sim::Connection& connection = *world().connections[size_t(connection_ - 1)];
  if (!connection.open && !connection.pretends) return 0;
  connection.from_board.append(reinterpret_cast<const char*>(bytes), size);
  return size;
}
int WiFiClient::read(uint8_t* bytes, size_t size) {
  if (connection_ == 0) return -1;
  sim::Connection& connection = *world().connections[size_t(connection_ - 1)];
  const size_t used = take_bytes(connection, reinterpret_cast<char*>(bytes), size);
  return int(used);
}
uint8_t WiFiClient::connected() {
  if (connection_ == 0) return 0;
  const sim::Connection& connection = *world().connections[size_t(connection_ - 1)];
  // It asks for no byte at all. Waiting bytes are no error, and the last one of any socket counts.
  if (!connection.to_board.empty() && world().socket_error) return 0;
  return connection.open || connection.pretends ? 1 : 0;
}
int WiFiClient::fd() const {
  return connection_ != 0 ? connection_ : -1;
}
void WiFiClient::stop() {
  if (connection_ != 0) world().connections[size_t(connection_ - 1)]->open = false;
  connection_ = 0;
}

void WiFiServer::begin(uint16_t port) {
  if (port != 0) port_ = port;
  listening_ = true;
  world().serves_pages = port_ == 80;
}
WiFiClient WiFiServer::available() {
  WiFiClient client;
  if (!listening_ || world().callers.empty()) return client;
  world().connections.push_back(world().callers.front());
  world().callers.erase(world().callers.begin());
  client.connection_ = int(world().connections.size());
  return client;
}

// --- UDP, names

uint8_t WiFiUDP::begin(uint16_t port) {
  world().listens = port == 7910;
  return 1;
}
void WiFiUDP::stop() {
  world().listens = false;
}
int WiFiUDP::parsePacket() {
  if (world().floods) return 600;
  return world().datagrams.empty() ? 0 : int(world().datagrams.front().size());
}
int WiFiUDP::read(char* bytes, size_t size) {
  if (world().floods) {
    ++world().flood_datagrams;
    sleep_ms(1);
    std::memset(bytes, 'x', 600);
    return 600;
  }
  const std::string datagram = world().datagrams.front();
  world().datagrams.pop_front();
  const size_t length = datagram.size() < size ? datagram.size() : size;
  std::memcpy(bytes, datagram.data(), length);
  return int(length);
}

char* ipaddr_ntoa_r(const ip_addr_t* address, char* out, int size) {
  const uint32_t a = address->address;
  std::snprintf(out, size_t(size), "%u.%u.%u.%u", a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24);
  return out;
}
err_t tcpip_callback(tcpip_callback_fn function, void* context) {
  world().scheduler.at(world().scheduler.now_us(), [function, context] { function(context); });
  return ERR_OK;
}
err_t dns_gethostbyname(const char* name, ip_addr_t*, dns_found_callback found, void* context) {
  if (world().scheduler.in_task()) world().log += "(name looked up outside the network stack's task)\n";
  const std::string host = name;
  world().scheduler.at(world().scheduler.now_us() + world().name_server_us, [host, found, context] {
    const auto known = world().names.find(host);
    unsigned a, b, c, d;
    if (known == world().names.end() || !world().has_address ||
        std::sscanf(known->second.c_str(), "%u.%u.%u.%u", &a, &b, &c, &d) != 4) {
      found(host.c_str(), nullptr, context);
      return;
    }
    const ip_addr_t address = {a | b << 8 | c << 16 | d << 24};
    found(host.c_str(), &address, context);
  });
  return ERR_INPROGRESS;
}

bool MDNSResponder::begin(const char*) {
  return world().has_address;
}
int MDNSResponder::queryService(char* service, char* protocol) {
  ++world().mdns_queries;
  sleep_ms(3'000);
  const bool ours = std::strcmp(service, "inktop") == 0 && std::strcmp(protocol, "tcp") == 0;
  return ours && !world().mdns_service.empty() && world().has_address ? 1 : 0;
}
IPAddress MDNSResponder::IP(int) {
  IPAddress address;
  address.fromString(world().mdns_service.substr(0, world().mdns_service.find(':')).c_str());
  return address;
}
uint16_t MDNSResponder::port(int) {
  return uint16_t(std::stoul(world().mdns_service.substr(world().mdns_service.find(':') + 1)));
}

// --- updates over the air

void ArduinoOTAClass::setHostname(const char*) {}
void ArduinoOTAClass::setPassword(const char* password) {
  world().ota_password = password;
}
void ArduinoOTAClass::setMdnsEnabled(bool) {}
void ArduinoOTAClass::onStart(std::function<void()> callback) {
  world().ota_start = std::move(callback);
}
void ArduinoOTAClass::onEnd(std::function<void()> callback) {
  world().ota_end = std::move(callback);
}
void ArduinoOTAClass::onProgress(std::function<void(unsigned int, unsigned int)> callback) {
  world().ota_progress = std::move(callback);
}
void ArduinoOTAClass::onError(std::function<void(ota_error_t)> callback) {
  world().ota_error = [callback](int error) { callback(static_cast<ota_error_t>(error)); };
}
void ArduinoOTAClass::begin() {
  world().ota_begun = true;
}
void ArduinoOTAClass::handle() {
  if (!world().ota_begun || !world().ota_waits) return;
  world().ota_waits = false;
  world().ota_start();
  for (unsigned percent = 0; percent <= 100; ++percent) {
    if (world().ota_fails && percent == 60) return world().ota_error(OTA_RECEIVE_ERROR);
    world().flash_operation("update", 11 * 1'000);
    world().ota_progress(percent * 11'000, 1'100'000);
    sleep_ms(200);
  }
  if (world().ota_end) world().ota_end();
  ESP.restart();
}

// --- HMAC

struct mbedtls_md_info_t {};
const mbedtls_md_info_t* mbedtls_md_info_from_type(mbedtls_md_type_t type) {
  static const mbedtls_md_info_t sha256;
  return type == MBEDTLS_MD_SHA256 ? &sha256 : nullptr;
}
int mbedtls_md_hmac(const mbedtls_md_info_t* info, const unsigned char* key, size_t key_length,
                    const unsigned char* input, size_t length, unsigned char* output) {
  if (info == nullptr) return -1;
  const std::string mac = sim::hmac_sha256_bytes(std::string(reinterpret_cast<const char*>(key), key_length),
                                                 std::string(reinterpret_cast<const char*>(input), length));
  std::memcpy(output, mac.data(), mac.size());
  return 0;
}

// --- panel

struct EpdWaveform {};
extern "C" const EpdWaveform epdiy_ED047TC1{};

namespace {

const EpdBoardDefinition* board_in_use = nullptr;
const EpdDisplay_t* display_in_use = nullptr;
epd_ctrl_state_t control;

sim::PanelSide& panel() {
  return world().panel;
}
void fault(const std::string& what) {
  panel().faults += what + "\n";
}

// A transfer on the chip's bus; the library aborts when it fails.
void transfer() {
  if (panel().chip_answers && (!panel().bus_glitch || panel().transfers_before_glitch-- > 0)) return;
  panel().bus_glitch = false;
  world().reset_from_inside(ESP_RST_PANIC);
}

int stored_vcom_mv = 0;

void write_chip(uint8_t at, uint8_t value) {
  transfer();
  if (!panel().chip.awake) fault("the power chip is written to in its sleep");
  panel().chip.registers[at] = value;
}

// Arduino's cache lines have 32 bytes: the library then halves the clock that it was given, and
// cuts it down to whole MHz.
int halved_mhz(size_t pixel_clock_hz) {
  return int(pixel_clock_hz / 2 / 1'000'000);
}

// Each of the two feeding tasks is ahead by the 31 rows that its queue of 32 holds; the bus takes a row, a
// word for eight pixels and 7 of its own, in a fixed time.
bool feed_falls_behind(const sim::PanelSide& side) {
  constexpr int64_t kRows = sim::kPanelRows;
  constexpr int64_t kAhead = 2 * 31;
  const int64_t bus_row_ns = ((sim::kPanelColumns / 8 + 7) / side.clock_mhz + 1) * 1'000;
  return side.feed_row_ns * (kRows - kAhead) > bus_row_ns * kRows;
}

// Output enable and mode hang on the expander of the same bus.
void stock_set_ctrl(epd_ctrl_state_t*, const epd_ctrl_state_t* const mask) {
  if (mask->ep_output_enable || mask->ep_mode || mask->ep_stv) transfer();
}
// The library's, before and after each refresh.
void set_mode(bool on) {
  control.ep_output_enable = on;
  control.ep_mode = on;
  epd_ctrl_state_t mask = {};
  mask.ep_output_enable = true;
  mask.ep_mode = true;
  board_in_use->set_ctrl(&control, &mask);
}

void stock_init(uint32_t) {
  transfer();
  panel().clock_mhz = halved_mhz(size_t(display_in_use->bus_speed) * 1'000'000);
  panel().initialized = true;
}
// The library's order: wake the chip, wait for its one signal, enable the rails, write VCOM in the chip's
// units, wait for the rails.
void stock_power_on(epd_ctrl_state_t* state) {
  sim::PowerChip& chip = panel().chip;
  transfer();
  state->ep_stv = true;
  state->ep_output_enable = true;
  chip.awake = true;
  while (!panel().power_good) sleep_ms(1);  // without an end, as the library does
  write_chip(sim::PowerChip::kEnable, 0x3F);
  const int steps = stored_vcom_mv / 10;
  write_chip(sim::PowerChip::kVcom2, uint8_t(steps >> 8 & 1));
  write_chip(sim::PowerChip::kVcom1, uint8_t(steps));
  sleep_ms(20);
  // For the rails it waits half a second, says "Power enable failed!" and goes on as if all were well.
  if (!panel().rails_good) sleep_ms(500);
  panel().vcom_mv = chip.vcom_mv();
  panel().powered = true;
}
void stock_power_off(epd_ctrl_state_t* state) {
  transfer();
  state->ep_stv = false;
  state->ep_output_enable = false;
  panel().chip.sleep();
  panel().powered = false;
}
// Only kept: the next power-on writes it.
void stock_vcom(int millivolt) {
  stored_vcom_mv = millivolt;
}
// Of its thermometer the library makes no use.
float stock_temperature() {
  return 20;
}

}  // namespace

extern "C" const EpdBoardDefinition epd_board_v7 = {
    stock_init, nullptr,           stock_set_ctrl, stock_power_on, stock_power_off,
    stock_vcom, stock_temperature, nullptr,        nullptr,        nullptr};

void epd_init(const EpdBoardDefinition* board, const EpdDisplay_t* display, enum EpdInitOptions options) {
  board_in_use = board;
  display_in_use = display;
  panel().init_options = unsigned(options);
  if (world().associated) fault("epd_init after Wi-Fi");
  board->init(uint32_t(display->width));
  control = {};
  set_mode(false);
}
const EpdDisplay_t* epd_get_display() {
  return display_in_use;
}
void epd_lcd_init(const LcdEpdConfig_t* config, int display_width, int display_height) {
  const lcd_bus_config_t& bus = config->bus;
  const int pins[] = {bus.clock,   bus.ckv,     bus.leh,    bus.start_pulse, bus.stv,     bus.data_0,
                      bus.data_1,  bus.data_2,  bus.data_3, bus.data_4,      bus.data_5,  bus.data_6,
                      bus.data_7,  bus.data_8,  bus.data_9, bus.data_10,     bus.data_11, bus.data_12,
                      bus.data_13, bus.data_14, bus.data_15};
  const int expected[] = {4, 48, 42, 41, 45, 5, 6, 7, 15, 16, 17, 18, 8, 9, 10, 11, 12, 13, 14, 21, 47};
  if (std::memcmp(pins, expected, sizeof pins) != 0) fault("wrong pins");
  if (config->pixel_clock != size_t(display_in_use->bus_speed) * 1'000'000 || config->bus_width != 16 ||
      config->ckv_high_time != 60)
    fault("wrong bus");
  panel().clock_mhz = halved_mhz(config->pixel_clock);
  if (display_width != sim::kPanelColumns || display_height != sim::kPanelRows) fault("wrong size");
  panel().initialized = true;
}
esp_err_t i2c_master_write_read_device(i2c_port_t port, uint8_t address, const uint8_t* write,
                                       size_t write_size, uint8_t* read, size_t read_size, TickType_t) {
  if (port != 0 || address != 0x68 || write_size != 1 || write[0] != sim::PowerChip::kPowerGood ||
      read_size != 1) {
    fault("a transfer that is not expected");
    return ESP_FAIL;
  }
  if (!panel().chip_answers || !panel().chip.awake) return ESP_FAIL;
  const bool enabled = panel().chip.registers[sim::PowerChip::kEnable] == 0x3F;
  read[0] = enabled && panel().rails_good ? sim::PowerChip::kAllRails : 0x02;
  return ESP_OK;
}

void epd_poweron() {
  if (!panel().initialized) fault("switched on before epd_init");
  if (panel().powered) fault("switched on twice");
  ++panel().power_ons;
  board_in_use->poweron(&control);
  if (world().pin_level[46] == 1) {
    if (!world().pin_drives[46]) fault("GPIO46 is no output");
    if (world().scheduler.now_us() - world().pin_since_us[46] < 20'000) fault("the supply has not settled");
    panel().powered = true;
  }
}
void epd_poweroff() {
  if (!panel().powered) fault("switched off twice");
  if (panel().driving) fault("switched off during a refresh");
  board_in_use->poweroff(&control);
  if (world().pin_level[46] == 0) panel().powered = false;
}
void epd_set_vcom(uint16_t millivolt) {
  if (board_in_use->set_vcom == nullptr) return fault("no VCOM on this board");
  board_in_use->set_vcom(millivolt);
}
float epd_ambient_temperature() {
  return board_in_use->get_temperature != nullptr ? board_in_use->get_temperature() : 21;
}

enum EpdDrawError epd_draw_base(EpdRect area, const uint8_t* data, EpdRect crop_to, enum EpdDrawMode mode,
                                int temperature, const bool* drawn_lines, const EpdWaveform* waveform) {
  sim::PanelSide& side = panel();
  if (!side.powered) fault("driven without power");
  if (!side.initialized) fault("driven before epd_init");
  if (!control.ep_stv) fault("driven with its outputs off");
  if (area.x != 0 || area.y != 0 || area.width != sim::kPanelColumns || area.height != sim::kPanelRows)
    fault("an area that is not the whole");
  if (std::memcmp(&area, &crop_to, sizeof area) != 0) fault("a crop");
  if ((unsigned(mode) & ~0x3u) != unsigned(MODE_PACKING_1PPB_DIFFERENCE))
    fault("a mode that is not expected");
  if (waveform != &epdiy_ED047TC1) fault("another waveform");
  if (temperature < 10 || temperature > 30) fault("a strange temperature");
  const bool gc16 = (unsigned(mode) & 0x3u) == unsigned(MODE_GC16);
  // Partial GC16 draws incomplete pictures on this panel.
  if (gc16 && drawn_lines != nullptr) fault("partial GC16");
  ++side.drives;
  if (gc16) ++side.gc16_drives;
  if (!gc16) ++side.du_drives;
  if (drawn_lines == nullptr) ++side.all_row_drives;
  side.last_difference.assign(data, data + size_t(sim::kPanelColumns) * sim::kPanelRows);
  side.last_dirty.assign(sim::kPanelRows, true);
  for (size_t row = 0; drawn_lines != nullptr && row < sim::kPanelRows; ++row) {
    side.last_dirty[row] = drawn_lines[row];
  }
  set_mode(true);
  side.driving = true;
  side.lost_refills = 0;
  // The times are those of 8 MHz.
  sleep_ms((gc16 ? side.gc16_us : side.du_us) * 8 / side.clock_mhz / 1000);
  // A refill that is lost moves the rows after it by a bounce buffer of four, and the answer is ok; after
  // three the two feeding tasks wait for each other.
  while (side.hangs || side.lost_refills >= 3 || side.ends_in_refresh == ESP_RST_TASK_WDT) sleep_ms(1'000);
  if (side.ends_in_refresh != 0) world().reset_from_inside(side.ends_in_refresh);
  side.driving = false;
  set_mode(false);
  side.shifted_rows = 4 * side.lost_refills;
  const size_t shift = size_t(side.shifted_rows) * sim::kPanelColumns;
  std::rotate(side.last_difference.begin(), side.last_difference.end() - ptrdiff_t(shift),
              side.last_difference.end());
  side.driven_us = world().scheduler.now_us();
  unsigned answer = feed_falls_behind(side) ? unsigned(EPD_DRAW_EMPTY_LINE_QUEUE) : 0;
  if (!side.answers.empty()) {
    answer = side.answers.front();
    side.answers.pop_front();
  }
  return static_cast<EpdDrawError>(answer);
}
