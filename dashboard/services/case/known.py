"""Known cases near a case, as a page lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.case.selected import N_NEAREST
from proset.common.words import count_words
from proset.explain.phrases import mean_of_batches

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence


def nearest_lines(evidence: CaseEvidence, *, most: int = N_NEAREST) -> pd.DataFrame:
    """Return the nearest known cases of all classes, the most similar first; at most :data:`N_NEAREST`.

    Returns
    -------
    DataFrame
        Columns row, name, class, similarity, similarity_all, prototype (a word or nothing); no lines where the model
        uses no column.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = nearest_lines(CaseEvidence(study, CaseRef.in_table(71)), most=3)
    >>> len(found), bool(found["similarity"].is_monotonic_decreasing)
    (3, True)
    """
    found = evidence.neighbours.first(most).frame
    if not evidence.study.used_columns:
        found = found.head(0)
    first = found.sort_values("similarity", ascending=False, kind="stable").head(most)
    shown = first[["row", "name", "class", "similarity", "similarity_all"]].reset_index(drop=True)
    return shown.assign(
        name=list(map(evidence.study.short_name, shown["name"], shown["row"].tolist())),
        prototype=["prototype" if flag else "" for flag in first["prototype"]],
    )


def nearest_note(evidence: CaseEvidence, lines: pd.DataFrame) -> str:
    """Say how the list of the nearest known cases is read, and which are as near as its last one."""
    tied = int(evidence.contradictions.nearest["by_model"].sum()) - len(lines)
    more = f" {count_words(tied, 'more known case')} {'is' if tied == 1 else 'are'} as near as the last." * (tied > 0)
    return (
        "Training rows, whether prototypes or not; similarity from 0 to 1, as the model measures it"
        f"{mean_of_batches(evidence.study)} and in all columns, used or not.{more} Tick one to open it."
    )
