"""An explained case as the sheets of a workbook: the same from the app and from the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.frames import beside, with_index

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.case import CaseReport


def report_sheets(report: CaseReport) -> dict[str, pd.DataFrame]:
    """Arrange an explained case as the sheets of a workbook.

    Parameters
    ----------
    report : CaseReport
        From :func:`proset.explain.case.explain_case`.

    Returns
    -------
    dict of str to DataFrame
        ``report`` (figure 4.5), ``estimate`` (probability per class) and ``beside prototypes`` (original values).

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.case import explain_case
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> list(report_sheets(explain_case(study, 1)))
    ['report', 'estimate', 'beside prototypes']
    """
    estimate = report.probabilities.rename("probability").rename_axis("class").reset_index()
    estimate["estimate"] = estimate["class"].eq(report.predicted)
    estimate["actual"] = [name == report.actual for name in estimate["class"]]
    prototypes = beside(with_index(report.neighbour_facts), report.neighbours, word="value")
    return {"report": report.report, "estimate": estimate, "beside prototypes": prototypes}
