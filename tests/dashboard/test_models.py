"""Several models of one table on the pages: switching, removing, and links that open the same model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dashboard import cache
from dashboard.services.models import MOST_MODELS, model_names
from dashboard.session import links
from proset.data.samples import load_sample, sample_roles
from proset.explain.sheets.model_facts import model_facts
from proset.selection import SearchPlan
from proset.selection.scores import FoldScores
from proset.storage import to_bytes
from proset.study import FitSettings, fit_study, search_study
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

FEW = FitSettings(num_candidates=30)


@pytest.fixture(autouse=True)
def _few_repeats() -> None:
    """Repeat cross-validation as often as always: what it says decides whether a page warns."""


@pytest.fixture(scope="module")
def two():
    """Two models of the same table."""
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    return [fit_study(table, roles, settings=replace(FEW, lambda_v=value)) for value in (1e-3, 2e-3)]


@pytest.fixture
def both(open_app, two):
    """The app with both models, the second one current."""
    for study in two:
        cache.keep_sample_study("iris_2f", study)
    at = open_app("fit", data="iris_2f", fit="own", num_candidates="30", lambda_v="0.001")
    at.select_slider(key="fit.lambda_v").set_value(2e-3).run()
    at.button(key="fit.start").click().run()
    return at


def switch(at):
    return next(box for box in at.selectbox if box.label == "Model shown")


def test_a_refit_adds_a_model_and_makes_it_the_current_one(both, two):
    assert not both.exception
    assert both.held.study is two[1]
    assert switch(both).options == ["Own settings, 1 batch, lambda_v 2e-3", "Own settings, 1 batch, lambda_v 1e-3"]
    assert str(MOST_MODELS) in switch(both).help


@pytest.mark.parametrize("page", ["fit", "map", "case"])
def test_switching_shows_the_other_model_on_every_page(both, two, page):
    both.go(page)
    switch(both).set_value(two[0].id).run()
    assert not both.exception
    assert both.held.study is two[0]
    assert "Changed since" not in both.words(), "the settings are those of the model that is shown"
    assert "".join(both.query_params["lambda_v"]) == "0.001"
    both.go("fit")
    assert both.select_slider(key=both.key("fit.lambda_v")).value == 1e-3
    shown = {metric.label: metric.value for metric in both.metric}
    assert shown["Log-loss"] == f"{two[0].metrics.log_loss:.3f}"


def test_a_model_can_be_removed_and_then_there_is_nothing_to_switch(both, two):
    both.button(key="models.remove").click().run()
    assert not both.exception
    assert both.held.study is two[0]
    assert not [box for box in both.selectbox if box.label == "Model shown"]


def test_the_selected_case_stays_when_the_model_changes(both, two):
    both.go("case").text_input(key="case_picker.text").set_value("17").run()
    switch(both).set_value(two[0].id).run()
    assert both.held.case.row == 17
    assert "Row 17" in both.words()


@pytest.mark.slow
def test_models_that_read_the_same_are_numbered(two):
    again = replace(two[0], search=None)
    assert list(model_names({"a": two[0], "b": again}).values()) == [
        "Own settings, 1 batch (1)",
        "Own settings, 1 batch (2)",
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("worked_here")
def test_the_link_of_a_search_that_ended_at_twenty_batches_opens_the_same_model(open_app):
    """The search looks as far as the field and the address reach."""
    plan = SearchPlan(n_trials=2, n_folds=2, max_batches=20)
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    short = search_study(table, roles, settings=FEW, plan=replace(plan, max_batches=1, second_look=False))
    losses = np.linspace(0.9, 0.2, 21)[:, None] + [[-0.001, 0.001]]
    scores = FoldScores(losses, np.full_like(losses, 2.0), np.full_like(losses, 9.0))
    record = replace(
        short.search,
        plan=replace(short.search.plan, max_batches=20),
        curves={short.search.looked_at[0]: scores},
    )
    assert record.chosen_batches > 10
    record = record.with_batches(20)
    lambda_v, lambda_w = record.chosen_penalties
    settings = replace(FEW, n_iter=20, lambda_v=lambda_v, lambda_w=lambda_w)
    found = replace(fit_study(table, roles, settings=settings), search=record)

    at = open_app()
    at.button(key="sample.iris_2f").click().run()
    at.held.add_study(found)
    at.go("fit")
    assert not at.exception
    query = links.query(at.held, at.held.page)
    assert query["n_iter"] == "20"

    again = open_app("fit", **query)
    again.wait()
    assert not again.exception
    assert not again.warning
    assert again.held.study.settings == found.settings
    assert again.held.study.probabilities.equals(found.probabilities)


def test_the_study_of_a_file_is_one_model_more_only_for_its_own_table(both, two):
    both.go("data")
    uploader = both.file_uploader(key="source.study")
    uploader.set_value(("s.proset", to_bytes(two[0]), "application/zip")).run()
    assert not both.exception
    assert list(both.held.opened.models) == [two[0].id]


def test_a_fit_that_has_heard_what_people_said_is_called_so():
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    plain = fit_study(table, roles, settings=FitSettings(num_candidates=20))
    said = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=int(plain.split.train[0])),))
    heard = fit_study(table, roles, settings=plain.settings, guidance=said)
    names = list(model_names({study.id: study for study in (plain, heard)}).values())
    assert [name.split(",")[0] for name in names] == ["Own settings", "Fit with what was said"]
    assert dict(model_facts(heard).settings)["chosen by"] == "stated: nothing was searched for this fit"


def test_a_name_counts_the_batches_that_the_model_has(two):
    """Asked for ten, a fit ends with those that still had something to say."""
    first = two[0]
    asked = replace(first, settings=replace(first.settings, n_iter=10))
    count = first.model.set_manager_.num_batches
    assert f"{count} batch" in model_names({"one": asked})["one"]
