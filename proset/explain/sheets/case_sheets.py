"""An explained case as the sheets of a workbook: the same from the app and from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.frames import beside, with_index

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.evidence import Evidence


def report_sheets(evidence: Evidence, *, everything: bool = True) -> dict[str, pd.DataFrame]:
    """Arrange an explained case as the sheets of a workbook.

    Parameters
    ----------
    evidence : Evidence
        The case.
    everything : bool, default True
        Whether to add the last four sheets.

    Returns
    -------
    dict of str to DataFrame
        ``report`` (figure 4.5), ``estimate`` (probability per class) and ``beside prototypes`` (original values), then
        ``nearest known cases``, ``values by class``, ``SHAP values`` and ``why familiar``.

    Examples
    --------
    >>> from proset.explain import Evidence
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> list(report_sheets(Evidence(study.case(1)), everything=False))
    ['report', 'estimate', 'beside prototypes']
    """
    report = evidence.report
    estimate = report.probabilities.rename("probability").rename_axis("class").reset_index()
    estimate["estimate"] = estimate["class"].eq(report.predicted)
    if report.actual is not None:
        estimate["actual"] = [name == report.actual for name in estimate["class"]]
    prototypes = beside(with_index(report.neighbour_facts), report.neighbours, word="value")
    sheets = {"report": report.report, "estimate": estimate, "beside prototypes": prototypes}
    if everything:
        sheets["nearest known cases"] = beside(evidence.nearest.frame, evidence.nearest.values, word="value")
        sheets["values by class"] = evidence.places.to_frame()
        sheets["SHAP values"] = evidence.shap_frame()
        sheets["why familiar"] = evidence.familiarity_frame()
    return sheets
