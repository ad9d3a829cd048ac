"""A case beside its prototypes, as texts: one line per feature, one column per case, and how alike the values are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from proset.common.frames import free_names
from proset.common.words import number, percent
from proset.explain.phrases import similarity_words

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport

# A value counts as different if this feature alone leaves the pair less than nine tenths of its similarity.
DIFFERENT = 0.9
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class CaseComparison:
    """The case and its most influential prototypes, ready to be shown side by side.

    Attributes
    ----------
    cells : DataFrame of str
        Index: facts (class, contribution ...), then features by descending weight. Columns: the case, then prototypes.
        A value that differs from the case's begins with a sign: higher, lower, or not equal.
    similarity : DataFrame of float
        Same shape; similarity of the value to the case's in [0, 1], NaN where nothing is compared.
    n_facts : int
        Number of lines before the first feature.
    """

    cells: pd.DataFrame
    similarity: pd.DataFrame
    n_facts: int


def compare(report: CaseReport) -> CaseComparison:
    """Arrange a case and its prototypes feature by feature.

    Parameters
    ----------
    report : CaseReport
        From :func:`proset.explain.cases.case.explain_case`.

    Returns
    -------
    CaseComparison
        Values in the user's own units.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.cases.case import explain_case
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> compare(explain_case(study, 1)).cells.index[:3].tolist()
    ['Class', 'Contribution', 'Similarity']
    """
    values, likeness = report.neighbours, report.neighbour_similarity
    facts = _facts(report)
    # A column of the table may be called like one of the facts.
    names = free_names(values.columns, facts.index)
    cells = pd.DataFrame({name: _texts(report, line) for line, name in enumerate(values.index)}, index=names)
    similarity = likeness.T.astype(float).set_axis(names, axis=0)
    similarity.iloc[:, :1] = np.nan
    blank = pd.DataFrame(np.nan, index=facts.index, columns=facts.columns)
    return CaseComparison(
        cells=pd.concat([facts, cells]), similarity=pd.concat([blank, similarity]), n_facts=len(facts)
    )


def _facts(report: CaseReport) -> pd.DataFrame:
    """Class, contribution and similarity of each column, as texts."""
    facts = report.neighbour_facts
    share = [percent(float(value)) if pd.notna(value) else "" for value in facts["share"]]
    alike = [similarity_words(value) if pd.notna(value) else "" for value in facts["similarity"].astype(float)]
    classes = [MISSING if pd.isna(value) else str(value) for value in facts["class"]]
    settles = ["yes" if flag is not pd.NA and bool(flag) else "" for flag in facts["dominant"]]
    lines = {"Class": classes, "Contribution": share, "Similarity": alike, "Dominant set": settles}
    return pd.DataFrame(lines, index=facts.index).T


def _texts(report: CaseReport, line: int) -> list[str]:
    """One column of the comparison: each value as text, with a sign in front where it differs from the case's."""
    values, likeness, texts = report.neighbours, report.neighbour_similarity, []
    for column in values.columns:
        own, other = values[column].iloc[0], values[column].iloc[line]
        similarity = likeness[column].iloc[line]
        differs = line > 0 and pd.notna(similarity) and similarity < DIFFERENT
        text = plain_value(other)
        # What the model took instead of the cell stands beside it, so that nobody takes it for what the table says.
        if note := str(report.neighbour_assumed[column].iloc[line]):
            text = f"{text} ({note})"
        texts.append(f"{_sign(own, other)} {text}" if differs else text)
    return texts


def _sign(own: Any, other: Any) -> str:
    """Higher, lower or just different from the case's own value."""
    if pd.isna(own) or pd.isna(other) or isinstance(other, (str, bool, np.bool_)):
        return "≠"
    try:
        return "▲" if other > own else "▼"
    except TypeError:
        return "≠"


def plain_value(value: Any) -> str:
    """Write one value of a table as people do.

    Returns
    -------
    str
        Numbers with four significant digits, dates without an empty time, "missing" for nothing.

    Examples
    --------
    >>> plain_value(3.14159), plain_value("Biscoe"), plain_value(None), plain_value(pd.Timestamp("2024-05-01"))
    ('3.142', 'Biscoe', 'missing', '2024-05-01')
    """
    if pd.isna(value):
        return MISSING
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    if isinstance(value, (int, float, np.integer, np.floating)):
        return number(float(value))
    return str(value)
