"""Open folds of a page: one value of the page, so that it stands in the address."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.services.params import Several


@dataclass(frozen=True)
class Folds(Several):
    """The open parts of a page, in the order of the page.

    Examples
    --------
    >>> folds = Folds("unfold", ("known",), parts=("known", "whatif", "sum"))
    >>> folds.read("sum,known"), folds.read(""), folds.read("moon"), folds.write(("known", "sum"))
    (('known', 'sum'), (), None, 'known,sum')
    """
