"""Parts of a table where a model goes wrong more often than elsewhere, as sentences with counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import count_words, percent
from proset.explain.plain_values import plain_rows
from proset.explain.slices.candidates import candidates
from proset.explain.slices.ground import OUTSIDE, WRONG, Fault, any_study_of, judged_unseen, outside_unseen
from proset.explain.slices.scan import N_DRAWS, Scan, scan, telling
from proset.explain.slices.slice import Slice
from proset.study import NumberStudy
from proset.study.any_study import AnyStudy
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.intervals import Measured, share_interval
from proset.study.number_unseen import AnyUnseen

MOST_FOUND = 5
"""Parts that are named at most."""
MOST_ROWS = 5_000
"""Rows that the search looks at; of more it takes some by chance. Counts are those of all."""


@dataclass(frozen=True)
class ErrorSlice:
    """A part of the table with more errors than elsewhere.

    Attributes
    ----------
    slice : Slice
        Its conditions.
    rows, wrong : int
        How many of the rows that count belong to it, and how many of these are wrong.
    other_rows, other_wrong : int
        The same of all others.
    share : Measured
        Share that is wrong, with a 95 % interval, wider by as much as the choice of the worst of all parts asks for; by
        whole groups where the split has groups.
    p : float
        Share of draws by chance in which the best part looks at least as bad, in (0, 1].
    wrong_rows : tuple of int
        Row ids of those that are wrong.
    fault : Fault
        In which way: of another class, or, of a number, outside its interval.
    above : int or None
        How many of the wrong ones lie above their interval; None for classes.
    """

    slice: Slice
    rows: int
    wrong: int
    other_rows: int
    other_wrong: int
    share: Measured
    p: float
    wrong_rows: tuple[int, ...]
    fault: Fault = WRONG
    above: int | None = None

    @property
    def words(self) -> str:
        """The part and its counts in one sentence."""
        words = self.slice.words
        said = f"{words[0].upper()}{words[1:]}: {self.wrong:,} of {self.rows:,} {self.fault.state}"
        sides = "" if self.above is None else f", {self.above:,} above it and {self.wrong - self.above:,} below"
        return f"{said}{sides} (elsewhere {self.other_wrong:,} of {self.other_rows:,})."

    @property
    def sure_words(self) -> str:
        """Interval and p-value in words."""
        low, high = percent(self.share.low), percent(self.share.high)
        return (
            f"{percent(self.share.value)} {self.fault.state}; 95 % interval of this share {low} to {high}, wider "
            f"because this part was picked among many; chance alone gives the worst part as much with p = {self.p:.3f}"
        )


@dataclass(frozen=True, eq=False)
class ErrorSlices(Displayed):
    """Result of a search for parts with more errors.

    Attributes
    ----------
    found : tuple of ErrorSlice
        The most telling first; none where nothing stands out.
    what : str
        Which rows were counted, such as "held-out rows".
    n_rows, n_wrong : int
        Rows that are right or wrong, and how many are wrong.
    n_parts, n_columns, n_left_out : int
        Parts and columns that were looked at, and columns that were not because there are too many.
    n_looked : int
        Rows that the search looked at.
    n_groups : int or None
        Groups of these rows, where the split keeps groups together.
    fault : Fault
        In which way rows are wrong.
    """

    found: tuple[ErrorSlice, ...]
    what: str
    n_rows: int
    n_wrong: int
    n_parts: int
    n_columns: int
    n_left_out: int
    n_looked: int
    n_groups: int | None = None
    fault: Fault = WRONG

    @property
    def words(self) -> str:
        """The result in short, with all that limits it."""
        if not self.n_rows:
            none = f"There are no {self.what} with a known {'class' if self.fault is WRONG else 'number'}"
            return f"{none}, so that nothing can be said of where it goes wrong."
        counted = f"{self.n_wrong:,} of {self.n_rows:,} {self.fault.state} ({self.what})"
        many, looked = len(self.found), f"{count_words(self.n_parts, 'part')} that were looked at"
        if self.found:
            said = f"{count_words(many, 'part')} of the table {'stands' if many == 1 else 'stand'} out: "
            said += f"{self.fault.more} chance alone makes of the worst of all {looked}; in all, {counted}."
        elif not self.n_wrong:
            said = f"No part of the table stands out: none of {self.n_rows:,} {self.fault.one} ({self.what})."
        elif not self.n_parts:
            said = f"No part of the table could be looked at, because no condition divides these rows: {counted}."
        else:
            said = f"No part of the table stands out: none of {looked} {self.fault.none}; in all, {counted}."
        return " ".join(filter(None, (said, self.limits)))

    @property
    def limits(self) -> str:
        """Sentences on what was looked at, and what was left out; empty where it was everything."""
        said = []
        if self.n_left_out:
            said.append(
                f"Looked at {count_words(self.n_columns, 'column')}, those first that the model uses; "
                f"{self.n_left_out:,} were left out."
            )
        if self.n_looked < self.n_rows:
            said.append(
                f"The search took {self.n_looked:,} of the {self.n_rows:,} rows by chance; all of them are counted."
            )
        if self.n_groups is not None:
            said.append(f"Rows of a group count together; there are {count_words(self.n_groups, 'group')}.")
        return " ".join(said)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per part: ``part`` in words, ``rows``, ``wrong``, ``share``, ``low``, ``high``, ``p``."""
        columns = {
            "part": [each.slice.words for each in self.found],
            "rows": [each.rows for each in self.found],
            "wrong": [each.wrong for each in self.found],
            "share": [each.share.value for each in self.found],
            "low": [each.share.low for each in self.found],
            "high": [each.share.high for each in self.found],
            "p": [each.p for each in self.found],
        }
        kinds = {"part": "str", "rows": "int64", "wrong": "int64", "share": "float64", "low": "float64"}
        return pd.DataFrame(columns).astype(kinds | {"high": "float64", "p": "float64"})

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "found": [
                {**line, "slice": each.slice.to_state()}
                for line, each in zip(plain_rows(self.to_frame()), self.found, strict=True)
            ],
            "what": self.what,
            "rows": self.n_rows,
            "wrong": self.n_wrong,
            "parts": self.n_parts,
            "columns": self.n_columns,
            "words": self.words,
        }


