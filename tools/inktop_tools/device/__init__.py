"""A real board: its serial port, its firmware, its settings."""
