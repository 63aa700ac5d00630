"""The GPUs: ``makers.py`` lists the makers, ``card.py`` says what a maker and a card are."""
