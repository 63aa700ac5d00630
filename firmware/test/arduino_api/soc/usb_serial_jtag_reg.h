// The chip's own USB, which shares a pin with the buttons.
#pragma once

#define USB_SERIAL_JTAG_CONF0_REG 0x60038018
#define USB_SERIAL_JTAG_USB_PAD_ENABLE (1u << 14)
