"""Batch maps, surfaces, pairs of features."""
