"""The figure of a changed case: bars for the changed, a line for the case as it is, on a fixed axis."""

from __future__ import annotations

import pytest

from proset import explain
from proset.plots.contributions import plot_contributions
from proset.plots.what_if import plot_what_if


def test_bars_and_lines_are_the_two_estimates(study):
    found = explain.what_if(study, int(study.split.held_out[0]), {"age": 30, "ward": "east"})
    bars, lines = plot_what_if(found).data
    assert list(bars.x) == pytest.approx(found.after.probabilities.tolist())
    assert list(lines.x) == pytest.approx(found.before.probabilities.tolist())


def test_estimates_of_all_cases_share_one_axis(study):
    rows = study.split.held_out[:4].tolist()
    axes = {tuple(plot_contributions(explain.explain_case(study, row)).layout.xaxis.range) for row in rows}
    axes |= {tuple(plot_contributions(explain.explain_case(study, row)).layout.xaxis.ticktext) for row in rows}
    assert len(axes) == 2
    assert ("0 %", "20 %", "40 %", "60 %", "80 %", "100 %") in axes
