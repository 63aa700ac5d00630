// One TCP connection to a server. No call waits: the network task has eight of them, and a server that does
// not answer must not hold up the others.
#pragma once

#include <cstddef>
#include <cstdint>

namespace inktop {

class ServerSocket {
 public:
  enum class Connect : uint8_t { none, made, failed };

  // Begins; false: it has failed already. By number: a name would be looked up, which waits.
  bool connect(const char* address, uint16_t port, int32_t timeout_ms, int64_t now_ms);
  // What has become of it; `made` and `failed` are told once.
  Connect poll(int64_t now_ms);
  // Bytes, 0: nothing has come, negative: the peer has ended the connection.
  int read(char* bytes, size_t size);
  // All or nothing.
  bool write(const char* bytes, size_t size);
  void close();

 private:
  int fd_ = -1;
  bool connecting_ = false;
  int64_t deadline_ms_ = 0;
};

}  // namespace inktop
