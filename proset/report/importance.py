"""What moves the estimates on average: mean absolute SHAP values of held-out rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proset.common.words import count_words
from proset.explain.reference import choose_reference_point
from proset.explain.shapley import shap_values
from proset.plots.shap_importance import plot_importance
from proset.report.document import Block, Picture, Words

if TYPE_CHECKING:
    from proset.study import Study

MOST_ROWS, MOST_EVALUATIONS = 300, 1_000
"""As the Features page has it, so that both say the same."""


def importance_blocks(study: Study) -> tuple[Block, ...]:
    """Draw how much each column moves the estimates of held-out rows, compared with the reference point.

    Parameters
    ----------
    study : Study
        A fitted study.

    Returns
    -------
    tuple of blocks
        Nothing without features in use.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> len(importance_blocks(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))))
    1
    """
    rows = np.sort(study.split.held_out)
    if not study.used_columns:
        return ()
    if not len(rows):
        return (Words(("No rows were held out, so importance was not measured.",)),)
    drawn = rows
    if len(rows) > MOST_ROWS:
        drawn = np.sort(np.random.default_rng(0).choice(rows, MOST_ROWS, replace=False))
    reference = choose_reference_point(study)
    found = shap_values(study, drawn, reference, max_evaluations=MOST_EVALUATIONS)
    figure = plot_importance(found.importance())
    count = count_words(len(rows), "held-out row")
    which = f"{len(drawn):,} of the {count}, drawn at random" if len(drawn) < len(rows) else f"all {count}"
    said = (
        f"Importance: mean absolute SHAP values over {which}, compared with the reference point, row {reference.index}."
    )
    note = " ".join(filter(None, (said, figure.layout.meta)))
    return (Picture(figure, "How much each column moves the estimates, on average.", note),)
