"""Folded parts of a page that are open: one value of the page, so that it stands in the address."""

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


FOLDS = Folds("unfold", ("values", "shap"), parts=("values", "places", "shap", "familiar", "whatif", "sum", "systems"))
"""Parts of the Case page that are open."""
