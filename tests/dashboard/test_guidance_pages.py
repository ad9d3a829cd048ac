"""Requests to the next model on the pages: made, listed, refused, taken back, kept; and the history of models."""

from dataclasses import replace

import pytest

from dashboard.components.jobs import job_panel
from dashboard.services.data.fitted import stored_study
from dashboard.services.guidance import together
from dashboard.services.history import SAME, difference, different, history, who
from dashboard.services.strangers import JOINER
from dashboard.session.written import read_choices, write_choices
from dashboard.texts.guidance import BY_CHANCE
from proset.common.errors import StudyError
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.study import FitSettings, fit_study
from proset.study.any_study import fit_recipe
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

FEW = FitSettings(num_candidates=30)


def said(app):
    """All that stands on the page as text."""
    kinds = ("markdown", "caption", "info", "warning", "success", "error")
    text = " ".join(str(one.value) for kind in kinds for one in app.get(kind))
    return text.replace("\\", "").replace(JOINER, "")


def asked(app):
    """Requests of the next fit, in words."""
    return [item.words for item in app.held.recipe.guidance]


@pytest.fixture(scope="module")
def study():
    return stored_study("cancer")


def ask_column(app, column, kind, *, why=""):
    """Say on Features whether a column is to be used."""
    app.go("features")
    app.selectbox(key="features.ask.column").set_value(column).run()
    if why:
        app.text_input(key="features.ask.why").set_value(why).run()
    return app.button(key=f"features.ask.{kind}").click().run()


def test_columns_are_asked_for_refused_and_taken_back(open_app):
    app = open_app("features", data="cancer", fit="1")
    app.held.review_as("Ann")
    ask_column(app, "area error", "use_column", why="It contradicts.")
    assert asked(app) == ["Column 'area error' is to be used."]
    item = app.held.recipe.guidance.items[0]
    assert (item.by, item.why, bool(item.at)) == ("Ann", "It contradicts.", True)
    assert app.held.opened.changes == "the guidance"
    ask_column(app, "area error", "no_column")
    assert "contradict each other" in said(app)
    assert asked(app) == ["Column 'area error' is to be used."]
    app.go("fit")
    assert "The next fit listens to what was said: 'area error' to be used." in said(app)
    assert "does not carry what was said" in said(app)
    assert read_choices(write_choices(app.held.opened)).recipe.guidance.items[0].why == "It contradicts."
    app.button(key="fit.back.0").click().run()
    assert asked(app) == []
    assert not app.held.opened.stale


@pytest.mark.slow
def test_the_next_fit_can_keep_the_settings_of_the_model_shown(open_app, monkeypatch):
    submitted = []
    monkeypatch.setattr(job_panel, "_submit", lambda session, task, request: submitted.append(request.recipe))
    app = open_app("features", data="cancer", fit="1")
    ask_column(app, "area error", "use_column")
    app.go("fit")
    study = app.held.study
    app.button(key="fit.same").click().run()
    assert submitted == [replace(study.recipe, plan=None, guidance=app.held.recipe.guidance)]
    app.held.opened.edit(split=replace(study.split.settings, seed=1))
    app.run()
    assert "fit.same" not in [button.key for button in app.button]  # rows are others, too


def test_what_was_taken_back_is_taken_back_with_the_same_settings_too(open_app, monkeypatch, iris_study):
    submitted = []
    monkeypatch.setattr(job_panel, "_submit", lambda session, task, request: submitted.append(request.recipe))
    item = GuidanceItem(GuidanceKind.LEAVE_OUT, row=int(iris_study.split.train[0]))
    heard = fit_recipe(iris_study.table, replace(iris_study.recipe, guidance=Guidance((item,))))
    app = open_app()
    app.held.open_study(heard)
    app.go("fit")
    assert "fit.same" not in [button.key for button in app.button]
    app.button(key="fit.back.0").click().run()
    assert asked(app) == []
    assert "no longer listens to what the model shown was told: 1 row left out." in said(app)
    app.button(key="fit.same").click().run()
    assert not app.exception
    assert submitted == [replace(heard.recipe, plan=None, guidance=Guidance())]


def test_a_case_offers_the_columns_that_contradict_it(open_app):
    app = open_app("case", data="cancer", fit="1", row="298")
    offered = [one.key for one in app.button if str(one.key).startswith("case.use.")]
    assert len(offered) == 3
    app.button(key=offered[0]).click().run()
    assert asked(app) == ["Column 'area error' is to be used."]
    assert app.button(key=offered[0]).label.startswith("Take it back")
    app.button(key=offered[0]).click().run()
    assert asked(app) == []


