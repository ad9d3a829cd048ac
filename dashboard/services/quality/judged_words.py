"""The model's judgement of one row, in one plain line."""

from __future__ import annotations

import pandas as pd

from proset.common.words import percent, shown


def judged_words(line: pd.Series) -> str:
    """Say estimate, actual class and verdict.

    Parameters
    ----------
    line : Series
        One line of :meth:`proset.study.Study.judged`.

    Examples
    --------
    >>> line = {"predicted": "cat", "confidence": 0.75, "actual": "dog", "correct": False, "left": False}
    >>> judged_words(pd.Series(line))
    "estimate 'cat' (75.0 %), actual 'dog', misclassified"
    """
    said = f"estimate '{shown(line['predicted'])}' ({percent(float(line['confidence']))})"
    if pd.notna(line["actual"]):
        said += f", actual '{shown(line['actual'])}'"
    if line["left"]:
        return f"{said}, left to a person"
    if pd.isna(line["correct"]):
        return said
    return f"{said}, {'right' if line['correct'] else 'misclassified'}"
