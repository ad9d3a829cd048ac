"""A table, what its columns are for, and the model that was fitted to it."""

from __future__ import annotations

from proset.engine.metrics import Metrics
from proset.study.decision import DecisionRule
from proset.study.fit import fit_study
from proset.study.learned import learned_words
from proset.study.search import fit_choice, search_study, search_words
from proset.study.settings import FitSettings
from proset.study.study import Provenance, Study

__all__ = [
    "DecisionRule",
    "FitSettings",
    "Metrics",
    "Provenance",
    "Study",
    "fit_choice",
    "fit_study",
    "learned_words",
    "search_study",
    "search_words",
]
