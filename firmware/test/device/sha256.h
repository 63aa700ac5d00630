// SHA-256 and HMAC for the fakes: FIPS 180-4 and RFC 2104, checked against the protocol's vectors.
#pragma once

#include <string>

namespace sim {

std::string sha256_bytes(const std::string& text);
std::string hmac_sha256_bytes(const std::string& key, const std::string& text);

}  // namespace sim
