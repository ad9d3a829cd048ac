"""Two models of one table on the same held-out rows: what became of a model when something was changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.engine.metrics import losses_of
from proset.study.base import StudyBase
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.guidance import GuidanceKind
from proset.study.intervals import mean_interval
from proset.study.study import Study
from proset.study.unseen import untouched_rows

_IDLE = 0.02
COLUMNS = ("rows", "log_loss_before", "log_loss_after", "difference", "low", "high", "right_before", "right_after",
           "balanced_before", "balanced_after", "balanced_low", "balanced_high")  # fmt: skip


@dataclass(frozen=True, eq=False, kw_only=True)
class Turnover:
    """Prototypes and columns that only one of two models has.

    Attributes
    ----------
    prototypes_gained, prototypes_lost : tuple of int
        Row ids that are prototypes of the later or the earlier one only.
    columns_gained, columns_lost : tuple of str
        Columns that only one of the two uses.
    columns_idle : tuple of str
        Columns that the later one was asked to use and in which it finds next to nothing: their weight is at most 2 %
        of the heaviest.
    """

    prototypes_gained: tuple[int, ...]
    prototypes_lost: tuple[int, ...]
    columns_gained: tuple[str, ...]
    columns_lost: tuple[str, ...]
    columns_idle: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class BeforeAfter(Turnover):
    """A model before and after a change, on held-out rows that both have not seen.

    Attributes
    ----------
    quality : DataFrame
        Index: ``untouched`` (the held-out rows that nobody reviews), ``held out`` (all), ``corrected`` (all, against
        corrected classes; only if there are any). Columns: `rows`, mean log-loss `log_loss_before` and
        `log_loss_after`, their `difference` (negative is better) with its 95 % interval `low` to `high` (paired, in
        whole groups where the split has groups), and the shares of rows that are right, `right_before` and
        `right_after`.
    sides : DataFrame
        Held-out rows that are said to be of another class now, index ``row``: ``actual``, ``before``, ``after``.
    """

    quality: pd.DataFrame
    sides: pd.DataFrame


def before_after(
    before: Study, after: Study, *, rule: DecisionRule = MOST_PROBABLE, corrected: Mapping[int, str] | None = None
) -> BeforeAfter:
    """Compare two models of one table on the same held-out rows.

    Parameters
    ----------
    rule : DecisionRule
        Says which class is said.
    corrected : mapping of int to str, or None
        Other classes of some held-out rows, by row id. Quality is then stated against them, too; rows that no model has
        learned from stay such.

    Raises
    ------
    StudyError
        If the two are not of the same table, classes and held-out rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> same = before_after(study, study)
    >>> same.quality.loc["held out", ["rows", "difference"]].tolist(), len(same.sides)
    ([45.0, 0.0], 0)
    """
    check_same_ground(before, after, alike=before.classes == after.classes, what="classes")
    held_out = np.sort(before.split.held_out)
    index = pd.Index(held_out, name="row")
    said = [study.judged(rule)["predicted"].reindex(index).astype(str) for study in (before, after)]
    actual = before.table_labels.reindex(index).astype(str)
    sets = {"untouched": (untouched_rows(before), actual), "held out": (held_out, actual)}
    new = {row: name for row, name in (corrected or {}).items() if row in actual.index and name in before.classes}
    if any(actual.loc[row] != name for row, name in new.items()):
        sets["corrected"] = (held_out, pd.Series(new, dtype="str").reindex(index).fillna(actual))
    lines = {name: _quality(before, after, rows, truth, said) for name, (rows, truth) in sets.items() if len(rows)}
    changed = said[0] != said[1]
    return BeforeAfter(
        quality=pd.DataFrame.from_dict(lines, orient="index", columns=list(COLUMNS)),
        sides=pd.DataFrame({"actual": actual, "before": said[0], "after": said[1]})[changed].rename_axis("row"),
        **turnover(before, after),
    )


def turnover(before: StudyBase, after: StudyBase) -> dict[str, Any]:
    """Return the fields of :class:`Turnover`."""
    own, now = (set(map(int, study.prototypes["row"])) for study in (before, after))
    used, uses = (list(study.used_columns) for study in (before, after))
    idle = _idle(after)
    return {
        "prototypes_gained": tuple(sorted(now - own)),
        "prototypes_lost": tuple(sorted(own - now)),
        "columns_gained": tuple(name for name in uses if name not in used and name not in idle),
        "columns_lost": tuple(name for name in used if name not in uses),
        "columns_idle": idle,
    }


def _idle(study: StudyBase) -> tuple[str, ...]:
    """Return the columns that a model was asked to use and that hardly move any similarity."""
    weights = study.feature_weights.max(axis=1)
    heaviest = dict.fromkeys(study.guidance.columns_of(GuidanceKind.USE_COLUMN), 0.0)
    for column in study.design.columns:
        if column.source in heaviest and column.name in weights.index:
            heaviest[column.source] = max(heaviest[column.source], float(weights.loc[column.name]))
    return tuple(name for name, weight in heaviest.items() if weight <= _IDLE * weights.max())


def check_same_ground(before: StudyBase, after: StudyBase, *, alike: bool, what: str) -> None:
    """Refuse two models that cannot be compared.

    Parameters
    ----------
    alike : bool
        Whether their targets are.
    what : str
        What of their targets has to be the same.

    Raises
    ------
    StudyError
        If they are not of the same table, targets and held-out rows.
    """
    same_rows = np.array_equal(np.sort(before.split.held_out), np.sort(after.split.held_out))
    if before.table.fingerprint != after.table.fingerprint or not alike or not same_rows:
        raise StudyError(
            f"These two models are not of the same table, {what} and held-out rows.",
            hint="Compare models that were fitted with one split.",
        )


def _quality(
    before: Study, after: Study, rows: NDArray[np.int64], truth: pd.Series, said: list[pd.Series]
) -> tuple[float, ...]:
    """Return one line of the table."""
    index = pd.Index(rows)
    actual = truth.reindex(index)
    place = pd.Index(before.classes).get_indexer(pd.Index(actual))
    losses = []
    for study in (before, after):
        own = study.probabilities.reindex(index).to_numpy(dtype=np.float64)[np.arange(len(rows)), place]
        losses.append(losses_of(own))
    difference = losses[1] - losses[0]
    groups = before.groups_of(rows)
    right = [(one.reindex(index) == actual).to_numpy().astype(np.float64) for one in said]
    ends = mean_interval(difference, groups)
    plain = [float(one.mean()) for one in right]
    balanced = _balanced(place, right, groups)
    means = float(losses[0].mean()), float(losses[1].mean()), float(difference.mean())
    return (len(rows), *means, *ends, *plain, *balanced)


def _balanced(
    place: NDArray[np.int64], right: list[NDArray[np.float64]], groups: NDArray[np.int64] | None
) -> tuple[float, ...]:
    """Return balanced accuracy before and after, and the interval of the difference, from what each row adds to it."""
    _, codes, counts = np.unique(place, return_inverse=True, return_counts=True)
    worth = len(place) / (len(counts) * counts[codes])
    before, after = (float((worth * one).mean()) for one in right)
    return (before, after, *mean_interval(worth * (right[1] - right[0]), groups))
