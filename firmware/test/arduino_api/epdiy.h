// The calls of epdiy 2.0.0 that the panel adapter uses.
#pragma once

#include <cstdint>

#include <esp_err.h>

extern "C" {

typedef struct EpdWaveform EpdWaveform;
enum EpdDisplayType { DISPLAY_TYPE_GENERIC, DISPLAY_TYPE_ED097TC2 };
typedef struct {
  int width;
  int height;
  uint8_t bus_width;
  int bus_speed;
  const EpdWaveform* default_waveform;
  enum EpdDisplayType display_type;
} EpdDisplay_t;
extern const EpdWaveform epdiy_ED047TC1;

typedef struct {
  int x, y, width, height;
} EpdRect;

enum EpdInitOptions {
  EPD_OPTIONS_DEFAULT = 0,
  EPD_LUT_1K = 1,
  EPD_LUT_64K = 2,
  EPD_FEED_QUEUE_8 = 4,
  EPD_FEED_QUEUE_32 = 8
};
enum EpdDrawMode { MODE_DU = 0x1, MODE_GC16 = 0x2, MODE_PACKING_1PPB_DIFFERENCE = 0x100 };
enum EpdDrawError {
  EPD_DRAW_SUCCESS = 0x0,
  EPD_DRAW_INVALID_PACKING_MODE = 0x1,
  EPD_DRAW_LOOKUP_NOT_IMPLEMENTED = 0x2,
  EPD_DRAW_FAILED_ALLOC = 0x10,
  EPD_DRAW_INVALID_CROP = 0x40,
  EPD_DRAW_MODE_NOT_FOUND = 0x80,
  EPD_DRAW_NO_PHASES_AVAILABLE = 0x100,
  EPD_DRAW_EMPTY_LINE_QUEUE = 0x400,
};

typedef struct {
  bool ep_latch_enable : 1;
  bool ep_output_enable : 1;
  bool ep_sth : 1;
  bool ep_mode : 1;
  bool ep_stv : 1;
} epd_ctrl_state_t;

typedef struct {
  void (*init)(uint32_t epd_row_width);
  void (*deinit)(void);
  void (*set_ctrl)(epd_ctrl_state_t*, const epd_ctrl_state_t* const);
  void (*poweron)(epd_ctrl_state_t*);
  void (*poweroff)(epd_ctrl_state_t*);
  void (*set_vcom)(int);
  float (*get_temperature)(void);
  esp_err_t (*gpio_set_direction)(int pin, bool make_input);
  bool (*gpio_read)(int pin);
  esp_err_t (*gpio_write)(int pin, bool value);
} EpdBoardDefinition;
extern const EpdBoardDefinition epd_board_v7;

void epd_init(const EpdBoardDefinition* board, const EpdDisplay_t* display, enum EpdInitOptions options);
const EpdDisplay_t* epd_get_display();
void epd_poweron();
void epd_poweroff();
void epd_set_vcom(uint16_t millivolt);
float epd_ambient_temperature();
enum EpdDrawError epd_draw_base(EpdRect area, const uint8_t* data, EpdRect crop_to, enum EpdDrawMode mode,
                                int temperature, const bool* drawn_lines, const EpdWaveform* waveform);
}
