// Entry point of the C++ tests; the cases are in the *_test.cpp files of the rooms.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
