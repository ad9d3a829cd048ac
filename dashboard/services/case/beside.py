"""A case beside typical cases, neighbours and prototypes: a line per column, each value with the class it leans to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from dashboard.services.case.spoken import Spoken, spoken
from proset.common.words import number
from proset.explain.cases.known_rows import known_rows, seen
from proset.explain.cases.places import LEVEL, value_places
from proset.explain.cases.value_fits import known_values
from proset.explain.subject import subject_of

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.explain.cases.flips import Flip
    from proset.explain.cases.places import ValuePlaces

MISSING = "missing"
LEADING = "leading for"
MOST_USED, MOST_UNUSED = 8, 4
"""Columns in the table: those that count most, and unused ones that fit the other class best."""
MOST_ASKED = 100
"""Columns of either kind where somebody asks for all."""
_ROOM = 0.06


@dataclass(frozen=True)
class Head:
    """A case in the table.

    Attributes
    ----------
    reasons : tuple of str
        Why it stands there, such as "nearest benign".
    name : str
        What it is called.
    row : int or None
        Row id; None for a case that is not in the table.
    """

    reasons: tuple[str, ...]
    name: str
    row: int | None

    @property
    def typical(self) -> bool:
        """True if it is nothing but a typical case of a class, which a narrow table leaves out."""
        return all(why.startswith("typical") for why in self.reasons)

    @property
    def what(self) -> str:
        """All reasons."""
        return ", ".join(self.reasons)


@dataclass(frozen=True)
class Cell:
    """One value.

    Attributes
    ----------
    text : str
        As people write it.
    lean : float
        From 1, it fits the class that is said only, to -1, the other class only; 0 for neither.
    assumed : str
        What the model took instead of it; empty if nothing.
    spoken : tuple of (str, float) or None
        The class for which the value speaks most, alone, and its weight; None where the model does not look at that.
    """

    text: str
    lean: float = 0.0
    assumed: str = ""
    spoken: Spoken | None = None


@dataclass(frozen=True)
class Range:
    """Quantiles of the values of a class, each from 0, the left end of the line, to 1.

    Attributes
    ----------
    p05, q25, median, q75, p95 : float
        Quantiles of a number or a date; of a category `p05`, `q25` and `median` are 0 and the others the share of the
        class with this level.
    """

    p05: float
    q25: float
    median: float
    q75: float
    p95: float


@dataclass(frozen=True)
class Line:
    """One column of the user's table.

    Attributes
    ----------
    column : str
        Its name.
    used : bool
        Whether the model uses it.
    contradicts : bool
        Whether it is unused and its value is rare in the class that is said and common in the other.
    cells : tuple of Cell
        One per head.
    ranges : tuple of Range or None
        Of the class that is said and of the other; None for a class without values.
    at, flip : float or None
        Where the case stands, and where the answer changes; None if it does not.
    ends : (float, float)
        Values at both ends of the line; (0, 1) for a category.
    """

    column: str
    used: bool
    contradicts: bool
    cells: tuple[Cell, ...]
    ranges: tuple[Range | None, Range | None]
    at: float | None
    flip: float | None
    ends: tuple[float, float]

    def between(self, low: float, high: float) -> Line:
        """Return the same on a line with other ends."""
        start, width = self.ends[0], self.ends[1] - self.ends[0]

        def moved(place: float) -> float:
            return (start + place * width - low) / ((high - low) or 1.0)

        first, second = (None if part is None else Range(*map(moved, astuple(part))) for part in self.ranges)
        at, flip = (None if place is None else moved(place) for place in (self.at, self.flip))
        return replace(self, ranges=(first, second), at=at, flip=flip, ends=(low, high))

    def flipping(self, value: float | None) -> Line:
        """Return the same where the answer changes at another value, or at none."""
        low, high = self.ends
        return replace(self, flip=None if value is None else (value - low) / ((high - low) or 1.0))


@dataclass(frozen=True)
class Beside:
    """The case beside others.

    Attributes
    ----------
    said, other : str
        The two classes that values lean to.
    heads : tuple of Head
        The case first.
    lines : tuple of Line
        Columns that the model uses by weight, then unused ones.
    used, unused : int
        Columns that the model uses, and others whose value is known; the table may have fewer.
    """

    said: str
    other: str
    heads: tuple[Head, ...]
    lines: tuple[Line, ...]
    used: int
    unused: int


def beside(
    evidence: CaseEvidence,
    *,
    typical: Callable[[str], int] | None = None,
    n_nearest: int = 1,
    most_used: int = MOST_USED,
    most_unused: int = MOST_UNUSED,
) -> Beside:
    """Put a case beside others.

    Parameters
    ----------
    typical : callable or None
        Returns the row of a typical case of a class; None leaves these out.
    n_nearest : int
        Nearest known cases of either class, at most 3.
    most_used, most_unused : int
        Columns at most.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = beside(CaseEvidence(study, CaseRef.in_table(71)))
    >>> [line.column for line in found.lines], found.lines[0].cells[0].text, found.heads[1].what
    (['sepal length (cm)', 'sepal width (cm)'], '5.9', 'leading for versicolor')
    """
    against, heads = evidence.contradictions, _heads(evidence, typical, n_nearest)
    used, unused = list(evidence.ranges)[:most_used], against.columns["column"].head(most_unused)
    rows = [head.row for head in heads[1:] if head.row is not None]
    return Beside(
        against.said,
        against.other,
        heads,
        tuple(value_lines(evidence, [*used, *unused], rows)),
        len(evidence.study.used_columns),
        len(against.columns),
    )


def value_lines(evidence: CaseEvidence, names: Sequence[str], rows: Sequence[int] = ()) -> list[Line]:
    """Return one line per column, with cells for the case and for some rows of the table; they are kept."""
    return evidence.kept("value lines", lambda: _lines(evidence, names, rows), tuple(names), tuple(rows))


def _lines(evidence: CaseEvidence, names: Sequence[str], rows: Sequence[int]) -> list[Line]:
    """Look the lines up."""
    study, case, against = evidence.study, evidence.case, evidence.contradictions
    subject, contradicting = subject_of(study), set(against.contradicting)
    look_up = known_values(subject, known_rows(subject, case, with_classes=True))
    encoded = study.encode(rows)
    # Lists, because a column of a frame takes longer to find than all else that is done with it.
    values, gone = (
        frame[list(names)].to_dict("list") for frame in (study.table.frame.loc[list(rows)], encoded.imputed)
    )
    X = np.vstack([seen(subject, case)[0], encoded.X.astype(np.float64)])
    both = (against.said, against.other)
    scales = _scales(value_places(study, case, features=names), both)
    flips = {flip.feature: flip for flip in evidence.flip.flips}
    assumed = evidence.report.neighbour_assumed
    lines = []
    for name, scale in zip(names, scales, strict=True):
        leans = look_up(name).leans(X[:, subject.own[subject.features.index(name)]], *both)
        filled = [case.encoded.imputed[name].iloc[0], *gone[name]]
        notes = [str(assumed[name].iloc[0]) if name in assumed else "", *[""] * len(rows)]
        said = spoken(subject, X, name)
        cells = zip([case.cells.get(name), *values[name]], leans.tolist(), filled, notes, said, strict=True)
        lines.append(
            Line(
                name,
                name in study.used_columns,
                name in contradicting,
                tuple(
                    Cell(plain_value(value), 0.0 if empty else lean, note, says)
                    for value, lean, empty, note, says in cells
                ),
                *_ranges(scale, _after(evidence, flips.get(name))),
            )
        )
    return lines


def _heads(evidence: CaseEvidence, typical: Callable[[str], int] | None, n_nearest: int) -> tuple[Head, ...]:
    """Return who stands in the table: the case, and for either class a prototype, the nearest cases, a typical one."""
    against, nearest, study = evidence.contradictions, evidence.nearest, evidence.study
    voices = {side.label: side.voices for side in evidence.sides}
    found: dict[int, Head] = {}
    for label in (against.said, against.other):
        near = nearest.of(label).head(n_nearest)
        some = [(voice.row, f"{LEADING} {label}") for voice in voices.get(label, ())[:1]]
        some += [(int(row), f"nearest {label}") for row in near["row"]]
        if typical is not None:
            some.append((typical(label), f"typical {label}"))
        for row, why in some:
            if row == evidence.case.row:
                continue
            name = study.names_of(study.table.frame.loc[[row]])[0]
            before = found[row].reasons if row in found else ()  # one case may be several of these
            found[row] = Head((*before, why), study.short_name(name, row), row)
    return (Head(("this case",), evidence.case.name, evidence.case.row), *found.values())


def _after(evidence: CaseEvidence, flip: Flip | None) -> float | None:
    """Return the number at which the answer changes; None for a level, or if it does not."""
    if flip is None or flip.size is None:
        return None
    return evidence.ranges[flip.feature].number(flip.after)


_Spread = Mapping[Any, Any]


@dataclass(frozen=True)
class _Scale:
    """One column of the case: whether it has levels, its number, and what is known of each of two classes."""

    is_level: bool
    here: float
    shares: Sequence[float]
    spreads: tuple[_Spread | None, _Spread | None]


def _scales(places: ValuePlaces, classes: tuple[str, str]) -> list[_Scale]:
    """Return what the line of each column needs."""
    one, other = classes
    spread = places.spread[places.spread["class"].isin(classes)]
    known = {(line["column"], line["class"]): line for line in spread.to_dict("records")}
    columns = [places.frame[name] for name in ("column", "kind", "number")]
    return [
        _Scale(kind == LEVEL, number, shares, (known.get((column, one)), known.get((column, other))))
        for column, kind, number, *shares in zip(*columns, places.places[one], places.places[other], strict=True)
    ]


def _ranges(
    scale: _Scale, flip: float | None
) -> tuple[tuple[Range | None, Range | None], float | None, float | None, tuple[float, float]]:
    """Return the ranges of the two classes on a common line, the case and the flip on it, and its ends."""
    if scale.is_level:
        one, other = (None if np.isnan(share) else Range(0.0, 0.0, 0.0, share, share) for share in scale.shares)
        return (one, other), None, None, (0.0, 1.0)
    here, kept = scale.here, [part for part in scale.spreads if part is not None]
    marks = [here, *([] if flip is None else [flip])]
    known = [value for value in marks if not np.isnan(value)]
    ends = [float(part[q]) for part in kept for q in ("p05", "p95")] + known
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    room = _ROOM * ((high - low) or 1.0)
    low, high = low - room, high + room

    def at(value: float) -> float:
        return (value - low) / (high - low)

    def of(part: _Spread | None) -> Range | None:
        if part is None:
            return None
        return Range(*(at(float(part[q])) for q in ("p05", "q25", "median", "q75", "p95")))

    return (
        (of(scale.spreads[0]), of(scale.spreads[1])),
        None if np.isnan(here) else at(here),
        None if flip is None else at(flip),
        (low, high),
    )


def plain_value(value: Any) -> str:
    """Write one value of a table as people do.

    Returns
    -------
    str
        Numbers with four significant digits, dates without an empty time, "missing" for nothing.

    Examples
    --------
    >>> plain_value(3.14159), plain_value("Biscoe"), plain_value(None), plain_value(pd.Timestamp("2024-05-01"))
    ('3.142', 'Biscoe', 'missing', '2024-05-01')
    """
    if pd.isna(value):
        return MISSING
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, (int, float, np.integer, np.floating)):
        return number(float(value))
    return str(value)
