"""One file for each thing measured: find it, read it, return a value or ``None`` (unknown)."""
