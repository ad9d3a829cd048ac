"""The Surface page without a browser."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from compare_fakes import visits_study

from dashboard import cache
from dashboard.components import keys
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.maps.surface import (
    MOST_RIVAL_ROWS,
    Axes,
    Face,
    Fixed,
    Rival,
    SurfaceCut,
    best_words,
    cut_surface,
    feature_order,
    fit_rival,
    fixed_points,
    over_map,
    two_features,
)
from proset.common.words import percent, unbroken
from proset.explain.attribution.reference import choose_reference_point
from proset.explain.maps.surfaces import surface
from proset.plots.surface import plot_surface
from proset.selection import inner_folds
from proset.study import FitSettings, fit_study


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens the page with the bundled iris data, fitted."""

    def start(page="surface", **params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app(page, data="iris_2f", fit="own", **params)

    return start


def test_a_model_without_features_has_no_surface_but_another_beside_it_has(open_app, iris_study):
    at = open_app()
    at.held.open_study(fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0)))
    said = at.go("surface").words()
    assert "The model uses no feature: every case gets the share of each class among the training rows." in said
    assert "this is all of it" not in said
    assert not at.get("plotly_chart")
    at.selectbox(key="surface.beside").set_value(1).run()
    assert "The model uses neither 'petal" in at.words() or "The model uses neither 'sepal" in at.words()
    assert "this is all of it" not in at.words()
    assert at.get("plotly_chart")


def test_the_page_shows_the_two_heaviest_features(fitted, iris_study):
    at = fitted()
    assert not at.exception
    found = surface(iris_study)
    assert unbroken(best_words(found)) in at.words()
    spec = at.get("plotly_chart")[0].proto.spec
    assert found.x_axis.name in spec
    assert found.y_axis.name in spec
    assert at.selectbox(key="surface.face").value == (
        Face.CLASS,
        0,
    )  # of three classes, one probability is blank elsewhere
    assert "P(virginica)" not in spec
    assert "P(virginica)" in fitted(**{"class": "3"}).get("plotly_chart")[0].proto.spec
    assert "this is all of it" in at.words()
    assert [item.label for item in at.get("download_button")] == ["Surface (HTML)", "Surface (CSV)"]
    assert at.button(key="page.help").proto.shortcut.lower() == keys.HELP.lower()


def test_axes_can_be_turned_and_stand_in_the_address(fitted, iris_study):
    at = fitted()
    order = feature_order(iris_study)
    at.selectbox(key="surface.face").set_value((Face.FAMILIARITY, 0)).run()
    assert at.query_params["face"] == "familiarity"
    assert "held-out cases that are less familiar" in at.get("plotly_chart")[0].proto.spec
    again = fitted(x=str(order[1]), y=str(order[0]), face="class")
    assert again.selectbox(key="surface.x").value == order[1]
    assert again.selectbox(key="surface.y").value == order[0]
    assert again.selectbox(key="surface.face").value == (Face.CLASS, 0)


def test_the_map_may_be_the_axes(fitted, iris_study):
    at = fitted(axes="1")
    assert not at.exception
    assert at.selectbox(key="surface.batch").value == 1


@pytest.mark.slow
@pytest.mark.parametrize(("beside", "title"), [("1", "Nearest neighbours"), ("2", "XGBoost")])
def test_another_classifier_stands_beside(fitted, beside, title):
    at = fitted(beside=beside)
    assert not at.exception
    assert len(at.get("plotly_chart")) == 2
    assert f"**{title}**" in at.words()
    at.selectbox(key="surface.face").set_value((Face.FAMILIARITY, 0)).run()
    assert len(at.get("plotly_chart")) == 1
    assert "This model knows no familiarity." in at.words()


