// Registers.
#pragma once

#include <cstdint>

void fake_clear_register_bits(uint32_t address, uint32_t mask);
#define CLEAR_PERI_REG_MASK(address, mask) fake_clear_register_bits((address), (mask))
