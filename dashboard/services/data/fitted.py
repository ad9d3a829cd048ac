"""Quick fits of bundled tables that come with the app, so that an example opens at once and not anew for each visitor.

The files in the folder beside this one are made by ``tools/thumbnails.py``.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from proset.common.errors import ProsetError
from proset.data.samples import load_sample
from proset.storage import load_result

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

FOLDER = Path(__file__).with_name("fitted")
STORED = ("cancer", "digits", "penguins", "heart", "wine", "concrete", "cars")
"""Data sets with a stored fit; the others are drawn by formulas and fitted in a second."""


def file_of(name: str) -> Path:
    """Return where the fit of a data set is stored."""
    return FOLDER / f"{name}.proset"


@cache
def stored_study(name: str) -> AnyStudy | None:
    """Return the stored quick fit of a bundled data set; None if it has none, or one that this version cannot read.

    Examples
    --------
    >>> study = stored_study("cancer")
    >>> study is not None and study.search.plan.is_quick, stored_study("iris_2f") is None
    (True, True)
    """
    if name not in STORED:
        return None
    try:
        return load_result(file_of(name), load_sample(name))
    except ProsetError:
        return None  # it is fitted instead
