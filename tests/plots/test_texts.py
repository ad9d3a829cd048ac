"""Texts in figures, and whatever a stranger may have written in them."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from hostile.names import STRANGE, roles_of, study_of, table_of
from variants import main_cases

from proset.explain.cases.case import explain_case
from proset.explain.maps.map import batch_map
from proset.explain.maps.scatter import feature_scatter
from proset.explain.maps.surfaces import surface
from proset.plots.batch_map import plot_batch_map
from proset.plots.classes import plot_class_balance
from proset.plots.confusion import plot_confusion
from proset.plots.contributions import plot_contributions
from proset.plots.scatter_matrix import plot_scatter_matrix
from proset.plots.surface import plot_surface
from proset.plots.texts import plain, unique_labels, value_texts
from proset.plots.thinning import is_wrong
from proset.plots.weights import plot_feature_weights
from proset.study import fit_study


def test_text_of_a_table_is_never_markup():
    assert plain("<a href='x'>&</a>") == "&lt;a href='x'&gt;&amp;&lt;/a&gt;"
    assert "%{" not in plain("%{customdata[0]}")
    assert len(plain("x" * 100, limit=10)) == 10


def test_values_as_texts():
    assert value_texts(pd.Series([1.0, 2.5, np.nan])) == ["1", "2.5", "missing"]
    assert value_texts(pd.Series([True, False])) == ["True", "False"]
    assert value_texts(pd.Series([1, None], dtype="Int64")) == ["1", "missing"]
    assert value_texts(pd.to_datetime(pd.Series(["2020-01-02", None]))) == ["2020-01-02", "missing"]


@pytest.mark.parametrize("text", STRANGE.values(), ids=STRANGE)
def test_a_strangers_text_is_short_visible_and_no_markup(text):
    seen = plain(text, limit=30)
    assert not re.search(r"<|>|%\{|&(?!lt;|gt;|amp;|#123;)", seen)
    assert seen.isprintable()
    assert len(seen) <= 30 * 5


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", "b"], ["a", "b"]),
        (["a", "a", "a"], ["a", "a (2)", "a (3)"]),
        (["a (2)", "a", "a"], ["a (2)", "a", "a (3)"]),
        (["a", "a", "a (2)"], ["a", "a (3)", "a (2)"]),
        (["a", "a (2)", "a (2)", "a"], ["a", "a (2)", "a (2) (2)", "a (3)"]),
    ],
)
def test_labels_of_an_axis_all_differ(labels, expected):
    assert unique_labels(labels) == expected


def drawn(figure) -> list[str]:
    """Every text that a figure shows: titles, names, labels, hover boxes and what they quote."""
    found = [json.dumps(figure.to_plotly_json()["layout"], default=str)]
    for trace in figure.data:
        found += [trace.name or "", trace.hovertemplate or ""]
        found += [str(text) for text in np.ravel(np.array([] if trace.text is None else trace.text, dtype=object))]
        quoted = {int(number) for number in re.findall(r"customdata\[(\d+)\]", trace.hovertemplate or "")}
        points = np.array([] if trace.customdata is None else list(trace.customdata), dtype=object)
        for place in quoted:
            found += [str(value) for value in np.ravel(points[..., place])]
    return found


@pytest.mark.parametrize(
    "name",
    main_cases(
        ["html", "html picture", "plotly", "line break", "right to left", "very long", "markdown picture"], every=3
    ),
)
def test_no_figure_holds_markup_of_a_stranger(name):
    text = STRANGE[name]
    study = study_of(text)
    case = explain_case(study, 1)
    counts = pd.DataFrame({text: [3, 2, 1][: len(study.classes)]}, index=list(study.classes))
    weights = pd.DataFrame({1: [1.0, 2.0]}, index=[text, f"{text}!"])
    confusion = pd.DataFrame([[3, 1], [1, 3]], index=[text, "b"], columns=[text, "b"])
    lone = len(study.roles.features) < 2
    figures = [] if lone else [
        plot_surface(surface(study, n_points=5), show=show) for show in ("probability", "class", "familiarity")
    ]  # fmt: skip
    figures += [plot_scatter_matrix(feature_scatter(study), selected=1)]
    figures += [
        plot_batch_map(batch_map(study), selected=1), plot_contributions(case),
        plot_class_balance(counts), plot_confusion(confusion), plot_feature_weights(weights),
    ]  # fmt: skip
    for figure in figures:
        for shown in drawn(figure):
            assert "<script" not in shown
            assert "<img" not in shown
            assert text.strip() not in shown or text == plain(text)


def test_a_class_called_like_a_mark_has_its_own_place_in_the_legend():
    classes = ["misclassified", "selected case", "prototype (size: weight)"]
    table = table_of(["a", "b"], classes, target="t", identifier=None)
    study = fit_study(table, roles_of(table, identifier=False))
    figure = plot_batch_map(batch_map(study), part="all", selected=1)
    of_classes = {trace.legendgroup for trace in figure.data if trace.hoverinfo != "skip"}
    of_marks = {trace.legendgroup for trace in figure.data if trace.hoverinfo == "skip"} - {
        f"class {name}" for name in classes
    }
    assert len(of_classes) == 3
    assert not of_classes & of_marks
    wrong = bool(is_wrong(study.predictions).any())
    assert ("misclassified" in of_marks) == wrong
