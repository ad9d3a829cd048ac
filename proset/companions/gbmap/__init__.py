"""Gradient boosting mapping: an embedding made of bent directions, each added where the ones before it are wrong."""

from proset.companions.gbmap.estimators import GBMapClassifier, GBMapRegressor

__all__ = ["GBMapClassifier", "GBMapRegressor"]
