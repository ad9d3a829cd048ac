"""Pairs of columns that work together in the votes for one case."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.case.beside import plain_value
from dashboard.texts import together as text
from proset.common.words import alike, count_words, shown

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence

_MOST = 5


def pair_lines(evidence: CaseEvidence, label: str, against: str | None) -> pd.DataFrame:
    """Return the strongest pairs, one line each: names, values here and at the reference, votes.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> pair_lines(CaseEvidence(study, CaseRef.in_table(16)), "setosa", None).iloc[0, :3].tolist()
    ['sepal length (cm) with sepal width (cm)', '5.7 and 4.4', '6.2 and 2.9']
    """
    found, cells = evidence.interactions, evidence.cells
    pairs = found.of(found.index[0], label, against).head(_MOST)

    def both(pair: tuple[str, str], side: str) -> str:
        return " and ".join(plain_value(cells[side].get(name)) for name in pair)

    lines = [
        (" with ".join(pair), both(pair, "here"), both(pair, "reference"), votes)
        for pair, votes in zip(pairs.index.tolist(), alike(pairs, sign=True), strict=True)
    ]
    return pd.DataFrame(lines, columns=[text.COLUMNS, text.HERE, text.THERE, text.VOTES])


def pair_words(evidence: CaseEvidence, label: str, against: str | None) -> str:
    """Say what the numbers of the lines are, and of how many votes."""
    found = evidence.interactions
    sides = found.votes[0], found.base_votes
    here, there = (
        float(votes[found.classes.index(label)] - (0.0 if against is None else votes[found.classes.index(against)]))
        for votes in sides
    )
    left = len(found.of(found.index[0], label, against)) - _MOST
    more = f" {count_words(left, 'more pair')} {'brings' if left == 1 else 'bring'} less." if left > 0 else ""
    votes = text.votes_words(shown(label), None if against is None else shown(against))
    return text.CASE_HOW.format(
        votes=votes, reference=evidence.reference.words, here=plain_value(here), there=plain_value(there), more=more
    )
