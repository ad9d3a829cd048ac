"""Figures of SHAP values and of familiarity: the bars are the numbers, and lead from the reference to the case."""

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.data.samples import load_sample, sample_roles
from proset.explain.attribution.many_rows import global_importance
from proset.plots import style
from proset.plots.familiarity_attribution import plot_familiarity_attribution
from proset.plots.interactions import plot_interactions
from proset.plots.shap_importance import plot_importance
from proset.plots.shap_swarm import plot_shap_swarm
from proset.plots.waterfall import plot_waterfall
from proset.study import fit_study

CLASSES = ["<b>high</b>", "low", "mid"]


@pytest.fixture(scope="module")
def found():
    random = np.random.default_rng(0)
    X = random.normal(size=(150, 5))
    y = np.where(X.sum(axis=1) > 1.0, "<b>high</b>", np.where(X[:, 0] - X[:, 3] + X[:, 4] > 0, "mid", "low"))
    model = ClassifierModel(lambda_v=1e-6, random_state=0).fit(X, y)
    point = explain.choose_reference_point(model, X)
    return explain.shap_values(model, X[:20], point), explain.attribute_familiarity(model, X[:20], point)


def test_bars_lead_from_the_reference_to_the_case(found):
    steps = found[0].steps(3, "mid")
    figure = plot_waterfall(steps, CLASSES)
    bars, up = figure.data[0], style.class_colours(CLASSES)["mid"]
    ends = np.array(bars.base) + np.array(bars.x)
    assert bars.base[0] == pytest.approx(steps.base)
    assert ends[:-1] == pytest.approx(np.array(bars.base[1:]))
    assert ends[-1] == pytest.approx(steps.estimate)
    assert [entry[0] for entry in bars.customdata] == steps.ordered.index.tolist()
    assert list(bars.marker.color) == [up if value > 0 else style.NEUTRAL for value in steps.ordered]
    assert all(text[0] == ("+" if value > 0 else "−") for text, value in zip(bars.text, bars.x, strict=True))
    assert figure.layout.meta is None


def test_less_important_features_share_the_last_bar(found):
    steps = found[0].steps(3, "mid")
    figure = plot_waterfall(steps, CLASSES, limit=2)
    bars = figure.data[0]
    assert len(bars.x) == 3
    assert bars.customdata[2][0] is None
    assert bars.x[2] == pytest.approx(steps.ordered.iloc[2:].sum())
    assert "3 columns" in figure.layout.meta
    assert len(plot_waterfall(steps, CLASSES, limit=4).data[0].x) == 5  # a group of one would only hide a name


def test_between_two_classes_and_with_cells_in_words(found):
    steps = found[0].steps(3, "<b>high</b>", "mid")
    cells = pd.DataFrame({"here": ["<i>", None], "reference": [1.5, pd.Timestamp("2024-01-02")]}, index=["x0", "x1"])
    figure = plot_waterfall(steps, CLASSES, cells=cells.astype(object))
    assert figure.layout.xaxis.title.text.startswith("estimate for &lt;b&gt;high&lt;/b&gt; less that for mid")
    labels = {label.partition("<br>")[0]: label for label in figure.layout.yaxis.ticktext}
    assert "&lt;i&gt;, reference 1.5" in labels["x0"]
    assert "missing, reference 2024-01-02" in labels["x1"]
    assert figure.data[0].x[0] == pytest.approx(steps.ordered.iloc[0])
    colours = style.class_colours(CLASSES)
    assert set(figure.data[0].marker.color) == {colours["<b>high</b>"], colours["mid"]}


def test_a_case_that_is_the_reference_has_no_bars(found):
    values, _ = found
    steps = values.steps(3, "mid")
    same = type(steps)(3, "mid", None, steps.values * 0.0, steps.values * 0.0, steps.base, steps.base, True)
    figure = plot_waterfall(same, CLASSES)
    assert len(figure.data[0].x) == 0
    low, high = figure.layout.xaxis.range
    assert high - low >= 0.1


def test_errors_of_drawn_values_stand_beside_them(found):
    values, _ = found
    steps = values.steps(3, "mid")
    drawn = type(steps)(3, "mid", None, steps.values, steps.values * 0.0 + 0.004, steps.base, steps.estimate, False)
    bars = plot_waterfall(drawn, CLASSES).data[0]
    assert bars.customdata[0][2].endswith("(standard error 0.4)")
    assert bars.text[0].endswith(" ± 0.4")
    assert "±" not in "".join(plot_waterfall(steps, CLASSES).data[0].text)


def test_familiarity_leads_from_the_reference_to_the_case(found):
    familiar = found[1]
    figure = plot_familiarity_attribution(familiar, 3)
    bars = figure.data[0]
    assert bars.base[0] == pytest.approx(familiar.base)
    assert bars.base[-1] + bars.x[-1] == pytest.approx(familiar.familiarity[3])
    with pytest.raises(ValueError, match="not among those"):
        plot_familiarity_attribution(familiar, 99)


def test_what_is_written_of_familiarity_adds_up(found):
    familiar = found[1]
    for case, end in zip(familiar.index, familiar.familiarity, strict=True):
        texts = plot_familiarity_attribution(familiar, case).data[0].text
        total = familiar.base + sum(float(text.replace("−", "-").replace(",", "")) for text in texts)
        assert abs(total - end) <= 0.003 * max(familiar.base, end)


