"""Drift: whether new rows differ from the held-out ones in how familiar they are and how near known cases are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.stats import ks_2samp

from proset.common.notebook import DisplayedFrame
from proset.common.spread import spread_out
from proset.common.words import count_words, percent, shown
from proset.data.split_columns import group_codes
from proset.engine.evidence.nearness import MOST_REFERENCE
from proset.explain.familiar.case_standing import Standing, standing
from proset.explain.familiar.draws_of_groups import group_p_value, smallest_p_value
from proset.explain.familiar.novel import NewOrKnown
from proset.explain.plain_values import plain_columns, plain_fields
from proset.explain.subject import Explained, matrix_of
from proset.selection.matrices import named_as
from proset.study import NumberStudy
from proset.study.any_study import AnyStudy

MEASURES = {
    "quantile": "familiarity",
    "novelty_quantile": "nearness to known cases in the columns that the model uses",
    "novelty_quantile_all": "nearness to known cases in all columns",
}
"""Measures that are compared, by the column of :class:`~proset.explain.familiar.case_standing.Standing`."""
FEWEST = 20
"""With fewer new rows nothing is said about drift."""
_LEVEL = 0.01
_UNCLEAR = 0.05
_SAME = 1.0 - 1e-9
_BALANCED = 0.05
_ROUNDING = 1e-12
_LESS = {
    "quantile": "less familiar",
    "novelty_quantile": "farther from known cases in the columns that the model uses",
    "novelty_quantile_all": "farther from known cases in all columns together",
}
_MORE = {
    "quantile": "more familiar",
    "novelty_quantile": "nearer to known cases in the columns that the model uses",
    "novelty_quantile_all": "nearer to known cases in all columns together",
}


@dataclass(frozen=True, eq=False)
class Drift(DisplayedFrame):
    """New rows beside the held-out ones.

    Attributes
    ----------
    frame : DataFrame
        Index: the measure ("quantile", "novelty_quantile", "novelty_quantile_all"); columns ``less`` (share of pairs of
        a new and a held-out row in which the new one is less familiar or farther away, equal ones counted half; 0.5 by
        chance), ``distance`` (Kolmogorov-Smirnov) and ``p_value``.
    quantiles : DataFrame
        Places of the new rows among the held-out ones, one column per measure, in [0, 1]; spread as `usual` without
        drift.
    usual : DataFrame
        Places of the held-out rows among themselves: evenly spread, but for rows that are as near as each other.
    n_rows, n_reference : int
        New rows and held-out rows that are compared: neither has copies, and of many held-out rows 2,000 are taken.
    copies : int
        New rows that equal a training row in all columns that are compared. The model may have learned from them, so
        that they are left out, as are such held-out rows.
    words : str
        What follows, in one or two sentences.
    """

    frame: pd.DataFrame
    quantiles: pd.DataFrame
    usual: pd.DataFrame
    n_rows: int
    n_reference: int
    copies: int
    words: str

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        counts = plain_fields(self, "n_rows", "n_reference", "copies", "words")
        return {"measure": self.frame.index.tolist(), **plain_columns(self.frame), **counts}


def drift(
    explained: Explained | NumberStudy,
    cases: NewOrKnown | Standing,
    *,
    known: ArrayLike | None = None,
    held_out: ArrayLike | None = None,
    groups: ArrayLike | None = None,
) -> Drift:
    """Compare new rows with the held-out ones.

    Parameters
    ----------
    cases : DataFrame, row ids, array-like of shape (n, D) or Standing
        New rows (a matrix beside a model), or where they stand, from :func:`proset.explain.standing`.
    known, held_out : array-like of shape (m, D) and (r, D), or None
        Beside a model: what it was fitted to, and the rows to compare with. A study knows both.
    groups : array-like of shape (n,) or None
        Beside a study whose split keeps rows of one group together: whose each new row is. Needed with a Standing only,
        else taken from the column by which the split does so, if the rows have it.

    Returns
    -------
    Drift
        Each measure is tested at 1 % divided by the number of measures; where rows come in groups and both sides say in
        which, by draws of whole groups, for rows of one patient are alike.

    Raises
    ------
    ValueError
        If a model gets no known or no held-out cases.
    DesignError
        If the rows lack columns that the model uses.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> drift(study, study.table.frame.loc[study.split.held_out]).words.split(": ")[0]
    '11 of the 45 rows equal training rows in all columns compared'
    """
    if isinstance(explained, AnyStudy):
        some: Any = explained.split.measured
    elif held_out is None:
        raise ValueError("A model alone has no held-out rows: pass some as 'held_out', the training rows as 'known'.")
    else:
        some = matrix_of(explained, held_out).X
    found = cases if isinstance(cases, Standing) else standing(explained, cases, known=known, held_out=held_out)
    new, copied = _without_copies(found)
    reference = named_as(explained, spread_out(some, MOST_REFERENCE))
    beside = standing(explained, reference, known=known, held_out=held_out)
    usual, usual_copied = _without_copies(beside)
    copies, usual_copies = int(copied.sum()), int(usual_copied.sum())
    whose = _Groups.of(explained, cases, groups, found, beside)
    both = None if whose is None or whose.new is None else (whose.new[~copied], whose.known[~usual_copied])
    frame = pd.DataFrame(
        [_compare(new[name].to_numpy(), usual[name].to_numpy(), both) for name in MEASURES],
        index=pd.Index(MEASURES, name="measure"),
        columns=["less", "distance", "p_value"],
    )
    among = f"{found.among}{' that equal no training row' if usual_copies else ''}"
    said = _words(frame, len(new), len(usual), copies, among)
    said = said if whose is None else whose.words(said, frame, both)
    said = _once_more(said, _again(found, beside)[~copied], among, other=copies > 0)
    words = f"{_copies(copies, copies + len(new))}{said}"
    return Drift(frame, _places(new, usual), _places(usual, usual), len(new), len(usual), copies, words)


def _once_more(said: str, again: NDArray[np.bool_], among: str, *, other: bool) -> str:
    """Return what was found, and what it is worth where rows are compared with themselves."""
    rows, look = len(again), f"exactly like {'one of the ' if len(again) == 1 else ''}{among}"
    these = "other row" if other else "row"
    if again.all() and rows == 1:
        return f"The {these} looks {look}: compared with itself, it says nothing about drift."
    if again.all() and rows:
        return f"All {rows:,} {these}s look {look}: compared with themselves, they say nothing about drift."
    if 2 * again.sum() < rows or not rows:
        return said
    those = f"{again.sum():,} of the {rows:,} {these}s look {look}"
    return f"{said} But {those}, and what is compared with itself shows no drift."


def _again(found: Standing, beside: Standing) -> NDArray[np.bool_]:
    """Return which rows are as familiar and as near to known cases as a row they are compared with, to the digit."""

    def places(rows: Standing) -> list[tuple[float, ...]]:
        near = rows.novelty
        measured = (rows.familiarity, near.similarity, near.similarity_all, near.nearest_all)
        return list(map(tuple, np.round(np.stack(measured, axis=1), 12).tolist()))

    known = set(places(beside))
    return np.array([row in known for row in places(found)], dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class _Groups:
    """Groups of new rows, None where nobody says whose they are, and of the rows that they are compared with."""

    column: str
    new: NDArray[np.int64] | None
    known: NDArray[np.int64]

    @classmethod
    def of(
        cls, explained: Any, cases: Any, groups: ArrayLike | None, found: Standing, beside: Standing
    ) -> _Groups | None:
        """Return the groups where the split of a study keeps them together, else None."""
        column = explained.split.settings.groups if isinstance(explained, AnyStudy) else None
        if column is None:
            return None
        new: NDArray[np.int64] | None = None
        if groups is not None:
            new = group_codes(pd.Series(np.asarray(groups)))
        elif isinstance(cases, pd.DataFrame):
            new = explained.groups_in(cases)
        elif not isinstance(cases, Standing):
            new = explained.groups_of(found.novelty.index)
        if new is not None and len(new) != len(found.familiarity):
            raise ValueError(f"There are {len(new)} groups for {len(found.familiarity)} rows.")
        return cls(column, new, explained.groups_of(beside.novelty.index))

    def words(self, said: str, frame: pd.DataFrame, both: tuple[NDArray[np.int64], NDArray[np.int64]] | None) -> str:
        """Return what was found, and what it is worth where rows come in groups."""
        name, counts = shown(self.column), frame["p_value"].notna().all()
        if both is None:
            if counts and frame["p_value"].min() < _UNCLEAR / len(frame):
                said += f" They are taken as independent, for nothing says which of them share a '{name}'."
            return said
        n_new, n_known = (len(np.unique(side)) for side in both)
        if counts and smallest_p_value(n_new, n_known) >= _LEVEL / len(frame):
            few = f"{n_new:,} and {n_known:,} different values of '{name}' among new and held-out rows"
            return f"{few}: too few to tell drift from chance, for rows that share one are alike."
        return said


def _without_copies(found: Standing) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Return the quantiles of rows that equal no training row, and which do."""
    near = found.novelty
    copied = near.similarity_all >= (_SAME if near.features_all else np.inf)
    if len(near.known_rows):
        copied |= near.known_rows
    return found.to_frame().loc[~copied, list(MEASURES)].astype(np.float64), copied


