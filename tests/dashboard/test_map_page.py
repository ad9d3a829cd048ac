"""The Map page without a browser, and the figure that a browser lets people click on."""

from __future__ import annotations

from dataclasses import replace

import plotly.graph_objects as go
import pytest

from dashboard import cache
from dashboard.components.figure_panel import clickable, fade_all_but, lighter
from dashboard.services.cases import CaseSet, Part, listed
from dashboard.services.map import part_words
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.explain.case_standing import standing
from proset.explain.map import batch_map
from proset.plots import style
from proset.plots.batch_map import plot_batch_map
from proset.study import fit_study
from proset.study.settings import suggest_settings


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens a page of the app with the bundled iris data, fitted."""

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app(data="iris_2f", fit="1", **params).go(page)

    return start


def links(at):
    """Labels of the links on the page, without those of the frame."""
    return [link.label for link in at.main.get("page_link")]


def test_without_data_the_page_says_so_and_links_to_it(open_app):
    at = open_app().go("map")
    assert not at.exception
    assert "There is no data yet." in at.words()
    assert links(at) == ["Go to Data"]


def test_without_a_model_the_page_offers_the_fit(open_app):
    at = open_app(data="iris_2f").go("map")
    assert not at.exception
    assert "There is no model yet." in at.words()
    assert links(at) == ["Choose settings first"]


@pytest.mark.parametrize("part", list(Part))
def test_the_switch_changes_rows_counts_and_list_and_is_remembered(fitted, iris_study, part):
    at = fitted("map")
    at.segmented_control(key="map.part").set_value(part).run()
    assert not at.exception
    assert part_words(iris_study.judged(), part) in at.words()
    wrong = listed(iris_study, iris_study.judged(), CaseSet(part))
    shown = [item.value for item in at.dataframe]
    assert [frame.index.tolist() for frame in shown] == ([wrong.index.tolist()] if len(wrong) else [])
    at.go("data")
    at.go("map")
    assert part_words(iris_study.judged(), part) in at.words()


def test_the_selected_case_is_summed_up_with_the_way_to_its_report(fitted, iris_study):
    row = int(listed(iris_study, iris_study.judged(), CaseSet(Part.HELD_OUT)).index[0])
    at = fitted("map", row=str(row))
    line = iris_study.predictions.loc[row]
    text = at.words()
    assert f"**Row {row}** · held-out row" in text
    assert f"Estimate **{line['predicted']}** ({percent(line['confidence'])}), actual **{line['actual']}**" in text
    assert "misclassified]" in text
    short = standing(iris_study, [row]).words(row).short
    assert short[1:] in text
    assert "Open the report" in links(at)


def test_without_a_selected_case_the_card_says_how_to_select_one(fitted):
    at = fitted("map")
    assert "No case selected." in at.words()
    assert "Open the report" not in links(at)


def test_a_row_that_does_not_exist_is_not_selected(fitted):
    at = fitted("map", row="99999")
    assert not at.exception
    assert "No case selected." in at.words()


@pytest.mark.parametrize("row", ["-1", "1e3", "<script>alert(1)</script>", "' OR 1=1", "9" * 400])
def test_a_hostile_row_in_the_address_does_no_harm(fitted, row):
    at = fitted("map", row=row)
    assert not at.exception
    assert "No case selected." in at.words()


def test_the_page_explains_itself_and_offers_files(fitted):
    at = fitted("map")
    assert "How to read this" in [item.label for item in at.expander]
    assert [item.label for item in at.get("download_button")] == ["Map (HTML)", "Rows on the map (CSV)"]
    assert "of the spread of the prototypes" in at.words()


def test_fading_leaves_the_wrong_cases_and_the_prototypes_bright(iris_study):
    figure = plot_batch_map(batch_map(iris_study), part="all")
    wrong = set(listed(iris_study, iris_study.judged(), CaseSet(Part.ALL)).index)
    bright = set()
    for before, after in zip(figure.data, fade_all_but(figure, wrong).data, strict=False):
        if isinstance(after.marker.opacity, tuple):
            assert before.marker.size == style.SAMPLE_SIZE
            bright |= {int(i[0]) for i, o in zip(after.customdata, after.marker.opacity, strict=True) if o == 1.0}
        else:
            assert after == before
    assert bright == wrong


def test_every_mark_can_be_clicked_and_tells_its_row(iris_study):
    mapping = batch_map(iris_study)
    layers = diamonds(clickable(plot_batch_map(mapping, part="all"), mark=None))
    rows = {int(item[0]) for layer in layers for item in layer.customdata}
    assert rows == set(mapping.points.index)
    for layer in layers:
        assert layer.hovertemplate
        for item, x, y in zip(layer.customdata, layer.x, layer.y, strict=True):
            assert (x, y) == tuple(mapping.points.loc[int(item[0]), ["x", "y"]])


def test_only_the_selected_case_shows_its_diamond(iris_study):
    figure = plot_batch_map(batch_map(iris_study), part="held_out", selected=(row := int(iris_study.split.held_out[3])))
    shown = {
        int(layer.customdata[position][0])
        for layer in diamonds(clickable(figure, mark=row))
        for position in layer.selectedpoints
    }
    assert shown == {row}


def test_a_case_of_another_part_keeps_its_diamond(iris_study):
    row = int(next(row for row in iris_study.split.train if row not in set(iris_study.prototypes["row"])))
    figure = plot_batch_map(batch_map(iris_study), part="held_out", selected=row)
    shown = [layer.customdata[i][0] for layer in diamonds(clickable(figure, mark=row)) for i in layer.selectedpoints]
    assert shown == [row]


def test_the_figure_is_the_same_whichever_case_was_clicked_on_it(iris_study):
    """Else Streamlit would draw it anew and forget zoom and pan."""
    mapping = batch_map(iris_study)
    first = clickable(plot_batch_map(mapping, selected=None), mark=None)
    again = clickable(plot_batch_map(mapping, selected=None), mark=None)
    assert first.to_json() == again.to_json()


def test_the_given_figure_is_left_alone():
    figure = go.Figure(go.Scatter(x=[1], y=[2], customdata=[[7]], hovertemplate="row"))
    before = figure.to_json()
    clickable(figure, mark=7)
    fade_all_but(figure, {7})
    assert figure.to_json() == before


def diamonds(figure):
    """The invisible layers of a clickable figure."""
    return [trace for trace in figure.data if trace.customdata is not None and trace.marker.opacity == 0]


@pytest.fixture
def open_fit(open_app):
    """Return a function that fits iris with other settings and opens a page of the app with that fit."""

    def start(page, **settings):
        changed = replace(suggest_settings(150, 2), **settings)
        study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=changed)
        cache.keep_sample_study("iris_2f", study)
        return open_app(data="iris_2f", fit="1", **{name: str(value) for name, value in settings.items()}).go(page)

    return start


def test_a_model_without_prototypes_has_no_map_but_still_lists_its_errors(open_fit):
    at = open_fit("map", n_iter=0)
    assert not at.exception
    assert "The first batch has no prototypes" in at.words()
    assert not at.get("plotly_chart")
    assert len(at.dataframe) == 1


def test_a_model_without_prototypes_still_explains_a_case(open_fit):
    at = open_fit("case", n_iter=0)
    at.button(key="case_picker.1").click().run()
    assert not at.exception
    assert "The model has no prototypes" in at.words()
    assert "**the class shares**" in at.words()


def test_fading_is_remembered_over_a_page_change(fitted):
    at = fitted("map")
    at.toggle(key="map.fade.widget").set_value(True).run()
    assert not at.exception
    at.go("data")
    at.go("map")
    assert at.toggle(key="map.fade.widget").value is True
    assert at.get("plotly_chart")


def test_on_a_dark_page_no_class_colour_is_dim(iris_study):
    figure = plot_batch_map(batch_map(iris_study))
    light = lighter(figure)
    colours = [trace.marker.color for trace in light.data]
    assert style.CLASS_COLOURS[0] in [trace.marker.color for trace in figure.data]
    assert style.CLASS_COLOURS[0] not in colours
    assert style.for_dark(style.CLASS_COLOURS[0]) in colours
