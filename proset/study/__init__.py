"""A table, what its columns are for, and the model that was fitted to it."""

from __future__ import annotations

from proset.engine.metrics import Metrics
from proset.study.any_study import fit_sample
from proset.study.decision import DecisionRule
from proset.study.fit import fit_study
from proset.study.learned import learned_words
from proset.study.number_fit import fit_number_choice, fit_number_study, search_number_study
from proset.study.number_metrics import NumberMetrics
from proset.study.number_study import NumberStudy
from proset.study.search import fit_choice, search_study, search_words
from proset.study.settings import FitSettings, NumberSettings
from proset.study.study import Provenance, Study

__all__ = [
    "DecisionRule",
    "FitSettings",
    "Metrics",
    "NumberMetrics",
    "NumberSettings",
    "NumberStudy",
    "Provenance",
    "Study",
    "fit_choice",
    "fit_number_choice",
    "fit_number_study",
    "fit_sample",
    "fit_study",
    "learned_words",
    "search_number_study",
    "search_study",
    "search_words",
]
