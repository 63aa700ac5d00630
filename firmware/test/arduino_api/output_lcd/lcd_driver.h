// epdiy's bus driver; like the real header it is plain C, so include it in extern "C".
#pragma once

#include <driver/gpio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
  gpio_num_t data_0, data_1, data_2, data_3, data_4, data_5, data_6, data_7;
  gpio_num_t data_8, data_9, data_10, data_11, data_12, data_13, data_14, data_15;
  gpio_num_t clock, ckv, start_pulse, leh, stv;
} lcd_bus_config_t;

typedef struct {
  size_t pixel_clock;
  int ckv_high_time;
  int line_front_porch;
  int le_high_time;
  int bus_width;
  lcd_bus_config_t bus;
} LcdEpdConfig_t;

void epd_lcd_init(const LcdEpdConfig_t* config, int display_width, int display_height);