def find_error_slices(
    study: AnyStudy,
    unseen: AnyUnseen | None = None,
    *,
    rule: DecisionRule = MOST_PROBABLE,
    n_slices: int = MOST_FOUND,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> ErrorSlices:
    """Search for parts of the table, by one or two conditions on its features, where more is wrong than elsewhere.

    Wrong is another class than the actual one, or an actual number outside its 90 % interval, where a part has to have
    clearly more of them than the promised 10 % as well. Conditions are ranges of numbers, levels and missing values. Of
    all parts together only one search in twenty names any where errors come by chance: the largest excess of errors is
    held against the largest one where errors are dealt to the rows anew, as whole groups where the split has groups.
    Parts that say the same are named once, and by one condition where a second says no more.

    Parameters
    ----------
    unseen : Unseen, NumberUnseen or None
        Folds of its training rows, from :func:`proset.study.unseen.judge_unseen` or
        :func:`proset.study.number_unseen.judge_numbers_unseen`: with them these rows count as well. Without them
        held-out rows count, or, of classes and where these are few, all rows by :attr:`Study.left_out`.
    rule : DecisionRule
        Says which class is wrong. Rows that it leaves to a person do not count.
    n_slices : int
        Parts that are named at most, from 1 on.
    n_draws : int
        Draws of errors by chance, from 19 on; no p-value is below ``1 / (n_draws + 1)``.
    random_state : int
        Seed of the draws.

    Raises
    ------
    StudyError
        If the folds are of another study, or a number is out of its range.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import FitSettings, fit_study
    >>> settings = FitSettings(random_state=1)
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=settings)
    >>> find_error_slices(study).found[0].words
    "'sepal length (cm)' from 5.7 to below 6.7: 11 of 17 wrong (elsewhere 1 of 28)."
    """
    study = any_study_of(study, "find_error_slices")
    if n_slices < 1 or n_draws < 19:
        raise StudyError(f"{n_slices} parts and {n_draws} draws are too few.", hint="Take 1 part and 19 draws or more.")
    fault = OUTSIDE if isinstance(study, NumberStudy) else WRONG
    if isinstance(study, NumberStudy):
        judged, what = outside_unseen(study, unseen)
    else:
        judged, what = judged_unseen(study, unseen, rule)
    index = judged.index.to_numpy(dtype=np.int64)
    rng = np.random.default_rng(random_state)
    looked = index if len(index) <= MOST_ROWS else np.sort(rng.choice(index, MOST_ROWS, replace=False))
    errors, groups = judged["wrong"].loc[pd.Index(looked)].to_numpy(dtype=bool), study.groups_of(looked)
    parts = candidates(study, looked)
    scanned = scan(parts, errors, groups, n_draws=n_draws, random_state=random_state)
    found: list[ErrorSlice] = []
    for place in telling(parts, scanned, errors, most=len(parts) if fault.promised else n_slices):
        pair = dict.fromkeys((int(parts.first[place]), int(parts.second[place])))
        part = _counted(study, Slice(tuple(parts.conditions[own] for own in pair)), judged, scanned, place, fault)
        if len(found) < n_slices and part is not None:
            found.append(part)
    return ErrorSlices(
        tuple(found),
        what,
        len(judged),
        int(judged["wrong"].sum()),
        len(parts),
        parts.n_columns,
        parts.n_left_out,
        len(looked),
        None if groups is None else len(np.unique(groups)),
        fault,
    )


def _counted(
    study: AnyStudy, chosen: Slice, judged: pd.DataFrame, scanned: Scan, place: int, fault: Fault
) -> ErrorSlice | None:
    """Count all rows of a part; None where its share of faults is not clearly above the one that is promised."""
    own = judged[judged.index.isin(pd.Index(chosen.rows(study, study.predictions)))]
    wrong = own["wrong"].to_numpy(dtype=bool)
    groups = study.groups_of(own.index.to_numpy(dtype=np.int64))
    if fault.promised and share_interval(wrong, groups).low <= fault.promised:
        return None
    n, k = len(own), int(wrong.sum())
    return ErrorSlice(
        chosen,
        n,
        k,
        len(judged) - n,
        int(judged["wrong"].sum()) - k,
        share_interval(wrong, groups, quantile=float(np.sqrt(scanned.critical))),
        float(scanned.p[place]),
        tuple(map(int, own.index[wrong])),
        fault,
        int(own["above"].sum()) if "above" in own else None,
    )
