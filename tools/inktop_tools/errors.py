"""The one error that a command shows to a person: what happened, to what, and the next step."""

from __future__ import annotations


class InktopError(Exception):
    """Ends a command with exit status 1 and this text, without a traceback."""
