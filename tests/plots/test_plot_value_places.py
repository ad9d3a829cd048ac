"""The figure of values among those of each class."""

import pytest

from proset.data.samples import load_sample, sample_roles
from proset.explain.cases.places import value_places
from proset.plots.value_places import plot_value_places
from proset.study import fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"))


def test_a_case_stands_where_its_value_lies(study):
    row = int(study.split.held_out[1])
    places = value_places(study, row)
    figure = plot_value_places(places)
    case = figure.data[-1]
    line = places.frame.iloc[0]
    assert case.x[0] == pytest.approx((line["number"] - line["low"]) / (line["high"] - line["low"]))
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == [*study.classes, "this case"]


def test_values_outside_the_training_ones_stand_beside_them(study):
    row = int(study.split.held_out[1])
    column = study.used_columns[0]
    frame = study.table.frame.loc[[row]].assign(**{column: 1e9})
    figure = plot_value_places(value_places(study, frame))
    assert max(figure.data[-1].x) == pytest.approx(1.06)
    assert any("above all training values" in item[0] for item in figure.data[-1].customdata)


def test_columns_beyond_the_limit_are_counted(study):
    figure = plot_value_places(value_places(study, 1), limit=1)
    assert len(figure.layout.yaxis.ticktext) == 1
    assert f"{len(study.used_columns) - 1} columns" in figure.layout.meta


def test_names_are_not_read_as_markup(study):
    places = value_places(study, 1)
    places.frame.loc[0, ["column", "value"]] = ["<b>x</b>", "%{y}"]
    figure = plot_value_places(places)
    assert figure.layout.yaxis.ticktext[0] == "&lt;b&gt;x&lt;/b&gt; = %&#123;y}"
