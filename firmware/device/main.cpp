// The firmware at a glance: what starts, in which order, and what the main loop does.
#include <Arduino.h>

#include <new>

#include "device_log.h"
#include "firmware.h"
#include "memory_table.h"

// The main loop draws the board and encodes lines: more than Arduino's own 8 KiB.
SET_LOOP_TASK_STACK_SIZE(inktop::kMainStackBytes);

alignas(inktop::Firmware) static unsigned char place[sizeof(inktop::Firmware)];
inktop::Firmware* board = nullptr;

void setup() {
  inktop::begin_log();
  board = new (place) inktop::Firmware;
  board->load_settings();
  board->start_panel();  // before Wi-Fi, which would take the memory that the display library needs
  board->start_app();
#ifdef EPD_SELFTEST
  if (board->selftest_wanted()) board->run_selftest();
#endif
  board->start_network();  // from here on core 0 works by itself
}

void loop() {
  board->read_console();
  board->read_buttons();
  board->receive_lines();
  board->refresh();
  board->report_health();
  board->poll_update();
  board->poll_setup();
  board->rest();
}
