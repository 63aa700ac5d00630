// Counts what the test program allocates (allocation_test.cpp).
#pragma once

namespace inktop {

long allocations();

}  // namespace inktop
