// Memory by kind.
#pragma once

#include <cstddef>
#include <cstdint>

#define MALLOC_CAP_SPIRAM (1 << 10)

void* heap_caps_aligned_alloc(size_t alignment, size_t size, uint32_t caps);
