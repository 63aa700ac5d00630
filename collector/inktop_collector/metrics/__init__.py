"""The page of metrics: ``rows.py`` what is on it, ``page.py`` how it is written, ``web.py`` who fetches it.

Imported only where it is asked for.
"""
