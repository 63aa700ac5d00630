"""The lines of a collector: decoded, and followed as they come."""
