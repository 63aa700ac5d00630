// Looking names up.
#pragma once

#include <cstdint>

#include <lwip/ip_addr.h>

typedef int8_t err_t;
#define ERR_OK 0
#define ERR_INPROGRESS -5
#define ERR_VAL -6

typedef void (*dns_found_callback)(const char* name, const ip_addr_t* address, void* context);
extern "C" err_t dns_gethostbyname(const char* name, ip_addr_t* address, dns_found_callback found,
                                   void* context);
