"""Results of a comparison as the Compare page says them: tables, lists of cases, sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseRef, CaseSet, Part, Picker
from proset.common.words import count_words, measure, percent, shown
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from proset.compare import Comparison, Disagreements, DriftTest, MetricTable, NumberComparison, SideSurface
    from proset.study import Study

MOST_LISTED = 1_000
"""Rows on which systems disagree that are listed: as many as an address holds, more than anybody looks through."""
_MOST_FIXED = 4
MEASURES = {
    "log_loss": "Log-loss",
    "balanced_accuracy": "Balanced accuracy",
    "roc_auc": "ROC-AUC",
    "calibration_error": "Calibration error",
}
"""The measures by name, in the order of the table, with their headings."""


def headline(found: Comparison | NumberComparison) -> str:
    """Say in one line what was compared with what.

    Parameters
    ----------
    found : Comparison or NumberComparison
        From :func:`proset.compare.compare`, or :func:`proset.compare.compare_numbers`.
    """
    rows = count_words(len(found.rows), "training row")
    drawn = f" (a draw of about {found.plan.max_rows:,})" if found.plan.max_rows is not None else ""
    kind = "each tuned by itself" if found.plan.tuned else "each with its quick settings"
    if not found.plan.tuned and "proset" in found.plan.systems:  # of which the page chooses at least two
        others = "the other" if len(found.plan.systems) == 2 else "the others"
        kind = f"proset with the settings of this model, {others} with quick settings"
    measured = f", measured on {count_words(found.plan.n_folds, 'fold')} and {len(found.measured):,} {found.which}"
    return f"{count_words(len(found.systems), 'system')}, {kind}, on {rows}{drawn}{measured}."


def measured_part(found: Comparison) -> Part:
    """Return which rows the systems are measured on."""
    return Part.HELD_OUT if found.which == "held-out rows" else Part.TRAIN


def within_lines(inside: pd.DataFrame, every: pd.DataFrame) -> pd.DataFrame:
    """Return each system's counts within a slice beside those on all measured rows, as they are shown.

    Parameters
    ----------
    inside, every : DataFrame
        From :func:`proset.compare.within.measures_within`.

    Examples
    --------
    >>> line = {"title": "kNN", "rows": 10, "wrong": 2, "share": 0.2, "low": 0.06, "high": 0.5, "log_loss": 0.4}
    >>> lines = pd.DataFrame([line])
    >>> within_lines(lines, lines).iloc[0].tolist()
    ['2 of 10', '20.0 % (6.0 % to 50.0 %)', '0.400', '2 of 10', '20.0 %', '0.400']
    """

    def counted(frame: pd.DataFrame) -> list[str]:
        return [f"{k:,} of {n:,}" for k, n in zip(frame["wrong"], frame["rows"], strict=True)]

    shares = [
        f"{percent(share)} ({percent(low)} to {percent(high)})"
        for share, low, high in inside[["share", "low", "high"]].to_numpy().tolist()
    ]
    lines = {
        "wrong": counted(inside),
        "share": shares,
        "loss": inside["log_loss"].map(measure),
        "all wrong": counted(every),
        "all share": every["share"].map(percent),
        "all loss": every["log_loss"].map(measure),
    }
    return pd.DataFrame(lines).set_axis(pd.Index(inside["title"], name="System"), axis=0)


def metric_lines(table: MetricTable) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the measures as numbers and as text, over the folds and on held-out rows.

    Parameters
    ----------
    table : MetricTable
        From :func:`proset.compare.metric_table`.

    Returns
    -------
    (DataFrame, DataFrame of str)
        The same columns: for each measure the mean over the folds, then the value on the rows measured; index title.
        Last comes ``equivalent``, as text in both. Equal means differ in the last bit, because a cell is written by
        its number, and deviations beside equal means may differ.
    """
    frame = table.frame
    numbers, texts = pd.DataFrame(index=frame.index), pd.DataFrame(index=frame.index)
    words = percent_or_measure
    for name in MEASURES:
        mean, sd, held = (frame[f"{name}_{kind}"].astype(float) for kind in ("mean", "sd", "held_out"))
        numbers[f"{name}_mean"], numbers[f"{name}_held_out"] = told_apart(mean), held
        spread = [f"{words(name, m)}{plus_minus(name, s)}" for m, s in zip(mean, sd, strict=True)]
        texts[f"{name}_mean"], texts[f"{name}_held_out"] = spread, [words(name, value) for value in held]
    said = [equivalent_words(frame.loc[key], best=key == table.best) for key in frame.index]
    for one in (numbers, texts):
        one["equivalent"] = said
        one.index = pd.Index(frame["title"], name="System")
    return numbers, texts


