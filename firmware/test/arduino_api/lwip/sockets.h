// TCP without waiting. The network stack's own names: on the chip BSD's are macros of these.
#pragma once

#include <fcntl.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

typedef uint32_t socklen_t;
struct in_addr {
  uint32_t s_addr;
};
struct sockaddr {
  uint8_t sa_len;
  uint8_t sa_family;
  char sa_data[14];
};
struct sockaddr_in {
  uint8_t sin_len;
  uint8_t sin_family;
  uint16_t sin_port;
  struct in_addr sin_addr;
  char sin_zero[8];
};
#define AF_INET 2
#define SOCK_STREAM 1
#define SOL_SOCKET 0xfff
#define SO_ERROR 0x1007
#define MSG_DONTWAIT 0x08

extern "C" {
int lwip_socket(int domain, int type, int protocol);
int lwip_connect(int s, const struct sockaddr* name, socklen_t namelen);
int lwip_close(int s);
int lwip_fcntl(int s, int cmd, int val);
int lwip_getsockopt(int s, int level, int optname, void* optval, socklen_t* optlen);
int lwip_select(int maxfdp1, fd_set* readset, fd_set* writeset, fd_set* exceptset, struct timeval* timeout);
ssize_t lwip_recv(int s, void* mem, size_t len, int flags);
ssize_t lwip_send(int s, const void* dataptr, size_t size, int flags);
}
inline uint16_t lwip_htons(uint16_t value) {
  return uint16_t(value << 8 | value >> 8);
}
inline uint32_t lwip_htonl(uint32_t value) {
  return value << 24 | (value & 0xff00u) << 8 | (value >> 8 & 0xff00u) | value >> 24;
}
