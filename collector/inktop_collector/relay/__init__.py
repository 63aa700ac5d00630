"""The relay: lines for machines that run no collector, from what a Prometheus or VictoriaMetrics knows.

``mapping.py`` says which metric is which value, ``engine.py`` asks, ``machines.py`` and ``fleet.py`` put the
answers together, ``loop.py`` serves them. Imported only by the command ``relay``.
"""
