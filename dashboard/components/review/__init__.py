"""Pieces of the Review page."""
