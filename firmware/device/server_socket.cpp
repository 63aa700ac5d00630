#include "server_socket.h"

#include <lwip/sockets.h>

#include <cerrno>
#include <cstdio>

namespace inktop {

bool ServerSocket::connect(const char* address, uint16_t port, int32_t timeout_ms, int64_t now_ms) {
  close();
  unsigned parts[4];
  char rest = 0;
  if (std::sscanf(address, "%3u.%3u.%3u.%3u%c", &parts[0], &parts[1], &parts[2], &parts[3], &rest) != 4)
    return false;
  struct sockaddr_in to = {};
  to.sin_family = AF_INET;
  to.sin_port = lwip_htons(port);
  to.sin_addr.s_addr = lwip_htonl(parts[0] << 24 | parts[1] << 16 | parts[2] << 8 | parts[3]);
  fd_ = lwip_socket(AF_INET, SOCK_STREAM, 0);
  if (fd_ < 0) return false;
  deadline_ms_ = now_ms + timeout_ms;
  connecting_ = lwip_fcntl(fd_, F_SETFL, lwip_fcntl(fd_, F_GETFL, 0) | O_NONBLOCK) >= 0;
  if (connecting_ && lwip_connect(fd_, reinterpret_cast<struct sockaddr*>(&to), sizeof to) < 0)
    connecting_ = errno == EINPROGRESS;
  if (!connecting_) close();
  return connecting_;
}

ServerSocket::Connect ServerSocket::poll(int64_t now_ms) {
  if (!connecting_) return Connect::none;
  fd_set ready;
  FD_ZERO(&ready);
  FD_SET(fd_, &ready);
  struct timeval at_once = {};
  if (lwip_select(fd_ + 1, nullptr, &ready, nullptr, &at_once) > 0) {
    int error = 0;
    socklen_t size = sizeof error;
    lwip_getsockopt(fd_, SOL_SOCKET, SO_ERROR, &error, &size);
    connecting_ = false;
    if (error == 0) return Connect::made;
  } else if (now_ms < deadline_ms_) {
    return Connect::none;
  }
  close();
  return Connect::failed;
}

int ServerSocket::read(char* bytes, size_t size) {
  if (fd_ < 0 || connecting_) return 0;
  const int count = int(lwip_recv(fd_, bytes, size, MSG_DONTWAIT));
  if (count > 0) return count;
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
}

bool ServerSocket::write(const char* bytes, size_t size) {
  if (fd_ < 0 || connecting_) return false;
  return lwip_send(fd_, bytes, size, MSG_DONTWAIT) == int(size);
}

void ServerSocket::close() {
  if (fd_ >= 0) lwip_close(fd_);
  fd_ = -1;
  connecting_ = false;
}

}  // namespace inktop
