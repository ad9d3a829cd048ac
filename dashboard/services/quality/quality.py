"""Lists of cases that the Quality page offers, and measures as text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseOrder, CaseSet, Filter, Part, Within, part_rows
from dashboard.services.params import EnumParam, Number
from proset.common.words import count_words, measure, percent
from proset.study.decision import confusion
from proset.study.guidance import GuidanceKind
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.explain.familiar.familiar_halves import FamiliarityHalves
    from proset.explain.judged.assessment import Quality
    from proset.study import Study
    from proset.study.intervals import Measured

MOST_CLASSES = 1000
_HALVES = {"overall": "all cases", "high": "more familiar half", "low": "less familiar half"}


class QualityFigure(StrEnum):
    """Figures of the page."""

    CONFUSION = "confusion"
    ROC = "roc"
    PRECISION_RECALL = "precision_recall"
    CALIBRATION = "calibration"
    FAMILIARITY = "familiarity"


SHOWN = EnumParam("show", QualityFigure.CONFUSION)
"""Figure that is shown; only this is drawn."""
CLASS = Number(
    "class", 0, of_model=True, bounds=Bounds(0, MOST_CLASSES, whole=True),
    most=lambda study: len(getattr(study, "classes", range(MOST_CLASSES))),
)  # fmt: skip
"""Whose probability calibration is about: 0 for the most probable class, else the number of a class, from 1."""


@dataclass(frozen=True)
class MeasureLine:
    """One measure as text.

    Attributes
    ----------
    label, value, interval, naive, help : str
        Name, number, its 95 % interval and the naive model's number (both may be empty), and one sentence.
    """

    label: str
    value: str
    interval: str
    naive: str
    help: str


def measure_lines(quality: Quality) -> list[MeasureLine]:
    """Return the measures of a model as text.

    Parameters
    ----------
    quality : Quality
        From :func:`proset.explain.quality`.

    Examples
    --------
    >>> from proset.explain import quality
    >>> from proset.study import fit_sample
    >>> [line.label for line in measure_lines(quality(fit_sample("iris_2f")))]
    ['Log-loss', 'ROC-AUC', 'Balanced accuracy', 'Accuracy']
    """
    verdict = quality.verdict
    present = sum(1 for entry in verdict.classes if entry.rows)
    return [
        MeasureLine(
            "Log-loss",
            measure(quality.log_loss.value),
            _interval(quality.log_loss, measure),
            measure(verdict.naive_log_loss),
            "Smaller is better, 0 is perfect. Estimates that are confident and wrong cost most.",
        ),
        MeasureLine(
            "ROC-AUC",
            measure(quality.roc_auc.value),
            _interval(quality.roc_auc, measure),
            "0.500",
            "How well the classes are ranked: 0.5 is guessing, 1 is perfect. Mean over all pairs of classes.",
        ),
        MeasureLine(
            "Balanced accuracy",
            percent(quality.balanced_accuracy.value),
            _interval(quality.balanced_accuracy, percent),
            percent(1.0 / present) if present else "",
            "Share of right answers, averaged over the classes so that rare ones count as much as common ones.",
        ),
        MeasureLine(
            "Accuracy",
            percent(quality.accuracy.value),
            _interval(quality.accuracy, percent),
            percent(verdict.naive_accuracy),
            "Share of right answers over all rows that are not left to a person.",
        ),
    ]


def _interval(measured: Measured, words: Callable[[float], str]) -> str:
    """Return both ends as text; nothing where there is no interval."""
    if np.isnan(measured.low):
        return ""
    return f"{words(measured.low)} to {words(measured.high)}"


def rows_words(quality: Quality, part: Part, within: Within | None = None) -> str:
    """Say on what the measures rest, and what to mind about it.

    Examples
    --------
    >>> from proset.explain import quality
    >>> from proset.study import fit_sample
    >>> rows_words(quality(fit_sample("iris_2f")), Part.HELD_OUT)
    'Measured on 45 held-out rows with a known class.'
    """
    what = {Part.HELD_OUT: "held-out row", Part.TRAIN: "training row", Part.ALL: "row"}[part]
    said = f"Measured on {count_words(quality.n_rows, what)} with a known class"
    said += "." if within is None else f", those in {within.words}."
    if quality.n_groups is not None:
        said += f" They belong to {count_words(quality.n_groups, 'group')}, and all intervals are by whole groups."
    if quality.n_left:
        said += f" {count_words(quality.n_left, 'is', 'are')} left to a person and not counted as right or wrong."
    if part is not Part.HELD_OUT:
        said += " The model has learned from training rows, so this does not say how good it is on new cases."
    return said


def relabelled_words(study: Study, part: Part, within: Within | None = None) -> str:
    """Say how many of the rows count with a class that the table does not state; nothing where none does.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
    >>> said = Guidance((GuidanceItem(GuidanceKind.RELABEL, row=1, label="virginica"),))
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), guidance=said)
    >>> relabelled_words(study, Part.TRAIN), relabelled_words(study, Part.HELD_OUT)
    ('1 of them counts with the class that people gave it and the model has learned.', '')
    """
    changed = study.guidance.rows_of(GuidanceKind.RELABEL)
    n = int(part_rows(study.judged(), part, within).index.isin(changed).sum())
    if not n:
        return ""
    count, them = count_words(n, "of them counts", "of them count"), "it" if n == 1 else "them"
    return f"{count} with the class that people gave {them} and the model has learned."


def halves_frame(halves: FamiliarityHalves) -> pd.DataFrame:
    """Return table 4.1 with its lines in words: all cases, the more and the less familiar half."""
    frame = halves.frame.loc[list(_HALVES)]
    # As everywhere: what is nearly 1 is not called 1.
    texts = {name: frame[name].map(measure).astype("str") for name in ("log_loss", "roc_auc")}
    return frame.assign(**texts).set_axis(pd.Index(_HALVES.values(), name="familiarity"), axis=0)


def halves_words(halves: FamiliarityHalves) -> str:
    """Say how often the more and the less familiar half of the cases are wrong, whatever is left to a person.

    Examples
    --------
    >>> from proset.explain import familiarity_halves
    >>> from proset.study import fit_sample
    >>> halves_words(familiarity_halves(fit_sample("iris_2f"))).count(" wrong")
    1
    """
    frame = halves.frame.loc[["high", "low"]]
    cases = [int(count) for count in frame["cases"]]
    if not all(cases):
        return "There are too few cases with a known class to divide them by familiarity."
    wrong = [round(count * (1.0 - share)) for count, share in zip(cases, frame["accuracy"].tolist(), strict=True)]
    said = f"{wrong[0]:,} of the {cases[0]:,} most familiar cases {'is' if wrong[0] == 1 else 'are'} decided wrong"
    return f"{said}, {wrong[1]:,} of the {cases[1]:,} others."


def part_index(judged: pd.DataFrame, part: Part, within: Within | None = None) -> np.ndarray:
    """Return the row ids of a part, or of a slice of it."""
    return part_rows(judged, part, within).index.to_numpy()


@dataclass(frozen=True)
class CountedCases:
    """A list of cases with the number of cases on it."""

    cases: CaseSet
    count: int


def offers(
    judged: pd.DataFrame, part: Part, classes: tuple[str, ...], within: Within | None = None
) -> list[CountedCases]:
    """Return the lists that a confusion matrix offers: all errors, each kind of error, what is left, what is right.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.

    Returns
    -------
    list of CountedCases
        The misclassified cases first, even if there are none; then the cells with cases off the diagonal, the largest
        first; then those left to a person; then the cells on the diagonal in the order of the classes.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = offers(study.judged(), Part.HELD_OUT, study.classes)
    >>> sum(offer.count for offer in found[1:]) == 45
    True
    """
    rows = part_rows(judged, part, within)
    counts = confusion(rows, classes).to_numpy()
    cells = [(i, j) for i, j in zip(*(places.tolist() for places in np.nonzero(counts)), strict=True)]
    wrong = sorted((cell for cell in cells if cell[0] != cell[1]), key=lambda cell: -counts[cell])
    found = [CountedCases(CaseSet(part, within=within), int(rows["wrong"].sum()))]
    found += [CountedCases(cell_set(part, classes[i], classes[j], within), int(counts[i, j])) for i, j in wrong]
    if rows["left"].any():
        found.append(
            CountedCases(CaseSet(part, Filter.LEFT, CaseOrder.UNFAMILIAR, within=within), int(rows["left"].sum()))
        )
    return found + [
        CountedCases(cell_set(part, classes[i], classes[j], within), int(counts[i, j])) for i, j in cells if i == j
    ]


def cell_set(part: Part, actual: str, predicted: str, within: Within | None = None) -> CaseSet:
    """Return the cases of a cell: errors with the most confident first, right ones with the least confident first.

    Examples
    --------
    >>> cell_set(Part.ALL, "cat", "dog").order_words, cell_set(Part.ALL, "cat", "cat").order_words
    ('most confident error first', 'least confident first')
    """
    order = CaseOrder.DOUBT if actual == predicted else CaseOrder.CONFIDENCE
    return CaseSet(part, Filter.ALL, order, actual=actual, predicted=predicted, within=within)
