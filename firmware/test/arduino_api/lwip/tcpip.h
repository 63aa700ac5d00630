// Calls into the network stack's own task.
#pragma once

#include <lwip/dns.h>

typedef void (*tcpip_callback_fn)(void* context);
extern "C" err_t tcpip_callback(tcpip_callback_fn function, void* context);
