// The calls of Arduino core 2.0.14 that the firmware uses, declared by us so that its adapters compile and
// run on a PC. Nothing more: a call that is missing here has not been used yet.
#pragma once

#include <esp_attr.h>
#include <esp_err.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#define SERIAL_8N1 0x800001c

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
  uint32_t getFreeHeap();
  uint32_t getFreePsram();
  void restart();
};
extern EspClass ESP;
