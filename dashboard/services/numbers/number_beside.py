"""The values of a case beside those of its leading prototypes and of the known cases nearest to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from proset.explain.numbers.contrasts import cell_words, plain_cells, to_width

if TYPE_CHECKING:
    from dashboard.services.numbers.number_evidence import NumberEvidence

N_PROTOTYPES, N_KNOWN, MOST_UNUSED, MOST_USED = 2, 2, 5, 12
ODD = 0.05
"""Share of the training rows from which on a value is called unusual, if fewer have one as far out."""


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
    """

    column: str
    texts: tuple[str, ...]
    used: bool
    odd: float


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


def values_beside(found: NumberEvidence) -> ValuesBeside:
    """Return the case beside others."""
    study, answer, near = found.study, found.answer, found.nearest.frame
    leading = answer.prototypes.drop_duplicates("sample")
    leading = leading[leading["sample"] != (found.case.row if found.case.row is not None else -1)].head(N_PROTOTYPES)
    near = near[~near["row"].isin(leading["sample"])].head(N_KNOWN)
    rows = [*leading["sample"].astype(int), *near["row"].astype(int)]
    stated = "" if answer.stated is None else to_width(answer.stated, answer.width, digits=4)
    pairs = [("leading prototype", line) for line in leading.to_dict("records")]
    pairs += [("near known case", line) for line in near.to_dict("records")]
    heads = [("this case", "", stated)]
    heads += [
        (what, str(line["name"]), to_width(float(line["target"]), answer.width, digits=4)) for what, line in pairs
    ]
    used = [name for name in found.ranges if name in found.case.frame.columns]
    rest = [name for name in study.design.sources if name not in found.ranges and name in found.case.frame.columns]
    shown = used[:MOST_USED]
    train = study.table.frame.loc[study.split.train]
    cells = plain_cells(study.design, found.case.frame, [*shown, *rest])
    others = plain_cells(study.design, study.table.frame.loc[rows], [*shown, *rest])
    known = plain_cells(study.design, train, [*shown, *rest])
    lines = [
        ValueLine(
            name,
            (cell_words(cells[name].iloc[0]), *(cell_words(value) for value in others[name])),
            name in found.ranges,
            odd_share(cells[name].iloc[0], known[name]),
        )
        for name in [*shown, *rest]
    ]
    unused = sorted(lines[len(shown) :], key=lambda line: line.odd)[:MOST_UNUSED]
    return ValuesBeside(tuple(heads), (*lines[: len(shown)], *unused), len(used), len(rest))


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
