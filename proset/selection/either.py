"""All kinds of search: the joint one, algorithm 2.2, and that for a model of a number."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from proset.common.errors import StudyError
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.plan import SearchPlan
from proset.selection.record import SearchRecord

ClassPlan = SearchPlan | JointPlan
ClassRecord = SearchRecord | JointRecord
AnyPlan = ClassPlan | NumberPlan
AnyRecord = ClassRecord | NumberRecord
_AS_GROWN = {"correction": 0.0, "thinning": 0.0}


def check_kind(name: str, value: object, kinds: tuple[type, ...]) -> None:
    """Refuse an argument that is neither None nor of these kinds, such as a plan of the other search.

    Raises
    ------
    StudyError
        Naming the argument and the kinds.

    Examples
    --------
    >>> check_kind("plan", JointPlan(), (NumberPlan,))
    Traceback (most recent call last):
        ...
    proset.common.errors.StudyError: plan is a JointPlan; it has to be a NumberPlan or None.
    """
    if not (value is None or isinstance(value, kinds)):
        names = ", ".join(kind.__name__ for kind in kinds)
        raise StudyError(f"{name} is a {type(value).__name__}; it has to be a {names} or None.")


def read_plan(state: object) -> AnyPlan:
    """Rebuild a plan of any kind from what its ``to_state`` returned.

    Raises
    ------
    StorageError
        Naming the field that is missing, unknown or wrong.

    Examples
    --------
    >>> read_plan(JointPlan().to_state()) == JointPlan(), read_plan(SearchPlan().to_state()) == SearchPlan()
    (True, True)
    """
    if _is(NumberPlan.METHOD, state):
        return NumberPlan.from_state(state)
    return JointPlan.from_state(state) if _is_joint(state) else SearchPlan.from_state(state)


def read_record(state: object) -> AnyRecord:
    """Rebuild a record of any kind from what its ``to_state`` returned.

    Raises
    ------
    StorageError
        As for :func:`read_plan`.
    """
    plan = state.get("plan") if isinstance(state, dict) else None
    if _is(NumberPlan.METHOD, plan):
        return NumberRecord.from_state(state)
    return JointRecord.from_state(state) if _is_joint(plan) else SearchRecord.from_state(state)


def settings_found(record: AnyRecord) -> dict[str, Any]:
    """Return the settings of a fit that a search has chosen: penalties, number of batches, and what its plan sets.

    Examples
    --------
    >>> from proset.selection.plan import SearchPlan
    >>> import numpy as np
    >>> from proset.selection.scores import FoldScores
    >>> ones = FoldScores(np.array([[0.5, 0.5]]), n_features=1, n_prototypes=2)
    >>> record = SearchRecord(SearchPlan(lambda_v=0.01, n_folds=2), "", ones, batches=2)
    >>> settings_found(record)
    {'lambda_v': 0.01, 'lambda_w': 1e-08, 'n_iter': 2}
    """
    if isinstance(record, NumberRecord):
        return record.found
    lambda_v, lambda_w = record.chosen_penalties
    found: dict[str, Any] = {"lambda_v": lambda_v, "lambda_w": lambda_w, "n_iter": record.chosen_batches}
    if isinstance(record, JointRecord):
        found |= {"alpha_v": record.plan.alpha_v, "max_fraction": record.plan.fraction(record.n_rows)}
        found["weight_factor"] = record.chosen_factor
        if record.scale is not None:
            found["scale"] = record.scale.scale
        if record.plan.refines:
            last = record.joined_model if record.takes_joined else record.refinement
            found |= {"correction": last.correction, "thinning": last.thinning} if last else _AS_GROWN
            found["n_joined"] = record.n_joined if record.takes_joined else 1
    return found


@lru_cache(maxsize=64)  # a page asks thirty times, and each answer makes two plans
def is_quick(plan: AnyPlan | None) -> bool:
    """Tell whether a plan is that of a quick fit.

    Examples
    --------
    >>> is_quick(JointPlan.quick()), is_quick(JointPlan()), is_quick(SearchPlan()), is_quick(None)
    (True, False, False, False)
    """
    return isinstance(plan, (JointPlan, NumberPlan)) and plan.is_quick


def has_begun(record: AnyRecord) -> bool:
    """Tell whether a search has finished a fit.

    Examples
    --------
    >>> has_begun(JointRecord(JointPlan(), "", 120))
    False
    """
    if isinstance(record, JointRecord):
        return bool(record.curves) or record.scaled is not None
    if isinstance(record, NumberRecord):
        return bool(record.trials or record.scaled)
    return bool(record.scores_1.done.any())


def _is_joint(plan: object) -> bool:
    """Tell whether the state of a plan is that of a joint search."""
    return isinstance(plan, dict) and "method" in plan  # algorithm 2.2 was there first and does not say so


def _is(method: str, plan: object) -> bool:
    """Tell whether the state of a plan says that it is of a method."""
    return isinstance(plan, dict) and plan.get("method") == method
