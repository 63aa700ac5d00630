// Owns the name of the bench that counts what a recording costs the panel.
#pragma once

// Replays a file of lines, one a second, through the board as it ships and through one drawn naively; prints
// what each did to the modelled panel as a JSON object. Returns the exit code.
int bench_economy(const char* path);
