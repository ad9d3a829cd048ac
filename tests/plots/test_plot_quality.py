"""ROC, precision-recall and calibration as figures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.explain.judged.calibration_bins import Calibration
from proset.explain.judged.curves import ClassCurves, RankingCurves
from proset.plots.calibration import plot_calibration
from proset.plots.curves import plot_precision_recall, plot_roc
from proset.plots.verdicts import plot_verdicts


def curve(name, n=5):
    steps = np.linspace(0.0, 1.0, n)
    cuts = np.append(np.inf, np.linspace(0.9, 0.1, n - 1))
    roc = pd.DataFrame({"false positive rate": steps, "true positive rate": steps**0.5, "threshold": cuts})
    recall = pd.DataFrame({"recall": steps, "precision": 1 - steps / 2, "threshold": cuts})
    return ClassCurves(name, 10, 30, roc, 0.75, recall, 0.6)


def curves(*names, n=5):
    return RankingCurves(tuple(curve(name, n) for name in names), (), 40, "held-out rows", names)


def test_two_classes_have_one_roc_curve_and_more_have_one_each():
    assert [trace.name for trace in plot_roc(curves("no", "yes")).data] == ["chance", "yes: 0.750"]
    assert len(plot_roc(curves("a", "b", "c")).data) == 4
    assert len(plot_precision_recall(curves("no", "yes")).data) == 4
    assert len(plot_precision_recall(curves(*"abcd")).data) == 4


def test_names_of_classes_are_no_markup():
    for figure in (plot_roc(curves("a", "<b>")), plot_precision_recall(curves("a", "<b>"))):
        assert "<b>" not in figure.data[-1].name + figure.data[-1].hovertemplate


def test_a_long_curve_keeps_its_ends():
    line = plot_roc(curves("a", "b", n=5000)).data[1]
    assert len(line.x) <= 400
    assert (line.x[0], line.x[-1]) == (0.0, 1.0)
    assert list(line.customdata[0]) == ["0 %", "0 %", "more than all"]


def test_curves_of_no_class_are_an_empty_figure():
    nothing = RankingCurves((), ("a", "b"), 0, "held-out rows", ("a", "b"))
    assert len(plot_roc(nothing).data) == 1
    assert len(plot_precision_recall(nothing).data) == 0


@pytest.mark.parametrize("count", [0, 1, 10])
def test_calibration_draws_a_point_for_each_bin_and_bars_by_the_cases_in_them(count):
    edges = np.linspace(0.5, 1.0, count + 1)
    bins = pd.DataFrame(
        {
            "rows": np.full(count, 20),
            "smallest": edges[:-1],
            "largest": edges[1:],
            "stated": (edges[:-1] + edges[1:]) / 2,
            "observed": edges[1:],
            "low": edges[:-1] - 0.1,
            "high": edges[1:],
        }
    )
    rows = np.zeros(20, dtype=int)
    rows[13], rows[19] = 5 * count, 15 * count
    counts = pd.DataFrame({"low": np.arange(20) / 20, "high": np.arange(1, 21) / 20, "rows": rows})
    found = Calibration(None, bins, counts, 0.1, 0.05, 0.15, 0.05, 20 * count, "held-out rows")
    _, points, bars = plot_calibration(found).data
    assert len(points.x) == count
    assert len(bars.x) == (2 if count else 0)
    if count:
        assert points.customdata[0][0] == "20 cases"
        area = np.array(bars.y) * np.array(bars.width)
        np.testing.assert_allclose(area / area.sum(), [0.25, 0.75])  # as large as the cases are many
        assert list(bars.customdata[0]) == [f"{5 * count} cases", "65", "70"]
        assert list(points.error_y.arrayminus) == pytest.approx((bins["observed"] - bins["low"]).tolist())


def test_a_verdict_is_a_mark_on_the_line_of_its_kind_and_names_are_no_markup():
    at = pd.to_datetime(["2026-01-05 10:00", "2026-01-05 10:02", "2026-01-06 09:00"])
    kinds = ["the model is right", "another class", "the model is right"]
    figure = plot_verdicts(pd.DataFrame({"at": at, "verdict": kinds, "row": [3, 8, 9], "by": "<b>Ada"}))
    (marks,) = figure.data
    assert list(marks.y) == [0, 1, 0]
    assert [row for row, _ in marks.customdata] == [3, 8, 9]
    assert figure.layout.yaxis.ticktext == ("the model is right (2)", "another class (1)")
    assert "<b>" not in str(marks.customdata)
