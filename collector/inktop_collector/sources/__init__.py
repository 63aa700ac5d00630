"""One file for each thing measured. ``registry.py`` lists them, ``source.py`` says what one is."""
