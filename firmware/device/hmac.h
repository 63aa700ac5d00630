// HMAC-SHA256 on the board: mbedTLS behind the core's HmacFunction.
#pragma once

#include <cstddef>

namespace inktop {

// `context` is the key, a text.
void hmac_sha256(void* context, const char* text, size_t length, char hex[65]);

}  // namespace inktop
