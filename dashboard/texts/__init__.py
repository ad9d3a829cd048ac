"""Titles, helps and "how to read this" texts in words that need no statistics: one file per page."""
