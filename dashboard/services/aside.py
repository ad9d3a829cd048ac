"""Columns of a row that no model looks at: what names it, texts, and what else was set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from proset.common.words import shown
from proset.data.cells import word_of

if TYPE_CHECKING:
    from proset.study.base import StudyBase

MOST, LONGEST = 40, 400
"""Columns that are listed, and characters of each."""


def set_aside(study: StudyBase, frame: pd.DataFrame) -> list[tuple[str, str]]:
    """Return names and values of the columns of one row that are neither features nor the target; empty cells are not.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("penguins")
    >>> set_aside(study, study.table.frame.loc[[1]])[:2]
    [('sample', 'A001'), ('region', 'Anvers')]
    """
    looked_at = {*study.roles.features, study.roles.target}
    names = [name for name in map(str, frame.columns) if name not in looked_at][:MOST]
    values = {name: frame[name].iloc[0] for name in names}
    return [(name, shown(word_of(value), LONGEST)) for name, value in values.items() if not pd.isna(value)]
