// Every pin that the board uses, with its reason. No other file names a pin's number.
#pragma once

#include <cstdint>

namespace inktop {
namespace pins {

// The panel's bus as the epdiy V7 board wires it (its schematic): clock, row clock, start pulse,
// latch, frame start, data.
constexpr int kClock = 4;                                                               // CKH
constexpr int kRowClock = 48;                                                           // CKV
constexpr int kRowStart = 41;                                                           // STH
constexpr int kLatch = 42;                                                              // LEH
constexpr int kFrameStart = 45;                                                         // STV
constexpr int kData[16] = {5, 6, 7, 15, 16, 17, 18, 8, 9, 10, 11, 12, 13, 14, 21, 47};  // D0 to D15

// The power chip's I2C bus. The display library itself takes port 0 on these for the board `v7`; they are
// listed so that nothing else takes them.
constexpr int kPowerScl = 40;
constexpr int kPowerSda = 39;
constexpr int kPowerInterrupt = 38;

// Boards sold as V7 without that chip: the supply is switched by this pin, VCOM by a potentiometer.
constexpr int kPowerEnable = 46;

// Three buttons on one resistor ladder. The pin is one of the two of the chip's own USB, which is therefore
// not available; it belongs to ADC2, so a reading can fail while Wi-Fi is on.
constexpr int kButtons = 19;

// UART0 behind the CH340: flashing, log and console, never data.
constexpr int8_t kSerialReceive = 44;
constexpr int8_t kSerialTransmit = 43;

}  // namespace pins
}  // namespace inktop
