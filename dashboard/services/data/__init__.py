"""Frames, texts and choices of the Data page."""
