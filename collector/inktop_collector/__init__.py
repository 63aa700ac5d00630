"""The server side of inktop: samples this machine and pushes one line a second to the boards."""

__version__ = "0.1.0"