def told_apart(values: pd.Series) -> pd.Series:
    """Return numbers of which no two are equal: each further one is the next larger number there is.

    Examples
    --------
    >>> told_apart(pd.Series([0.5, 0.5, 0.25])).nunique()
    3
    """
    taken: set[float] = set()
    found = []
    for value in values.tolist():
        while value in taken:
            value = float(np.nextafter(value, np.inf))
        taken.add(value)
        found.append(value)
    return pd.Series(found, index=values.index, dtype=np.float64)


def percent_or_measure(name: str, value: float) -> str:
    """Write a measure: shares in per cent, the others with three decimals, "–" where there is none.

    Examples
    --------
    >>> percent_or_measure("balanced_accuracy", 0.912), percent_or_measure("log_loss", float("nan"))
    ('91.2 %', '–')
    """
    if np.isnan(value):
        return "–"
    return percent(value) if name == "balanced_accuracy" else measure(value)


def plus_minus(name: str, sd: float) -> str:
    """Write a standard deviation to follow its mean; nothing where there is none.

    Examples
    --------
    >>> plus_minus("log_loss", 0.0213), plus_minus("balanced_accuracy", 0.0213), plus_minus("roc_auc", 0.0002)
    (' ± 0.021', ' ± 2.1', ' ± < 0.001')
    >>> plus_minus("log_loss", float("nan"))
    ''
    """
    if np.isnan(sd):
        return ""
    return f" ± {100 * sd:.1f}" if name == "balanced_accuracy" else f" ± {measure(sd)}"


def equivalent_words(line: pd.Series, *, best: bool) -> str:
    """Say in a word how a system stands by its log-loss over the folds; what fails later does not change that.

    Examples
    --------
    >>> [equivalent_words(pd.Series({"equivalent": flag, "failed": "Why."}), best=False) for flag in (True, pd.NA)]
    ['yes', 'failed']
    """
    if best:
        return "best"
    flag = line["equivalent"]
    if pd.isna(flag):
        return "failed" if line["failed"] else ""
    return "yes" if bool(flag) else "no"


# --- rows on which systems disagree -----------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Disputed:
    """Rows on which systems disagree.

    Attributes
    ----------
    frame : DataFrame
        Index row id: actual, one column per system with what it says, gap.
    titles : dict of str to str
        Heading of each system's column.
    n_rows : int
        How many such rows there are; the first :data:`MOST_LISTED` are listed.
    """

    frame: pd.DataFrame
    titles: dict[str, str]
    n_rows: int

    @property
    def counted(self) -> str:
        """Number of rows listed, and of rows that there are."""
        if len(self.frame) == self.n_rows:
            return f"{count_words(self.n_rows, 'row')}."
        return f"The {len(self.frame):,} most disputed of {self.n_rows:,} rows."

    @property
    def wrong(self) -> pd.DataFrame:
        """Boolean frame of the same shape: True where a system does not say what the table says."""
        flags = pd.DataFrame(False, index=self.frame.index, columns=self.frame.columns)
        for key in self.titles:
            flags[key] = self.frame[key] != self.frame["actual"]
        return flags

    @property
    def cases(self) -> CaseSet:
        """The rows as a list to look through."""
        return CaseSet(picked=tuple(CaseRef.in_table(row) for row in self.frame.index), by=Picker.COMPARE)


