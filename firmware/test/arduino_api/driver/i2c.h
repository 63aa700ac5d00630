// Transfers on the I2C bus.
#pragma once

#include <esp_err.h>
#include <freertos/FreeRTOS.h>

#include <cstddef>
#include <cstdint>

typedef int i2c_port_t;
#define I2C_NUM_0 0

esp_err_t i2c_master_write_read_device(i2c_port_t port, uint8_t address, const uint8_t* write,
                                       size_t write_size, uint8_t* read, size_t read_size,
                                       TickType_t ticks_to_wait);
