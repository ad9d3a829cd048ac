"""The Map page without a browser, and the figure that a browser lets people click on."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

from dashboard import cache
from dashboard.components import keys
from dashboard.components.clickable import draw_once, give_tool_strip, make_clickable
from dashboard.services.case_list import listed
from dashboard.services.cases import CaseSet, Part
from dashboard.services.exports import figure_html, with_heading
from dashboard.services.maps.looks import Colour
from dashboard.services.maps.map import part_words
from dashboard.views.map import take
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.familiar.case_standing import standing
from proset.explain.maps.agreement import map_agreement
from proset.explain.maps.map import batch_map
from proset.plots import style
from proset.plots.batch_map import plot_batch_map
from proset.plots.map_marks import ByValue
from proset.plots.page_look import for_page
from proset.plots.traces import in_words
from proset.study import fit_study
from proset.study.settings import suggest_settings

HINT = "Click a mark on the map, or tick a line below it."


@pytest.fixture
def fitted(open_app, iris_study):
    """Return a function that opens a page of the app with the bundled iris data, fitted."""

    def start(page, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app(page, data="iris_2f", fit="own", **params)

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


@pytest.mark.slow
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
    assert "Open the case" in links(at)


def test_without_a_selected_case_the_finding_comes_first_and_how_to_select_one(fitted, iris_study):
    at = fitted("map")
    finding = part_words(iris_study.judged(), Part.HELD_OUT)
    assert f"**{finding}** {HINT}" in at.words()
    assert at.words().count(finding) == 1
    assert "Open the case" not in links(at)


def test_a_row_that_does_not_exist_is_not_selected(fitted):
    at = fitted("map", row="99999")
    assert not at.exception
    assert HINT in at.words()


@pytest.mark.parametrize("row", ["-1", "1e3", "<script>alert(1)</script>", "' OR 1=1", "9" * 400])
def test_a_hostile_row_in_the_address_does_no_harm(fitted, row):
    at = fitted("map", row=row)
    assert not at.exception
    assert HINT in at.words()


def test_the_page_explains_itself_and_offers_files(fitted):
    at = fitted("map")
    assert at.button(key="page.help").proto.shortcut.lower() == keys.HELP.lower()
    assert [item.label for item in at.get("download_button")] == ["Map (HTML)", "Rows on the map (CSV)"]
    assert "of the spread of the prototypes" in at.words()


def test_the_tool_bar_has_a_strip_of_its_own(iris_study):
    values = ByValue(iris_study.predictions["quantile"], "familiarity")
    layout = give_tool_strip(in_words(plot_batch_map(batch_map(iris_study), colour=values)))["layout"]
    assert layout["modebar"]["orientation"] == "v"
    assert layout["margin"]["r"] >= 40
    assert layout["coloraxis"]["colorbar"]["xpad"] >= 40
    heat = give_tool_strip(in_words(go.Figure(go.Heatmap(z=[[1, 2]]), layout={"margin": {"r": 90}})))
    assert heat["data"][0]["colorbar"]["xpad"] >= 40
    assert heat["layout"]["margin"]["r"] == 90


def test_every_mark_can_be_clicked_and_tells_its_row(iris_study):
    mapping = batch_map(iris_study)
    layers = diamonds(clickable(plot_batch_map(mapping, part="all"), mark=None))
    rows = {item[0] for layer in layers for item in layer["customdata"]}
    assert rows == set(mapping.points.index)
    for layer in layers:
        assert layer["hovertemplate"]
        for item, x, y in zip(layer["customdata"], layer["x"], layer["y"], strict=True):
            assert (x, y) == tuple(mapping.points.loc[int(item[0]), ["x", "y"]])


def test_only_the_selected_case_shows_its_diamond(iris_study):
    figure = plot_batch_map(batch_map(iris_study), part="held_out", selected=(row := int(iris_study.split.held_out[3])))
    shown = {
        layer["customdata"][position][0]
        for layer in diamonds(clickable(figure, mark=row))
        for position in layer["selectedpoints"]
    }
    assert shown == {row}


def test_a_case_of_another_part_keeps_its_diamond(iris_study):
    row = int(next(row for row in iris_study.split.train if row not in set(iris_study.prototypes["row"])))
    figure = plot_batch_map(batch_map(iris_study), part="held_out", selected=row)
    shown = [
        layer["customdata"][i][0] for layer in diamonds(clickable(figure, mark=row)) for i in layer["selectedpoints"]
    ]
    assert shown == [row]


def test_the_figure_is_the_same_whichever_case_was_clicked_on_it(iris_study):
    """Else Streamlit would draw it anew and forget zoom and pan."""
    mapping = batch_map(iris_study)
    first = draw_once(clickable(plot_batch_map(mapping, selected=None), mark=None))
    again = draw_once(clickable(plot_batch_map(mapping, selected=None), mark=None))
    assert first == again
    # Plotly keeps what people did to a figure under this revision: a zoom must not reach another figure of its place.
    other = draw_once(clickable(plot_batch_map(mapping, part="train"), mark=None))
    assert first["layout"]["uirevision"] != other["layout"]["uirevision"]


def clickable(figure, *, mark):
    """Make a figure clickable; it comes back in words."""
    return make_clickable(in_words(figure), mark=mark)


def diamonds(said):
    """The invisible layers of a clickable figure."""
    return [trace for trace in said["data"] if "customdata" in trace and "selectedpoints" in trace]


@pytest.fixture
def open_fit(open_app):
    """Return a function that fits iris with other settings and opens a page of the app with that fit."""

    def start(page, **settings):
        changed = replace(suggest_settings(150, 2), **settings)
        study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=changed)
        cache.keep_sample_study("iris_2f", study)
        return open_app(data="iris_2f", fit="own", **{name: str(value) for name, value in settings.items()}).go(page)

    return start


def test_a_model_without_prototypes_has_no_map_but_still_lists_its_errors(open_fit):
    at = open_fit("map", n_iter=0)
    assert not at.exception
    assert "The first batch has no prototypes" in at.words()
    assert "Click a mark on the map" not in at.words()
    assert json.loads(at.dataframe[0].proto.columns)["familiarity"]["hidden"], "no case is 100 % familiar to it"
    assert not at.get("plotly_chart")
    assert len(at.dataframe) == 1


def test_a_model_without_prototypes_still_explains_a_case(open_fit):
    at = open_fit("case", n_iter=0)
    at.button(key="case_picker.1").click().run()
    assert not at.exception
    assert "The model has no prototypes" in at.words()
    assert "the class shares decide" in at.words()
    assert at.words().count("the estimate is the share of each class") == 1


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
    assert style.CLASS_COLOURS[0] in [trace.marker.color for trace in figure.data]
    colours = [trace.marker.color for trace in for_page(figure, dark=True).data]
    assert style.CLASS_COLOURS[0] not in colours
    assert style.on_dark(style.CLASS_COLOURS[0]) in colours


def test_choices_stand_in_the_address_and_change_the_picture(fitted, iris_study):
    at = fitted("map", colour="probability", shade="1", star="1", lines="1", row="71", **{"class": "1"})
    assert not at.exception
    text = at.words()
    assert "The shading: the most probable class on one plane" in text
    assert "Size of a prototype: its impact on the selected case." in text
    spec = at.get("plotly_chart")[0].proto.spec
    assert "probability of setosa" in spec
    assert "reference point" in spec
    assert "heatmap" in spec
    at.selectbox(key="map.colour").set_value(Colour.CORRECT).run()
    assert at.query_params["colour"] == "correct"
    assert "probability of setosa" not in at.get("plotly_chart")[0].proto.spec


@pytest.mark.parametrize("query", [{"batch": "7"}, {"colour": "novelty"}, {"class": "99", "colour": "probability"}])
def test_what_the_model_lacks_is_the_usual_instead(fitted, query):
    at = fitted("map", **query)
    assert not at.exception
    assert at.get("plotly_chart")


def test_batches_with_prototypes_can_be_chosen_and_the_choice_stands_in_the_address(open_app):
    study = fit_study(
        load_sample("iris_2f"), sample_roles("iris_2f"), settings=replace(suggest_settings(150, 2), n_iter=2)
    )
    manager = study.model.set_manager_
    study.model.set_manager_ = manager.with_batches((None, *manager.batches))  # as thinning may leave joined votes
    cache.keep_sample_study("iris_2f", study)
    at = open_app("map", data="iris_2f", fit="own", n_iter="2")
    assert not at.exception
    box = at.selectbox(key="map.batch")
    assert box.options == ["Batch 2", "Batch 3"]
    assert box.value == int(np.argmax([len(batch) for batch in manager.batches])) + 2
    for number in (5 - box.value, box.value):
        at.selectbox(key="map.batch").set_value(number).run()
        assert at.query_params["batch"] == str(number)


def test_a_prototype_says_what_it_weighs(fitted, iris_study):
    row = int(iris_study.prototypes["row"].iloc[0])
    assert f"Row {row} is a **prototype** of" in fitted("map", row=str(row)).words()


def test_a_map_of_noise_says_so_and_offers_the_surface(open_app):
    random = np.random.default_rng(7)
    X = random.normal(size=(300, 4))
    frame = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.where(X.prod(axis=1) > 0, "p", "q"))
    table = read_table(frame.to_csv(index=False).encode(), name="noise.csv")
    roles = guess_roles(table).roles.with_role("kind", Role.TARGET)
    study = fit_study(table, roles, settings=replace(suggest_settings(300, 4), lambda_v=1e-4, lambda_w=1e-7))
    assert map_agreement(batch_map(study)).fails
    at = open_app()
    at.held.open_study(study)
    at.go("map")
    assert not at.exception
    assert "This map says hardly anything" in at.words()
    assert "Look at two features at a time" in links(at)


def test_a_loop_makes_a_list_of_the_cases_that_are_shown(fitted, iris_study):
    at = fitted("map")
    shown = [int(row) for row in iris_study.split.held_out[:3]]
    others = [int(row) for row in iris_study.split.train[:2]]
    take(at.held, iris_study, Part.HELD_OUT, [*shown, *others])
    assert [case.row for case in at.held.cases.picked] == shown
    at.go("map")
    assert "3 cases picked on the map" in at.words()
    take(at.held, iris_study, Part.HELD_OUT, others)
    assert [case.row for case in at.held.cases.picked] == shown


def test_a_figure_on_its_own_says_what_it_shows():
    page = with_heading(figure_html(go.Figure(), ["Fixed: <i>"]), "Map: <b>", ["Row 7"]).decode()
    assert "<h1>Map: &lt;b&gt;</h1><p>Row 7</p><p>Fixed: &lt;i&gt;</p>" in page
    assert "<title>Map: &lt;b&gt;</title>" in page


def test_a_selected_case_has_lines_to_its_prototypes_unless_they_are_switched_off(fitted, iris_study):
    row = int(iris_study.split.held_out[0])

    def lines(**params):
        at = fitted("map", **params)
        spec = json.loads(at.get("plotly_chart")[0].proto.spec)
        return sum(trace.get("mode") == "lines" for trace in spec["data"]), at.words()

    drawn, said = lines(row=str(row))
    assert drawn > 0
    assert "Size of a prototype: its impact" in said
    assert lines()[0] == lines(row=str(row), lines="0")[0] == 0


def test_the_legend_has_a_diamond_only_where_one_is_drawn(iris_study):
    mapping, row = batch_map(iris_study), int(iris_study.split.held_out[3])

    def entries(mark):
        said = clickable(plot_batch_map(mapping, selected=mark), mark=mark)
        return [trace["name"] for trace in said["data"] if trace.get("legend") == "legend2"]

    assert "selected case" not in entries(None)
    assert entries(row).count("selected case") == 1


@pytest.mark.parametrize("page", ["map", "quality"])
def test_one_goes_from_case_to_case_with_the_keys_of_the_case_page(fitted, iris_study, page):
    at = fitted(page)
    buttons = {button.proto.shortcut.lower(): button for button in at.button if button.proto.shortcut}
    assert {keys.NEXT.lower(), keys.PREVIOUS.lower()} <= set(buttons)
    buttons[keys.NEXT.lower()].click().run()
    first = listed(iris_study, iris_study.judged(), CaseSet(Part.HELD_OUT)).index[0]
    assert at.held.case.row == first
    assert not at.exception
    if page == "map":
        assert f"**Row {first}** · held-out row" in at.words()
