"""A list of cases as people read it: what there is to say about each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import CaseSet
from proset.common.frames import free_names
from proset.explain.familiar.case_standing import short_words

if TYPE_CHECKING:
    from proset.study import Study

MOST_IN_WORDS = 500
"""Lines of a list up to which each is put into words; it takes time, and nobody reads more."""


def listed(study: Study, judged: pd.DataFrame, cases: CaseSet) -> pd.DataFrame:
    """List the cases of a set with what there is to say about them.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.
    cases : CaseSet
        Which, in which order.

    Returns
    -------
    DataFrame
        Index: row id. Columns: the identifier and the column that keeps rows together, if there are such, ``actual``,
        ``predicted``, ``confidence`` (probability of the predicted class, in [0, 1]), ``familiarity`` (quantile in
        [0, 1]), ``in words`` (how familiar it is and how near known cases; empty in a list of more than 500), ``part``.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> from dashboard.services.cases import Part
    >>> study = fit_sample("iris_2f")
    >>> wrong = listed(study, study.judged(), CaseSet(Part.ALL))
    >>> wrong["confidence"].is_monotonic_decreasing, (wrong["actual"] != wrong["predicted"]).all()
    (True, np.True_)
    """
    lines = cases.rows(judged)
    frame = pd.DataFrame(
        {
            "actual": lines["actual"].astype("str"),
            "predicted": lines["predicted"].astype("str"),
            "confidence": lines["confidence"].astype(float),
            "familiarity": lines["quantile"].astype(float),
            "in words": short_words(study, lines.index) if len(lines) <= MOST_IN_WORDS else "",
            "part": lines["part"].astype("str"),
        },
        index=lines.index,
    )
    for place, name in enumerate(study.naming_columns):
        word = "identifier" if name == study.identifier else "group"
        label = free_names([name], [*frame.columns, "row"], word=word)[0]
        frame.insert(place, label, study.table.frame.loc[lines.index, name])
    return frame
