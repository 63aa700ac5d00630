// The firmware's version: shown on the screens and sent in the hello.
#pragma once

namespace inktop {

constexpr char kFirmwareVersion[] = "0.1.0";

}  // namespace inktop
