"""A case at a glance: a few facts, each a name, a value and a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from proset.common.words import count_words, percent
from proset.explain.phrases import ALIKE, FEW, MOSTLY_MARGINAL, similarity_words

if TYPE_CHECKING:
    from dashboard.services.case.case import Headline
    from proset.explain.cases.case import CaseReport


@dataclass(frozen=True)
class Fact:
    """One thing to know about a case.

    Attributes
    ----------
    name, value, note : str
        What it is, what holds, and what to know about it.
    mark, colour : str
        A word to stand out, and its colour; empty if there is none.
    """

    name: str
    value: str
    note: str = ""
    mark: str = ""
    colour: str = ""


def facts(lines: Headline, report: CaseReport) -> tuple[Fact, ...]:
    """Return what stands above a case: the estimate, whether it is right, how familiar and near it is, what decides.

    Parameters
    ----------
    lines : Headline
        The case in short.
    report : CaseReport
        The case explained.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> found = CaseEvidence(study, CaseRef.in_table(71))
    >>> [fact.name for fact in facts(found.headline, found.report)]
    ['Estimate', 'Actual class', 'Familiarity', 'Nearest known case', 'What decides']
    """
    prototypes, _, known = report.standing.short.partition("; ")
    where, near = report.where, report.where.novelty
    # The words warn of either; the mark stands where the reason is.
    doubtful = report.quantile < FEW or _marginal_share(report) > MOSTLY_MARGINAL
    unusual = bool(near.quantile[0] < FEW and near.similarity[0] < ALIKE) or bool(near.quantile_all[0] < FEW)
    return (
        Fact("Estimate", f"{lines.predicted}, {percent(lines.confidence)}", _second(lines, report)),
        _actual(lines),
        Fact("Familiarity", percent(lines.quantile), prototypes, *_look_twice(report.standing.warning and doubtful)),
        Fact(
            "Nearest known case",
            f"similarity {similarity_words(float(near.similarity[0]))}" if near.n_known else "none",
            f"{known}; {_as_far(float(near.quantile[0]), where.among)}" if near.n_known else known,
            *_look_twice(report.standing.warning and (unusual or not doubtful)),
        ),
        _decides(report),
    )


def _as_far(quantile: float, among: str) -> str:
    """Say how many rows are at least as far from every known case."""
    if quantile <= 0.0:
        return f"none of the {among} is as far"
    return f"{percent(quantile)} of the {among} are at least as far"


def _second(lines: Headline, report: CaseReport) -> str:
    """Say which class comes next, or before where the rule does not say the most probable one."""
    ranked = report.probabilities.sort_values(ascending=False, kind="stable")
    if ranked.index[0] != lines.predicted:
        return f"by the decision rule; {ranked.index[0]} has {percent(float(ranked.iloc[0]))}"
    others = [name for name in ranked.index if name != lines.predicted]
    return f"then {others[0]} with {percent(float(ranked[others[0]]))}" if others else ""


def _actual(lines: Headline) -> Fact:
    """Say what the table says, and whether the model says the same."""
    value = "not known" if lines.actual is None else lines.actual
    if lines.left:
        return Fact("Actual class", value, lines.part, "left to a person", "gray")
    if lines.correct is None:
        return Fact("Actual class", value, lines.part)
    return Fact("Actual class", value, lines.part, *(("right", "green") if lines.correct else ("misclassified", "red")))


def _look_twice(doubt: bool) -> tuple[str, str]:
    """Return the mark of a fact that is a reason for doubt."""
    return ("look twice", "orange") if doubt else ("", "")


def _marginal_share(report: CaseReport) -> float:
    """Return the part of the estimate that is only the class shares."""
    return 1.0 / (1.0 + report.familiarity)


def _decides(report: CaseReport) -> Fact:
    """Say what decides which class comes first."""
    prototypes = report.prototypes
    marginal = _marginal_share(report)
    if prototypes.empty or marginal > MOSTLY_MARGINAL:
        return Fact(
            "What decides", "the class shares", f"prototypes add only {percent(1.0 - marginal)} of the estimate"
        )
    dominant = int(prototypes["dominant set"].eq(1).sum())
    if not dominant:
        return Fact("What decides", "nothing", "the two leading classes are level")
    return Fact(
        "What decides",
        f"{dominant:,} of {count_words(len(prototypes), 'prototype')}",
        "whatever the others say, the same class comes first",
    )
