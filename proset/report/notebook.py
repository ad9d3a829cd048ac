"""Studies and explanations in a notebook: the sentences, tables and figures of pages and reports."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from proset import plots
from proset.common.frames import with_index
from proset.common.notebook import Displayed
from proset.compare import Comparison, summary_table
from proset.report.document import Block, Picture, ReportPart, ReportTable
from proset.report.html_file import to_fragment
from proset.report.make import model_report, number_report
from proset.study import NumberStudy, Study

_PARTS = ("summary", "settings", "quality", "features", "prototypes")
_NUMBER_PARTS = ("summary", "picture", "settings", "quality", "features", "prototypes")
_MOST_ROWS = 20
_FIGURES: Mapping[str, Callable[[Any], Any]] = {
    "Abstention": lambda found: plots.plot_abstention([found]),
    "BatchMap": plots.plot_batch_map,
    "Calibration": plots.plot_calibration,
    "CaseReport": plots.plot_contributions,
    "Drift": plots.plot_drift,
    "Familiarity": plots.plot_familiarity,
    "FeatureDensities": plots.plot_densities,
    "FeatureScatter": plots.plot_scatter_matrix,
    "FeatureWeights": plots.plot_weights,
    "NumberAnswer": plots.plot_number_answer,
    "NumberShap": plots.plot_number_shap,
    "NumberWhatIf": plots.plot_number_what_if,
    "PrototypeTable": plots.plot_prototypes,
    "Quality": lambda found: plots.plot_confusion(found.confusion),
    "RankingCurves": plots.plot_roc,
    "Surface": plots.plot_surface,
    "ValueEvidences": plots.plot_value_evidence,
    "ValuePlaces": plots.plot_value_places,
    "WhatIf": plots.plot_what_if,
}
"""The figure of each explanation that has one."""
_keys = count(1)
_sent: set[str] = set()


def notebook_html(found: Displayed) -> str:
    """Return what a notebook shows of a study or an explanation: two lines, tables of up to 20 rows, figures.

    The code that draws figures goes with the first figure of a process, as in plotly's own notebooks; nothing is loaded
    from elsewhere.

    Examples
    --------
    >>> from proset.explain import feature_weights
    >>> from proset.study import fit_sample
    >>> text = notebook_html(feature_weights(fit_sample("iris_2f")))
    >>> "<table" in text, "<figure" in text
    (True, True)
    """
    if isinstance(found, Study):
        parts = model_report(found, parts=_PARTS).parts
    elif isinstance(found, NumberStudy):
        parts = number_report(found, parts=_NUMBER_PARTS).parts
    else:
        parts = (_part(found),)
    drawn = any(isinstance(block, Picture) for part in parts for block in part.blocks)
    text = to_fragment(parts, f"proset_{next(_keys)}", with_code=drawn and not _sent)
    _sent.update({"code"} if drawn else ())
    return f"<pre>{html.escape(repr(found))}</pre>\n{text}"


def _part(found: Displayed) -> ReportPart:
    """Return the tables and the figure of an explanation."""
    blocks: list[Block] = []
    tables = {"": summary_table(found)} if isinstance(found, Comparison) else found.tables()
    for heading, frame in tables.items():
        rest = "" if len(frame) <= _MOST_ROWS else f"The first {_MOST_ROWS} of {len(frame):,} rows."
        blocks.append(ReportTable(with_index(frame.head(_MOST_ROWS)), caption=" ".join(filter(None, (heading, rest)))))
    name = type(found).__name__
    if name in _FIGURES:
        blocks.append(Picture(_FIGURES[name](found), f"The figure of {name}."))
    return ReportPart(name, name, tuple(blocks))
