"""Similarities (2.3) and their sums by class, compiled where numba is there, and the threads they run on."""
