"""What a local inference server says of itself."""
