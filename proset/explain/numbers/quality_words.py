"""Quality of a model of a number in sentences, none stronger than its interval allows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proset.common.words import in_a_row, percent, rough
from proset.explain.numbers.known_rows import known_rows, learned, rows_words
from proset.explain.numbers.promises import coverage_by_level
from proset.study.number_metrics import COVERAGE

if TYPE_CHECKING:
    import pandas as pd

    from proset.study.number_study import NumberStudy

_LITTLE = 0.06
"""A share that is off by up to this is off by a little."""
_TELLING = 0.12
"""Width of an interval up to which a share that fits is said to."""


def error_words(measures: pd.DataFrame) -> str:
    """Say how large the mean absolute error is, beside saying the same of every row.

    Parameters
    ----------
    measures : DataFrame
        See :class:`proset.explain.numbers.quality.NumberQuality`.

    Examples
    --------
    >>> import pandas as pd
    >>> line = {"value": 4.8, "everybody": 13.7, "gain_low": 8.0, "gain_high": 9.8}
    >>> error_words(pd.DataFrame([line], index=["MAE"]))
    'Off by 4.8 on average (as everybody: 13.7)'
    >>> error_words(pd.DataFrame([line | {"gain_low": -1.0}], index=["MAE"]))
    'Off by 4.8 on average (as everybody: 13.7, which so far is not shown to be more)'
    """
    line = measures.astype(np.float64).to_dict(orient="index")["MAE"]
    beside = f"as everybody: {rough(line['everybody'])}"
    if line["gain_high"] < 0.0:
        beside += ", which is less"
    elif not line["gain_low"] > 0.0:  # missing, too
        beside += ", which so far is not shown to be more"
    return f"Off by {rough(line['value'])} on average ({beside})"


def covered_words(coverage: pd.DataFrame, which: str, n_learned: int, *, calibrated: bool = False) -> str:
    """Say how many numbers the intervals of 90 % hold, and whether that is what they promise.

    Examples
    --------
    >>> import pandas as pd
    >>> line = {"rows": 309, "held": 0.951, "low": 0.921, "high": 0.97, "alone": True}
    >>> covered_words(pd.DataFrame([line], index=[0.9]), "309 held-out rows", 0)
    'the 90 % intervals hold 95.1 % of 309 held-out rows: a little too wide'
    """
    line = coverage.astype(np.float64).to_dict(orient="index")[COVERAGE]
    kind = "calibrated " if calibrated else ""
    said = f"the {kind}{100 * COVERAGE:g} % intervals hold {percent(line['held'])} of {which}"
    if n_learned:
        some = "which" if n_learned == line["rows"] else f"{n_learned:,} of which"
        return f"{said}, from {some} the model has learned"
    if line["alone"]:
        little = "a little " if abs(line["held"] - COVERAGE) <= _LITTLE else ""
        return f"{said}: {little}too {'wide' if line['held'] > COVERAGE else 'narrow'}"
    if line["high"] - line["low"] <= _TELLING:
        return f"{said}: as they should"
    return f"{said}: too few rows to tell whether that is too many or too few"


def held_words(study: NumberStudy) -> tuple[str, bool]:
    """Say how many numbers of the rows that a study is measured on its intervals of 90 % hold: on every page the same.

    Returns
    -------
    words : str
        See :func:`covered_words`; the beginning of a sentence.
    narrow : bool
        Whether that is clearly less than is promised, of rows that the model has not seen.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> held_words(fit_sample("cars", n_iter=1))
    ('The 90 % intervals hold 80.0 % of 120 held-out rows: too narrow', True)
    """
    found = known_rows(study, None)
    coverage = coverage_by_level(found, study.groups_of(found.index), study.levels)
    own = coverage.loc[COVERAGE]
    said = covered_words(coverage, rows_words(found), learned(found), calibrated=study.calibration is not None)
    return f"The{said[3:]}", bool(own["alone"] and own["held"] < COVERAGE and not learned(found))


def levels_words(coverage: pd.DataFrame, which: str, n_learned: int) -> str:
    """Say at which levels intervals hold clearly more or less than they promise.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"rows": 309, "held": [0.62, 0.9], "off": [True, False]}, index=[0.5, 0.9])
    >>> levels_words(frame, "309 held-out rows", 0)
    'Of 309 held-out rows, intervals of 50 % hold more than they promise.'
    """
    if not coverage["rows"].iloc[0]:
        return "None of these rows has a number."
    if n_learned:
        return f"Of {which}; the model has learned from rows among them, so this says little of new ones."
    off = coverage[coverage["off"]]
    if off.empty:
        return f"Of {which}, intervals of no level hold clearly more or less than they promise."
    parts = []
    for more, words in ((True, "more"), (False, "less")):
        levels = [f"{100 * level:g} %" for level in off.index[(off["held"] > off.index) == more]]
        if levels:
            parts.append(f"intervals of {in_a_row(levels)} hold {words} than they promise")
    return f"Of {which}, {in_a_row(parts)}."
