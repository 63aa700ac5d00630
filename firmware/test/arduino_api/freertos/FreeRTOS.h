// Types and ticks of FreeRTOS: 1000 ticks a second, as Arduino configures it.
#pragma once

#include <cstdint>

typedef int BaseType_t;
typedef unsigned int UBaseType_t;
typedef uint32_t TickType_t;
#define pdMS_TO_TICKS(ms) static_cast<TickType_t>(ms)
