"""The server: ``loop.py`` the schedule, ``listener.py`` the port, ``connection.py`` one client."""
