"""Reports: a model, or one case, as a document that can be handed on.

Examples
--------
>>> from proset.report import model_report, to_html
>>> from proset.study import fit_sample
>>> study = fit_sample("iris_2f")
>>> to_html(model_report(study, parts=["summary", "limits"]))[:15]
'<!DOCTYPE html>'
"""

from __future__ import annotations

from proset.report.html_file import to_html
from proset.report.make import case_report, model_report, number_case_report, number_report, part_titles

__all__ = ["case_report", "model_report", "number_case_report", "number_report", "part_titles", "to_html"]
