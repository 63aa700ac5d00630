// Updates over the air: off without a password.
#pragma once

#include <functional>

namespace inktop {

class OverTheAir {
 public:
  // `progress`: 0 to 100 while an update arrives, -1 when it failed; called from within poll().
  // `done`: before the restart into the new firmware.
  OverTheAir(const char* password, const char* id, std::function<void(int percent)> progress,
             std::function<void()> done)
      : password_(password), id_(id), progress_(std::move(progress)), done_(std::move(done)) {}

  bool enabled() const { return password_[0] != 0; }
  // From the main loop; an update blocks it until it is over (and then restarts the board).
  void poll(bool wifi_up);

 private:
  void begin();

  const char* password_;
  const char* id_;
  std::function<void(int percent)> progress_;
  std::function<void()> done_;
  bool begun_ = false;
};

}  // namespace inktop