def test_the_swarm_has_the_values_of_each_row_by_how_high_its_own_is(iris_study):
    against = explain.choose_reference_point(iris_study)
    sample = global_importance(iris_study, against).sample
    figure = plot_shap_swarm(sample, "virginica")
    expected = explain.shap_values(iris_study, sample.rows, against)
    assert len(figure.data) == 2
    for place, trace in enumerate(figure.data):
        name = figure.layout.yaxis.ticktext[place]
        values = 100 * expected.values[:, expected.features.index(name), expected.classes.index("virginica")]
        assert np.asarray(trace.x) == pytest.approx(values, abs=1e-6)
        assert [entry[0] for entry in trace.customdata] == sample.rows.tolist()
        assert np.abs(np.asarray(trace.y) - place).max() < 0.5
        cells = iris_study.table.frame.loc[sample.rows, name]
        assert pd.Series(trace.marker.color).corr(cells.reset_index(drop=True), method="spearman") == pytest.approx(1)
    assert np.abs(figure.data[0].x).mean() >= np.abs(figure.data[1].x).mean()
    assert plot_shap_swarm(sample, "virginica", limit=1).layout.meta.startswith("1 more column moves")


def test_a_category_has_one_grey_in_the_swarm():
    mixed_study = fit_study(load_sample("penguins"), sample_roles("penguins"))
    sample = global_importance(mixed_study, explain.choose_reference_point(mixed_study), n_cases=20).sample
    figure = plot_shap_swarm(sample, mixed_study.classes[0])
    assert figure.data
    for trace in figure.data:
        numbers = pd.api.types.is_numeric_dtype(mixed_study.table.frame[trace.name].dtype)
        assert isinstance(trace.marker.color, str) != numbers


def test_importance_is_one_bar_per_feature_and_class(found):
    importance = found[0].importance()
    figure = plot_importance(importance)
    *bars, sums = figure.data
    assert [trace.name for trace in bars] == ["&lt;b&gt;high&lt;/b&gt;", "low", "mid"]
    assert [float(text) for text in sums.text] == pytest.approx((100 * importance.sum(axis=1)).tolist(), abs=0.05)
    assert list(figure.data[2].x) == pytest.approx((100 * importance["mid"]).tolist())
    assert list(figure.data[0].y) == importance.index.tolist()


def test_importance_of_two_classes_is_one_bar_and_says_what_is_left_out():
    frame = pd.DataFrame({"a": [0.4, 0.2, 0.1, 0.0], "b": [0.4, 0.2, 0.1, 0.0]}, index=["f", "g", "h", "i"])
    figure = plot_importance(frame, limit=1)
    assert len(figure.data) == 1
    assert list(figure.data[0].x) == pytest.approx([40.0, 30.0])
    assert list(figure.data[0].text) == ["40.0", "30.0"]
    assert figure.data[0].customdata[1][0] is None
    assert figure.layout.meta == "The last bar is the sum over 2 columns. 1 column has no effect and no bar."


def test_the_other_columns_are_not_drawn_where_their_bar_would_dwarf_those_with_names():
    frame = pd.DataFrame({"a": [0.2, *[0.1] * 5], "b": [0.2, *[0.1] * 5]}, index=list("fghijk"))
    figure = plot_importance(frame, limit=2)
    assert list(figure.data[0].y) == ["f", "g"]
    assert figure.layout.meta == "Not drawn: the other 4 columns, which come to 40.0 together."
    three = plot_importance(frame.assign(c=0.0), limit=2)
    assert three.layout.meta == "Not drawn: the other 4 columns, which come to 80.0 together."


def test_pairs_share_all_interaction():
    pairs = pd.MultiIndex.from_tuples([("<b>a</b>", "b"), ("a", "c"), ("b", "c"), ("a", "d")])
    strength = pd.DataFrame({"yes": [3.0, 1.0, 0.5, 0.0], "no": [4.0, 1.0, 0.5, 0.0]}, index=pairs)
    figure = plot_interactions(strength)
    yes, no, sums = figure.data
    assert list(yes.x) == [30.0, 10.0, 5.0]
    assert list(no.x) == [40.0, 10.0, 5.0]
    assert list(sums.text) == [" 70.0", " 20.0", " 10.0"]
    assert yes.y[0] == "&lt;b&gt;a&lt;/b&gt;<br>with b"
    assert [entry[0] for entry in yes.customdata] == ["<b>a</b> × b", "a × c", "b × c"]
    assert {yes.marker.color, no.marker.color} == set(style.class_colours(["yes", "no"]).values())
    assert figure.layout.meta == "1 pair has no interaction."
    short = plot_interactions(strength, limit=1)
    assert list(short.data[0].x) == [30.0]
    assert short.layout.meta == "2 more pairs have 30.0 % together, at most 20.0 % each. 1 pair has no interaction."
    assert plot_interactions(strength.iloc[:3], limit=2).layout.meta == "One more pair has 10.0 % and no bar."
    assert len(plot_interactions(strength.iloc[:0]).data[0].x) == 0
