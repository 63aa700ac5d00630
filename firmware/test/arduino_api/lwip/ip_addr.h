// An address as the network stack has it.
#pragma once

#include <cstdint>

typedef struct ip_addr {
  uint32_t address;  // network byte order
} ip_addr_t;

extern "C" char* ipaddr_ntoa_r(const ip_addr_t* address, char* out, int size);
