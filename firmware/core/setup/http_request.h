// One HTTP request of a browser, from bytes as they come: method, path and a short body. Bounded: what is too
// long is refused, never kept.
#pragma once

#include <cstddef>
#include <cstdint>

namespace inktop {

class HttpRequest {
 public:
  static constexpr size_t kMaxHead = 4096;  // browsers send some hundred bytes
  static constexpr size_t kMaxLine = 256;   // of what is looked at: longer header lines count as unknown
  static constexpr size_t kMaxBody = 2048;
  static constexpr size_t kMaxPath = 64;

  enum class State : uint8_t { reading, ready, refused };

  // What comes after the request is ignored.
  State feed(const char* bytes, size_t size);
  State state() const { return state_; }
  bool is_post() const { return is_post_; }
  // Without a query; a path that is longer is cut.
  const char* path() const { return path_; }
  // NUL-terminated.
  const char* body() const { return body_; }
  size_t body_size() const { return body_size_; }
  void clear() { *this = HttpRequest(); }

 private:
  void head_byte(char c);
  void line();
  void first_line();
  void header();
  void refuse() { state_ = State::refused; }

  State state_ = State::reading;
  bool in_body_ = false;
  bool has_first_line_ = false;
  bool is_post_ = false;
  bool line_too_long_ = false;
  size_t head_size_ = 0;
  size_t line_size_ = 0;
  size_t length_ = 0;  // of the body, as the header says
  size_t body_size_ = 0;
  char line_[kMaxLine + 1] = "";
  char path_[kMaxPath + 1] = "";
  char body_[kMaxBody + 1] = "";
};

}  // namespace inktop
