// mDNS.
#pragma once

#include <IPAddress.h>

#include <cstdint>

class MDNSResponder {
 public:
  bool begin(const char* host_name);
  int queryService(char* service, char* protocol);
  IPAddress IP(int index);
  uint16_t port(int index);
};
extern MDNSResponder MDNS;
