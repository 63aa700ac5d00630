// The second analogue converter.
#pragma once

#include <esp_err.h>

typedef enum { ADC2_CHANNEL_8 = 8 } adc2_channel_t;
typedef enum { ADC_ATTEN_DB_11 = 3 } adc_atten_t;
typedef enum { ADC_WIDTH_BIT_12 = 3 } adc_bits_width_t;

extern "C" {
esp_err_t adc2_config_channel_atten(adc2_channel_t channel, adc_atten_t attenuation);
esp_err_t adc2_get_raw(adc2_channel_t channel, adc_bits_width_t width, int* raw);
}
