"""Gradient boosting mapping: an embedding made of bent directions, each added where the ones before it are wrong."""

from proset.companions.gbmap.classifier import GBMapClassifier
from proset.companions.gbmap.regressor import GBMapRegressor

__all__ = ["GBMapClassifier", "GBMapRegressor"]
