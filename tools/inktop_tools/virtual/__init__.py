"""The firmware's core on this machine: the virtual board, its page, recordings that it plays."""
