"""The verdict on a case in one sentence, what follows from it in another, and a few facts as short as can be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from proset.common.words import count_words, percent
from proset.explain.cases.unused import COMMON, RARE
from proset.explain.phrases import ALIKE, FEW, MOSTLY_MARGINAL, UNLIKE, mean_of_batches, similarity_words

if TYPE_CHECKING:
    from dashboard.services.case.case import Headline
    from dashboard.services.case.selected import CaseEvidence
    from proset.explain.cases.case import CaseReport
    from proset.explain.cases.contradictions import Contradictions


@dataclass(frozen=True)
class Chip:
    """A fact in a few words.

    Attributes
    ----------
    text, help : str
        What holds, and what that means.
    doubt : bool
        Whether it is a reason to look twice.
    """

    text: str
    help: str
    doubt: bool = False


@dataclass(frozen=True)
class CaseVerdict:
    """Verdict on a case.

    Attributes
    ----------
    lines : Headline
        The case in short.
    mark : str
        "wrong", "right", "left to a person" or "no class to compare with".
    notes : tuple of str
        What the known cases and the unused columns say, and what had to be assumed, as sentences.
    chips : tuple of Chip
        Familiarity, the nearest known case, what its neighbours are, unused columns, what decides.
    """

    lines: Headline
    mark: str
    notes: tuple[str, ...]
    chips: tuple[Chip, ...]


def verdict(evidence: CaseEvidence) -> CaseVerdict:
    """Return what stands above a case.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cancer")
    >>> found = verdict(CaseEvidence(study, CaseRef.in_table(298)))
    >>> found.mark, found.notes[0], found.chips[3].text
    ('wrong', "All 20 known cases nearest to it are 'benign'.", 'unused columns that clearly contradict: 3')
    """
    lines, report, against = evidence.headline, evidence.report, evidence.contradictions
    nearest = nearest_sentence(against)
    notes = [nearest, *(against.further_words if nearest else against.words)]
    if report.note:
        notes.append(f"Something had to be assumed about this case: {report.note}.")
    mark = "left to a person" if lines.left else "no class to compare with"
    if lines.correct is not None:
        mark = "right" if lines.correct else "wrong"
    chips = (_familiarity(report), _nearest(evidence), _neighbours(against), _unused(against), _decides(report))
    return CaseVerdict(lines, mark, tuple(filter(None, notes)), tuple(chip for chip in chips if chip))


def nearest_sentence(against: Contradictions) -> str:
    """Say of which classes the nearest known cases are."""
    counts = against.nearest["by_model"]
    total, alike = int(counts.sum()), against.alike
    there = counts[counts > 0].sort_values(ascending=False, kind="stable")
    if not total:
        return ""
    far = f", though {f'only {alike:,}' if alike else 'none'} of them {'is' if alike < 2 else 'are'} anything like it"
    far = f"{far} (similarity of at least {UNLIKE})" if alike < total else ""
    if len(there) == 1:
        return f"All {total:,} known cases nearest to it are '{there.index[0]}'{far}."
    *parts, last = (f"{count:,} {'is' if count == 1 else 'are'} '{name}'" for name, count in there.head(3).items())
    of_many = f"{', '.join(parts)}, {last}, other classes fewer" if len(there) > 3 else f"{', '.join(parts)} and {last}"
    return f"Of the {total:,} known cases nearest to it, {of_many}{far}."


def _familiarity(report: CaseReport) -> Chip:
    """Say how familiar the case is."""
    if report.prototypes.empty:  # all rows are equally familiar, which says nothing
        return Chip("no prototype speaks for it", report.standing.prototypes, doubt=True)
    among = report.where.among
    share = percent(report.quantile)
    return Chip(
        f"at least as familiar as {share} of {among}" if report.quantile else f"less familiar than all {among}",
        report.standing.prototypes,
        report.standing.warning and _says_little(report),
    )


def _nearest(evidence: CaseEvidence) -> Chip | None:
    """Name the nearest known case."""
    report, near = evidence.report, evidence.report.where.novelty
    if not near.n_known or not evidence.study.used_columns:
        return None
    row = int(near.nearest[0])
    label = evidence.study.labels.loc[row]
    far, odd = bool(near.quantile[0] < FEW and near.similarity[0] < ALIKE), bool(near.quantile_all[0] < FEW)
    share, among = percent(float(near.quantile_all[0])), report.where.among
    nearer = f"nearer than only {share} of {among}" if near.quantile_all[0] else f"farther off than all {among}"
    elsewhere = f"; in all columns {nearer}" if odd and not far else ""
    name = evidence.study.short_name(evidence.study.names_of(evidence.study.table.frame.loc[[row]])[0], row)
    similarity = similarity_words(float(near.similarity[0])) + mean_of_batches(evidence.study)
    return Chip(
        f"{_who(evidence)}: {name}, {label}, similarity {similarity}{elsewhere}",
        report.standing.known,
        report.standing.warning and (far or odd or not _says_little(report)),
    )


def _who(evidence: CaseEvidence) -> str:
    """Say which known case is the nearest: a new row that stands in the table is measured beside all others."""
    if evidence.case.row is None:
        near, first = evidence.report.where.novelty, evidence.nearest.frame.nlargest(1, "similarity").iloc[0]
        if first["row"] != near.nearest[0] and first["similarity"] > near.similarity[0]:  # the lists begin with it
            return f"the same as {evidence.study.short_name(first['name'], int(first['row']))}; nearest other"
    return "nearest known case"


def _neighbours(against: Contradictions) -> Chip | None:
    """Say how many of the nearest known cases are of the class that is said, in both metrics."""
    found, contradicts = [], False
    for metric, what in (("by_model", "nearest known cases"), ("by_columns", "nearest in all columns")):
        counts = against.nearest[metric]
        if total := int(counts.sum()):
            found.append(f"{int(counts[against.said]):,} of the {total:,} {what}")
            contradicts = contradicts or bool(counts[against.said] < counts.max())
    if not found:
        return None
    told = (
        "Known cases of the class that is said among the nearest, in the columns that the model uses and in all "
        "columns, used or not. Cases as far as the last one count as well."
    )
    return Chip(f"{against.said}: {', '.join(found)}", told, contradicts)


def _unused(against: Contradictions) -> Chip | None:
    """Say how many unused columns contradict."""
    count = len(against.contradicting)
    if against.columns.empty:
        return None
    rule = contradiction_rule(against.said, against.other)
    told = f"{rule} At least as many contradict {percent(against.as_many)} of the known '{against.said}' cases."
    nothing = f"{rule} Of {count_words(len(against.columns), 'column')} that the model does not use, none does."
    return Chip(
        f"unused columns that clearly contradict: {count or 'none'}", told if count else nothing, against.unusual
    )


def contradiction_rule(said: str, other: str) -> str:
    """Say when a value contradicts.

    Examples
    --------
    >>> contradiction_rule("no", "yes").partition(";")[0]
    "Fewer than 5 % of the known 'no' cases lie as far from their middle, or have this level"
    """
    return (
        f"Fewer than {100 * RARE:g} % of the known '{said}' cases lie as far from their middle, or have this level; of"
        f" the '{other}' ones at least {100 * COMMON:g} % do."
    )


def _says_little(report: CaseReport) -> bool:
    """Tell whether prototypes say little of the case; else a warning is about the known cases."""
    return bool(report.quantile < FEW or report.where.marginal_share[0] > MOSTLY_MARGINAL)


def _decides(report: CaseReport) -> Chip:
    """Say what decides which class comes first."""
    prototypes = report.prototypes
    if prototypes.empty or report.shares_decide:
        added = percent(1.0 - float(report.where.marginal_share[0]))
        told = f"Whatever all prototypes say, the same class comes first: they add {added} of the estimate."
        return Chip("the class shares decide", told, bool(len(prototypes)))
    dominant = int(prototypes["dominant set"].eq(1).sum())
    if not dominant:
        return Chip("the two leading classes are level", "No group of prototypes decides which class comes first.")
    decide = "decides" if dominant == 1 else "decide"
    return Chip(
        f"{dominant:,} of {count_words(len(prototypes), 'prototype')} {decide}",
        "Whatever the others say, the same class comes first.",
    )
