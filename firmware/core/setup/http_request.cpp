#include "setup/http_request.h"

#include <cstring>

namespace inktop {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

}  // namespace

HttpRequest::State HttpRequest::feed(const char* bytes, size_t size) {
  for (size_t i = 0; i < size && state_ == State::reading; ++i) {
    if (!in_body_) {
      head_byte(bytes[i]);
    } else {
      body_[body_size_++] = bytes[i];
      body_[body_size_] = 0;
    }
    if (in_body_ && state_ == State::reading && body_size_ == length_) state_ = State::ready;
  }
  return state_;
}

void HttpRequest::head_byte(char c) {
  if (++head_size_ > kMaxHead) return refuse();
  if (c == '\r') return;
  if (c == '\n') {
    line_[line_size_] = 0;
    line();
    line_size_ = 0;
    line_too_long_ = false;
  } else if (line_size_ < kMaxLine) {
    line_[line_size_++] = c;
  } else {
    line_too_long_ = true;
  }
}

void HttpRequest::line() {
  if (!has_first_line_) {
    if (line_size_ > 0) first_line();  // an empty line before it is allowed
  } else if (line_size_ == 0) {
    in_body_ = true;
  } else if (!line_too_long_) {
    header();
  }
}

void HttpRequest::first_line() {
  has_first_line_ = true;
  is_post_ = std::strncmp(line_, "POST ", 5) == 0;
  const char* from = std::strchr(line_, ' ');
  if (from == nullptr ||
      (!is_post_ && std::strncmp(line_, "GET ", 4) != 0 && std::strncmp(line_, "HEAD ", 5) != 0))
    return refuse();
  size_t length = 0;
  for (++from; length < kMaxPath && *from != 0 && *from != ' ' && *from != '?'; ++from)
    path_[length++] = *from;
  path_[length] = 0;
}

void HttpRequest::header() {
  const char* const wanted = "content-length:";
  const size_t size = std::strlen(wanted);
  for (size_t i = 0; i < size; ++i) {
    if (lower(line_[i]) != wanted[i]) return;
  }
  const char* at = line_ + size;
  while (*at == ' ' || *at == '\t') ++at;
  size_t value = 0;
  const char* const digits = at;
  for (; *at >= '0' && *at <= '9' && value <= kMaxBody; ++at) value = value * 10 + size_t(*at - '0');
  while (*at == ' ' || *at == '\t') ++at;
  if (at == digits || *at != 0 || value > kMaxBody) return refuse();
  length_ = value;
}

}  // namespace inktop
