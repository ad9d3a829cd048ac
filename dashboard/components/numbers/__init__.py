"""Widgets of pages about a number."""
