// The calls of Arduino core 2.0.14 that the firmware uses, declared by us so that its adapters compile and
// run on a PC. Nothing more: a call that is missing here has not been used yet.
#pragma once

#include <esp_attr.h>
#include <esp_err.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#define SERIAL_8N1 0x800001c

// Macros of the real header that could break a name of ours.
#define LOW 0x0
#define HIGH 0x1
#define INPUT 0x01
#define OUTPUT 0x03
#define RISING 0x01
#define FALLING 0x02
#define CHANGE 0x03
#define PI 3.1415926535897932384626433832795
#define DEC 10
#define HEX 16
#define OCT 8
#define BIN 2
#define EULER 2.718281828459045235360287471352
#define SERIAL 0x0
#define DISPLAY 0x1
#define LSBFIRST 0
#define MSBFIRST 1
#define DEFAULT 1
#define bit(b) (1UL << (b))
#define sq(x) ((x) * (x))
#define radians(deg) ((deg) * 0.017453292519943295)
#define degrees(rad) ((rad) * 57.29577951308232)
#define lowByte(w) ((uint8_t)((w) & 0xff))
#define highByte(w) ((uint8_t)((w) >> 8))
#define F(text) (text)
#define B0 0
#define B1 1

#define SET_LOOP_TASK_STACK_SIZE(bytes)  \
  size_t getArduinoLoopTaskStackSize() { \
    return bytes;                        \
  }
size_t getArduinoLoopTaskStackSize();

void setup();
void loop();
void delay(uint32_t ms);

class HardwareSerial {
 public:
  size_t setRxBufferSize(size_t bytes);
  void begin(unsigned long baud, uint32_t config = SERIAL_8N1, int8_t rxPin = -1, int8_t txPin = -1);
  int available();
  int read();
  size_t print(const char* text);
  size_t println(const char* text);
  void flush();
};
extern HardwareSerial Serial;

class EspClass {
 public:
  uint64_t getEfuseMac();
  uint32_t getFreePsram();
  void restart();
};
extern EspClass ESP;
