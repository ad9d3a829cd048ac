"""The parts of a report on a model: each a function from what is known to what is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from proset.common.frames import beside, with_index
from proset.explain.attribution.reference import choose_reference_point
from proset.explain.maps.agreement import map_agreement
from proset.explain.maps.map import BatchMap, batch_map
from proset.explain.sheets.model_facts import filled_words, limits, model_facts, quality_frame
from proset.explain.structure.densities import feature_densities
from proset.explain.structure.features import FeatureWeights, feature_weights
from proset.explain.words import kept_words
from proset.plots.batch_map import plot_batch_map
from proset.plots.confusion import plot_confusion
from proset.plots.densities import densities_words, plot_densities
from proset.plots.weight_picture import plot_weight_picture
from proset.plots.weights import plot_weights
from proset.report.document import Block, Facts, Picture, ReportPart, ReportTable, Words
from proset.report.importance import importance_blocks
from proset.report.quality_blocks import quality_blocks, spelled
from proset.report.slice_blocks import slice_blocks, slice_words
from proset.study.decision import DecisionRule, confusion
from proset.study.judging import judge_model
from proset.study.verdict_words import verdict_sentences

if TYPE_CHECKING:
    from proset.explain.slices.slice import Slice
    from proset.explain.study_only.stability_result import Stability
    from proset.study import Study

_MOST_PROTOTYPES = 20
_MAP_HEIGHT = 410  # pixels, so that it stands on the first page
_MOST_ERRORS = 20
_MOST_COLUMNS = 4  # of the table, beside what the model says


@dataclass(frozen=True, eq=False)
class ReportedModel:
    """Model that is reported, with its rule.

    Attributes
    ----------
    study : Study
        The model.
    rule : DecisionRule
        How cases are decided.
    stability : Stability or None
        If that was looked at.
    chosen : Slice or None
        Rows whose quality is stated beside that of all rows.
    """

    study: Study
    rule: DecisionRule
    stability: Stability | None = None
    chosen: Slice | None = None

    @property
    def wrong(self) -> bool:
        """True where a held-out row is classified wrongly."""
        judged = self.study.judged(self.rule)
        return bool((judged["wrong"] & (judged["part"] == "held_out")).any())


def _summary(about: ReportedModel) -> tuple[Block, ...]:
    """Say what the model is worth."""
    study = about.study
    verdict = judge_model(study, about.rule)
    said = "the most probable class" if about.rule.words == "most probable class" else about.rule.words
    own = () if about.chosen is None else (Words((slice_words(study, about.chosen, about.rule),)),)
    return (
        Words(verdict_sentences(verdict)),
        *own,
        Words(kept_words(study)),
        ReportTable(
            spelled(quality_frame(study, about.rule)),
            caption=f"This model itself, on the rows that were held out. Said of a case: {said}.",
        ),
    )


def _data(about: ReportedModel) -> tuple[Block, ...]:
    """Say what the model was learned from."""
    facts = model_facts(about.study)
    return (
        Facts(facts.data),
        ReportTable(with_index(facts.classes), shares=("share",), caption="Share: of the training rows."),
        Words((filled_words(about.study),)),
        Words(("What the columns are for:",)),
        Facts(facts.roles),
    )


def _settings(about: ReportedModel) -> tuple[Block, ...]:
    """Say how the model was made."""
    facts = model_facts(about.study)
    return (Facts(facts.settings), Facts(facts.made))


def _quality(about: ReportedModel) -> tuple[Block, ...]:
    """Show what is right and wrong, and the errors the model is surest of."""
    study = about.study
    judged = study.judged(about.rule)
    held_out = judged[judged["part"] == "held_out"]
    slices = () if about.chosen is None else slice_blocks(study, about.chosen, about.rule)
    if held_out.empty:
        return (Words(("No rows were held out.",)), *slices)
    verdict = judge_model(study, about.rule).table()
    shares = ("found share", "right when said")
    blocks: list[Block] = [
        Picture(
            plot_confusion(confusion(held_out, study.classes)),
            "Held-out rows by actual and predicted class.",
            "Rows: the actual class. Columns: what the model says.",
        ),
        ReportTable(
            with_index(verdict),
            shares=shares,
            caption="Found: of the rows of a class. Said: of any row. Held-out rows.",
        ),
    ]
    wrong = held_out[held_out["wrong"]].sort_values("confidence", ascending=False, kind="stable")
    if len(wrong):
        shown = wrong.head(_MOST_ERRORS)[["actual", "predicted", "confidence", "quantile"]]
        own = with_index(shown.rename(columns={"quantile": "familiarity"}))
        values = study.table.frame.loc[shown.index, _columns(study)]
        rest = "" if len(wrong) <= _MOST_ERRORS else f" The first {_MOST_ERRORS} of {len(wrong):,}."
        grid = beside(own, values, word="value")
        caption = f"Held-out rows that are classified wrongly, the most confident first.{rest}"
        blocks.append(ReportTable(grid, shares=("confidence", "familiarity"), caption=caption))
    else:
        blocks.append(Words(("No held-out row is classified wrongly.",)))
    return (*blocks, *slices, *quality_blocks(study, about.rule))


def _columns(study: Study) -> list[str]:
    """Return what says whose a row is, and the heaviest columns in use."""
    heaviest = feature_weights(study).weights.index[:_MOST_COLUMNS]
    return list(dict.fromkeys((*study.naming_columns, *heaviest)))


def _map(about: ReportedModel) -> tuple[Block, ...]:
    """Show the map of the first batch."""
    mapped = batch_map(about.study)
    mapping = mapped.judged(about.study.judged(about.rule))
    if mapping.points.empty:
        return (Words((mapping.message or "There is nothing to draw.",)),)
    reference = choose_reference_point(about.study)
    figure = plot_batch_map(mapping, reference=int(reference.index)).update_layout(height=_MAP_HEIGHT)
    note = str(figure.layout.meta or "")
    ring = "; a ring marks those classified wrongly" if about.wrong else ""
    said = (
        f"Large marks: prototypes. Small marks: held-out rows{ring}. The star is the"
        f" reference point, row {reference.index}: a typical row that others are compared with."
    )
    return (
        *map_warnings(mapped),
        Picture(figure, "Map of the held-out rows and the prototypes.", f"{said} {note}".strip()),
    )


def map_warnings(mapping: BatchMap) -> tuple[Block, ...]:
    """Say before a map what one should know who looks at it: the rows as the model sees them, under no rule."""
    agreement = map_agreement(mapping)
    said = [mapping.message or "", agreement.words if agreement is not None else ""]
    return tuple(Words((words,)) for words in said if words)


def _features(about: ReportedModel) -> tuple[Block, ...]:
    """Show what the model looks at, and what it does without."""
    study = about.study
    found = feature_weights(study)
    if found.weights.empty:
        return (Words(("The model uses no feature.",)), _dropped(found))
    pictures: list[Block] = []
    if found.grid is not None:
        pictures.append(
            Picture(plot_weight_picture(found), "The weights as a picture.", "Grey: pixels without weight.", width=460)
        )
    figure = plot_weights(found, levels=True)
    pictures.append(Picture(figure, "Feature weights as bars.", str(figure.layout.meta or "")))
    densities = plot_densities(feature_densities(study))
    said = f"{densities_words(densities)} {densities.layout.meta or ''}".strip()
    pictures.append(Picture(densities, "Distribution of the heaviest features within each class.", said))
    return (*pictures, _dropped(found), *importance_blocks(study))


def _dropped(found: FeatureWeights) -> Block:
    """Name the features without weight."""
    return Words(found.dropped_words or ("Every feature has a weight.",))


def _prototypes(about: ReportedModel) -> tuple[Block, ...]:
    """List the heaviest prototypes with their values."""
    study = about.study
    heaviest = study.prototypes.sort_values("weight", ascending=False, kind="stable").head(_MOST_PROTOTYPES)
    if heaviest.empty:
        return (Words(("The model has no prototypes.",)),)
    values = study.table.frame.loc[heaviest["row"], _columns(study)]
    total = len(study.prototypes)
    caption = "All prototypes." if total <= len(heaviest) else f"The heaviest {len(heaviest)} of {total:,} prototypes."
    return (ReportTable(beside(heaviest, values, word="value"), caption=caption),)


def _stability(about: ReportedModel) -> tuple[Block, ...]:
    """Say what holds under other seeds and splits."""
    found = about.stability
    if found is None:
        return (Words(("Whether this holds under other seeds and splits was not looked at.",)),)
    used = found.features[found.features["used"] | found.features["share"].gt(0)]
    return (
        Words(found.words),
        ReportTable(
            with_index(used), shares=("share",), caption="Share: of the refits that use the feature. Weights: range."
        ),
        ReportTable(with_index(found.refits), caption="The refits, each measured on the rows held out in it."),
    )


def _limits(about: ReportedModel) -> tuple[Block, ...]:
    """Say what the model cannot tell."""
    return (Words(limits(about.study), as_list=True),)


MODEL_PARTS: dict[str, tuple[str, Callable[[ReportedModel], tuple[Block, ...]]]] = {
    "summary": ("In short", _summary),
    "map": ("Map", _map),
    "quality": ("Quality", _quality),
    "features": ("Features", _features),
    "prototypes": ("Prototypes", _prototypes),
    "stability": ("Stability", _stability),
    "data": ("Data and roles", _data),
    "settings": ("Settings", _settings),
    "limits": ("Limits", _limits),
}
"""Name, heading and maker of each part, in the order of the report."""


def model_part(name: str, about: ReportedModel) -> ReportPart:
    """Make one part."""
    title, make = MODEL_PARTS[name]
    return ReportPart(name, title, make(about))
