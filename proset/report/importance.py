"""Mean absolute SHAP values of held-out rows in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.explain.attribution.many_rows import global_importance
from proset.explain.attribution.reference import choose_reference_point
from proset.plots.shap_importance import plot_importance
from proset.report.document import Block, Picture

if TYPE_CHECKING:
    from proset.study import Study


def importance_blocks(study: Study) -> tuple[Block, ...]:
    """Draw how much each column moves the estimates of held-out rows, compared with the reference point.

    Returns
    -------
    tuple of blocks
        Nothing without features in use.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> len(importance_blocks(fit_sample("iris_2f")))
    1
    """
    if not study.used_columns:
        return ()
    found = global_importance(study, choose_reference_point(study))
    figure = plot_importance(found.frame)
    note = " ".join(filter(None, (f"Importance: mean absolute SHAP values. {found.words}", figure.layout.meta)))
    return (Picture(figure, "How much each column moves the estimates, on average.", note),)
