// The bench of a board that follows several servers.
#pragma once

struct ServersBench {
  int servers = 1;
  int seconds = 0;
  bool large = false;  // one of them large; else all in a grid
  bool draws = true;   // false: it only takes the lines, to tell that apart
};

// Prints what it did; returns an exit code.
int bench_servers(const char* path, const ServersBench& bench);
