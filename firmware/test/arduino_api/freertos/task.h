// Tasks of FreeRTOS.
#pragma once

#include <freertos/FreeRTOS.h>

typedef void* TaskHandle_t;
typedef void (*TaskFunction_t)(void*);

BaseType_t xTaskCreatePinnedToCore(TaskFunction_t code, const char* name, uint32_t stack_bytes,
                                   void* parameter, UBaseType_t priority, TaskHandle_t* handle,
                                   BaseType_t core);
// Of the task, the calling one for nullptr, in bytes on this chip.
UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task);
void vTaskDelay(TickType_t ticks);
