"""Figures of the quality of a model of a number show what was measured, and say what they leave out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, priced, table_of

from proset import explain, plots
from proset.explain.numbers.promises import INTERVAL_LEVELS
from proset.plots.number_predictions import MOST_DRAWN
from proset.study import fit_number_study


@pytest.fixture(scope="module")
def found():
    return explain.number_quality(priced())


def named(figure, name):
    return next(trace for trace in figure.data if trace.name == name)


def test_each_row_stands_at_its_median_and_its_number(found):
    figure = plots.plot_number_predictions(found.rows, target=found.target, selected=int(found.rows.index[2])).figure()
    marks = named(figure, "row")
    assert [line[0] for line in marks.customdata] == found.rows.index.tolist()
    np.testing.assert_allclose(np.asarray(marks.x, dtype=float), found.rows["median"])
    np.testing.assert_allclose(np.asarray(marks.y, dtype=float), found.rows["actual"])
    lines = named(figure, "90 % interval")
    assert lines.y[:2] == pytest.approx(found.rows[["lower", "upper"]].iloc[0].tolist())
    rings = named(figure, "outside its interval")
    np.testing.assert_allclose(np.asarray(rings.x, dtype=float), found.rows.loc[found.rows["beyond"] > 0.0, "median"])
    assert named(figure, "selected case").y[0] == found.rows["actual"].iloc[2]
    assert figure.layout.xaxis.title.text == "price: median said"
    assert figure.layout.meta is None


def test_of_many_rows_those_furthest_outside_are_drawn(found):
    rows = pd.concat([found.rows] * 60, ignore_index=True).rename_axis("row")
    rows.loc[7, ["beyond", "inside"]] = 1e6, False
    figure = plots.plot_number_predictions(rows, target=found.target).figure()
    drawn = [line[0] for line in named(figure, "row").customdata]
    assert len(drawn) == len(set(drawn)) == MOST_DRAWN
    assert 7 in drawn
    assert f"Drawn are {MOST_DRAWN:,} of {len(rows):,} rows" in figure.layout.meta


def test_bars_and_levels_are_those_that_were_measured(found):
    bars = named(plots.plot_places(found.places), "rows")
    assert list(bars.y) == found.places.bars["rows"].tolist()
    band = plots.plot_places(found.places).layout.shapes[0]
    assert (band.y0, band.y1) == found.places.band
    points = named(plots.plot_coverage(found), "held, 95 % interval")
    assert tuple(points.x) == INTERVAL_LEVELS
    np.testing.assert_allclose(points.y, found.coverage["held"])


def test_groups_stand_below_one_another_with_their_errors():
    by = explain.number_quality_by(priced(), "district")
    figure = plots.plot_number_groups(by, unit="price")
    assert [text.split(" · ")[0] for text in figure.layout.yaxis.ticktext] == by.frame.index.tolist()
    np.testing.assert_allclose(figure.data[0].x, by.frame["held"])
    np.testing.assert_allclose(figure.data[1].x, by.frame["error"])
    assert figure.layout.xaxis2.title.text == "mean error,<br>price"


@pytest.mark.parametrize("column", ["size", "district"])
def test_errors_stand_over_values_and_groups_over_their_middle(column):
    own = explain.column_errors(priced(), column=column)
    figure = plots.plot_column_errors(own).figure()
    np.testing.assert_allclose(np.asarray(named(figure, "row").y, dtype=float), own.rows["error"])
    means = named(figure, "mean of a group, 95 % interval")
    np.testing.assert_allclose(np.asarray(means.y, dtype=float), own.bins["error"])
    if column == "size":
        np.testing.assert_allclose(np.asarray(named(figure, "row").x, dtype=float), own.rows["value"])
    else:
        assert list(figure.layout.xaxis.ticktext) == own.bins.index.tolist()


def test_days_and_missing_values_have_their_places():
    frame = houses(90)
    frame["sold"] = pd.date_range("2024-01-01", periods=90).astype(str)
    frame.loc[::9, "sold"] = ""
    study = fit_number_study(*table_of(frame))
    own = explain.column_errors(study, study.table.frame.index, column="sold")
    assert own.bins.index[-1] == "(missing)"
    figure = plots.plot_column_errors(own).figure()
    assert len(named(figure, "row").x) == 80
    assert str(named(figure, "row").x[0]).startswith("2024-01-02")
    assert len(named(figure, "mean of a group, 95 % interval").x) == len(own.bins) - 1
    assert figure.layout.meta == "Rows without a value are not drawn."


def test_strangers_words_are_text():
    frame = houses(60).rename(columns={"price": "<b>price</b>", "size": "%{x}<i>"})
    study = fit_number_study(*table_of(frame, "<b>price</b>"))
    texts = [
        plots.plot_number_predictions(explain.number_quality(study).rows, target="<b>price</b>").figure().to_json(),
        plots.plot_column_errors(explain.column_errors(study, column="%{x}<i>")).figure().to_json(),
        plots.plot_number_groups(explain.number_quality_by(study), unit="<b>price</b>").to_json(),
    ]
    for text in texts:
        said = text.encode().decode("unicode_escape")
        assert "<b>price" not in said
        assert "%{x}<i>" not in said
