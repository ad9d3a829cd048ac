"""The parts of a report on a model of a number: each a function from a study to what is said."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from proset.common.frames import beside, with_index
from proset.common.words import percent, rough, shown
from proset.explain.numbers.known_rows import known_rows
from proset.explain.numbers.number_facts import (
    column_weights,
    measures_frame,
    number_facts,
    number_limits,
    range_words,
    worth_words,
)
from proset.explain.sheets.model_facts import filled_words
from proset.explain.words import kept_words
from proset.plots.number_predictions import plot_number_predictions
from proset.plots.weights import plot_feature_weights
from proset.report.document import Block, Facts, Picture, ReportPart, ReportTable, Words
from proset.study import NumberStudy
from proset.study.number_metrics import COVERAGE

_MOST_PROTOTYPES = 20
_PICTURE_HEIGHT = 330  # pixels, so that it stands on the first page
_MOST_ERRORS = 20
_MOST_COLUMNS, _FEW_COLUMNS = 4, 2  # of the table, beside what the model says
_BINS = 4


def _summary(study: NumberStudy) -> tuple[Block, ...]:
    """Say what the model is worth."""
    measures = measures_frame(study)
    share = measures["measure"].str.startswith("inside")
    spelled = {
        name: [percent(value) if inside else rough(value) for value, inside in zip(measures[name], share, strict=True)]
        for name in ("model", "as everybody")
    }
    spelled["as everybody"] = ["" if word == "not defined" else word for word in spelled["as everybody"]]
    rows = "held-out rows" if len(study.split.held_out) else "training rows, from which it has learned"
    caption = (
        f"Measured on the {rows}; errors and widths are in units of '{shown(str(study.roles.target))}'. As everybody:"
        " the numbers of all training rows, smoothed to a distribution, stated for each case."
    )
    return (
        Words(worth_words(study)),
        Words(kept_words(study)),
        ReportTable(measures.assign(**spelled), caption=caption),
    )


def _data(study: NumberStudy) -> tuple[Block, ...]:
    """Say what the model was learned from."""
    facts = number_facts(study)
    return (
        Words((range_words(study),)),
        Facts(facts["data"]),
        Words((filled_words(study),)),
        Words(("What the columns are for:",)),
        Facts(facts["roles"]),
    )


def _settings(study: NumberStudy) -> tuple[Block, ...]:
    """Say how the model was made."""
    facts = number_facts(study)
    return (Facts(facts["settings"]), Facts(facts["made"]))


def _measured(study: NumberStudy) -> pd.DataFrame:
    """Return the answers for the rows that are measured."""
    return known_rows(study, None)


def _part(study: NumberStudy) -> str:
    """Return which rows are measured."""
    return "held-out" if len(study.split.held_out) else "training"


def _picture(study: NumberStudy) -> tuple[Block, ...]:
    """Show answers beside numbers."""
    figure = plot_number_predictions(_measured(study), target=str(study.roles.target), height=_PICTURE_HEIGHT).figure()
    said = (
        f"Each mark is a {_part(study)} row, the stronger the more familiar: the closer to the dotted line, the better."
        " Upright lines: intervals of 90 %, meant to hold nine of ten marks; those they miss have a ring."
        f" {figure.layout.meta or ''}"
    )
    return (Picture(figure, "Numbers of the rows above the medians stated, with intervals.", said.strip()),)


def _quality(study: NumberStudy) -> tuple[Block, ...]:
    """Show errors by how familiar cases are, and the largest of them."""
    measured, part = _measured(study), _part(study)
    worst = measured.loc[measured["error"].abs().sort_values(ascending=False, kind="stable").index].head(_MOST_ERRORS)
    own = worst[["actual", "median", "lower", "upper", "error", "quantile"]].rename(columns={"quantile": "familiarity"})
    values = study.table.frame.loc[worst.index, _columns(study, _FEW_COLUMNS)]
    rest = "" if len(measured) <= _MOST_ERRORS else f" The first {_MOST_ERRORS} of {len(measured):,}."
    caption = (
        f"The {part} rows with the largest errors (median less actual).{rest} Familiarity: share of the {part} rows"
        " that are at most as familiar."
    )
    return (
        *_by_familiarity(measured, part),
        ReportTable(beside(with_index(own), values, word="value"), shares=("familiarity",), caption=caption),
    )


def _by_familiarity(measured: pd.DataFrame, part: str) -> tuple[Block, ...]:
    """Say whether the less familiar rows have larger errors; nothing where too few rows or familiarities differ."""
    if len(measured) < 10 * _BINS or measured["familiarity"].nunique() < _BINS:
        return ()
    names = ["least familiar", "rather unfamiliar", "rather familiar", "most familiar"]
    rank = measured["familiarity"].rank(method="first")
    group = pd.qcut(rank, _BINS, labels=names)
    lines = measured.assign(size=measured["error"].abs(), width=measured["upper"] - measured["lower"])
    table = lines.groupby(group, observed=True).agg(
        rows=("size", "size"), error=("size", "mean"), inside=("inside", "mean"), width=("width", "mean")
    )
    inside = f"inside the {100 * COVERAGE:g} % interval"
    table = table.rename(columns={"error": "mean absolute error", "inside": inside, "width": "mean width"})
    table.index = pd.Index(table.index.astype(str), name="quarter of the rows")
    table[inside] = table[inside].astype(float)
    return (ReportTable(with_index(table), shares=(inside,), caption=f"Quarters of the {part} rows by familiarity."),)


def _columns(study: NumberStudy, most: int) -> list[str]:
    """Return what says whose a row is, and the heaviest columns in use."""
    return list(dict.fromkeys((*study.naming_columns, *column_weights(study).index[:most])))


def _features(study: NumberStudy) -> tuple[Block, ...]:
    """Show what the model looks at, and what it does without."""
    weights = column_weights(study)
    unused = [name for name in study.roles.features if name not in set(study.used_columns)]
    without = f"The model does without: {', '.join(map(shown, unused))}." if unused else "Every feature has a weight."
    if weights.empty:
        return (Words(("The model uses no feature.",)), Words((without,)))
    figure = plot_feature_weights(weights)
    said = "How far one standard deviation moves a case away from prototypes. What they add for it is another matter."
    note = figure.layout.meta
    return (Picture(figure, "Feature weights as bars.", f"{said} {note}" if note else said), Words((without,)))


def _prototypes(study: NumberStudy) -> tuple[Block, ...]:
    """List the heaviest prototypes with their values."""
    heaviest = study.prototypes.sort_values("weight", ascending=False, kind="stable").head(_MOST_PROTOTYPES)
    if heaviest.empty:
        return (Words(("The model has no prototypes.",)),)
    values = study.table.frame.loc[heaviest["row"], _columns(study, _MOST_COLUMNS)]
    total = len(study.prototypes)
    what = "All prototypes" if total <= len(heaviest) else f"The heaviest {len(heaviest)} of {total:,} prototypes"
    caption = f"{what}. Target: the number of that row; spread: how far off it reckons to be for cases like it."
    return (ReportTable(beside(heaviest, values, word="value"), caption=caption),)


def _limits(study: NumberStudy) -> tuple[Block, ...]:
    """Say what the model cannot tell."""
    return (Words(number_limits(study), as_list=True),)


NUMBER_PARTS: dict[str, tuple[str, Callable[[NumberStudy], tuple[Block, ...]]]] = {
    "summary": ("In short", _summary),
    "picture": ("Said and actual", _picture),
    "quality": ("Errors", _quality),
    "features": ("Features", _features),
    "prototypes": ("Prototypes", _prototypes),
    "data": ("Data and roles", _data),
    "settings": ("Settings", _settings),
    "limits": ("Limits", _limits),
}
"""Name, heading and maker of each part, in the order of the report."""


def number_part(name: str, study: NumberStudy) -> ReportPart:
    """Make one part."""
    title, make = NUMBER_PARTS[name]
    return ReportPart(name, title, make(study))
