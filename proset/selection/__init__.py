"""Penalties and the number of batches by cross-validation: the joint search, and algorithm 2.2 of the report."""

from proset.selection.column_scaler import ColumnScaler
from proset.selection.either import (
    AnyPlan,
    AnyRecord,
    ClassPlan,
    ClassRecord,
    has_begun,
    is_quick,
    read_plan,
    read_record,
    settings_found,
)
from proset.selection.estimator import ProsetClassifierCV
from proset.selection.folds import Fold, make_folds
from proset.selection.front import FrontPoint, Landmarks, front_point, is_unfinished, landmarks
from proset.selection.joint import run_joint
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.number_run import NumberData, search_number
from proset.selection.number_scores import NumberTrial
from proset.selection.number_search import ProsetRegressorCV
from proset.selection.plan import PENALTIES, Rule, SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.run import run_search
from proset.selection.search import search
from proset.selection.search_progress import Cancelled, Interrupted, SearchProgress
from proset.selection.select import SearchResult, select_hyperparameters
from proset.selection.tasks import SearchData
from proset.selection.words import batches_words, end_of_range, joint_report, search_report, unconverged_words

__all__ = [
    "PENALTIES",
    "AnyPlan",
    "AnyRecord",
    "Cancelled",
    "ClassPlan",
    "ClassRecord",
    "ColumnScaler",
    "Fold",
    "FrontPoint",
    "Interrupted",
    "JointPlan",
    "JointRecord",
    "Landmarks",
    "NumberData",
    "NumberPlan",
    "NumberRecord",
    "NumberTrial",
    "ProsetClassifierCV",
    "ProsetRegressorCV",
    "Rule",
    "SearchData",
    "SearchPlan",
    "SearchProgress",
    "SearchRecord",
    "SearchResult",
    "batches_words",
    "end_of_range",
    "front_point",
    "has_begun",
    "is_quick",
    "is_unfinished",
    "joint_report",
    "landmarks",
    "make_folds",
    "read_plan",
    "read_record",
    "run_joint",
    "run_search",
    "search",
    "search_number",
    "search_report",
    "select_hyperparameters",
    "settings_found",
    "unconverged_words",
]
