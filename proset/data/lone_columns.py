"""Columns that alone say nearly every class, or that are filled in for one class only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words, shown
from proset.data.issues import Issue, Role, Severity
from proset.data.one_column import FEWEST_LEVEL_ROWS, share_of_others, share_right, skill
from proset.data.profile import Profile
from proset.data.split_candidates import repeated_identifiers
from proset.data.split_columns import group_codes

#: Chance-corrected share of right answers from which on a column is compared with all the others.
STRONG = 0.9
#: From which on it is left out when another such column is compared with "all the others".
DETERMINES = 0.98
#: The others have to be wrong this many times as often.
TIMES_AS_WRONG = 5.0

_MOST_ROWS, _MOST_CELLS = 3_000, 600_000
_FEWEST_ROWS, _FEWEST_RARE = 50, 10
_FEWEST_FILLED = 30
_PURE = 0.995
_COMMON, _BY_CHANCE = 0.8, 1e-9


def find_lone_columns(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], labels: pd.Series, *, kind: str = "class"
) -> dict[str, Issue]:
    """Find columns that alone say nearly every class.

    Parameters
    ----------
    frame : DataFrame
        The table, index row; of a large one, a sample of the rows is looked at.
    profiles : mapping of str to Profile
        Facts about the columns to look at; pixels, and columns that name rows, are passed over.
    labels : Series of str
        Class of each row, index row, name of the target; missing where there is none.
    kind : str
        What these are: "third" where the target is a number.

    Returns
    -------
    dict of str to Issue
        By column: a warning where the other columns say far less, a note where they say as much.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> code, noise = np.tile([0, 31, 32, 33], 30), np.random.default_rng(0).normal(size=120)
    >>> frame = pd.DataFrame({"code": code, "noise": noise})
    >>> profiles = {name: profile_column(frame[name]) for name in frame}
    >>> issue = find_lone_columns(frame, profiles, pd.Series(np.where(code > 0, "yes", "no"), name="sick"))["code"]
    >>> issue.message[:44]
    "'code' alone says the class of 'sick' in all"
    """
    classes = pd.factorize(labels)[0].astype(np.int64)
    usable = {name: profile for name, profile in profiles.items() if _says_something(profile)}
    rows = _sample(classes, len(usable), _owners(frame, profiles))
    cells = {str(name): column for name, column in frame[list(usable)].iloc[rows].items()}
    looked_at = _Rows(cells, usable, classes[rows], str(labels.name), kind)
    if not looked_at.enough:
        return {}
    found = {name: issue for name in usable if (issue := looked_at.judge(name)) is not None}
    for name, profile in usable.items():
        if name not in found and _FEWEST_FILLED <= profile.n_present < profile.n_rows:
            issue = _compare_filled(frame[name], labels, kind) or looked_at.filled(name).judge(name)
            if issue is not None:
                found[name] = issue
    return found


@dataclass(frozen=True)
class _Rows:
    """Rows on which each column is asked for the class, in random order."""

    cells: Mapping[str, pd.Series]
    profiles: Mapping[str, Profile]
    classes: NDArray[np.int64]
    target: str
    kind: str
    where: str = "it was not learned from"
    known: dict[str, float] = field(default_factory=dict)

    @property
    def enough(self) -> bool:
        """True if there are enough rows, of more than one class, to prove something."""
        counts = np.bincount(self.classes, minlength=1)
        return len(self.classes) >= _FEWEST_ROWS and len(self.classes) - int(counts.max()) >= _FEWEST_RARE

    def filled(self, name: str) -> _Rows:
        """Return the rows in which a column is filled in: what is known of a quarter may give that quarter away."""
        there = self.cells[name].notna().to_numpy()
        cells = {name: series[there] for name, series in self.cells.items()}
        where = "where it is filled in, each told by the others"
        return _Rows(cells, self.profiles, self.classes[there], self.target, self.kind, where)

    def share(self, name: str) -> float:
        """Return the share of right answers of a column alone; each is measured once."""
        if name not in self.known:
            self.known[name] = share_right(self.cells[name], self.profiles[name], self.classes)
        return self.known[name]

    def judge(self, name: str) -> Issue | None:
        """Compare a column that is nearly always right with all others, but those that say every class themselves."""
        if not self.enough or len(self.cells) < 2:  # a table of one column is learned from that column
            return None
        share = self.share(name)
        if skill(share, self.classes) < STRONG:
            return None
        others = [one for one in self.cells if one != name and skill(self.share(one), self.classes) < DETERMINES]
        common = float(np.bincount(self.classes).max() / len(self.classes))
        best = max(map(self.share, others), default=common)
        theirs = pd.DataFrame({other: self.cells[other] for other in others})
        return self._said(name, share, max(best, share_of_others(theirs, self.profiles, self.classes)))

    def _said(self, name: str, share: float, together: float) -> Issue | None:
        """Report what a column says alone, beside what all others say together."""
        wrong, wrong_of_others = (_share_wrong(value, len(self.classes)) for value in (share, together))
        label, aim = shown(name), shown(self.target)
        right = f"in {_percent(share)} {len(self.classes):,} rows {self.where}"
        says = f"'{label}' alone says the {self.kind} of '{aim}' {right}"
        theirs = "all" if together == 1.0 else f"{min(100.0 * together, 99.9):.1f} %"
        if wrong_of_others >= TIMES_AS_WRONG * wrong:
            return Issue(
                "lone_column",
                f"{says}; all other columns together in {theirs}. Check that it is known before the outcome, and was"
                " not made from it.",
                column=name,
                suggested_role=Role.EXTRA,
            )
        if skill(share, self.classes) < DETERMINES:
            return None
        return Issue(
            "strong_column",
            f"{says}. The other columns say nearly as much, so the task may just be easy; check that '{label}' is known"
            " before the outcome.",
            column=name,
            severity=Severity.INFO,
        )


def _says_something(profile: Profile) -> bool:
    """Tell whether a column may speak for more than single rows."""
    numbers_rows = profile.unique and (profile.gapless or profile.increasing)
    texts_of_rows = profile.counts is None and np.isnan(profile.low) and profile.n_distinct > profile.n_present / 2
    return profile.n_distinct >= 1 and not profile.in_grid and not numbers_rows and not texts_of_rows


def _owners(frame: pd.DataFrame, profiles: Mapping[str, Profile]) -> NDArray[np.int64] | None:
    """Return whose each row is, where a column names somebody in several rows.

    Whatever belongs to a person, such as a date of birth, says the class of all of that person's rows; that is no leak.
    """
    named = repeated_identifiers(profiles, dict.fromkeys(profiles, Role.EXTRA))
    return group_codes(frame[named[0]]) if named else None


def _sample(classes: NDArray[np.int64], n_columns: int, owners: NDArray[np.int64] | None) -> NDArray[np.intp]:
    """Return positions of rows with a class, in random order, fewer of a wide table, one of each owner."""
    known = np.random.default_rng(0).permutation(np.flatnonzero(classes >= 0))
    if owners is not None:
        firsts = np.sort(np.unique(owners[known], return_index=True)[1])
        if len(firsts) >= _FEWEST_ROWS:  # fewer prove nothing: then all rows have to do
            known = known[firsts]
    return known[: max(min(_MOST_ROWS, _MOST_CELLS // max(n_columns, 1)), 300)]


def _compare_filled(cells: pd.Series, labels: pd.Series, kind: str) -> Issue | None:
    """Report a column that is filled in for rows of one class only, of two or more classes."""
    known = labels.notna().to_numpy()
    filled = cells.notna().to_numpy() & known
    count = int(filled.sum())
    empty = int((known & ~filled).sum())
    if count < _FEWEST_FILLED or empty < FEWEST_LEVEL_ROWS:
        return None
    of_class = labels[filled].value_counts()
    label, most = str(of_class.index[0]), int(of_class.iloc[0])
    usual = float((labels[known] == label).mean())
    # Chance alone fills so many rows of a common class; that has to be out of the question.
    if most < _PURE * count or usual > _COMMON or usual**count > _BY_CHANCE:
        return None
    name, what = str(cells.name), "all" if most == count else f"{most:,}"
    whose = f"class '{shown(label)}'" if kind == "class" else f"the {shown(label)} of the target"
    return Issue(
        "filled_for_one_class",
        f"'{shown(name)}' is filled in for {count_words(count, 'row')}, {what} of {whose}, as"
        f" {100 * usual:.0f} % of all rows are. If it is filled in because of the outcome, keep it out of the model.",
        column=name,
        suggested_role=Role.EXTRA,
    )


def _share_wrong(share: float, n_rows: int) -> float:
    """Return the share of wrong answers, never quite zero: none in n rows may still be three in n."""
    return (round((1.0 - share) * n_rows) + 3.0) / (n_rows + 3.0)


def _percent(share: float) -> str:
    """Return a share and "of", never rounded up to all."""
    return "all of" if share == 1.0 else f"{min(100.0 * share, 99.9):.1f} % of"
