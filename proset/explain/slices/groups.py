"""Quality by group of rows, with intervals: groups by a column, by class, or by slices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import DisplayedFrame
from proset.engine.metrics import losses_of
from proset.explain.familiar.familiar_groups import CLASS, named_groups, row_groups
from proset.explain.plain_values import plain_columns
from proset.explain.slices.ground import judged_unseen
from proset.explain.slices.slice import Slice
from proset.explain.subject import study_of
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.find_row import row_ids
from proset.study.intervals import share_interval
from proset.study.unseen import Unseen

COLUMNS = ("rows", "wrong", "share", "low", "high", "log_loss")
OTHERS, EVERY = "all others", "all rows"


@dataclass(frozen=True, eq=False)
class QualityBy(DisplayedFrame):
    """Quality of groups of rows.

    Attributes
    ----------
    frame : DataFrame
        Index: name of the group. ``rows`` (that are right or wrong), ``wrong``, ``share`` (that is wrong, in [0, 1]),
        ``low`` and ``high`` (its 95 % interval, by whole groups of the split where it has groups; each for itself),
        ``log_loss``. Empty groups have no share and no loss.
    which : str
        Which rows were counted, such as "held-out rows".
    overlap : bool
        Whether a row may belong to several groups, or to none.
    """

    frame: pd.DataFrame
    which: str
    overlap: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "group": self.frame.index.tolist(),
            **plain_columns(self.frame),
            "which": self.which,
            "overlap": self.overlap,
        }


def quality_by(
    study: Study,
    by: str | Slice | Sequence[Slice],
    *,
    cases: Iterable[int] | None = None,
    unseen: Unseen | None = None,
    rule: DecisionRule = MOST_PROBABLE,
    itself: bool = False,
) -> QualityBy:
    """Measure how often a model is wrong in groups of rows that it has not seen.

    Parameters
    ----------
    by : str, Slice or sequence of Slice
        A column of the table, one with many numbers or dates in ranges; "class", "correct" or "part" as for
        :func:`proset.explain.familiarity`; slices; or one slice, beside all other rows and all rows together.
    cases : iterable of int or None
        Row ids; only these count, as far as a model that has not seen them judges them. None for all such.
    unseen : Unseen or None
        As for :func:`proset.explain.find_error_slices`.
    rule : DecisionRule
        Says what is wrong. Rows that it leaves to a person do not count.
    itself : bool
        Only held-out rows count, as this model itself judges them, however few they are.

    Raises
    ------
    StudyError
        If the table has no such column, or the folds are of another study.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = quality_by(fit_sample("iris_2f"), "class")
    >>> found.frame["rows"].tolist(), found.frame["wrong"].tolist()
    ([15, 15, 15], [0, 2, 4])
    """
    study = study_of(study, "quality_by")
    decided, which = judged_unseen(study, unseen, rule, itself=itself)
    if cases is not None:
        wanted = row_ids(cases)
        study.encode(wanted)  # refuses rows that the table does not have
        decided = decided.loc[decided.index.isin(wanted)]
    all_rows = study.judged(rule)
    if isinstance(by, str):
        labels = row_groups(study, all_rows.assign(correct=decided["correct"].reindex(all_rows.index)), by)
        names, groups = named_groups(labels.loc[decided.index], study.classes if by == CLASS else ())
        members = [(name, np.asarray(names == name, dtype=bool)) for name in groups]
    else:
        place = all_rows.index.get_indexer(decided.index)
        chosen = (by,) if isinstance(by, Slice) else by
        members = [(each.title, each.holds(study, all_rows)[place]) for each in chosen]
        if isinstance(by, Slice):
            members += [(OTHERS, ~members[0][1]), (EVERY, np.ones(len(decided), dtype=bool))]
    lines = [_line(study, decided.loc[inside]) for _, inside in members]
    index = pd.Index([name for name, _ in members], dtype="str", name="group")
    frame = pd.DataFrame(lines, columns=list(COLUMNS), index=index).astype({"rows": "int64", "wrong": "int64"})
    return QualityBy(frame, which, overlap=not isinstance(by, str))


def _line(study: Study, own: pd.DataFrame) -> tuple[float, ...]:
    """Measure the rows of one group."""
    wrong: NDArray[np.bool_] = own["wrong"].to_numpy(dtype=bool)
    share = share_interval(wrong, study.groups_of(own.index))
    stated = own["stated"].to_numpy(dtype=np.float64)
    loss = float(losses_of(stated).mean()) if len(own) else np.nan
    return len(own), int(wrong.sum()), share.value, share.low, share.high, loss
