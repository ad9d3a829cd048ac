"""Algorithm 2.2: penalties and the number of batches by cross-validation, and which of the good settings to take."""

from proset.selection.estimator import ProsetClassifierCV
from proset.selection.folds import Fold, make_folds
from proset.selection.plan import PENALTIES, Rule, SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.run import run_search
from proset.selection.search_progress import Cancelled, Interrupted, SearchProgress
from proset.selection.select import SearchResult, select_hyperparameters
from proset.selection.tasks import SearchData
from proset.selection.words import batches_words, end_of_range, search_report, unconverged_words

__all__ = [
    "PENALTIES",
    "Cancelled",
    "Fold",
    "Interrupted",
    "ProsetClassifierCV",
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
    "unconverged_words",
]
