"""The prototype set classifier, nearest neighbours and XGBoost behind the interface of the companions."""

from proset.companions.adapters.knn import KnnPrototypes
from proset.companions.adapters.proset_model import ProsetPrototypes
from proset.companions.adapters.xgb import XgbPrototypes

__all__ = ["KnnPrototypes", "ProsetPrototypes", "XgbPrototypes"]
