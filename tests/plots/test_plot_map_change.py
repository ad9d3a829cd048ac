"""The map before and after a change, as one figure."""

from dataclasses import replace

import numpy as np
import pytest

from proset import explain
from proset.data.samples import load_sample, sample_roles
from proset.plots import plot_map_change
from proset.study import FitSettings, fit_study

FEW = FitSettings(num_candidates=40)


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("wine"), sample_roles("wine"), settings=FEW)


@pytest.fixture(scope="module")
def mapping(study):
    return explain.batch_map(study)


def places(data):
    """Place of each row in a list of traces of cases."""
    return {
        int(row[0]): (x, y)
        for trace in data
        if trace.showlegend
        for row, x, y in zip(trace.customdata, trace.x, trace.y, strict=True)
    }


def test_it_shows_the_end_and_has_both_times_as_frames(study, mapping):
    figure = plot_map_change(mapping, mapping)
    before, after = figure.frames
    assert (before.name, after.name) == ("Before", "After")
    assert places(figure.data) == places(after.data)
    assert set(places(after.data)) == set(study.split.held_out.tolist())
    own = mapping.points.loc[study.split.held_out, ["x", "y"]]
    for row, place in places(after.data).items():
        assert place == pytest.approx(tuple(own.loc[row]))
    assert [button.label for button in figure.layout.updatemenus[0].buttons] == ["Before", "After"]


def test_a_map_that_was_only_turned_and_shifted_is_brought_back(mapping):
    turn = np.array([[0.0, -1.0], [1.0, 0.0]])
    turned = mapping.points.copy()
    turned[["x", "y"]] = mapping.points[["x", "y"]].to_numpy() @ turn + [3.0, -2.0]
    figure = plot_map_change(replace(mapping, points=turned), mapping)
    before, after = (places(frame.data) for frame in figure.frames)
    for row, place in before.items():
        assert place == pytest.approx(after[row], abs=1e-6)
    assert "turned" in figure.layout.meta


def test_a_prototype_of_one_time_only_has_no_size_at_the_other(mapping):
    gone = int(mapping.prototypes["row"].iloc[0])
    fewer = replace(mapping, prototypes=mapping.prototypes[mapping.prototypes["row"] != gone])
    sizes = []
    for frame in plot_map_change(mapping, fewer).frames:
        heads = [trace for trace in frame.data if not trace.showlegend]
        drawn = [pair for trace in heads for pair in zip(trace.customdata[:, 0], trace.marker.size, strict=True)]
        sizes.append(dict(drawn)[gone])
    assert sizes[0] > 0
    assert sizes[1] == 0


def test_two_features_as_axes_stay_as_they_are():
    iris = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW)
    mapping = explain.batch_map(iris)
    figure = plot_map_change(mapping, mapping)
    assert figure.layout.xaxis.title.text == "sepal length (cm)"
    assert figure.layout.meta is None


def test_a_model_without_a_map_says_why(study, mapping):
    none = explain.batch_map(study)
    empty = replace(none, prototypes=none.prototypes.iloc[:0], message="It has no prototypes.")
    figure = plot_map_change(mapping, empty)
    assert figure.layout.annotations[0].text == "After: It has no prototypes."
