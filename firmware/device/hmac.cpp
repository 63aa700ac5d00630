#include "hmac.h"

#include <mbedtls/md.h>

#include <cstring>

namespace inktop {

void hmac_sha256(void* context, const char* text, size_t length, char hex[65]) {
  const char* const key = static_cast<const char*>(context);
  unsigned char mac[32] = {};
  mbedtls_md_hmac(mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), reinterpret_cast<const unsigned char*>(key),
                  std::strlen(key), reinterpret_cast<const unsigned char*>(text), length, mac);
  for (size_t i = 0; i < sizeof mac; ++i) {
    hex[2 * i] = "0123456789abcdef"[mac[i] >> 4];
    hex[2 * i + 1] = "0123456789abcdef"[mac[i] & 15];
  }
  hex[64] = 0;
}

}  // namespace inktop
