"""Nearest neighbours and XGBoost, fitted by the strategy of the report's section 2.4 to set beside a prototype set."""

from proset.reference_models.knn import KnnResult, fit_knn_classifier
from proset.reference_models.xgb import XgbResult, fit_xgb_classifier
from proset.reference_models.xgb_plan import XgbPlan

__all__ = ["KnnResult", "XgbPlan", "XgbResult", "fit_knn_classifier", "fit_xgb_classifier"]
