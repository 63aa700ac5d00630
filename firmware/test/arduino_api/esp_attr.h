// Where variables lie: memory that the start-up code leaves alone. The fakes scramble it when power goes off.
#pragma once

#define RTC_NOINIT_ATTR __attribute__((section("rtc_noinit")))
