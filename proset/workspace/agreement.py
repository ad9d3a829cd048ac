"""Agreement of people who have judged the same cases, beyond what chance would give."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import combinations
from typing import TypeVar

import krippendorff
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binomtest

from proset.common.words import percent
from proset.workspace.outcomes import Meaning, meaning, outcomes
from proset.workspace.verdicts import Record, ReviewVerdict

T = TypeVar("T")

_DRAWS, _SEED = 1_000, 20
_FEWEST = 10  # cases from which on draws of them say how much the measure depends on which they are
_MOST_UNDEFINED = 0.05  # of the draws; with more, no interval is stated
_HIGH, _NEAR_ZERO = 0.8, 0.2


@dataclass(frozen=True)
class AgreementMeasure:
    """One number about agreement.

    Attributes
    ----------
    value : float or None
        The number; None if it is undefined because all say the same of all cases, or no case is shared.
    interval : (float, float) or None
        Ends of its 95 % interval: of a share by Wilson, else the middle of the values of 1,000 draws of as many cases
        with replacement; None for these if there are fewer than ten cases, or the value is undefined in more than 5 %
        of the draws: a few cases that agree are no certainty.
    n : int
        Cases behind it.
    """

    value: float | None
    interval: tuple[float, float] | None
    n: int


@dataclass(frozen=True, eq=False)
class Agreement:
    """Agreement of people on the cases that at least two of them have judged.

    Attributes
    ----------
    reviewers : tuple of str
        All who have judged a case, in the order of the alphabet.
    raw : AgreementMeasure
        Share of the pairs of people who say the same of a case, averaged over cases.
    alpha : AgreementMeasure
        Krippendorff's alpha for names: 1 is perfect, 0 is what chance gives.
    kappas : dict of (str, str) to AgreementMeasure
        Cohen's kappa of each two people who share a case.
    by_verdict, by_class : DataFrame
        Counts of what the one and the other say: of two people, the first by name in the lines; of more, every pair
        in both orders. `by_class` names the class that would come out, in quotes, or the verdict where none does.
    """

    reviewers: tuple[str, ...]
    raw: AgreementMeasure
    alpha: AgreementMeasure
    kappas: dict[tuple[str, str], AgreementMeasure] = field(default_factory=dict)
    by_verdict: pd.DataFrame = field(default_factory=pd.DataFrame)
    by_class: pd.DataFrame = field(default_factory=pd.DataFrame)

    @property
    def words(self) -> str:
        """Why the number that takes chance away looks bad where people agree, if it does; else empty."""
        raw, alpha = self.raw.value, self.alpha.value
        if raw is None or raw < _HIGH:
            return ""
        if alpha is None:
            return "All say the same of all shared cases: whether that is more than chance cannot be told from them."
        if alpha >= _NEAR_ZERO:
            return ""
        counts = self.by_class.sum() + self.by_class.T.sum()
        most, share = str(counts.idxmax()), counts.max() / counts.sum()
        return (
            f"People agree often, but alpha is low: {percent(share)} of all that was said is {most}, so people who say "
            "that of nearly every case agree about as often by chance alone. More varied cases would tell more."
        )


def agreement(records: Iterable[Record]) -> Agreement:
    """Compare what people have said of the same cases: the word of each that stands.

    What was set aside or taken back does not count, nor does what settles a dispute. People agree if the same class
    comes out, or the same verdict where none does.

    Parameters
    ----------
    records : iterable of Record
        All of a study, in the order of their numbers.

    Examples
    --------
    >>> found = agreement([])
    >>> found.reviewers, found.raw.n, found.raw.value
    ((), 0, None)
    """
    every = [found for found in outcomes(records).values() if found.words]
    names = sorted({one.judgement.reviewer for found in every for one in found.words})
    cases = [{one.judgement.reviewer: one for one in found.words} for found in every if len(found.words) > 1]
    said = [{name: meaning(one.judgement) for name, one in case.items()} for case in cases]
    kinds = sorted({one for case in said for one in case.values()}, key=lambda one: (not one.label, one))
    counts = np.array([[list(case.values()).count(kind) for kind in kinds] for case in said], dtype=np.int64)
    verdicts = [{name: one.judgement.verdict for name, one in case.items()} for case in cases]
    known = [verdict for verdict in ReviewVerdict if any(verdict in case.values() for case in verdicts)]
    return Agreement(
        tuple(names),
        _shared(counts),
        _measured(counts, _alpha),
        {pair: found for pair in combinations(names, 2) if (found := _kappa_of(said, pair)).n},
        _matrix(verdicts, known, [str(verdict) for verdict in known], names),
        _matrix(said, kinds, [kind.words for kind in kinds], names),
    )


def _shared(counts: NDArray[np.int64]) -> AgreementMeasure:
    """Return the share of pairs of people who say the same, averaged over cases, with its interval."""
    n = len(counts)
    if not n:
        return AgreementMeasure(None, None, 0)
    value = _raw(counts)
    ends = binomtest(round(value * n), n).proportion_ci(method="wilson")
    return AgreementMeasure(value, (min(float(ends.low), value), max(float(ends.high), value)), n)


def _measured(counts: NDArray[np.int64], measure: Callable[[NDArray[np.int64]], float]) -> AgreementMeasure:
    """Return a measure of what was said of the cases, one line each, with its interval."""
    n = len(counts)
    if not n:
        return AgreementMeasure(None, None, 0)
    value = measure(counts)
    drawn = np.random.default_rng(_SEED).integers(0, n, (_DRAWS if n >= _FEWEST else 0, n))
    found = np.array([measure(counts[rows]) for rows in drawn])
    known = found[np.isfinite(found)]
    sure = n >= _FEWEST and np.isfinite(value) and len(known) >= (1.0 - _MOST_UNDEFINED) * _DRAWS
    interval = tuple(float(end) for end in np.quantile(known, [0.025, 0.975])) if sure else None
    return AgreementMeasure(float(value) if np.isfinite(value) else None, interval, n)  # type: ignore[arg-type]


def _raw(counts: NDArray[np.int64]) -> float:
    """Return the mean share of pairs that say the same."""
    people = counts.sum(axis=1)
    return float(np.mean((counts * (counts - 1)).sum(axis=1) / (people * (people - 1))))


def _alpha(counts: NDArray[np.int64]) -> float:
    """Return Krippendorff's alpha; no number where all say the same."""
    if np.count_nonzero(counts.sum(axis=0)) < 2:
        return float("nan")
    return float(krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"))


def _kappa_of(said: list[dict[str, Meaning]], pair: tuple[str, str]) -> AgreementMeasure:
    """Return Cohen's kappa of two people."""
    both = [tuple(case[name] for name in pair) for case in said if set(pair) <= set(case)]
    kinds = sorted({one for each in both for one in each})
    places = np.array([[kinds.index(one) for one in each] for each in both], dtype=np.int64).reshape(-1, 2)
    return _measured(places, _kappa)


def _kappa(places: NDArray[np.int64]) -> float:
    """Return Cohen's kappa of pairs of kinds; no number where all say the same."""
    size = int(places.max()) + 1
    table = np.bincount(places[:, 0] * size + places[:, 1], minlength=size * size).reshape(size, size) / len(places)
    by_chance = float(table.sum(axis=1) @ table.sum(axis=0))
    return (float(np.trace(table)) - by_chance) / (1.0 - by_chance) if by_chance < 1.0 else float("nan")


def _matrix(cases: list[dict[str, T]], kinds: list[T], shown: list[str], names: list[str]) -> pd.DataFrame:
    """Count what two say of the same case."""
    counts = np.zeros((len(kinds), len(kinds)), dtype=np.int64)
    for case in cases:
        for first, second in combinations(sorted(case), 2):
            counts[kinds.index(case[first]), kinds.index(case[second])] += 1
    if len(names) > 2:
        counts = counts + counts.T
    return pd.DataFrame(counts, index=pd.Index(shown, dtype="str"), columns=pd.Index(shown, dtype="str"))
