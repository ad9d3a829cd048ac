"""The map of a study on which is wrong what a decision rule gets wrong."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from proset.explain.map import batch_map

if TYPE_CHECKING:
    from proset.explain.map import BatchMap
    from proset.study import DecisionRule, Study


def ruled_map(study: Study, rule: DecisionRule) -> BatchMap:
    """Return the map of the first batch as a rule decides.

    Parameters
    ----------
    study : Study
        A fitted study.
    rule : DecisionRule
        How cases are decided.

    Returns
    -------
    BatchMap

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> from proset.study.decision import MOST_PROBABLE
    >>> ruled_map(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), MOST_PROBABLE).rank
    2
    """
    mapping = batch_map(study)
    said = study.judged(rule).loc[mapping.points.index, ["actual", "predicted", "correct", "confidence"]]
    return replace(mapping, points=mapping.points.assign(**said))
