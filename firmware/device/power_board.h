// The driver board, with the I2C power chip or without: the PlatformIO environment chooses.
#pragma once

#include <epdiy.h>

namespace inktop {

#if defined(INKTOP_BOARD_V7) == defined(INKTOP_BOARD_V7_NOPMIC)
#error \
    "choose the board: -DINKTOP_BOARD_V7 or -DINKTOP_BOARD_V7_NOPMIC (platformio.ini: environment v7 or v7_nopmic)"
#endif

#ifdef INKTOP_BOARD_V7
constexpr char kBoardName[] = "v7";
constexpr bool kHasVcomSetting = true;
constexpr bool kKeepPower = false;  // its chip is made for being switched
#else
constexpr char kBoardName[] = "v7_nopmic";
constexpr bool kHasVcomSetting = false;  // a potentiometer on the board
// Frequent switching ended in a black screen on such a board (reported).
constexpr bool kKeepPower = true;
#endif

const EpdBoardDefinition& power_board();
// Whether all voltages are there while the supply is on; true where nothing can tell.
bool power_is_good();

}  // namespace inktop