def test_the_cut_goes_through_the_selected_case_or_else_the_reference_point(fitted, monkeypatch):
    cuts = []

    def cut(*asked):
        cuts.append(SurfaceCut(*asked))
        return cuts[-1]

    monkeypatch.setattr("dashboard.components.maps.surface_choices.SurfaceCut", cut)
    for asked, row, fixed, at in (
        ({}, None, "reference", "reference"),
        ({"fixed": "case"}, None, "reference", "reference"),
        ({"row": "71"}, 71, "case", 71),
        ({"fixed": "reference", "row": "71"}, 71, "reference", "reference"),
        ({"fixed": "middle", "row": "71"}, 71, "middle", None),
    ):
        page = fitted(**asked)
        assert page.selectbox(key="surface.fixed.at").value == fixed
        assert ("case" in page.selectbox(key="surface.fixed.at").options[0]) == (row is not None)
        point = int(choose_reference_point(page.held.study).index)
        assert cuts[-1].at == (point if at == "reference" else at)


def test_the_contour_is_chosen_on_the_page_and_stands_in_the_address(fitted, iris_study):
    at = fitted()
    assert "less familiar than 99 % of cases" in at.get("plotly_chart")[0].proto.spec
    at.selectbox(key="surface.quantile").set_value("25").run()
    assert at.query_params["quantile"] == "25"
    assert "less familiar than 75 % of cases" in at.get("plotly_chart")[0].proto.spec
    assert "familiarity contour, 25 %" in at.get("plotly_chart")[0].proto.spec
    assert fitted(quantile="25").selectbox(key="surface.quantile").value == "25"
    assert fitted(quantile="<b>").selectbox(key="surface.quantile").value == "1"


def test_pictures_start_on_the_plane_of_the_map(iris_study):
    pictures = SimpleNamespace(table=SimpleNamespace(grid=object()), prototypes=iris_study.prototypes)
    assert [over_map(pictures, asked) for asked in Axes] == [True, False, True]
    assert [over_map(iris_study, asked) for asked in Axes] == [False, False, True]
    assert fixed_points(on_map=True, selected=False)[0] is Fixed.MIDDLE
    assert fixed_points(on_map=True, selected=True)[0] is Fixed.CASE
    assert not over_map(SimpleNamespace(table=pictures.table, prototypes=[]), Axes.MAP)


def test_the_switch_of_the_map_stands_in_the_address(fitted):
    at = fitted()
    at.toggle(key="surface.map").set_value(True).run()
    assert at.query_params["axes"] == "1"
    at.toggle(key="surface.map").set_value(False).run()
    assert at.query_params["axes"] == "0"  # where the usual axes are those of the map, it says more than nothing
    assert at.get("selectbox")[0].key != "surface.batch"


@pytest.mark.parametrize(
    "query",
    [{"x": "999"}, {"x": "1", "y": "1"}, {"x": "-1"}, {"face": "<b>"}, {"beside": "77"}, {"batch": "9", "axes": "1"}],
)
def test_an_address_that_asks_for_what_is_not_there_does_no_harm(fitted, query):
    at = fitted(**query)
    assert not at.exception
    assert at.get("plotly_chart")


def test_a_case_that_is_no_row_of_the_table_may_be_what_is_fixed(fitted, iris_study):
    at = fitted(fixed="case", axes="1")
    at.held.opened.others[CaseSource.EDITED] = iris_study.table.frame.loc[[71]].set_axis([1])
    at.held.select(CaseRef(CaseSource.EDITED, 1))
    at.go("surface")
    assert not at.exception
    assert at.selectbox(key=at.key("surface.fixed.at")).value == "case"
    at.go("map")
    assert not at.exception
    assert "selected case (not in the table)" in at.get("plotly_chart")[0].proto.spec


def test_another_model_of_the_session_stands_beside(fitted, iris_study):
    other = fit_study(
        iris_study.table,
        iris_study.roles,
        settings=replace(iris_study.settings, lambda_w=iris_study.settings.lambda_w * 2),
    )
    at = fitted()
    at.held.opened.models[other.id] = other
    at.run()
    at.selectbox(key=at.key("surface.beside")).set_value(4).run()
    assert not at.exception
    assert len(at.get("plotly_chart")) == 2
    assert f"Model: {at.held.opened.model_names[other.id]}" in at.words()


