// C ABI of the self-test: its stages on a modelled panel, for Python (tools and tests).
#pragma once

#include <cstdint>

#ifndef INKTOP_EXPORT
#define INKTOP_EXPORT extern "C" __attribute__((visibility("default")))
#endif

// nullptr when the size cannot be: width a multiple of 8, at least 640 x 400, at most 2560 rows.
INKTOP_EXPORT void* inktop_selftest_new(int32_t width, int32_t height);
INKTOP_EXPORT void inktop_selftest_free(void* selftest);
// Runs on until stage 1 … 5 is held, pressing the button at those before. Returns the errors of that stage;
// -1 when it cannot be reached, as one that has passed.
INKTOP_EXPORT int32_t inktop_selftest_run(void* selftest, int32_t stage);
// After `drives` more drives of the panel, one breaks off in `phase` and answers `errors`.
INKTOP_EXPORT void inktop_selftest_fail(void* selftest, int32_t drives, int32_t errors, int32_t phase);
// Of the framebuffer of the stage that is held.
INKTOP_EXPORT uint32_t inktop_selftest_crc(void* selftest);
// One bit a pixel (1 white), the left one highest, rows filled up to bytes: the framebuffer, the panel.
INKTOP_EXPORT void inktop_selftest_frame_bits(void* selftest, uint8_t* out);
INKTOP_EXPORT void inktop_selftest_panel_bits(void* selftest, uint8_t* out);
// What a board logs, a line each with its newline; valid until the next call with this object.
INKTOP_EXPORT const char* inktop_selftest_log(void* selftest);
// What stage 1 … 5 does; nullptr else.
INKTOP_EXPORT const char* inktop_selftest_summary(int32_t stage);
