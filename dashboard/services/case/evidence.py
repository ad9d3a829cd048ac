"""Prototypes for and against an estimate, and the ledger: how what they add makes the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.evidence.tables import class_column
from proset.explain.words import prototype_names

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport

MOST_AGAINST = 2
"""Classes against that are listed, those that get most from prototypes."""
_LEAST_SHARE = 0.001
_COLUMNS = ["sample", "batch", "similarity", "dominant set"]


@dataclass(frozen=True)
class Voice:
    """One prototype that speaks for or against a class.

    Attributes
    ----------
    batch, row : int
        Its batch, from 1, and its row id.
    name : str
        What it is called; the batch is named if its row is a prototype in several.
    share : float
        What it adds to the probability of its class.
    similarity : float
        Its similarity to the case.
    dominant : bool
        Whether it is in the dominant set.
    """

    batch: int
    row: int
    name: str
    share: float
    similarity: float
    dominant: bool


@dataclass(frozen=True)
class Side:
    """The prototypes of one class.

    Attributes
    ----------
    label : str
        The class.
    estimate, share : float
        Its probability, and the part of it that its prototypes add; the class share adds the rest.
    count : int
        Number of its prototypes.
    voices : tuple of Voice
        Those that add most.
    """

    label: str
    estimate: float
    share: float
    count: int
    voices: tuple[Voice, ...]

    def rest(self, listed: int) -> float:
        """Return what is left beside the class share and so many voices, such that per cent with a decimal add up.

        Examples
        --------
        >>> voice = Voice(1, 4, "row 4", 0.3004, 0.9, True)
        >>> round(Side("a", 0.5006, 0.4003, 3, (voice,)).rest(1), 4)
        0.101
        """
        exact = self.share - sum(voice.share for voice in self.voices[:listed])
        written = [self.estimate - self.share, *(voice.share for voice in self.voices[:listed])]
        rest = round(round(100.0 * self.estimate, 1) - sum(round(100.0 * value, 1) for value in written), 1)
        return rest / 100.0 if rest > 0.0 else exact


def sides(report: CaseReport, *, most: int = 4) -> tuple[Side, ...]:
    """Group the prototypes that count by class: those for what is said first, then those against.

    Parameters
    ----------
    report : CaseReport
        From :func:`proset.explain.cases.case.explain_case`.
    most : int, default 4
        Prototypes that are named in each group.

    Returns
    -------
    tuple of Side
        The class that is said, then at most two others, those whose prototypes add most; a class whose prototypes add
        less than a thousandth is left out, unless it is the actual one, or the most probable where none is left.

    Examples
    --------
    >>> from proset.explain.cases.case import explain_case
    >>> from proset.study import fit_sample
    >>> report = explain_case(fit_sample("iris_2f"), 71)
    >>> found = sides(report)
    >>> found[0].label == report.predicted, abs(sum(v.share for v in found[0].voices)) <= found[0].share
    (True, True)
    """
    frame = report.prototypes
    targets, lines = frame["target"].astype(str).to_numpy(), frame[_COLUMNS].assign(name=prototype_names(frame))
    found = {}
    for name in report.classes:
        places = np.flatnonzero(targets == name)
        shares = frame[class_column(name)].to_numpy(dtype=np.float64)[places]
        found[name] = _side(report, lines.iloc[places[:most]], shares, name)
    against = sorted((side for side in found.values() if side.label != report.predicted), key=lambda side: -side.share)
    kept = [side for i, side in enumerate(against) if i < MOST_AGAINST and side.share >= _LEAST_SHARE]
    if not kept and against:  # what prototypes do not say the class shares do: the rest of the whole is not left out
        likeliest = max(against, key=lambda side: side.estimate)
        kept = [likeliest] if likeliest.estimate >= _LEAST_SHARE else []
    actual = [side for side in against if side.label == report.actual and side not in kept and side.count]
    return (found[report.predicted], *kept, *actual)


def _side(report: CaseReport, best: pd.DataFrame, shares: NDArray[np.float64], label: str) -> Side:
    """Return the prototypes of one class, best first."""
    voices = tuple(
        Voice(
            batch=int(line["batch"]),
            row=int(line["sample"]),
            name=line["name"],
            share=float(share),
            similarity=float(line["similarity"]),
            dominant=bool(line["dominant set"] == 1),
        )
        for line, share in zip(best.to_dict("records"), shares[: len(best)], strict=True)
        if share > 0
    )
    return Side(label, float(report.probabilities[label]), float(shares.sum()), len(shares), voices)
