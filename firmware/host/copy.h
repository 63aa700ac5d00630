// Fills a fixed text field.
#pragma once

#include <cstddef>
#include <cstdio>

template <size_t kSize>
void copy(char (&to)[kSize], const char* from) {
  std::snprintf(to, kSize, "%s", from == nullptr ? "" : from);
}
