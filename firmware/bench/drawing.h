// The benches: each returns a checksum of what it made, the same from both versions.
// bench_tall is what bench_turned_fast draws, upright. The last two are one bench: the seal of a keyed line
// beside the parsing of it.
#pragma once

#include <cstdint>

uint32_t bench_redraw_fast(int count);
uint32_t bench_redraw_naive(int count);
uint32_t bench_turned_fast(int count);
uint32_t bench_turned_naive(int count);
uint32_t bench_tall(int count);
uint32_t bench_fill_fast(int count);
uint32_t bench_fill_naive(int count);
uint32_t bench_difference_fast(int count);
uint32_t bench_difference_naive(int count);
uint32_t bench_seal(int count);
uint32_t bench_parse(int count);
