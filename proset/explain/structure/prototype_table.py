"""All prototypes of a model with what each of them decides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import DisplayedFrame
from proset.engine.evidence.dominant_sets import dominant_sets
from proset.engine.evidence.impacts import Impacts, impacts
from proset.engine.evidence.without import without_each
from proset.engine.kernels.similarity import row_blocks
from proset.engine.metrics import losses_of
from proset.explain.judged.judged_cases import JudgedCases, judge_cases
from proset.explain.plain_values import plain_fields, plain_rows
from proset.explain.subject import Cases, Explained
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.engine.set_manager import SetManager

# Similarities that are held at once: some 16 MB for each of a dozen arrays.
_PAIRS = 1 << 21


@dataclass(frozen=True, eq=False)
class PrototypeTable(DisplayedFrame):
    """All prototypes, measured on n cases.

    Attributes
    ----------
    frame : DataFrame
        One line per prototype, by batch and then by descending weight. Columns:

        * ``batch`` (from 1), ``row`` (row id of a study, row of the training data of a model), ``name``, ``class``,
          ``weight``;
        * ``own class``: the estimate for its own class at its own place by all other rows' prototypes, in [0, 1]; nan
          for a model alone, which does not keep all of the place; ``others say``: the class that these say there;
        * ``impact``: sum over the cases; ``share``: mean share in the estimates of the cases, in [0, 1];
        * ``dominant``: in how many dominant sets it is; ``first``: of how many of these it has the largest impact;
        * ``wrong``: how many of the cases in whose dominant set it is are decided wrongly, and ``wrong share`` (of
          those that can be right or wrong; nan without any); ``misled``: how many of the wrong ones are said to be of
          its own class;
        * ``changed``: how many decisions would be others without it, and ``log-loss change``: by how much the mean
          log-loss would rise (fall if negative; nan without known classes), the other prototypes as they are.
    n_cases, n_decided, n_wrong : int
        How many there are, how many of them can be right or wrong, and how many are wrong.
    """

    frame: pd.DataFrame
    which: str
    n_cases: int
    n_decided: int
    n_wrong: int
    classes: tuple[str, ...]

    @property
    def wrong_share(self) -> float:
        """Share of all cases that are decided wrongly; nan if none can be."""
        return self.n_wrong / self.n_decided if self.n_decided else float("nan")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        counts = plain_fields(self, "which", "n_cases", "n_decided", "n_wrong", "classes")
        return {"prototypes": plain_rows(self.frame), **counts}


def prototypes(
    explained: Explained, cases: Cases | None = None, y: ArrayLike | None = None, *, rule: DecisionRule = MOST_PROBABLE
) -> PrototypeTable:
    """List all prototypes with what each of them decides.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        On which it is measured: a matrix beside a model; row ids beside a study, None for its held-out rows (its
        training rows if none are held out). The time is that of sorting n times P numbers.
    y : array-like of shape (n,) or None
        Beside a model, the classes of the cases; without them nothing is right or wrong.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> table = prototypes(study)
    >>> table.which, table.n_cases, len(table.frame) == len(study.prototypes)
    ('held-out rows', 45, True)
    """
    judged = judge_cases(explained, cases, y, rule)
    manager = judged.subject.manager
    sums = _Sums(manager.get_num_prototypes())
    part = impacts(manager, judged.matrix.X[:0])
    for block in row_blocks(len(judged), max(1, len(part)), _PAIRS):
        sums.add(manager, judged, block, rule)
    frame = pd.DataFrame(
        {"batch": part.batch, "row": part.sample_index, "class": _names(judged)[part.target], "weight": part.weight}
    )
    frame["own class"], frame["others say"] = np.nan, ""
    if isinstance(explained, Study):
        frame["own class"], likely = _without_own_row(explained, manager, part)
        frame["others say"] = _names(judged)[likely]
        frame["row"] = explained.split.train[part.sample_index]
    names = [f"row {row}" for row in frame["row"]]
    if isinstance(explained, Study):
        names = explained.names_of(explained.table.frame.loc[frame["row"]])
    frame.insert(2, "name", pd.Series(names, dtype="str"))
    frame = frame.assign(**sums.columns(len(judged), judged)).astype({"class": "str", "others say": "str"})
    order = np.lexsort((-part.weight, part.batch))
    return PrototypeTable(
        frame=frame.iloc[order].reset_index(drop=True),
        which=judged.which,
        n_cases=len(judged),
        n_decided=int(judged.decided.sum()),
        n_wrong=int(judged.wrong.sum()),
        classes=judged.subject.classes,
    )


class _Sums:
    """Sums over cases, one number per prototype; blocks of cases are added one by one."""

    def __init__(self, n_prototypes: int) -> None:
        counts = ("dominant", "first", "decided", "wrong", "misled", "changed")
        self.counts = {name: np.zeros(n_prototypes, dtype=np.int64) for name in counts}
        self.impact, self.share, self.loss = (np.zeros(n_prototypes) for _ in range(3))

    def add(self, manager: SetManager, judged: JudgedCases, block: slice, rule: DecisionRule) -> None:
        """Add a block of cases."""
        part = impacts(manager, judged.matrix.X[block])
        if not len(part):
            return
        familiarity, decided, wrong = judged.familiarity[block], judged.decided[block], judged.wrong[block]
        members = dominant_sets(part.impact, part.target, manager.marginals)
        self.impact += part.impact.sum(axis=0)
        self.share += (part.impact / (1.0 + familiarity)[:, None]).sum(axis=0)
        leads = (part.impact == part.impact.max(axis=1, keepdims=True)) & members
        own = judged.predicted[block][:, None] == part.target
        for name, here in (
            ("dominant", members),
            ("first", leads),
            ("decided", members & decided[:, None]),
            ("wrong", members & wrong[:, None]),
            ("misled", members & wrong[:, None] & own),
        ):
            self.counts[name] += here.sum(axis=0)
        self._add_changes(part, manager, judged, block, rule)

    def _add_changes(
        self, part: Impacts, manager: SetManager, judged: JudgedCases, block: slice, rule: DecisionRule
    ) -> None:
        """Add what would change without each prototype."""
        probabilities, actual = judged.probabilities[block], judged.actual[block]
        unnormalized = probabilities * (1.0 + judged.familiarity[block])[:, None]
        said, left, known = judged.predicted[block], judged.left[block], np.flatnonzero(actual >= 0)
        before = losses_of(probabilities[known, actual[known]])
        for j, without in enumerate(without_each(part, unnormalized, manager.marginals)):
            self.counts["changed"][j] += int(((rule.choose(without) != said) & ~left).sum())
            after = losses_of(without[known, actual[known]])
            self.loss[j] += float((after - before).sum())

    def columns(self, n_cases: int, judged: JudgedCases) -> dict[str, NDArray[Any]]:
        """Return the columns of the table."""
        n_known = int((judged.actual >= 0).sum())
        counts = self.counts
        with np.errstate(invalid="ignore"):
            return {
                "impact": self.impact,
                "share": self.share / max(1, n_cases),
                "dominant": counts["dominant"],
                "first": counts["first"],
                "wrong": counts["wrong"],
                "wrong share": counts["wrong"] / np.where(counts["decided"], counts["decided"], np.nan),
                "misled": counts["misled"],
                "changed": counts["changed"],
                "log-loss change": self.loss / (n_known or np.nan),
            }


def _names(judged: JudgedCases) -> NDArray[np.object_]:
    """Return the names of the classes as an array."""
    return np.asarray(judged.subject.classes, dtype=object)


def _without_own_row(study: Study, manager: SetManager, part: Impacts) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return what the prototypes of all other rows say at the place of each: of its class, and the likely class."""
    result, likely = np.zeros(len(part)), np.zeros(len(part), dtype=np.int64)
    X = study.encode(study.split.train[part.sample_index]).X.astype(np.float64)
    for block in row_blocks(len(part), max(1, len(part)), _PAIRS):
        there = impacts(manager, X[block])
        others = there.impact * (part.sample_index[block][:, None] != part.sample_index)
        q = manager.marginals + np.stack(
            [others[:, part.target == k].sum(axis=1) for k in range(manager.num_classes)], axis=1
        )
        result[block] = q[np.arange(len(q)), part.target[block]] / q.sum(axis=1)
        likely[block] = q.argmax(axis=1)
    return result, likely
