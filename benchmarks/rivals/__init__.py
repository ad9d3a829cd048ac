"""Ours beside other classifiers on the sets of a folder: ``make rivals``, or ``python -m benchmarks.rivals``."""
