"""The values of a case beside those of its leading prototypes and of the known cases nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.explain.numbers.contrasts import cell_words, to_width
from proset.explain.plain_values import plain_cells
from proset.explain.value_bins import on_a_scale, scale_values
from proset.study.guidance import GuidanceKind

if TYPE_CHECKING:
    from dashboard.services.numbers.number_evidence import NumberEvidence

N_PROTOTYPES, N_KNOWN, MOST_UNUSED, MOST_USED = 2, 2, 5, 12
ODD = 0.05
"""Share of the training rows from which on a value is called unusual, if fewer have one as far out."""


@dataclass(frozen=True)
class KnownSpread:
    """Place of a value among those of the training rows, each from 0, the smallest one, to 1.

    Attributes
    ----------
    p05, q25, q75, p95 : float
        Quantiles of the training rows.
    here : float or None
        Where the case stands; None where its value is missing.
    """

    p05: float
    q25: float
    q75: float
    p95: float
    here: float | None


@dataclass(frozen=True)
class ValueLine:
    """One column of the table.

    Attributes
    ----------
    column : str
        Its name.
    texts : tuple of str
        The value of the case, then of the others.
    used : bool
        Whether the model looks at it.
    odd : float
        Share of the training rows whose value is at least as unusual; 1 for a missing one.
    spread : KnownSpread or None
        Where it lies among them; None for words.
    """

    column: str
    texts: tuple[str, ...]
    used: bool
    odd: float
    spread: KnownSpread | None = None


@dataclass(frozen=True)
class ValuesBeside:
    """A table of values.

    Attributes
    ----------
    heads : tuple of (str, str, str)
        What stands in each column after the names, what it is called, and its number in the target.
    lines : tuple of ValueLine
        Columns in use first, then others, the most unusual first.
    n_used, n_unused : int
        How many there are of each; some may not be listed.
    """

    heads: tuple[tuple[str, str, str], ...]
    lines: tuple[ValueLine, ...]
    n_used: int
    n_unused: int


def rows_beside(found: NumberEvidence) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the rows of the leading prototypes, and of the nearest known cases that are none of these."""
    own = -1 if found.case.row is None else found.case.row
    leading = [int(row) for row in dict.fromkeys(found.answer.prototypes["sample"]) if row != own][:N_PROTOTYPES]
    near = [int(row) for row in found.nearest.frame["row"] if row not in leading][:N_KNOWN]
    return tuple(leading), tuple(near)


def values_beside(found: NumberEvidence, most: int | None = None) -> ValuesBeside:
    """Return the case beside others, with so many columns of either kind at most if it is said how many."""
    study, answer, near = found.study, found.answer, found.nearest.frame
    shown = rows_beside(found)
    rows = [*shown[0], *shown[1]]
    leading = answer.prototypes.drop_duplicates("sample").set_index("sample", drop=False).loc[list(shown[0])]
    near = near[near["row"].isin(shown[1])]
    stated = "" if answer.stated is None else to_width(answer.stated, answer.width, digits=4)
    pairs = [("leading prototype", line) for line in leading.to_dict("records")]
    pairs += [("near known case", line) for line in near.to_dict("records")]
    heads = [("this case", "", stated)]
    heads += [
        (what, study.short_name(str(line["name"]), row), _learned(found, row, float(line["target"])))
        for row, (what, line) in zip(rows, pairs, strict=True)
    ]
    used = [name for name in found.ranges if name in found.case.frame.columns]
    rest = [name for name in study.design.sources if name not in found.ranges and name in found.case.frame.columns]
    first = used[: most or MOST_USED]
    train = study.table.frame.loc[study.split.train]
    cells = plain_cells(study.design, found.case.frame, [*first, *rest])
    others = plain_cells(study.design, study.table.frame.loc[rows], [*first, *rest])
    known = plain_cells(study.design, train, [*first, *rest])
    lines = [
        ValueLine(
            name,
            (cell_words(cells[name].iloc[0]), *(cell_words(value) for value in others[name])),
            name in found.ranges,
            odd_share(cells[name].iloc[0], known[name]),
            known_spread(cells[name].iloc[0], known[name]),
        )
        for name in [*first, *rest]
    ]
    unused = sorted(lines[len(first) :], key=lambda line: line.odd)[: most or MOST_UNUSED]
    return ValuesBeside(tuple(heads), (*lines[: len(first)], *unused), len(used), len(rest))


def _learned(found: NumberEvidence, row: int, target: float) -> str:
    """Return the number of a known case, and that of the table where the model has learned another one."""
    said, width = to_width(target, found.answer.width, digits=4), found.answer.width
    if row not in found.study.guidance.rows_of(GuidanceKind.RELABEL):
        return said
    stated = float(found.study.table_targets.loc[row])
    return f"{said}, as was asked (table {to_width(stated, width, digits=4)})"


def known_spread(value: Any, known: pd.Series) -> KnownSpread | None:
    """Return where a value lies among known ones; None for words, and where all are the same.

    Examples
    --------
    >>> known_spread(9.0, pd.Series([1.0, 3.0, 5.0, 7.0, 9.0], dtype=object)).here
    1.0
    >>> days = pd.Series(pd.to_datetime(["2010-03-01", "2014-03-01", "2018-03-01"]))
    >>> round(known_spread(days[1], days).here, 2)
    0.5
    """
    there = known.dropna().infer_objects()
    if there.empty or not on_a_scale(there) or there.min() == there.max():
        return None
    plain = scale_values(there)
    low, high = float(np.nanmin(plain)), float(np.nanmax(plain))
    p05, q25, q75, p95 = ((np.nanquantile(plain, [0.05, 0.25, 0.75, 0.95]) - low) / (high - low)).tolist()
    own = np.nan if value is None else float(scale_values(pd.Series([value]))[0])
    here = None if np.isnan(own) else min(1.0, max(0.0, (own - low) / (high - low)))
    return KnownSpread(p05, q25, q75, p95, here)


def odd_share(value: Any, known: pd.Series) -> float:
    """Return the share of known values that are at least as unusual: as far out on a side, or a level as rare.

    Examples
    --------
    >>> odd_share(9.0, pd.Series([1.0, 2.0, 3.0, 9.0])), odd_share("b", pd.Series(["a", "a", "a", "b"], dtype=object))
    (0.5, 0.25)
    """
    there = known.dropna()
    if value is None or there.empty:
        return 1.0
    if isinstance(value, str):
        counts = there.map(there.value_counts())
        return float((counts <= int((there == value).sum())).mean())
    ordered = there.infer_objects()
    return float(min(1.0, 2.0 * min((ordered <= value).mean(), (ordered >= value).mean())))
