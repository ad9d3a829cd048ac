"""Fits and searches in words."""
