"""What the collector's tests and benchmarks share: machines as folders of recorded files."""