def test_two_cases_are_not_alike_shows_what_would_have_to_be_weighted(open_app):
    app = open_app("case", data="cancer", fit="1", row="298")
    box = next(one for one in app.selectbox if str(one.key).startswith("case.unlike."))
    box.select_index(0).run()
    assert "The model finds them" in said(app)
    assert any("Spreads apart" in one.value.columns for one in app.dataframe)
    assert asked(app) == []


def test_a_held_out_row_is_no_candidate_and_a_prototype_can_be_refused(open_app, study):
    app = open_app("case", data="cancer", fit="1", row=str(study.split.held_out[0]))
    assert "Only training rows can be guided" in said(app)
    app.go("prototypes")
    button = next(one for one in app.button if str(one.key).endswith(".no_prototype"))
    row = int(str(button.key).split(".")[1])
    button.click().run()
    assert asked(app) == [f"Row {row} is not to be a prototype."]
    next(one for one in app.button if str(one.key).endswith(".candidate")).click().run()
    assert "contradict each other" in said(app)


@pytest.mark.slow
def test_review_puts_columns_together_with_verdicts_and_says_so_before_the_fit(open_app):
    app = open_app("features", data="cancer", fit="1")
    ask_column(app, "area error", "use_column")
    app.go("review")
    app.text_input(key="review.name").set_value("Ann").run()
    assert app.button(key="review.listens")
    assert "Column 'area error' is to be used." in said(app)


def test_verdicts_decide_of_the_rows_they_speak_of_and_nothing_else():
    left = GuidanceItem(GuidanceKind.LEAVE_OUT, row=3)
    column = GuidanceItem(GuidanceKind.NO_COLUMN, column="a")
    imported = GuidanceItem(GuidanceKind.RELABEL, row=9, label="b")
    heard = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=4),))
    found = together(Guidance((left, column, imported)), heard, {3, 4})
    assert set(found) == {column, imported, *heard}
    with pytest.raises(StudyError, match="contradict each other"):
        together(Guidance((GuidanceItem(GuidanceKind.CANDIDATE, row=4),)), heard, {4})


def asked_to_use():
    """Guidance on one column."""
    return Guidance((GuidanceItem(GuidanceKind.USE_COLUMN, column="area error"),))


@pytest.fixture(scope="module")
def models():
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    first = fit_study(table, roles, settings=FEW)
    row = int(first.prototypes["row"].iloc[0])
    item = GuidanceItem(GuidanceKind.NO_PROTOTYPE, row=row, by="Ann", why="Odd.", at="2026-11-24T10:30:00+00:00")
    second = fit_study(table, roles, settings=FEW, guidance=Guidance((item,)))
    other = fit_study(table, roles, settings=FEW, split=SplitSettings(seed=5))
    return first, second, other


def test_a_history_says_what_was_different_and_who_asked_for_it(models):
    first, second, other = models
    frame = history(models, {one.id: f"model {place}" for place, one in enumerate(models)}, second)
    assert frame["What was different"].tolist()[:2] == ["first model", "the guidance"]
    assert frame["Model"].tolist() == ["model 0", "model 1 (shown)", "model 2"]
    assert frame["Who asked, and why"][1].endswith("is not to be a prototype. Ann, 2026-11-24 10:30: Odd.")
    assert frame["Who asked, and why"][2].startswith("Taken back: Row ")
    assert frame["Difference (95 %)"].tolist()[1:] == ["", ""]
    assert different(first, first) == SAME
    searched = stored_study("cancer")
    stated = fit_study(searched.table, searched.roles, settings=searched.settings, guidance=asked_to_use())
    assert different(searched, stated) == "the guidance"
    assert who(first, None) == ""
    sign = {"+": "−", "−": "+"}
    there, back = difference(first, second), difference(second, first)
    assert back[0] == sign[there[0]]
    assert back[1:7] == there[1:7]
    assert difference(first, other) == ""


def test_the_history_compares_two_models_and_makes_another_one_current(open_app, models):
    app = open_app("fit", data="iris_2f")
    app.held.open_study(models[0])
    app.held.opened.add(models[1])
    app.run()
    box = app.selectbox(key=f"fit.history.{models[1].id}")
    box.set_value(models[0].id).run()
    assert "prototype" in said(app)
    assert BY_CHANCE in [caption.value for caption in app.caption]
    app.button(key="fit.history.take").click().run()
    assert app.held.study is models[0]
    assert not len(app.held.recipe.guidance)
