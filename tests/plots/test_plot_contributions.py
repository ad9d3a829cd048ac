from dataclasses import replace

import numpy as np
import pytest

from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.explain.cases.case import explain_case
from proset.plots import style
from proset.plots.contributions import contribution_segments, has_hatching, has_rest, plot_contributions
from proset.study import fit_study
from proset.study.settings import FitSettings


@pytest.fixture(scope="module")
def case(iris_study):
    return explain_case(iris_study, int(iris_study.split.held_out[0]))


def test_segments_add_up_to_the_estimates(case):
    segments = contribution_segments(case, n_prototypes=4)
    for name in case.classes:
        total = sum(segment.share for segment in segments if segment.target == name)
        assert total == pytest.approx(case.probabilities[name])


def test_segments_are_the_class_shares_the_top_prototypes_and_the_rest(case):
    segments = contribution_segments(case, n_prototypes=4)
    kinds = [segment.kind for segment in segments]
    assert kinds[:7] == ["marginal"] * 3 + ["prototype"] * 4
    assert [segment.row for segment in segments[3:7]] == list(case.prototypes["sample"].head(4))
    rest = [segment for segment in segments if segment.kind == "rest"]
    counted = case.prototypes["target"].iloc[4:].value_counts()
    for segment in rest:
        count = counted[segment.target]
        assert segment.label == ("one other prototype" if count == 1 else f"the other {count} prototypes")


def test_no_rest_when_every_prototype_has_a_segment(case):
    segments = contribution_segments(case, n_prototypes=len(case.prototypes))
    assert {segment.kind for segment in segments} == {"marginal", "prototype"}


def test_bars_lie_end_to_end_and_end_at_the_estimate(case):
    figure = plot_contributions(case)
    colours = style.class_colours(case.classes)
    for place, name in enumerate(case.classes):
        bar = figure.data[place]
        starts, lengths = np.array(bar.base), np.array(bar.x)
        np.testing.assert_allclose(starts[1:], (starts + lengths)[:-1])
        assert starts[0] == 0
        assert (starts + lengths)[-1] == pytest.approx(case.probabilities[name])
        segments = [segment for segment in contribution_segments(case) if segment.target == name]
        expected = [style.darker(colours[name]) if s.kind == "rest" else colours[name] for s in segments]
        assert list(bar.marker.color) == expected
        assert set(bar.y) == {place}
    assert list(figure.data[-1].x) == pytest.approx(list(case.probabilities))
    assert figure.layout.barmode == "overlay"


def test_of_many_classes_those_that_matter_are_drawn():
    table = load_sample("digits")
    study = fit_study(table, sample_roles("digits"), settings=FitSettings(solver_factr=1e12, num_candidates=200))
    case = explain_case(study, int(study.split.held_out[0]))
    figure = plot_contributions(case)
    shown = list(figure.layout.yaxis.ticktext)
    assert case.predicted in shown
    assert case.actual in shown
    assert set(case.probabilities.nlargest(4).index) <= set(shown)
    assert len(figure.data) - 1 == len(shown) <= 5
    highest = percent(float(case.probabilities.drop(shown).max()))
    assert figure.layout.meta == f"{10 - len(shown)} classes with at most {highest} are not drawn."


def test_a_segment_carries_its_row(case):
    bars = plot_contributions(case, n_prototypes=3).data[:-1]
    rows = {entry[0] for bar in bars for entry in bar.customdata if entry[0] is not None}
    assert rows == set(case.prototypes["sample"].head(3))


def test_the_dark_segment_is_spoken_of_only_where_one_is_drawn(iris_study, case):
    assert has_rest(case) == any(
        segment.kind == "rest" and segment.share >= 0.004 for segment in contribution_segments(case)
    )
    few = replace(case, report=case.report.iloc[: 1 + len(case.classes) + 8])
    assert not has_rest(few)


def test_hatching_is_spoken_of_only_where_it_can_be_seen(case):
    shares = [segment.share for segment in contribution_segments(case) if segment.kind == "marginal"]
    assert has_hatching(case) == (max(shares) >= 0.02)
    bare = replace(case, report=case.report.iloc[: 1 + len(case.classes)])
    scaled = bare.report.assign(**{f"p class {name}": bare.report[f"p class {name}"] / 1000 for name in case.classes})
    assert not has_hatching(replace(bare, report=scaled))
