// Key and value in flash (NVS).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

class Preferences {
 public:
  bool begin(const char* name, bool read_only = false);
  bool isKey(const char* key);
  bool remove(const char* key);
  size_t putString(const char* key, const char* value);
  size_t getString(const char* key, char* value, size_t size);
  size_t putUInt(const char* key, uint32_t value);
  uint32_t getUInt(const char* key, uint32_t default_value = 0);

 private:
  std::string name_;
};
