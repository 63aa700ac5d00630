#include "resolver.h"

#include <lwip/dns.h>
#include <lwip/ip_addr.h>
#include <lwip/tcpip.h>

#include <atomic>
#include <cstdio>

namespace inktop {
namespace {

// An answer may come long after it was given up: nothing of a look-up lies on a stack, and each has a number.
struct LookUp {
  char host[64];
  char found_address[46];
  std::atomic<uint32_t> number{0};
  std::atomic<Resolver::State> state{Resolver::State::idle};
};
LookUp look_ups[Resolver::kPlaces];

void* context_of(int place, uint32_t number) {
  return reinterpret_cast<void*>(uintptr_t{number * Resolver::kPlaces + uint32_t(place)});
}

// nullptr: nobody waits for that one any more.
LookUp* awaited(void* context) {
  const auto which = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(context));
  LookUp& it = look_ups[which % Resolver::kPlaces];
  const bool same = which == static_cast<uint32_t>(reinterpret_cast<uintptr_t>(
                                 context_of(int(which % Resolver::kPlaces), it.number.load())));
  return same && it.state.load() == Resolver::State::waiting ? &it : nullptr;
}

// In the network stack's task.
void answered(const char*, const ip_addr_t* address, void* context) {
  LookUp* const it = awaited(context);
  if (it == nullptr) return;
  const bool known =
      address != nullptr && ipaddr_ntoa_r(address, it->found_address, sizeof it->found_address) != nullptr;
  it->state.store(known ? Resolver::State::found : Resolver::State::failed);
}

// In the network stack's task: the only one that may call dns_gethostbyname.
void ask(void* context) {
  LookUp* const it = awaited(context);
  if (it == nullptr) return;
  ip_addr_t address = {};
  const err_t answer = dns_gethostbyname(it->host, &address, answered, context);
  if (answer == ERR_OK) answered(it->host, &address, context);
  if (answer != ERR_OK && answer != ERR_INPROGRESS) answered(it->host, nullptr, context);
}

}  // namespace

void Resolver::start(const char* name) {
  LookUp& it = look_ups[place_];
  it.state.store(State::idle);
  const uint32_t mine = it.number.fetch_add(1) + 1;
  std::snprintf(it.host, sizeof it.host, "%s", name);
  it.state.store(State::waiting);
  if (tcpip_callback(ask, context_of(place_, mine)) != ERR_OK) it.state.store(State::failed);
}

Resolver::State Resolver::take() {
  LookUp& it = look_ups[place_];
  const State now = it.state.load();
  if (now == State::found || now == State::failed) it.state.store(State::idle);
  return now;
}

const char* Resolver::address() const {
  return look_ups[place_].found_address;
}

}  // namespace inktop
