"""The weights of columns on the Fit page of a number: one bar per column of the table, none that nobody sees."""

from __future__ import annotations

import pandas as pd

from dashboard.services.fit import verdict as service
from proset.plots.weights import plot_feature_weights


def test_columns_under_one_per_cent_of_the_heaviest_are_counted_and_not_drawn():
    weights = pd.DataFrame({1: [5.0, 0.0, 0.04], 2: [0.0, 2.0, 0.01]}, index=["tenure", "fee", "phone"])
    drawn, left_out = service.heaviest_columns(weights, most=20)
    assert (list(drawn.index), left_out) == (["tenure", "fee"], 1)
    assert service.heaviest_columns(weights, most=1)[1] == 2
    figure = plot_feature_weights(drawn, one_bar=True)
    assert [list(trace.x) for trace in figure.data] == [[5.0, 2.0]]
    assert "largest of 2 batches" in figure.layout.xaxis.title.text


def test_a_batch_that_weighs_nothing_is_counted_as_one_of_the_batches():
    weights = pd.DataFrame({1: [5.0, 1.0], 2: [0.0, 2.0], 3: [0.0, 0.0]}, index=["tenure", "fee"])
    assert "largest of 3 batches" in plot_feature_weights(weights, one_bar=True).layout.xaxis.title.text
