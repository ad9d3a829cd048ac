"""Algorithm 2.2: penalties and the number of batches by cross-validation, and which of the good settings to take."""

from proset.selection.plan import PENALTIES, Fold, Rule, SearchPlan, make_folds
from proset.selection.progress import Cancelled, Interrupted, SearchProgress
from proset.selection.report import batches_words, end_of_range, search_report
from proset.selection.result import SearchRecord
from proset.selection.search import run_search
from proset.selection.select import SearchResult, select_hyperparameters
from proset.selection.tasks import SearchData

__all__ = [
    "PENALTIES",
    "Cancelled",
    "Fold",
    "Interrupted",
    "Rule",
    "SearchData",
    "SearchPlan",
    "SearchProgress",
    "SearchRecord",
    "SearchResult",
    "batches_words",
    "end_of_range",
    "make_folds",
    "run_search",
    "search_report",
    "select_hyperparameters",
]
