// Entry point of the tests of the device adapters; they run on simulated time, in a simulated world.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
