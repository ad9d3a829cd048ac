"""The quality of a model of a number as texts and frames of the page, and which rows it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import Part, Within, part_rows
from dashboard.services.params import Number
from dashboard.texts import number_quality as text
from proset import explain
from proset.common.words import alike, count_words, in_a_row, percent, rough
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.explain.numbers.error_column import ColumnErrors
    from proset.explain.numbers.error_columns import NumberErrors
    from proset.explain.numbers.quality import NumberQuality
    from proset.explain.numbers.quality_by import NumberQualityBy
    from proset.study import NumberStudy
    from proset.study.number_unseen import NumberUnseen

ERRORS = Number(
    "errors", 0, of_model=True, bounds=Bounds(0, 100_000, whole=True), most=lambda study: len(study.table.frame.columns)
)
"""Column that errors are shown by: its place in the table, from 1; 0 for the one that they depend on most surely."""
MOST_LISTED = 500


def row_ids(study: NumberStudy, part: Part, within: Within | None = None) -> list[int]:
    """Return the row ids of a part."""
    return [int(row) for row in part_rows(study.predictions, part, within).index]


def quality(
    study: NumberStudy, part: Part, within: Within | None = None, unseen: NumberUnseen | None = None
) -> NumberQuality:
    """Measure the rows of a part."""
    return explain.number_quality(study, row_ids(study, part, within), unseen=unseen)


def quality_by(
    study: NumberStudy, part: Part, within: Within | None, unseen: NumberUnseen | None, by: str | None
) -> NumberQualityBy:
    """Measure groups of the rows of a part."""
    return explain.number_quality_by(study, by, row_ids(study, part, within), unseen=unseen)


def errors(study: NumberStudy, part: Part, within: Within | None, unseen: NumberUnseen | None) -> NumberErrors:
    """Look for columns that the errors of a part depend on."""
    return explain.number_errors(study, row_ids(study, part, within), unseen=unseen)


def errors_by(
    study: NumberStudy, part: Part, within: Within | None, unseen: NumberUnseen | None, column: str
) -> ColumnErrors:
    """Put the errors of a part beside the values of a column."""
    return explain.column_errors(study, row_ids(study, part, within), column=column, unseen=unseen)


def measure_frame(found: NumberQuality) -> pd.DataFrame:
    """Return the measures as texts: index ``measure``; ``value``, ``interval``, ``everybody``, ``line``."""
    lines, measures = [], found.measures.astype("float64").to_dict(orient="index")
    for name in text.MEASURES:
        line = measures[name]
        ends = "" if line["low"] != line["low"] else f"{rough(line['low'])} to {rough(line['high'])}"
        lines.append([rough(line["value"]), ends, rough(line["everybody"]), rough(line["line"])])
    index = pd.Index(list(text.MEASURES), name="measure")
    return pd.DataFrame(lines, index=index, columns=["value", "interval", "everybody", "line"])


def beside_words(found: NumberQuality) -> str:
    r"""Say in which measures the model is better than others beyond luck, and in which worse.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> beside_words(quality(study, Part.HELD_OUT)).split(";")[0]
    'Beyond luck, better than everybody in all four'
    """
    said = [_beside(found, "everybody", "gain"), _beside(found, "the straight line", "line")]
    scored = (
        "" if found.n_scored == found.n_rows else f" Measured on {found.n_scored:,} of them, from all over the table."
    )
    if found.n_learned:
        return f"The model has learned from rows among these: that it is better on them says little.{scored}"
    return f"Beyond luck, {'; '.join(said)}.{scored}"


def _beside(found: NumberQuality, other: str, which: str) -> str:
    """Compare with one other."""
    low, high = (found.measures[f"{which}_{end}"].to_dict() for end in ("low", "high"))
    better = [name for name in text.MEASURES if low[name] > 0.0]
    worse = [name for name in text.MEASURES if high[name] < 0.0]
    parts = [
        f"{word} than {other} in {'all four' if len(names) == len(text.MEASURES) else in_a_row(names)}"
        for word, names in (("better", better), ("worse", worse))
        if names
    ]
    return in_a_row(parts) or f"neither better nor worse than {other} in any"


def levels_words(found: NumberQuality) -> str:
    """Say at which levels intervals do not hold what they promise, and that those drawn are of one level each."""
    sure = found.n_rows and not found.n_learned
    return f"{found.levels_words} {text.ALONE_LEVEL.format(count=len(found.coverage))}" if sure else found.levels_words


def groups_words(found: NumberQualityBy) -> str:
    """Say in which groups intervals do not hold what they promise, and that those drawn are of one group each."""
    sure = len(found.frame) > 1 and not found.n_learned
    return f"{found.words} {text.ALONE_GROUP.format(count=len(found.frame))}" if sure else found.words


def rows_words(found: NumberQuality) -> str:
    """Say what there is to know of the rows beside how many they are."""
    if found.n_groups is None:
        return ""
    return f"The {found.which} belong to {count_words(found.n_groups, 'group')}; all intervals are by whole groups. "


def outside_frame(study: NumberStudy, found: NumberQuality) -> pd.DataFrame:
    """Return the rows furthest outside their interval: index row; what names them, actual number, answer, distance."""
    lines = found.outside.head(MOST_LISTED)
    written = alike(lines[["lower", "upper"]].to_numpy().ravel().tolist())
    ends = [f"{low} to {high}" for low, high in zip(written[::2], written[1::2], strict=True)]
    named = study.table.frame.loc[lines.index, list(study.naming_columns)].astype("str")
    # Names of columns of the table may be those of these.
    named.columns = pd.Index([f"name {place}" for place in range(named.shape[1])])
    frame = pd.DataFrame(
        {"beyond": lines["beyond"], "actual": lines["actual"], "median": lines["median"], "interval": ends},
        index=lines.index,
    )
    rounded = frame[["beyond", "median"]].map(lambda value: float(f"{value:.4g}"))  # the row's own number stays exact
    return named.join(frame.assign(**rounded))


def outside_words(found: NumberQuality) -> str:
    """Say how many rows are outside, and in which order they are listed."""
    outside = int((found.rows["beyond"] > 0.0).sum())
    if not outside:
        return text.NO_ROWS_OUTSIDE
    share = percent(outside / found.n_rows)
    listed = f"; the first {MOST_LISTED:,} are listed" if outside > MOST_LISTED else ""
    verb = "lies" if outside == 1 else "lie"
    return (
        f"{count_words(outside, 'number')} ({share}) {verb} outside the 90 % interval, the furthest first{listed}. "
        "Tick a line to select the case."
    )


def pinball_frame(found: NumberQuality) -> pd.DataFrame:
    """Return the pinball loss as texts, one line per quantile."""
    frame = found.pinball.map(rough)
    frame.index = pd.Index([f"{100 * level:g} %" for level in found.pinball.index], name="quantile")
    return frame


def table_columns(study: NumberStudy) -> dict[int, str]:
    """Return the columns by which rows can be grouped or errors shown, all but the target, by their places from 1."""
    names = enumerate(map(str, study.table.frame.columns), start=1)
    return {place: name for place, name in names if name != study.roles.target}
