"""The server: ``loop.py`` the schedule, ``listener.py`` the port, ``places.py`` who may stay.

``connection.py`` is one client.
"""
