"""A model as the sheets of a workbook: what it was made of, how good it is, what it looks at, keeps and says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from proset.common.frames import beside, with_index
from proset.explain.sheets.model_facts import model_facts, quality_frame
from proset.explain.slices.groups import quality_by
from proset.explain.structure.features import feature_weights
from proset.study.decision import MOST_PROBABLE, DecisionRule, confusion
from proset.study.judging import judge_model

if TYPE_CHECKING:
    from proset.explain.slices.slice import Slice
    from proset.explain.study_only.stability_result import Stability
    from proset.study import Study

MOST_CELLS = 1_000_000
"""Cells of the held-out rows that are written: a larger sheet takes minutes to write and to open."""

_CASE_COLUMNS = ["part", "actual", "predicted", "correct", "confidence", "familiarity", "quantile"]


def model_sheets(
    study: Study,
    *,
    rule: DecisionRule = MOST_PROBABLE,
    stability: Stability | None = None,
    chosen: Slice | None = None,
) -> dict[str, pd.DataFrame]:
    """Arrange a model as the sheets of a workbook.

    Parameters
    ----------
    stability : Stability or None
        From :func:`proset.explain.stability`, if that was looked at.
    chosen : Slice or None
        Rows whose quality is stated beside that of all rows.

    Returns
    -------
    dict of str to DataFrame
        ``model`` (data, settings, versions), ``columns`` (roles), ``quality``, ``classes``, ``confusion``,
        ``features``, ``prototypes`` (with their values), ``held-out rows`` (what the model says; of very many the
        first ones, and the name of the sheet says so), and ``stability`` and
        ``slice`` (by this model itself on held-out rows, where there are any) if they are given.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> list(model_sheets(fit_sample("iris_2f")))[:4]
    ['model', 'columns', 'quality', 'classes']
    """
    facts = model_facts(study)
    verdict = judge_model(study, rule).table()
    classes = beside(with_index(facts.classes), verdict.reset_index(drop=True).drop(columns="rows"))
    judged = study.judged(rule)
    held_out = judged[judged["part"] == "held_out"]
    sheets = {
        "model": facts.to_frame(),
        "columns": with_index(facts.columns),
        "quality": quality_frame(study, rule),
        "classes": classes,
        "confusion": with_index(confusion(held_out, study.classes).rename_axis(index="actual")),
        "features": feature_weights(study).to_frame(),
        "prototypes": _prototypes(study),
    }
    most = max(1, MOST_CELLS // (len(_CASE_COLUMNS) + len(study.classes) + len(_shown_columns(study)) + 1))
    name = "held-out rows" if len(held_out) <= most else f"held-out rows, first {most:,}"
    sheets[name] = _cases(study, held_out.head(most))
    if stability is not None:
        sheets["stability"] = with_index(stability.features)
    if chosen is not None:
        found = quality_by(study, chosen, rule=rule, itself=len(study.split.held_out) > 0)
        sheets["slice"] = with_index(found.frame).assign(counted=found.which)
    return sheets


def _prototypes(study: Study) -> pd.DataFrame:
    """Return the prototypes with their values in the columns that the model uses."""
    prototypes = study.prototypes
    return beside(prototypes, study.table.frame.loc[prototypes["row"], _shown_columns(study)], word="value")


def _cases(study: Study, judged: pd.DataFrame) -> pd.DataFrame:
    """Return what the model says of rows, with their values."""
    shares = study.probabilities.loc[judged.index].add_prefix("p ")
    own = beside(with_index(judged[_CASE_COLUMNS]), shares, word="class")
    return beside(own, study.table.frame.loc[judged.index, _shown_columns(study)], word="value")


def _shown_columns(study: Study) -> list[str]:
    """Return what says whose a row is, and the columns in use."""
    return list(dict.fromkeys((*study.naming_columns, *study.used_columns)))
