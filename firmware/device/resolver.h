// Looks a name up without blocking: a slow name server holds nothing up.
#pragma once

#include <cstdint>

namespace inktop {

// There is one look-up at a time, and one resolver: the network stack's own task answers into it.
class Resolver {
 public:
  enum class State : uint8_t { idle, waiting, found, failed };

  // A look-up before this one is forgotten; its late answer is ignored.
  void start(const char* host);
  // `found` and `failed` are told once.
  State take();
  // Numeric IPv4, after `found`.
  const char* address() const;
};

}  // namespace inktop
