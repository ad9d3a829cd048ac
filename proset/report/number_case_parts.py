"""The parts of a report on one case of a model of a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.frames import beside
from proset.common.lazy import lazy_property
from proset.common.words import count_words, percent, shown
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.numbers.answers import NumberAnswer, number_answer
from proset.explain.numbers.contrasts import to_width
from proset.explain.numbers.number_facts import number_facts, number_limits
from proset.explain.numbers.number_moves import number_moves
from proset.explain.numbers.number_neighbours import number_neighbours
from proset.explain.numbers.number_shapley import median_row, number_shap
from proset.explain.phrases import MOSTLY_MARGINAL, mean_of_batches
from proset.plots.number_answers import plot_number_answer
from proset.plots.number_changes import plot_number_shap
from proset.report.cell_texts import cell_texts
from proset.report.document import Block, Facts, Picture, ReportPart, ReportTable, Words
from proset.study.new_rows import row_notes

if TYPE_CHECKING:
    from proset.study import NumberStudy
    from proset.study.case import Case

_SHOWN, _MOST_LINES, _MOST_VALUES, _NEAREST = 5, 25, 4, 10
_STEP = 0.5  # of the width of the interval, for the smallest changes


@dataclass(frozen=True, eq=False)
class AboutNumberCase:
    """A case to report on.

    Attributes
    ----------
    study : NumberStudy
        The model.
    case : Case
        From ``study.case``.
    """

    study: NumberStudy
    case: Case

    @lazy_property
    def answer(self) -> NumberAnswer:
        """The answer, taken apart."""
        return number_answer(self.study, self.case, n_shown=_SHOWN)

    @property
    def target(self) -> str:
        """Name of the target, fit for a sentence."""
        return shown(str(self.study.roles.target))

    @property
    def said(self) -> str:
        """The answer in short."""
        answer = self.answer
        middle, low, high = (to_width(value, answer.width) for value in (answer.median, answer.lower, answer.upper))
        return f"{self.target} about {middle}, {100 * answer.coverage:g} % between {low} and {high}"


def _verdict(about: AboutNumberCase) -> tuple[Block, ...]:
    """Say what the model says of the case, and how sure it is."""
    answer, study = about.answer, about.study
    lines = [answer.words]
    if answer.stated is not None:
        where = "inside" if answer.lower <= answer.stated <= answer.upper else "outside"
        lines.append(f"The row itself states {to_width(answer.stated, answer.width, digits=4)}, {where} that interval.")
    if about.case.row is not None and about.case.row in set(study.split.train.tolist()):
        lines.append("The model was fitted to this row, so it has seen its number.")
    if len(answer.prototypes):
        what = "held-out rows" if len(study.split.held_out) else "training rows"
        share = float(familiarity_quantile([answer.familiarity], study.reference)[0])
        familiar = f"{percent(share)} of the {what} are at most as familiar."
        lines.append(familiar if share else f"None of the {what} is as unfamiliar: few known cases are like it.")
    if answer.everybody > MOSTLY_MARGINAL:
        lines.append(f"{percent(answer.everybody)} of the answer is what is said of everybody.")
    if note := str(row_notes(study.design, about.case.encoded, about.case.frame, only=study.used_columns).iloc[0]):
        lines.append(f"Something had to be assumed about this case: {note}.")
    figure = plot_number_answer(answer, unit=str(study.roles.target))
    said = "The distribution of the answer with the hump of each leading prototype in it; grey: all others, everybody."
    dashed = "" if answer.stated is None else " The dashed line is what the row states."
    return (Words(tuple(lines)), Picture(figure, "The distribution of the answer.", said + dashed))


def _evidence(about: AboutNumberCase) -> tuple[Block, ...]:
    """List what each prototype says, and in words why the leading ones do not say their own number."""
    answer = about.answer
    if answer.prototypes.empty:
        return (Words(("The model has no prototypes: it says of every case what it says of everybody.",)),)
    leading = min(_SHOWN, len(answer.prototypes))
    several = bool((answer.prototypes["batch"] != answer.prototypes["batch"].iloc[0]).any())
    columns = ["target", "adjustment", "says", "spread", "similarity", "share", "dominant"]
    columns = ["name", "batch", *columns] if several else ["name", *columns]
    lines = answer.prototypes[columns].head(_MOST_LINES).rename(columns={"name": "prototype"})
    rest = answer.prototypes["share"].iloc[_MOST_LINES:]
    more = f" {count_words(len(rest), 'more prototype')}: {percent(float(rest.sum()))} together." if len(rest) else ""
    caption = (
        f"Says: its own number, adjusted for what tells the case from it. Share: of the answer; everybody has"
        f" {percent(answer.everybody)}.{more} Tinted: the fewest that hold the median, whichever of the others were"
        " taken away."
    )
    return (
        Words(tuple(answer.said_by(place) for place in range(leading)), as_list=True),
        ReportTable(lines, shares=("share",), marked="dominant", caption=caption),
    )


def _beside(about: AboutNumberCase) -> tuple[Block, ...]:
    """Show the values of the case beside those of the leading prototypes, one line per column."""
    answer = about.answer
    if answer.cells.empty or not answer.cells.shape[1]:
        return (Words(("The model uses no column.",)),)
    names = ["the case", *answer.prototypes["name"].head(_SHOWN).astype(str)]
    values = pd.concat([answer.own_cells, answer.cells.head(_SHOWN)], ignore_index=True).apply(cell_texts).T
    values.columns = pd.Index(names)
    columns = pd.DataFrame({"column": answer.cells.columns.astype(str)})
    return (ReportTable(beside(columns, values, word="case"), caption="Original values in the columns in use."),)


def _nearest(about: AboutNumberCase) -> tuple[Block, ...]:
    """List the nearest known cases with their numbers."""
    found = number_neighbours(about.study, about.case, n_cases=_NEAREST)
    if found.frame.empty:
        return (Words(("The model uses no column: all known cases are alike to it.",)),)
    lines = found.frame[["name", "target", "similarity", "prototype"]].rename(
        columns={"target": about.target, "prototype": "is a prototype"}
    )
    grid = beside(lines, found.cells.iloc[:, :_MOST_VALUES], word="value")
    measured = f"as the model measures it{mean_of_batches(about.study)}"
    return (ReportTable(grid, caption=f"Training rows most like the case, {measured}."),)


def _moved(about: AboutNumberCase) -> tuple[Block, ...]:
    """Say what moves the answer from that for a middling row."""
    study, own = about.study, about.case.row
    reference = median_row(study)
    found = number_shap(study, about.case, reference)
    if not found.columns or own == reference:
        return (Words((f"Row {reference}, the middling row that cases are compared with, is just like this case.",)),)
    how = "" if found.exact else f" Estimated along random orders, standard errors up to {found.errors.max():.2g}."
    said = (
        f"From the median for row {reference}, the training row whose number is nearest to the median of all, to that"
        f" of the case, column by column.{how}"
    )
    figure = plot_number_shap(found, unit=str(study.roles.target))
    return (
        Picture(figure, "What each column adds to the answer.", said),
        ReportTable(found.to_frame().head(_MOST_LINES), caption="Adds: Shapley values of the median."),
    )


def _changes(about: AboutNumberCase) -> tuple[Block, ...]:
    """Say the smallest changes of one column that move the median by half of the interval, up and down."""
    step = float(f"{_STEP * about.answer.width:.2g}")
    if not step > 0.0:
        return (Words(("The interval has no width, so that there is nothing to move it by.",)),)
    both = [number_moves(about.study, about.case, by) for by in (step, -step)]
    blocks: list[Block] = [Words(tuple(found.words for found in both))]
    for found in both:
        if len(found.reached):
            lines = found.reached[["column", "before", "after", "median", "quantile"]]
            way = "up" if found.by > 0 else "down"
            told = f"{way.capitalize()} by {abs(found.by):g} or more. Familiarity: of the case with that change."
            renamed = lines.head(_MOST_LINES).rename(columns={"quantile": "familiarity"})
            blocks.append(ReportTable(renamed, shares=("familiarity",), caption=told))
    return tuple(blocks)


def _model(about: AboutNumberCase) -> tuple[Block, ...]:
    """Say which model that was, and what it cannot tell."""
    facts = number_facts(about.study)
    return (Facts(facts["data"]), Facts(facts["settings"]), Words(number_limits(about.study), as_list=True))


NUMBER_CASE_PARTS: dict[str, tuple[str, Callable[[AboutNumberCase], tuple[Block, ...]]]] = {
    "verdict": ("The answer", _verdict),
    "evidence": ("What it is made of", _evidence),
    "beside": ("Beside its prototypes", _beside),
    "nearest": ("Nearest known cases", _nearest),
    "moved": ("What moves it", _moved),
    "changes": ("Smallest changes", _changes),
    "model": ("The model", _model),
}
"""Name, heading and maker of each part, in the order of the report."""


def number_case_part(name: str, about: AboutNumberCase) -> ReportPart:
    """Make one part."""
    title, make = NUMBER_CASE_PARTS[name]
    return ReportPart(name, title, make(about))
