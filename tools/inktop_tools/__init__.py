"""The `inktop` command: the virtual board, flashing, serial monitor, diagnosis."""
