#include "resolver.h"

#include <lwip/dns.h>
#include <lwip/ip_addr.h>
#include <lwip/tcpip.h>

#include <atomic>
#include <cstdio>

namespace inktop {
namespace {

// An answer may come long after it was given up: nothing of a look-up lies on a stack, and each has a number.
char host[64];
char found_address[46];
std::atomic<uint32_t> number{0};
std::atomic<Resolver::State> state{Resolver::State::idle};

void* context_of(uint32_t which) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(which));
}

bool is_awaited(void* context) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context)) == number.load() &&
         state.load() == Resolver::State::waiting;
}

// In the network stack's task.
void answered(const char*, const ip_addr_t* address, void* context) {
  if (!is_awaited(context)) return;
  const bool known =
      address != nullptr && ipaddr_ntoa_r(address, found_address, sizeof found_address) != nullptr;
  state.store(known ? Resolver::State::found : Resolver::State::failed);
}

// In the network stack's task: the only one that may call dns_gethostbyname.
void ask(void* context) {
  if (!is_awaited(context)) return;
  ip_addr_t address = {};
  const err_t answer = dns_gethostbyname(host, &address, answered, context);
  if (answer == ERR_OK) answered(host, &address, context);
  if (answer != ERR_OK && answer != ERR_INPROGRESS) answered(host, nullptr, context);
}

}  // namespace

void Resolver::start(const char* name) {
  state.store(State::idle);
  const uint32_t mine = number.fetch_add(1) + 1;
  std::snprintf(host, sizeof host, "%s", name);
  state.store(State::waiting);
  if (tcpip_callback(ask, context_of(mine)) != ERR_OK) state.store(State::failed);
}

Resolver::State Resolver::take() {
  const State now = state.load();
  if (now == State::found || now == State::failed) state.store(State::idle);
  return now;
}

const char* Resolver::address() const {
  return found_address;
}

}  // namespace inktop
