#include "adc_buttons.h"

#include <driver/adc.h>
#include <soc/soc.h>
#include <soc/usb_serial_jtag_reg.h>

#include "pins.h"

namespace inktop {
namespace {

static_assert(pins::kButtons == 19, "GPIO19 is channel 8 of ADC2");
constexpr adc2_channel_t kChannel = ADC2_CHANNEL_8;

}  // namespace

void begin_button_pin() {
  // After a reset the pin belongs to the chip's own USB, whose driver pulls at it.
  CLEAR_PERI_REG_MASK(USB_SERIAL_JTAG_CONF0_REG, USB_SERIAL_JTAG_USB_PAD_ENABLE);
  adc2_config_channel_atten(kChannel, ADC_ATTEN_DB_11);  // the whole range, up to about 3.1 V
}

int read_button_pin() {
  // Not analogRead(): that answers 0 for a reading that failed.
  int raw = 0;
  return adc2_get_raw(kChannel, ADC_WIDTH_BIT_12, &raw) == ESP_OK ? raw : -1;
}

}  // namespace inktop