def _places(new: pd.DataFrame, known: pd.DataFrame) -> pd.DataFrame:
    """Return places among held-out rows: the share of them that are at most as familiar or near."""
    columns = {
        name: np.searchsorted(np.sort(known[name].to_numpy()), new[name].to_numpy() + _ROUNDING, side="right")
        for name in MEASURES
    }
    return pd.DataFrame(columns, index=new.index) / max(1, len(known))


def _compare(
    new: NDArray[np.float64], known: NDArray[np.float64], groups: tuple[NDArray[np.int64], NDArray[np.int64]] | None
) -> tuple[float, float, float]:
    """Compare the quantiles of new and of held-out rows."""
    if not len(new) or not len(known):
        return float("nan"), float("nan"), float("nan")
    ordered = np.sort(known)
    below, not_above = (np.searchsorted(ordered, new, side=side) for side in ("left", "right"))
    if groups is not None:
        distance, p = group_p_value(new, known, *groups)
    else:
        test = ks_2samp(new, known, method="asymp")  # what is exact fails where values tie, and warns
        distance, p = float(test.statistic), float(test.pvalue)
    return float(1.0 - (below + not_above).mean() / (2 * len(known))), distance, p


def _words(frame: pd.DataFrame, rows: int, reference: int, copies: int, among: str) -> str:
    """Say what follows for the rows that are no copies."""
    if copies and not rows:
        return "Nothing can be said about drift."
    these = "other" if copies else "new"
    if rows < FEWEST:
        have = count_words(rows, f"{these} row")
        look = "" if not rows else " Look at it." if rows == 1 else " Look at each of them."
        return f"{have}: too few to tell drift from chance (at least {FEWEST} are needed).{look}"
    if reference < FEWEST:
        return f"Only {reference:,} {among} can be compared with: too few to tell drift from chance."
    found = frame[frame["p_value"] < _LEVEL / len(frame)]
    if not found.empty:
        name = str((found["less"] - 0.5).abs().idxmax())
        how = _how(name, float(found["less"].to_dict()[name]))
        if not how:
            return f"The {rows:,} {these} rows are spread otherwise than the {among} in their {MEASURES[name]}."
        return f"The {rows:,} {these} rows differ from the {among}: {how}, where 50 % is chance."
    name = str(frame["p_value"].idxmin())
    by_chance = len(frame) * float(frame["p_value"].min())
    if by_chance >= _UNCLEAR:
        return (
            f"No drift was found: the {rows:,} {these} rows are about as familiar and as near to known cases as the "
            f"{reference:,} {among}."
        )
    how = _how(name, float(frame["less"].to_dict()[name])) or f"they are spread otherwise in their {MEASURES[name]}"
    return (
        f"Drift is not certain: of the {rows:,} {these} rows and the {reference:,} {among}, {how}. Chance alone does "
        f"as much in one of {1.0 / by_chance:,.0f} comparisons like this one."
    )


def _how(measure: str, less: float) -> str:
    """Say on which side new rows are and in how many pairs; nothing where they are on both."""
    if abs(less - 0.5) < _BALANCED:
        return ""
    side, share = (_LESS[measure], less) if less > 0.5 else (_MORE[measure], 1.0 - less)
    return f"of one of each, taken at random, the new one is {side} in {percent(share)} of all pairs"


def _copies(copies: int, rows: int) -> str:
    """Say how many rows are left out."""
    if not copies:
        return ""
    every = "All rows" if copies > 1 else "The row"
    those = f"{copies:,} of the {rows:,} rows" if copies < rows else every
    equal, they = ("equals a training row", "it") if copies == 1 else ("equal training rows", "they")
    return f"{those} {equal} in all columns compared: {they} may be known to the model. "
