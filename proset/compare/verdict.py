"""One sentence on how proset stands among the systems of a comparison, and how far the folds can tell."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.stats import t as student

from proset.common.words import alike, count_words, measure, plus_minus, rough
from proset.compare.measures import FloatArray, equivalent_up_to
from proset.compare.numbers.number_result import NumberComparison

if TYPE_CHECKING:
    from proset.compare.result import Comparison

_SURE = 0.975
SUBJECT = "proset"
"""Key of the system that the sentence is about."""


def half_width(deviation: float, n_folds: int, n_intervals: int = 1, *, left_out_ratio: float | None = None) -> float:
    """Return half the length of a 95 % interval for a mean over folds.

    Folds share most of their training rows, so that they differ less than new data would: the variance of the mean is
    taken as (1/F + r) times that of the folds (Nadeau and Bengio, 2003), with Student's distribution, where r is the
    number of test rows for each training row.

    Parameters
    ----------
    deviation : float
        Standard deviation over the folds, F - 1 degrees of freedom.
    n_folds : int
        Number of folds F, at least 2.
    n_intervals : int
        Intervals that are to hold at once (Bonferroni).
    left_out_ratio : float or None
        The ratio r, on average over the folds; None for 1/(F - 1), which holds unless folds are in time.

    Examples
    --------
    >>> round(half_width(0.1, 5), 4)
    0.1862
    """
    level = 1.0 - (1.0 - _SURE) / n_intervals
    ratio = 1.0 / (n_folds - 1) if left_out_ratio is None else left_out_ratio
    return float(student.ppf(level, n_folds - 1)) * deviation * math.sqrt(1.0 / n_folds + ratio)


def verdict(comparison: Comparison | NumberComparison) -> str:
    """Say whether proset is better or worse than the best of the other systems, or that the folds cannot tell.

    Folds differ more than systems do, above all where each learns from the rows before it, so that the differences on
    each fold are looked at: by log-loss, or by CRPS where the target is a number. The same folds say which of the
    others is the best, so that the interval is one of as many that hold at once.

    Returns
    -------
    str
        A sentence; empty where proset or all others lack a score on some fold.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=5, sizes=False, drift=False))
    >>> verdict(found).partition(":")[0]
    '5 folds cannot tell proset from the other system, Nearest neighbours'
    """
    pair = _Pair.of(comparison)
    if pair is None:
        return ""
    name, said, ends = "log-loss", measure, [plus_minus(end, 3) for end in pair.ends]
    if isinstance(comparison, NumberComparison):
        name, said, ends = "CRPS", rough, alike(pair.ends, sign=True)
    others = pair.n_others
    among = " that was measured on every fold" if others < len(comparison.systems) - 1 else ""
    which = "best other" if others > 1 else "only other" if among else "other"
    who = f"the {which} system{among}, {pair.title}"
    numbers = (
        f"{name} {said(float(pair.own.mean()))} against {said(float(pair.best.mean()))}, a difference between {ends[0]}"
        f" and {ends[1]} with 95 % confidence{f' for all {others} others at once' if others > 1 else ''}"
    )
    if not pair.told:
        return f"{count_words(len(pair.own), 'fold')} cannot tell proset from {who}: {numbers}."
    return f"proset is {'worse' if pair.ends[0] > 0.0 else 'better'} than {who}: {numbers}."


def beside_rule(comparison: Comparison | NumberComparison) -> str:
    """Say why the verdict and the mark of equivalent systems differ; empty where they do not.

    The mark goes by how far the best system differs from fold to fold, the verdict by the differences on each fold.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> losses = {"proset": [0.1, 0.5, 0.9], "knn": [0.2, 0.6, 1.001]}
    >>> entries = [
    ...     SimpleNamespace(key=key, title=key, fold_scores=np.array(loss)[:, None]) for key, loss in losses.items()
    ... ]
    >>> beside_rule(SimpleNamespace(systems=entries, left_out_ratio=None)).partition(":")[0]
    'The table calls both equivalent'
    """
    pair = _Pair.of(comparison)
    if pair is None:
        return ""
    first, second = sorted((pair.own, pair.best), key=lambda losses: float(losses.mean()))
    alike = bool(second.mean() <= equivalent_up_to(first))
    if alike != pair.told:
        return ""
    rule = "its mark is a rule of thumb, one standard deviation over the folds, and does not look at each fold"
    return f"The table calls {'both' if alike else 'only one of the two'} equivalent: {rule}."


@dataclass(frozen=True, eq=False)
class _Pair:
    """Losses on each fold of proset and of the best of the others, and an interval for their mean difference."""

    own: FloatArray
    best: FloatArray
    title: str
    n_others: int
    ends: tuple[float, float]

    @property
    def told(self) -> bool:
        """True where the folds tell them apart."""
        return self.ends[0] > 0.0 or self.ends[1] < 0.0

    @classmethod
    def of(cls, comparison: Comparison | NumberComparison) -> _Pair | None:
        """Return the two; None where proset or all others lack a score on some fold."""
        losses = {entry.key: entry.fold_scores[:, 0] for entry in comparison.systems}
        known = {key: loss for key, loss in losses.items() if np.isfinite(loss).all()}
        others = [key for key in known if key != SUBJECT]
        if SUBJECT not in known or not others:
            return None
        best = min(others, key=lambda key: float(known[key].mean()))
        apart = known[SUBJECT] - known[best]
        deviation, ratio = float(apart.std(ddof=1)), comparison.left_out_ratio
        gap, wide = float(apart.mean()), half_width(deviation, len(apart), len(others), left_out_ratio=ratio)
        title = next(entry.title for entry in comparison.systems if entry.key == best)
        return cls(known[SUBJECT], known[best], title, len(others), (gap - wide, gap + wide))