def test_the_model_beside_stays_the_same_whichever_is_the_current_one(fitted, iris_study):
    first, second = (
        fit_study(iris_study.table, iris_study.roles, settings=replace(iris_study.settings, lambda_w=value))
        for value in (2e-6, 4e-6)
    )
    at = fitted()
    at.held.opened.models |= {first.id: first, second.id: second}
    at.run()
    box = at.selectbox(key=at.key("surface.beside"))
    name = at.held.opened.model_names[first.id]
    at.selectbox(key=box.key).set_value(3 + list(at.held.opened.models).index(first.id)).run()
    assert f"Model: {name}" in at.words()
    at.held.opened.switch(second.id)
    at.run()
    assert not at.exception
    assert f"Model: {name}" in at.words()


def test_a_rule_of_two_different_features():
    for x in range(5):
        for y in range(5):
            first, second = two_features([3, 1, 2], x, y)
            assert first != second
            assert {first, second} <= {1, 2, 3}


def test_how_the_area_is_shared_is_counted(iris_study):
    found = cut_surface(iris_study, SurfaceCut("", "", None, None))
    counts = np.bincount(found.likeliest.ravel())
    first = found.classes[counts.argmax()]
    for name, count in zip(found.classes, counts, strict=True):
        if count:
            where = f"{' is the most probable class' if name == first else ''} on {percent(count / counts.sum())}"
            assert f"{name}{where}" in best_words(found)


def test_a_class_that_has_the_whole_area_is_not_said_to_be_sure(iris_study):
    """A share of the area in brackets behind a class read as its probability."""
    cut = cut_surface(iris_study, SurfaceCut("", "", None, None))
    alone = replace(cut, probabilities=np.eye(3)[np.zeros((4, 4), dtype=int)])
    assert best_words(alone) == f"{cut.classes[0]} is the most probable class on all of the area shown."
    many = replace(cut, classes=tuple("abcdef"), probabilities=np.eye(6)[np.arange(24).reshape(4, 6) % 6])
    assert best_words(many).endswith("b on 16.7 %, c on 16.7 %, d on 16.7 %, 2 other classes on the rest.")


def test_a_rival_is_fitted_to_the_training_rows(iris_study, monkeypatch):
    rival = fit_rival(iris_study, Rival.KNN)
    assert rival.model.classes.tolist() == list(iris_study.classes)
    beside = cut_surface(iris_study, SurfaceCut("", "", None, None), rival.model)
    assert beside.familiarity is None
    assert plot_surface(beside, show="class").data
    monkeypatch.setattr("dashboard.services.maps.surface.MOST_RIVAL_ROWS", 60)
    assert "among 60 sampled training rows" in fit_rival(iris_study, Rival.KNN).words
    assert MOST_RIVAL_ROWS == 5_000


@pytest.mark.parametrize("kind", [Rival.KNN, Rival.XGB])
@pytest.mark.parametrize("split", [{"groups": "patient"}, {"time": "day"}])
def test_the_model_beside_is_chosen_by_folds_that_respect_groups_and_times(split, kind, monkeypatch):
    cut = []
    make_folds = inner_folds.make_folds

    def spied(target, plan, groups=None, times=None, **rest):
        cut.extend((fold, groups, times) for fold in make_folds(target, plan, groups, times, **rest))
        return tuple(fold for fold, _, _ in cut)

    monkeypatch.setattr(inner_folds, "make_folds", spied)
    assert "without regard" not in fit_rival(visits_study(**split), kind).words
    assert len(cut) == (5 if kind is Rival.KNN else 3)
    for fold, groups, times in cut:
        if groups is not None:
            assert not set(groups[fold.train]) & set(groups[fold.test])
        else:
            assert times[fold.train].max() < times[fold.test].min()


def test_the_model_beside_says_so_where_groups_do_not_suffice(monkeypatch):
    monkeypatch.setattr(inner_folds, "MOST_GROUPS", 1)
    words = fit_rival(visits_study(groups="patient"), Rival.KNN).words
    assert words.endswith("The groups leave too few folds: it was chosen on rows drawn without regard to them.")