def disputed(found: Comparison, rows: Disagreements, pair: tuple[str, str] | None) -> Disputed:
    """Return the rows on which any systems disagree, or two of them.

    Parameters
    ----------
    rows : Disagreements
        From :func:`proset.compare.disagreements`.
    pair : (str, str) or None
        Keys of two systems; None for any.
    """
    keys = [entry.key for entry in found.systems if f"{entry.key}_says" in rows.rows]
    frame = rows.rows
    if pair is not None:
        frame = frame[frame[f"{pair[0]}_says"] != frame[f"{pair[1]}_says"]]
        keys = list(pair)
    count, frame = len(frame), frame.head(MOST_LISTED)
    shown = pd.DataFrame({"actual": frame["actual"].astype("str")}, index=frame.index)
    for key in keys:
        shown[key] = frame[f"{key}_says"].astype("str")
    shown["gap"] = frame["gap"].astype(float)
    return Disputed(shown, {entry.key: entry.title for entry in found.systems if entry.key in keys}, count)


# --- in words ---------------------------------------------------------------------------------------------------------
def titles_of(found: Comparison) -> dict[str, str]:
    """Return what the systems of a comparison are called, by key."""
    return {entry.key: entry.title for entry in found.systems}


def is_the_model(study: Study, found: Comparison) -> str:
    """Tell whether the proset of a comparison is the model of the other pages: empty if so, or why it is not."""
    if "proset" not in found.plan.systems:
        return ""
    if found.plan.tuned:
        return "tuned"
    return "fewer" if len(found.rows) < len(study.split.train) else ""


def with_few_prototypes(found: Comparison) -> list[str]:
    """Return the keys of the systems that rest on some of the rows, not on none or all of them."""
    return [
        entry.key
        for entry in found.systems
        if entry.prototype_rows is not None and 0 < len(np.unique(entry.prototype_rows)) < len(found.rows)
    ]


def rule_note(rule: DecisionRule) -> str:
    """Say that this page takes the most probable class, where the other pages do not.

    Examples
    --------
    >>> rule_note(MOST_PROBABLE), rule_note(DecisionRule(leave_below=0.1))[:21]
    ('', 'Here every system say')
    """
    if rule == MOST_PROBABLE:
        return ""
    return "Here every system says the most probable class; the rule of the other pages does not count."


def drift_words(drift: DriftTest | None) -> str:
    """Say what was shifted, or why nothing was."""
    if drift is None:
        return "Nothing was shifted in this comparison."
    return drift.reason or " ".join(drift.words)


def without_sign_words(drift: DriftTest) -> str:
    """Name the systems that have no sign of unfamiliarity, and those that failed; empty if there are none."""
    lines = drift.frame
    failed = lines["failed"].astype(bool)
    silent = lines.loc[(lines["indicator"] == "") & ~failed, "title"]
    parts = [f"No sign: {', '.join(silent)}."] if len(silent) else []
    parts += [
        f"{title}: {why}" for title, why in zip(lines.loc[failed, "title"], lines.loc[failed, "failed"], strict=True)
    ]
    return " ".join(parts)


def drift_lines(drift: DriftTest, name: str) -> pd.DataFrame:
    """Return the bars of one ROC-AUC of the drift panel: label, auc, said."""
    frame = drift.frame
    return pd.DataFrame(
        {
            "label": frame["title"].astype("str"),
            "auc": frame[name].astype(float),
            "said": [f"{title}: {sign}" for title, sign in zip(frame["title"], frame["indicator"], strict=True)],
        }
    )


def surfaces_words(sides: tuple[SideSurface, ...], others: Sequence[str]) -> str:
    """Say where the surfaces differ from the first one, and what the features that are on no axis are fixed at."""
    if not sides:
        return ""
    first = sides[0]
    parts = []
    for side in sides[1:]:
        same = float((side.surface.likeliest == first.surface.likeliest).mean())
        parts.append(f"{side.title} {percent(same)}")
    said = f"Share of the area on which the same class is most probable as for {first.title}: {', '.join(parts)}."
    # Named are those that count for the model of the other pages; for other systems the rest may count.
    fixed = [f"{shown(name, 30)} {shown(value, 30)}" for name, value in first.surface.fixed.items()][:_MOST_FIXED]
    left = [shown(name, 30) for name in others if name not in first.surface.fixed.index[: len(fixed)]]
    count = count_words(len(left), "more feature" if fixed else "feature")
    more = left if len(fixed) + len(left) <= _MOST_FIXED else [count]
    rest = f"Fixed at the middle of the training rows: {'; '.join(fixed + more)}." if fixed or more else ""
    return " ".join(filter(None, (said if parts else "", rest)))
