#include "power_board.h"

#ifdef INKTOP_BOARD_V7

#include <driver/i2c.h>

namespace inktop {
namespace {

// The power chip, a TPS65185 (its data sheet): the register that says which of its voltages are there. The
// library has set up the bus.
constexpr uint8_t kChip = 0x68;
constexpr uint8_t kPowerGood = 0x0F;
constexpr uint8_t kAllRails = 0xFA;
constexpr int kTries = 3;
constexpr uint32_t kTransfer_ms = 20;

}  // namespace

const EpdBoardDefinition& power_board() {
  return epd_board_v7;
}

bool power_is_good() {
  for (int i = 0; i < kTries; ++i) {
    uint8_t rails = 0;
    if (i2c_master_write_read_device(I2C_NUM_0, kChip, &kPowerGood, 1, &rails, 1,
                                     pdMS_TO_TICKS(kTransfer_ms)) == ESP_OK)
      return (rails & kAllRails) == kAllRails;
  }
  return false;
}

}  // namespace inktop

#else

#include <driver/gpio.h>
#include <freertos/FreeRTOS.h>
#include <freertos/task.h>

extern "C" {
#include <output_lcd/lcd_driver.h>
}

#include "pins.h"

namespace inktop {
namespace {

// The rails settle before the first row is clocked out. The boards name no time; the power chip of the other
// board takes some 10 ms for its whole sequence.
constexpr uint32_t kRailsSettle_ms = 50;

constexpr gpio_num_t pin(int number) {
  return static_cast<gpio_num_t>(number);
}

void init(uint32_t) {
  gpio_set_direction(pin(pins::kPowerEnable), GPIO_MODE_OUTPUT);
  gpio_set_level(pin(pins::kPowerEnable), 0);

  LcdEpdConfig_t config = {};
  config.pixel_clock = size_t(epd_get_display()->bus_speed) * 1000 * 1000;
  config.ckv_high_time = 60;  // 1/10 us; these three as the library has them for its V7 board
  config.line_front_porch = 4;
  config.le_high_time = 4;
  config.bus_width = epd_get_display()->bus_width;
  config.bus.clock = pin(pins::kClock);
  config.bus.ckv = pin(pins::kRowClock);
  config.bus.leh = pin(pins::kLatch);
  config.bus.start_pulse = pin(pins::kRowStart);
  config.bus.stv = pin(pins::kFrameStart);
  config.bus.data_0 = pin(pins::kData[0]);
  config.bus.data_1 = pin(pins::kData[1]);
  config.bus.data_2 = pin(pins::kData[2]);
  config.bus.data_3 = pin(pins::kData[3]);
  config.bus.data_4 = pin(pins::kData[4]);
  config.bus.data_5 = pin(pins::kData[5]);
  config.bus.data_6 = pin(pins::kData[6]);
  config.bus.data_7 = pin(pins::kData[7]);
  config.bus.data_8 = pin(pins::kData[8]);
  config.bus.data_9 = pin(pins::kData[9]);
  config.bus.data_10 = pin(pins::kData[10]);
  config.bus.data_11 = pin(pins::kData[11]);
  config.bus.data_12 = pin(pins::kData[12]);
  config.bus.data_13 = pin(pins::kData[13]);
  config.bus.data_14 = pin(pins::kData[14]);
  config.bus.data_15 = pin(pins::kData[15]);
  epd_lcd_init(&config, epd_get_display()->width, epd_get_display()->height);
}

void deinit() {
  gpio_set_level(pin(pins::kPowerEnable), 0);
}

// Output enable and mode are wired on this board; the frame start is the bus driver's.
void set_ctrl(epd_ctrl_state_t*, const epd_ctrl_state_t* const) {}

void switch_on(epd_ctrl_state_t* state) {
  state->ep_stv = true;
  state->ep_output_enable = true;
  gpio_set_level(pin(pins::kPowerEnable), 1);
  vTaskDelay(pdMS_TO_TICKS(kRailsSettle_ms));
}

void switch_off(epd_ctrl_state_t* state) {
  state->ep_stv = false;
  state->ep_output_enable = false;
  gpio_set_level(pin(pins::kPowerEnable), 0);
}

EpdBoardDefinition definition() {
  EpdBoardDefinition board = {};  // no VCOM, no thermometer, no further pins
  board.init = init;
  board.deinit = deinit;
  board.set_ctrl = set_ctrl;
  board.poweron = switch_on;
  board.poweroff = switch_off;
  return board;
}

}  // namespace

const EpdBoardDefinition& power_board() {
  static const EpdBoardDefinition board = definition();
  return board;
}

bool power_is_good() {
  return true;
}

}  // namespace inktop

#endif
