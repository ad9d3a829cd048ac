"""Everything that the Case page of a number says of one case, computed when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.case.case import SOURCE_WORDS, part_words
from dashboard.services.case.verdict import Chip
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.exports import file_stem
from proset import explain
from proset.common.lazy import lazy_property
from proset.common.words import count_words, number, percent
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.evidence import Keep, compute_now
from proset.explain.numbers.answers import NumberAnswer
from proset.explain.numbers.contrasts import to_width
from proset.explain.phrases import FEW, MOSTLY_MARGINAL, UNLIKE, mean_of_batches, similarity_words
from proset.study.guidance import GuidanceKind
from proset.study.new_rows import row_notes

if TYPE_CHECKING:
    from proset.explain.cases.value_range import ValueRange
    from proset.explain.numbers.number_moves import NumberMoves
    from proset.explain.numbers.number_neighbours import NumberNeighbours
    from proset.explain.numbers.number_shapley import Functional, NumberShap
    from proset.study import NumberStudy

N_VOICES, N_NEAREST = 5, 10


class NumberEvidence:
    """Evidence for the answer for one case.

    Parameters
    ----------
    study : NumberStudy
        Whose case it is.
    ref : CaseRef
        Which.
    others : mapping of CaseSource to DataFrame, or None
        Rows of other sources than the table.
    keep : callable
        Keeps what is computed for rows of the table.

    Raises
    ------
    StudyError
        If there is no such case.
    """

    def __init__(
        self,
        study: NumberStudy,
        ref: CaseRef,
        others: Mapping[CaseSource, pd.DataFrame] | None = None,
        keep: Keep = compute_now,
    ) -> None:
        self._study, self.ref, self._keep = study, ref, keep
        self.case = ref.open(study, others)

    @property
    def study(self) -> NumberStudy:
        """Whose case it is."""
        return self._study

    @lazy_property
    def answer(self) -> NumberAnswer:
        """The answer, taken apart."""
        return self._keep(
            "number answer", lambda: explain.number_answer(self.study, self.case, n_shown=N_VOICES), self.case
        )

    @lazy_property
    def nearest(self) -> NumberNeighbours:
        """The nearest known cases."""
        return self._keep(
            "number neighbours",
            lambda: explain.number_neighbours(self.study, self.case, n_cases=N_NEAREST),
            self.case,
        )

    @lazy_property
    def ranges(self) -> Mapping[str, ValueRange]:
        """Values that each column in use takes."""
        return self._keep("number ranges", lambda: explain.number_ranges(self.study))

    def shap(self, reference: int, functional: Functional, at: float | None = None) -> NumberShap:
        """Return what moves the answer between a row and the case."""
        return self._keep(
            "number shap",
            lambda: explain.number_shap(self.study, self.case, reference, functional=functional, at=at),
            self.case,
            reference,
            functional,
            at,
        )

    def moves(self, by: float) -> NumberMoves:
        """Return the smallest changes of one column that move the median by an amount."""
        return self._keep("number moves", lambda: explain.number_moves(self.study, self.case, by), self.case, by)

    @lazy_property
    def quantile(self) -> float:
        """Share of the held-out rows that are at most as familiar."""
        return float(familiarity_quantile([self.answer.familiarity], self.study.reference)[0])

    @property
    def part(self) -> str | None:
        """Part of the split that a row of the table is in; None for other cases."""
        return None if self.case.row is None else str(self.study.predictions["part"].loc[self.case.row])

    @property
    def stem(self) -> str:
        """The beginning of the names of its files."""
        return file_stem(self.study.table.name, self.ref.label.lower().replace(" ", "-"))


@dataclass(frozen=True)
class NumberVerdict:
    """Words above a case.

    Attributes
    ----------
    name, part : str
        What the case is called, and what it is.
    said : str
        The answer.
    stated : str
        What its row states; empty where it states nothing.
    mark : str
        Where that lies.
    notes : tuple of str
        Sentences.
    chips : tuple of Chip
        Facts as short as can be.
    """

    name: str
    part: str
    said: str
    stated: str
    mark: str
    notes: tuple[str, ...]
    chips: tuple[Chip, ...]


def number_verdict(found: NumberEvidence) -> NumberVerdict:
    """Return what stands above a case."""
    answer, name = found.answer, found.ref.label
    if found.case.row is not None and found.case.name != f"row {found.case.row}":
        name = f"{name} ({found.case.name})"
    stated, mark = "", "no number to compare with"
    if answer.stated is not None:
        whose = "the table" if found.case.row is not None else "its row"
        stated = f"; {whose} states {to_width(answer.stated, answer.width, digits=4)}"
        mark = _where(answer)
    part = SOURCE_WORDS.get(found.ref.source) or part_words(
        str(found.part),
        labelled=answer.stated is not None,
        left_out=found.case.row in found.study.guidance.rows_of(GuidanceKind.LEAVE_OUT),
    )
    return NumberVerdict(name, part, answer_words(answer), stated, mark, _notes(found), _chips(found))


def case_words(found: NumberEvidence) -> str:
    """Say what a case is, what the model says of it and what its row states, in one sentence."""
    verdict = number_verdict(found)
    return f"{verdict.name}, {verdict.part}: {verdict.said}{verdict.stated}, {verdict.mark}."


def answer_words(answer: NumberAnswer) -> str:
    """Say an answer: ``about 58.2, 90 % between 45.1 and 72.3``."""
    middle, lower, upper = (to_width(value, answer.width) for value in (answer.median, answer.lower, answer.upper))
    return f"about {middle}, {answer.coverage_words} between {lower} and {upper}"


def _where(answer: NumberAnswer) -> str:
    """Say where the stated number lies."""
    assert answer.stated is not None
    if answer.stated > answer.upper:
        return "above the interval"
    return "below the interval" if answer.stated < answer.lower else "inside the interval"


def _notes(found: NumberEvidence) -> tuple[str, ...]:
    """Return what has to be known, as sentences."""
    near, case = found.nearest.frame, found.case
    notes = list(filter(None, [found.answer.beyond_words]))
    if len(near):
        width = found.answer.width
        ends = [to_width(float(value), width, digits=4) for value in (near["target"].min(), near["target"].max())]
        between = f"all have {ends[0]}" if ends[0] == ends[1] else f"have from {ends[0]} to {ends[1]}"
        notes.append(f"The {count_words(len(near), 'known case')} nearest to it {between}.")
    elif not found.study.used_columns:
        notes.append("The model uses no column: it says of every case what it says of everybody.")
    if found.part == "train":
        learned = _learned_as(found)
        seen = f"has learned it as {learned}, as was asked" if learned else "has seen its number"
        notes.append(f"The model was fitted to this row, so it {seen}.")
    if note := str(row_notes(found.study.design, case.encoded, case.frame, only=found.study.used_columns).iloc[0]):
        notes.append(f"Something had to be assumed about this case: {note}.")
    return tuple(notes)


def _learned_as(found: NumberEvidence) -> str:
    """Return the number that the row of a case was learned with in place of its own; empty where it is its own."""
    study, row = found.study, found.case.row
    if row is None or row not in study.guidance.rows_of(GuidanceKind.RELABEL):
        return ""
    return to_width(float(study.targets.loc[row]), found.answer.width, digits=4)


def _chips(found: NumberEvidence) -> tuple[Chip, ...]:
    """Return familiarity, the nearest known case, who holds the median, what everybody says."""
    answer, share = found.answer, found.quantile
    among = "held-out rows" if len(found.study.split.held_out) else "training rows"
    familiar = f"at least as familiar as {percent(share)} of {among}" if share else f"less familiar than all {among}"
    told = (
        "Familiarity is how much the prototypes have to say about such a case: the sum of their similarities, weighted."
    )
    chips = [Chip(familiar, told, share < FEW)]
    for line in found.nearest.frame.head(1).to_dict("records"):
        similarity = float(line["similarity"])
        target = to_width(float(line["target"]), answer.width, digits=4)
        name = found.study.short_name(str(line["name"]), int(line["row"]))
        text = f"nearest known case: {name}, {target}, similarity "
        text += similarity_words(similarity) + mean_of_batches(found.study)
        chips.append(Chip(text, "A training row, whether it is a prototype or not.", similarity < UNLIKE))
    if len(answer.prototypes):
        held = int(answer.prototypes["dominant"].sum())
        moved = number(float(f"{answer.moved:.2g}"))
        hold = "holds" if held == 1 else "hold"
        text = f"{held:,} of {count_words(len(answer.prototypes), 'prototype')} {hold} the median"
        told = f"Whatever became of all others, the median would stay within {moved}."
        if not held:
            text = "the median hangs on no prototype"
            told = f"Whatever became of all of them, the median would stay within {moved}."
        chips.append(Chip(text, told))
    if answer.everybody > MOSTLY_MARGINAL:
        told = "The distribution of all training rows, which takes the place of prototypes that are like the case."
        chips.append(Chip(f"{percent(answer.everybody)} of the answer is what everybody says", told, True))
    return tuple(chips)
