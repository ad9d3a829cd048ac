"""Fitting, searching, and what came of it."""
