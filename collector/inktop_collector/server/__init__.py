"""The server: ``loop.py`` the schedule, ``port.py`` the boards of a port, ``listener.py`` who may connect.

``places.py`` says who may stay, ``connection.py`` is one client.
"""
