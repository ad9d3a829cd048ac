"""The parts of a report on one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.frames import beside, with_index
from proset.common.words import count_words, percent
from proset.engine.evidence.tables import class_column
from proset.explain.map import batch_map
from proset.explain.model_facts import limits, model_facts, quality_frame
from proset.plots.batch_map import plot_batch_map
from proset.plots.contributions import plot_contributions
from proset.plots.neighbours import plot_images
from proset.report.document import Block, Facts, Grid, Part, Picture, Words
from proset.study.decision import DecisionRule

if TYPE_CHECKING:
    from proset.explain.case import CaseReport
    from proset.explain.stability_result import Stability
    from proset.study import Study

_MOST_LINES = 25


@dataclass(frozen=True, eq=False)
class AboutCase:
    """What a report on a case is made of.

    Attributes
    ----------
    study : Study
        The model.
    case : CaseReport
        The explained case.
    rule : DecisionRule
        How it is decided.
    stability : Stability or None
        If that was looked at.
    """

    study: Study
    case: CaseReport
    rule: DecisionRule
    stability: Stability | None = None


def _verdict(about: AboutCase) -> tuple[Block, ...]:
    """Say what the model says of the case, and how sure it is."""
    case = about.case
    shares = case.probabilities.rename("probability").rename_axis("class").reset_index()
    shares["estimate"] = shares["class"].eq(case.predicted)
    shares["actual"] = [name == case.actual for name in shares["class"]]
    lines = list(case.words)
    if about.stability is not None and case.row is not None:
        lines.append(about.stability.case_words(case.row))
    return (
        Words(tuple(filter(None, lines))),
        Grid(shares.sort_values("probability", ascending=False, kind="stable"), shares=("probability",)),
    )


def _evidence(about: AboutCase) -> tuple[Block, ...]:
    """Show what the estimate is made of."""
    case = about.case
    columns = ["sample name", "target", "prototype weight", "similarity", "impact"]
    shares = [class_column(name) for name in case.classes]
    report = case.report.iloc[1:]
    dominant = report["dominant set"].eq(1).fillna(False) & report["batch"].notna()
    top = report[columns + shares].assign(dominant=dominant.astype(bool)).head(_MOST_LINES)
    rest = report.iloc[_MOST_LINES:]
    left = float(rest[shares].to_numpy(dtype="float64").sum())
    more = f" {count_words(len(rest), 'more line')} add {percent(left)} together." if len(rest) else ""
    figure = plot_contributions(case)
    return (
        Picture(figure, "What the class shares and each prototype add to the estimate.", str(figure.layout.meta or "")),
        Grid(
            top,
            shares=tuple(shares),
            marked="dominant",
            caption="Tinted: the dominant set, the prototypes that settle which class comes first."
            f" The contributions add up to the estimate.{more}",
        ),
    )


def _beside(about: AboutCase) -> tuple[Block, ...]:
    """Show the case beside the prototypes that count most."""
    case = about.case
    if len(case.neighbours) < 2:
        return (Words(("The model has no prototypes.",)),)
    blocks: list[Block] = []
    if case.images:
        blocks.append(Picture(plot_images(case), "The case and its most influential prototypes as pictures."))
    # One line per column: a person compares down the lines, and paper is narrow.
    values = case.neighbours.astype(object).T.set_axis(range(case.neighbours.shape[0]), axis=1)
    names = pd.DataFrame({"column": case.neighbours.columns.astype(str)})
    lines = beside(names, values.set_axis(case.neighbours.index.astype(str), axis=1), word="case")
    facts = with_index(case.neighbour_facts[["row", "class", "similarity", "impact", "share"]])
    blocks += [
        Grid(facts, shares=("share",), caption="Share: of the whole estimate."),
        Grid(lines, caption="Original values in the columns that the model uses, the heaviest first."),
    ]
    return tuple(blocks)


def _map(about: AboutCase) -> tuple[Block, ...]:
    """Show where the case lies, the prototypes sized by their impact on it."""
    case = about.case
    mapping = batch_map(about.study)
    if mapping.points.empty or case.row is None:
        return (Words((mapping.message or "The map shows rows of the table only.",)),)
    figure = plot_batch_map(mapping, selected=case.row, impacts=case.impacts())
    figure.update_layout(height=520)
    note = str(figure.layout.meta or "")
    said = "The diamond is the case; the area of a prototype shows its impact on it."
    return (Picture(figure, "Map with the case and the impact of each prototype on it.", f"{said} {note}".strip()),)


def _model(about: AboutCase) -> tuple[Block, ...]:
    """Say which model this is and how good it is."""
    facts = model_facts(about.study)
    return (
        Grid(quality_frame(about.study, about.rule), caption="On rows that were held out."),
        Facts(facts.data),
        Facts(facts.settings),
        Facts(facts.made),
    )


def _limits(about: AboutCase) -> tuple[Block, ...]:
    """Say what the model cannot tell."""
    return (Words(limits(about.study), as_list=True),)


CASE_PARTS: dict[str, tuple[str, Callable[[AboutCase], tuple[Block, ...]]]] = {
    "verdict": ("What the model says", _verdict),
    "evidence": ("What the estimate is made of", _evidence),
    "beside": ("Beside its most influential prototypes", _beside),
    "map": ("On the map", _map),
    "model": ("The model", _model),
    "limits": ("Limits", _limits),
}
"""Name, heading and maker of each part, in the order of the report."""


def case_part(name: str, about: AboutCase) -> Part:
    """Make one part."""
    title, make = CASE_PARTS[name]
    return Part(name, title, make(about))
