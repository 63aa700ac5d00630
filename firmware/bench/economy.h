// The bench that counts what a recording costs the panel.
#pragma once

#include <string>
#include <vector>

// Replays a file of lines, one a second, through the app as it ships and through a naive one; prints what
// each did to the modelled panel as a JSON object. Returns the exit code.
int bench_economy(const char* path);

// Prints the second of the two.
void replay_naive(const std::vector<std::string>& lines, int seconds);
