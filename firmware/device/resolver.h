// Looks a name up without blocking: a slow name server holds nothing up.
#pragma once

#include <cstdint>

namespace inktop {

// One for each server; each has one look-up at a time, into which the network stack's own task answers.
class Resolver {
 public:
  static constexpr int kPlaces = 8;

  // `place`: below kPlaces, and no other resolver's.
  void take_place(int place) { place_ = place; }
  enum class State : uint8_t { idle, waiting, found, failed };

  // A look-up before this one is forgotten; its late answer is ignored.
  void start(const char* host);
  // `found` and `failed` are told once.
  State take();
  // Numeric IPv4, after `found`.
  const char* address() const;

 private:
  int place_ = 0;
};

}  // namespace inktop
