"""The parts of a report on one case."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.frames import beside, with_index
from proset.common.words import count_words, leading, percent, plus_minus, shown
from proset.engine.evidence.tables import class_column
from proset.explain.maps.map import batch_map
from proset.explain.phrases import impact_change_words, impact_words, mean_of_batches, similarity_words
from proset.explain.sheets.model_facts import limits, model_facts, quality_frame
from proset.explain.structure.features import feature_weights
from proset.explain.words import prototype_names
from proset.plots.batch_map import plot_batch_map
from proset.plots.contributions import plot_contributions
from proset.plots.familiarity_attribution import plot_familiarity_attribution
from proset.plots.value_places import plot_value_places
from proset.plots.waterfall import plot_waterfall
from proset.plots.weights import plot_weights
from proset.report.cell_texts import cell_texts
from proset.report.document import Block, Facts, Picture, ReportPart, ReportTable, Words
from proset.report.model_parts import map_warnings
from proset.report.pictures import overlay_pictures, prototype_pictures
from proset.report.quality_blocks import spelled

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.explain.cases.case import CaseReport
    from proset.explain.cases.flips import Flip
    from proset.explain.evidence import Evidence
    from proset.explain.study_only.stability_result import Stability
    from proset.study import Study

_MOST_LINES = 25
_MOST_VALUES = 4  # columns of the table beside the similarities
_MOST_CLASSES = 5


@dataclass(frozen=True, eq=False)
class AboutCase:
    """A case to report on.

    Attributes
    ----------
    evidence : Evidence
        Everything on the case of a study; each part of the report asks for what it needs.
    stability : Stability or None
        If that was looked at.
    """

    evidence: Evidence
    stability: Stability | None = None

    @property
    def study(self) -> Study:
        """The model."""
        return self.evidence.study

    @property
    def case(self) -> CaseReport:
        """The estimate with prototypes and sums."""
        return self.evidence.report


def _verdict(about: AboutCase) -> tuple[Block, ...]:
    """Say what the model says of the case, and how sure it is."""
    case = about.case
    shares = case.probabilities.rename("probability").rename_axis("class").reset_index()
    shares["estimate"] = shares["class"].eq(case.predicted)
    if case.actual is not None:  # of a new row nobody knows, and "no" in every line would deny all classes
        shares["actual"] = [name == case.actual for name in shares["class"]]
    lines = list(case.words)
    lines += about.evidence.contradictions.words
    if about.stability is not None and case.row is not None:
        lines.append(about.stability.case_words(case.row))
    return (
        Words(tuple(filter(None, lines))),
        ReportTable(shares.sort_values("probability", ascending=False, kind="stable"), shares=("probability",)),
    )


def _evidence(about: AboutCase) -> tuple[Block, ...]:
    """Show what the estimate is made of: every line counts for one class only."""
    case = about.case
    shares = [class_column(name) for name in case.classes]
    report = case.report.iloc[1:]
    adds = report[shares].sum(axis=1)
    lines = pd.DataFrame(
        {
            "what counts": prototype_names(report).where(report["batch"].notna(), "class share"),
            "class": report["target"],
            "weight": report["prototype weight"],
            "similarity": _similar(report["similarity"].where(report["batch"].notna())),
            "impact": report["impact"],
            "adds": adds,
            "dominant": (report["dominant set"].eq(1).fillna(False) & report["batch"].notna()).astype(bool),
        }
    )
    rest = adds.iloc[_MOST_LINES:]
    more = f" {count_words(len(rest), 'more line')} add {percent(float(rest.sum()))} together." if len(rest) else ""
    figure = plot_contributions(case)
    return (
        Picture(figure, "What the class shares and each prototype add to the estimate.", _note("", figure)),
        ReportTable(
            lines.head(_MOST_LINES),
            shares=("adds",),
            marked="dominant",
            caption="Tinted: the dominant set, the prototypes of most impact that settle which class comes first,"
            " those of other classes among them. Each line adds to the probability of its class; all lines together"
            f" are 100 %.{more}",
        ),
    )


def _beside(about: AboutCase) -> tuple[Block, ...]:
    """Show the case beside the prototypes that count most."""
    case = about.case
    if len(case.neighbours) < 2:
        return (Words(("The model has no prototypes.",)),)
    blocks: list[Block] = [*prototype_pictures(about.evidence)]
    facts = with_index(case.neighbour_facts[["row", "class", "similarity", "impact", "share"]])
    facts["similarity"] = _similar(facts["similarity"])
    blocks.append(ReportTable(facts, shares=("share",), caption="Share: of the whole estimate."))
    if not case.images:  # else the pictures say more than the numbers of their pixels
        blocks.append(_values_beside(case))
    return tuple(blocks)


def _values_beside(case: CaseReport) -> Block:
    """Return the values of the case and its prototypes, one line per column: paper is narrow."""
    values = case.neighbours.apply(cell_texts).T
    names = pd.DataFrame({"column": case.neighbours.columns.astype(str)})
    lines = beside(names, values.set_axis(case.neighbours.index.astype(str), axis=1), word="case")
    return ReportTable(lines, caption="Original values in the columns that the model uses, the heaviest first.")


def _nearest(about: AboutCase) -> tuple[Block, ...]:
    """List the nearest known cases of each class."""
    if not about.study.used_columns:
        return (Words((*about.case.standing.sentences, "The model uses no column: all known cases are alike to it.")),)
    found = about.evidence.nearest
    similar = found.frame[["similarity", "similarity_all"]].apply(_similar)
    lines = (
        found.frame[["class", "name"]]
        .join(similar)
        .assign(prototype=found.frame["prototype"])
        .rename(columns={"similarity_all": "similarity, all features", "prototype": "is a prototype"})
    )
    if not lines["is a prototype"].any():
        lines = lines.drop(columns="is a prototype")
    own = f"in the model's own metric{mean_of_batches(about.study)}"
    said = f"Training rows most like the case: {own}, and in one in which every feature counts."
    grid = beside(lines, found.values.iloc[:, :_MOST_VALUES], word="value")
    return (Words(about.case.standing.sentences), ReportTable(grid, caption=said))


def _values(about: AboutCase) -> tuple[Block, ...]:
    """Say where each value lies among those of each class."""
    places = about.evidence.places
    beyond = ["outside"] if (places.frame["outside"] != "").any() else []
    own = places.frame[["column", "value", *beyond]].reset_index(drop=True)
    shares = places.places.iloc[:, _most_probable(about)].reset_index(drop=True)
    grid = beside(own, shares, word="class").head(_MOST_LINES)
    named = tuple(str(name) for name in grid.columns[own.shape[1] :])
    rest = f" The {_MOST_LINES} heaviest of {len(own):,} columns." if len(own) > _MOST_LINES else ""
    figure = plot_value_places(places)
    said = (
        "The case's values over those of each class: from the 5th to the 95th percentile, thick between the quartiles."
    )
    return (
        Picture(figure, "Each value of the case over the values of each class.", _note(said, figure)),
        ReportTable(
            grid,
            shares=named,
            caption="Share of the class's training rows with a smaller value, equal ones counted half; of a category,"
            f" share with the same one.{rest}",
        ),
    )


def _shap(about: AboutCase) -> tuple[Block, ...]:
    """Say what each column adds to the estimates, compared with the reference."""
    found = about.evidence
    frame = found.shap_frame()
    how = (
        "The values are exact."
        if found.shap.exact.all()
        else "The values are estimated along random orders of the columns, with standard errors of up to "
        f"{max(100.0 * found.shap.standard_error.max(initial=0.0), 0.01):.2g} percentage points; their sum is exact."
    )
    lines = frame if len(frame) <= _MOST_LINES else pd.concat([frame.head(_MOST_LINES - 1), frame.tail(1)])
    lines = lines.iloc[:, [0, *(1 + place for place in _most_probable(about))]]
    # As in the picture: shares at both ends, and what lies between in percentage points.
    adds = lines.iloc[1:-1, 1:].map(lambda share: plus_minus(100.0 * share, 1))
    ends = lines.iloc[[0, -1], 1:].map(percent)
    lines = lines.iloc[:, :1].join(pd.concat([ends.head(1), adds, ends.tail(1)]))
    rest = f" {len(frame) - len(lines):,} columns that add less are left out." if len(lines) < len(frame) else ""
    steps = found.shap.steps(found.shap.index[0], about.case.predicted)
    figure = plot_waterfall(steps, found.shap.classes, cells=found.cells)
    return (
        Picture(
            figure,
            f"From the estimate of the reference to that of the case, column by column, for {about.case.predicted}.",
            _note(f"For '{shown(about.case.predicted)}', compared with row {found.reference.index}.", figure),
        ),
        *overlay_pictures(found),
        ReportTable(
            lines,
            caption="SHAP values: how many percentage points each column adds to the probability of a class on the way"
            f" from the reference, a typical row, to the case. {how}{rest}",
        ),
    )


def _similar(values: pd.Series) -> pd.Series:
    """Return similarities as pages write them; that of the case to itself is left out."""
    return (
        values.map(lambda value: similarity_words(float(value)), na_action="ignore")
        .astype("str")
        .where(values.notna(), "")
    )


def _most_probable(about: AboutCase) -> list[int]:
    """Return the places of the classes that a narrow table has room for: the most probable ones, in their order."""
    order = np.argsort(-about.case.probabilities.to_numpy(), kind="stable")
    return sorted(order[:_MOST_CLASSES].tolist())


def _familiar(about: AboutCase) -> tuple[Block, ...]:
    """Say which columns make the case more or less familiar than the reference."""
    found, frame = about.evidence, about.evidence.familiarity_frame()
    start, *changes, end = (float(impact) for impact in frame["adds"])
    added = [impact_change_words(change, max(start, end, *map(abs, changes))) for change in changes]
    frame["adds"] = [impact_words(start), *added, impact_words(end)]  # as in the picture
    lines = frame if len(frame) <= _MOST_LINES else pd.concat([frame.head(_MOST_LINES - 1), frame.tail(1)])
    figure = plot_familiarity_attribution(found.familiarity, found.familiarity.index[0], cells=found.cells)
    return (
        Picture(
            figure,
            "From the familiarity of the reference to that of the case, column by column.",
            _note(f"Compared with row {found.reference.index}.", figure),
        ),
        ReportTable(
            lines,
            caption="Familiarity is the total impact of all prototypes. What takes away from it makes the case less"
            " familiar than the reference. The values are exact.",
        ),
    )


def _change(about: AboutCase) -> tuple[Block, ...]:
    """Say which single change would flip the answer."""
    found = about.evidence.flip
    if not found.flips:
        return (Words((found.words,)),)
    lines = [
        (flip.feature, *flip.texts, flip.size, _then(flip), leading(flip.probability), flip.quantile)
        for flip in found.flips[:_MOST_LINES]
    ]
    headings = ["column", "here", "instead", "standard deviations", "is then said", "probability", "familiarity"]
    grid = pd.DataFrame(lines, columns=headings).astype({"standard deviations": float})
    caption = "One change at a time, all other values as they are; the nearest of each column that flips the answer."
    return (Words((found.words,)), ReportTable(grid, shares=("familiarity",), caption=caption))


def _then(flip: Flip) -> str:
    """Return what is said after a change, or what the rule leans to where it leaves the case to a person."""
    return f"{flip.predicted} (left to a person)" if flip.left else flip.predicted


def _map(about: AboutCase) -> tuple[Block, ...]:
    """Show where the case lies, the prototypes sized by their impact on it."""
    case = about.case
    mapped = batch_map(about.study)
    mapping = mapped.judged(about.study.judged(about.evidence.rule))
    if mapping.points.empty or case.row is None:
        return (Words((mapping.message or "The map shows rows of the table only.",)),)
    reference = int(about.evidence.reference.index)
    figure = plot_batch_map(mapping, selected=case.row, impacts=case.impacts(), reference=reference)
    said = "The diamond is the case, the star the reference; the area of a prototype shows its impact on the case."
    picture = Picture(figure, "Map with the case and the impact of each prototype on it.", _note(said, figure))
    return (*map_warnings(mapped), picture)


def _model(about: AboutCase) -> tuple[Block, ...]:
    """Say which model this is and how good it is."""
    facts = model_facts(about.study)
    figure = plot_weights(feature_weights(about.study))
    return (
        ReportTable(spelled(quality_frame(about.study, about.evidence.rule)), caption="On rows that were held out."),
        Picture(figure, "Feature weights as bars.", _note("What the model looks at.", figure)),
        Facts(facts.data),
        Facts(facts.roles),
        Facts(facts.settings),
        Facts(facts.made),
    )


def _limits(about: AboutCase) -> tuple[Block, ...]:
    """Say what the model cannot tell."""
    return (Words(limits(about.study), as_list=True),)


def _note(said: str, figure: go.Figure) -> str:
    """Return what to know about a figure, with what it leaves out."""
    return " ".join(filter(None, (said, figure.layout.meta)))


CASE_PARTS: dict[str, tuple[str, Callable[[AboutCase], tuple[Block, ...]]]] = {
    "verdict": ("Verdict", _verdict),
    "evidence": ("Sum", _evidence),
    "beside": ("Prototypes", _beside),
    "nearest": ("Nearest cases", _nearest),
    "values": ("Values", _values),
    "shap": ("SHAP values", _shap),
    "familiarity": ("Familiarity", _familiar),
    "change": ("What would change it", _change),
    "map": ("Map", _map),
    "model": ("Model", _model),
    "limits": ("Limits", _limits),
}
"""Name, heading and maker of each part, in the order of the report."""


def case_part(name: str, about: AboutCase) -> ReportPart:
    """Make one part."""
    title, make = CASE_PARTS[name]
    return ReportPart(name, title, make(about))
