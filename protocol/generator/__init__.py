"""Writes what follows from the table of the line: run by ``make generate``."""
