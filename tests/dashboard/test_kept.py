"""What a session holds comes back in another one; of two windows nobody's word is lost; what is deleted is gone."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from judgements import judgement
from live_server import serving
from patience import wait_until

from dashboard import cache
from dashboard.services import kept as service
from dashboard.services.cases import CaseOrder, CaseRef, CaseSet, Part
from dashboard.services.data.fitted import stored_study
from dashboard.services.kept import HERE, KeepingPlace
from dashboard.services.maps.looks import COLOUR, Colour
from dashboard.session import jobs, kept, returning, visitors, written
from dashboard.session.session import PART
from dashboard.texts import kept as text
from dashboard.work.tasks import FitRequest
from proset.common.errors import StorageError
from proset.data.samples import SAMPLES, load_sample
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.study import DecisionRule, FitSettings, fit_study
from proset.workspace import Workspace, workspace_address

FILE = b"size,weight,kind\n" + b"".join(b"%d,%d,%s\n" % (i % 7, i % 5, b"ab"[i % 2 : i % 2 + 1]) for i in range(60))
FEW = FitSettings(num_candidates=20)


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """What is done in the app is kept in a folder of the test."""
    monkeypatch.setattr(HERE, "_open", lambda: Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path)})))
    HERE.close()
    yield HERE.workspace
    HERE.close()


@pytest.fixture
def table():
    return read_table(FILE, name="herd.csv")


@pytest.fixture
def app_with_file(open_app, table, workspace):
    """The app with an uploaded file."""
    at = open_app("data")
    at.held.open_table(table, source=FILE)
    return at.go("data")


@pytest.fixture(scope="module")
def models():
    """Two models of the file."""
    table = read_table(FILE, name="herd.csv")
    roles = kept.guess_roles(table).roles
    return [fit_study(table, roles, settings=replace(FEW, lambda_v=v)) for v in (1e-3, 2e-3)]


# --- coming back ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_a_file_comes_back_with_all_that_was_done(app_with_file, open_app, models):
    left = app_with_file.held.opened
    left.edit(split=SplitSettings(seed=5))
    for model in models:
        left.add(model)
    left.switch(models[0].id)
    left.edit(split=SplitSettings(seed=9))
    left.select(CaseRef.in_table(7))
    left.look_through(CaseSet(part=Part.TRAIN, order=CaseOrder.DOUBT))
    app_with_file.held.put(COLOUR, list(Colour)[-1])
    app_with_file.held.put(PART, Part.ALL)
    app_with_file.held.decide_by(DecisionRule(cutoff=0.3))
    left.search_by(report=True)
    app_with_file.go("map")
    assert not app_with_file.exception

    other = open_app("map", open=left.key)
    assert not other.exception
    came = other.held.opened
    assert came is not left
    assert came.table.frame.equals(left.table.frame)
    assert came.source == FILE
    assert came.recipe == left.recipe
    assert came.changes == left.changes != ""
    assert list(came.models) == [model.id for model in models]
    assert came.current == models[0].id
    assert came.study.probabilities.equals(models[0].probabilities)
    assert came.plans == left.plans
    assert other.held.rule == DecisionRule(cutoff=0.3)
    assert came.selection == CaseRef.in_table(7)
    assert came.walk == left.walk
    assert other.held.get(COLOUR) is list(Colour)[-1]
    assert other.held.part is Part.ALL
    # An address that says what is looked at is followed.
    other = open_app("case", open=left.key, row="9")
    assert other.held.case == CaseRef.in_table(9)
    page = open_app("start")
    page.button(key=f"kept.open.{left.key}").click().run()
    assert page.held.study.id == models[0].id
    assert not page.exception


def test_an_address_of_what_is_not_kept_says_so(open_app, workspace):
    at = open_app("case", open="abcdefgh")
    assert text.NOT_HELD in at.words()
    assert not at.exception


@pytest.mark.slow
def test_a_bundled_table_is_kept_once_it_has_a_model_of_its_own(open_app, workspace, worked_here):
    at = open_app("map", data="cancer", fit="1")
    assert at.held.study is stored_study("cancer")
    assert workspace.cards() == []
    at = open_app("map", data="iris_2f", fit="1").wait()
    study = at.held.study
    (card,) = workspace.cards()
    assert (card.sample, card.n_models, card.name) == ("iris_2f", 1, SAMPLES["iris_2f"].title)
    cache.SAMPLE_STUDIES.clear()
    again = open_app("map", data="iris_2f", fit="1")
    assert again.job is None
    assert again.held.study.id == study.id
    assert again.held.opened.key == card.id
    assert again.held.table.fingerprint == load_sample("iris_2f").fingerprint
    other = open_app("map", data="iris_2f", fit="1", split="3")  # another split: not that model
    assert other.held.opened.key != card.id


def test_a_search_that_was_stopped_comes_back(app_with_file, open_app, stopped_search):
    opened = app_with_file.held.opened
    recipe = replace(opened.recipe, plan=stopped_search.plan)
    opened.stopped = FitRequest(opened.table, recipe, stopped_search)
    app_with_file.go("data")
    came = open_app("fit", open=opened.key).held.opened
    assert came.stopped.recipe == recipe
    assert came.stopped.record.to_state() == stopped_search.to_state()
    assert came.stopped.table is came.table


@pytest.mark.slow
def test_a_short_fit_of_another_window_does_not_take_a_stopped_search_away(
    app_with_file, open_app, stopped_search, workspace
):
    opened = app_with_file.held.opened
    other = open_app("fit", open=opened.key)
    recipe = replace(opened.recipe, plan=stopped_search.plan)
    opened.stopped = FitRequest(opened.table, recipe, stopped_search)
    app_with_file.go("data")
    left = workspace.read(opened.key).work
    assert set(json.loads(left)) == {"stopped"}
    other.button(key="fit.start").click().run()
    other.wait()
    assert other.held.study is not None
    assert workspace.read(opened.key).work == left
    opened.stopped = None
    app_with_file.go("fit")
    assert workspace.read(opened.key).work is None


@pytest.mark.slow
@pytest.mark.parametrize("finished", [True, False])
def test_work_that_was_cut_off_says_what_is_left_of_it(app_with_file, open_app, stopped_search, workspace, finished):
    opened = app_with_file.held.opened
    request = FitRequest(opened.table, replace(opened.recipe, plan=stopped_search.plan))
    work = {"search": written.write_request(request, stopped_search if finished else None)}
    workspace.keep_work(opened.key, json.dumps(work))
    other = open_app("fit", open=opened.key)
    assert (text.SEARCH_CUT if finished else text.WORK_CUT).format(noun="search") in other.words()
    assert (other.held.opened.stopped is not None) is finished
    assert not other.exception
    # What could not go on is no longer told of.
    other.go("fit")
    assert (json.loads(workspace.read(opened.key).work or "{}").keys()) == ({"stopped"} if finished else set())


@pytest.mark.slow
def test_a_search_under_way_is_written_down_now_and_then(app_with_file, workspace, hold, monkeypatch, models):
    monkeypatch.setattr(kept, "_SECONDS_BETWEEN_DRAFTS", 0.0)
    app_with_file.held.add_study(models[0])
    app_with_file.go("fit")
    hold(0)
    app_with_file.button(key="fit.start").click().run()
    key = app_with_file.held.opened.key
    assert set(json.loads(workspace.read(key).work)) == {"fit"}
    assert workspace.cards()[0].unfinished
    hold.let_go()
    app_with_file.wait()
    assert workspace.read(key).work is None


@pytest.mark.slow
def test_a_result_that_waited_is_opened_in_the_study_it_belongs_to(app_with_file, workspace, hold, table):
    hold(0)
    app_with_file.go("fit").button(key="fit.start").click().run()
    key = app_with_file.held.opened.key
    app_with_file.toggle(key="job.stays.fit.fit").set_value(True).run()
    app_with_file.go("data").button(key="sample.wine").click().run()
    assert workspace.cards()[0].unfinished
    hold.let_go()
    app_with_file.wait()
    app_with_file.button(key="job.offer.open.0").click().run()
    (card,) = workspace.cards()
    assert (card.id, card.n_models, card.unfinished) == (key, 1, False)
    assert app_with_file.held.opened.key == key


def test_an_example_whose_only_work_was_cancelled_is_kept_no_longer(open_app, workspace, hold):
    hold(0)
    at = open_app("fit", data="iris_2f")
    at.button(key="fit.start").click().run()
    assert len(workspace.cards()) == 1
    at.button(key="job.cancel.fit.fit").click().run()
    assert workspace.cards() == []
    assert at.held.opened.sample == "iris_2f"
    assert not at.exception


@pytest.mark.slow
@pytest.mark.parametrize("keeps", [True, False])
def test_what_ends_work_on_an_example_is_said_as_it_is(open_app, workspace, hold, monkeypatch, keeps):
    if not keeps:
        monkeypatch.setattr(HERE, "_open", lambda: None)
        HERE.close()
    hold(0)
    # Nothing of a stored model is kept, since it is nobody's own; judging its training rows is work all the same.
    at = open_app("review", data="penguins", fit="1")
    said = [caption.value for caption in at.caption]
    assert workspace.cards() == []
    assert (text.CLOSING in said) is keeps
    assert (text.CLOSING_OR_RELOADING in said) is not keeps


def test_what_stays_of_a_search_is_said_of_no_other_work(open_app, workspace, hold):
    hold(0)
    at = open_app("fit", data="iris_2f")
    at.button(key="fit.start").click().run()
    assert text.CLOSING in [caption.value for caption in at.caption]
    at.button(key="job.cancel.fit.fit").click().run()
    at.segmented_control(key="fit.mode").set_value("search").run()
    at.button(key="search.start").click().run()
    assert f"{text.CLOSING} {text.SEARCH_STAYS}" in [caption.value for caption in at.caption]


def test_a_search_that_other_data_ended_goes_on_when_its_study_is_opened_again(
    app_with_file, workspace, stopped_search
):
    opened = app_with_file.held.opened
    request = FitRequest(opened.table, replace(opened.recipe, plan=stopped_search.plan))
    opened.keeping.work = json.dumps({"search": written.write_request(request, stopped_search)})
    opened.cut = opened.keeping.work  # as closing it notes while a search is under way
    assert text.SEARCH_CUT.format(noun="search") in app_with_file.go("data").words()
    assert opened.stopped.record.to_state() == stopped_search.to_state()


def test_a_study_whose_work_or_file_cannot_be_read_opens_without(app_with_file, open_app, workspace, tmp_path):
    key = app_with_file.held.opened.key
    workspace.keep_work(key, '{"search": {"recipe": {}, "record": null}}')
    for path in (tmp_path / "files").rglob("*"):
        if path.is_file() and path.read_bytes() == FILE:
            path.unlink()
    came = open_app("data", open=key)
    assert came.held.table is not None
    assert text.WORK_NOT_READ in came.words()
    assert text.FILE_NOT_READ in came.words()


# --- two windows ------------------------------------------------------------------------------------------------------
@pytest.mark.slow
def test_two_windows_that_look_at_different_things_do_not_part(app_with_file, open_app, models, workspace):
    first = app_with_file.held
    second = open_app("data", open=first.opened.key)
    first.opened.select(CaseRef.in_table(3))
    first.add_study(models[0])
    app_with_file.go("case")
    second.held.opened.select(CaseRef.in_table(5))
    second.held.add_study(models[1])
    second.go("case")
    assert first.opened.key == second.held.opened.key
    assert set(workspace.read(first.opened.key).models) == {model.id for model in models}


@pytest.mark.slow
def test_two_windows_that_look_at_different_models_do_not_part(app_with_file, open_app, models, workspace):
    first = app_with_file.held.opened
    for model in models:
        first.add(model)
    first.edit(split=SplitSettings(seed=5))
    app_with_file.go("case")
    second = open_app("quality", open=first.key, model=models[0].id)
    for at, model in ((app_with_file, models[0]), (second, models[1]), (app_with_file, models[1])):
        at.held.opened.switch(model.id)
        assert not at.held.opened.stale
        assert text.PARTED not in at.go("quality").words()
    assert [card.name for card in workspace.cards()] == ["herd.csv"]
    third = open_app("quality", open=first.key)
    assert third.held.study.id == models[1].id
    assert not third.held.opened.stale  # as it was left
    assert third.held.opened.chosen_recipe.split.seed == 5
    third.held.opened.edit(split=SplitSettings(seed=6))
    assert third.go("quality").held.opened.chosen_recipe.split.seed == 6
    assert written.read_choices(workspace.read(first.key).choices).recipe.split.seed == 6


def test_a_window_that_parts_takes_along_what_people_said(app_with_file, open_app, models, workspace):
    first = app_with_file.held.opened
    first.add(models[0])
    app_with_file.go("case")
    second = open_app("data", open=first.key)
    workspace.say(first.key, [judgement(1, row=3)])
    first.edit(split=SplitSettings(seed=5))
    app_with_file.go("data")
    second.held.opened.edit(split=SplitSettings(seed=7))
    assert text.PARTED in second.go("data").words()
    assert [record.judgement.row for record in workspace.records(second.held.opened.key)] == [3]


def test_two_windows_that_choose_differently_part_and_both_are_kept(app_with_file, open_app, workspace):
    first = app_with_file.held
    second = open_app("data", open=first.opened.key)
    first.opened.edit(split=SplitSettings(seed=5))
    app_with_file.go("data")
    second.held.opened.edit(split=SplitSettings(seed=7))
    assert text.PARTED in second.go("data").words()  # at once, and the address is that of its own study
    assert first.opened.key != second.held.opened.key
    assert second.query_params["open"] == second.held.opened.key
    read = {card.name: written.read_choices(workspace.read(card.id).choices) for card in workspace.cards()}
    seeds = {name: choices.recipe.split.seed for name, choices in read.items()}
    assert seeds == {"herd.csv": 5, "herd.csv (another window)": 7}


@pytest.mark.slow
def test_work_under_way_in_another_window_is_not_called_cut_off(app_with_file, open_app, workspace, hold, monkeypatch):
    hold(0)
    app_with_file.go("fit").button(key="fit.start").click().run()
    key = app_with_file.held.opened.key
    monkeypatch.setitem(jobs._ALL, "first", app_with_file.session_state["proset.jobs"])  # all AppTests have one id
    second = open_app("data", open=key)
    assert text.ELSEWHERE in second.words()
    assert "cut off" not in second.words()
    assert workspace.cards()[0].unfinished, "the second window has taken the work of the first away"
    hold.let_go()
    app_with_file.wait()
    assert workspace.cards()[0].n_models == 1
    assert "continued from Start" in text.ELSEWHERE
    second.go("start").button(key=f"kept.open.{key}").click().run()
    assert second.held.fitted is not None


@pytest.mark.slow
def test_a_second_window_takes_nothing_away_from_an_example_that_is_being_fitted(open_app, workspace, hold):
    hold(0)
    first = open_app("fit", data="iris_2f")
    first.button(key="fit.start").click().run()
    (card,) = workspace.cards()
    second = open_app("start")
    second.button(key=f"kept.open.{card.id}").click().run()
    second.go("data")
    assert [known.id for known in workspace.cards()] == [card.id]
    hold.let_go()
    first.wait()
    assert workspace.cards()[0].n_models == 1


def test_a_file_that_is_read_again_takes_no_model_of_another_window_away(app_with_file, open_app, workspace, models):
    first = app_with_file.held.opened
    second = open_app("data", open=first.key)
    second.held.add_study(models[0])
    second.go("data")
    app_with_file.held.open_table(read_table(FILE, name="herd.csv", header=False), source=first.source)
    app_with_file.go("data")
    assert {card.id: card.n_models for card in workspace.cards()}[first.key] == 1


@pytest.mark.slow
def test_a_study_that_another_window_has_added_to_is_read_again(app_with_file, open_app, workspace, models):
    key = app_with_file.held.opened.key
    app_with_file.go("data").button(key="sample.wine").click().run()
    second = open_app("data", open=key)
    second.held.add_study(models[0])
    second.go("data")
    app_with_file.go("start").button(key=f"kept.open.{key}").click().run()
    assert app_with_file.held.study.id == models[0].id


def test_a_study_deleted_in_another_window_is_said_and_not_kept_again(app_with_file, workspace):
    key = app_with_file.held.opened.key
    workspace.delete(key)
    app_with_file.held.select(CaseRef.in_table(2))
    assert text.GONE in app_with_file.go("data").words()
    assert app_with_file.held.table is not None
    assert workspace.cards() == []


def test_a_model_that_is_removed_is_removed_there_too(app_with_file, workspace, models):
    for model in models:
        app_with_file.held.add_study(model)
    app_with_file.go("data")
    app_with_file.held.opened.remove(models[0].id)
    app_with_file.go("data")
    assert workspace.read(app_with_file.held.opened.key).models == (models[1].id,)


def test_a_file_that_is_read_in_another_way_takes_the_place_of_the_first_reading(app_with_file, workspace, models):
    first = app_with_file.held.opened
    again = read_table(FILE, name="herd.csv", header=False)
    app_with_file.held.open_table(again, source=first.source)
    app_with_file.go("data")
    assert [card.id for card in workspace.cards()] == [app_with_file.held.opened.key]
    app_with_file.held.open_table(first.table, source=first.source)
    app_with_file.held.add_study(models[0])
    app_with_file.go("data")
    app_with_file.held.open_table(again, source=first.source)
    app_with_file.go("data")
    assert len(workspace.cards()) == 2, "a study with a model stays"


# --- what goes wrong --------------------------------------------------------------------------------------------------
def test_what_cannot_be_kept_is_said_once_and_work_goes_on(app_with_file, workspace, monkeypatch, models):
    def full(*_):
        raise StorageError("No space left.")

    monkeypatch.setattr(workspace, "keep_model", full)
    assert text.STAYS in app_with_file.words()
    app_with_file.held.add_study(models[0])
    assert f"{text.NOT_KEPT} No space left." in app_with_file.go("map").words()
    assert not app_with_file.exception
    assert text.HELD in app_with_file.go("data").words()
    assert "No space left." not in app_with_file.go("case").words()
    monkeypatch.undo()
    app_with_file.go("map")
    assert workspace.read(app_with_file.held.opened.key).models == (models[0].id,)


def test_what_cannot_be_read_is_said(app_with_file, open_app, workspace, models, tmp_path):
    app_with_file.held.add_study(models[0])
    app_with_file.go("data")
    key = app_with_file.held.opened.key
    files = [path for path in (tmp_path / "files").rglob("*") if path.is_file()]
    max(files, key=lambda path: path.stat().st_size).write_bytes(b"damaged")  # the model
    came = open_app("data", open=key)
    assert text.MODEL_NOT_READ in came.words()
    assert came.held.table is not None
    for path in files:
        path.write_bytes(b"damaged")
    came = open_app("data", open=key)
    assert text.NOT_READ in came.words()
    assert came.held.table is None
    assert not came.exception


@pytest.mark.parametrize(
    "view",
    ["", "[]", "{}", '{"model": 3}', '{"model": null, "row": 3, "cases": [], "values": []}',
     '{"model": null, "row": "99999", "cases": ["moon:1"], "values": [["", "colour", "no such"], ["x", "y", "z"]]}',
     '{"model": null, "row": null, "cases": null, "values": [[1, 2]]}'],
)  # fmt: skip
def test_what_was_looked_at_may_be_anything(app_with_file, open_app, workspace, view):
    key = app_with_file.held.opened.key
    workspace.look(key, view, workspace.cards()[0].facts)
    at = open_app("data", open=key)
    assert not at.exception
    assert at.held.table is not None


@pytest.mark.parametrize("choices", ["", "{}", "[]", '{"recipe": {}, "plans": {}, "rules": []}', '{"recipe": null}'])
def test_choices_that_are_damaged_are_refused_in_words(app_with_file, open_app, workspace, choices):
    key = app_with_file.held.opened.key
    workspace.change(key, 1, choices)
    at = open_app("data", open=key)
    assert text.NOT_READ in at.words()
    assert not at.exception


# --- cards ------------------------------------------------------------------------------------------------------------
def test_cards_are_renamed_copied_and_deleted(app_with_file, open_app, workspace, models):
    app_with_file.held.add_study(models[0])
    app_with_file.go("start")
    key = app_with_file.held.opened.key
    assert "open now" in app_with_file.words()
    app_with_file.text_input(key=f"kept.name.{key}").set_value("[Sheep](x)")
    rename = next(button for button in app_with_file.button if button.label == text.RENAME)
    rename.click().run()
    assert workspace.cards()[0].name == "[Sheep](x)"
    assert "[Sheep](x)" in app_with_file.words()
    app_with_file.text_input(key=f"kept.name.{key}").set_value(" ")
    next(button for button in app_with_file.button if button.label == text.RENAME).click().run()
    assert "A study needs a name." in app_with_file.words()
    app_with_file.button(key=f"kept.copy.{key}").click().run()
    copy = next(card for card in workspace.cards() if card.id != key)
    assert (copy.name, copy.n_models) == ("Copy of [Sheep](x)", 1)
    app_with_file.button(key=f"kept.delete.{key}").click().run()
    assert app_with_file.held.opened is None
    assert app_with_file.held.former.with_key(key) is None
    app_with_file.button(key=f"kept.restore.{key}").click().run()
    app_with_file.button(key=f"kept.open.{key}").click().run()
    assert app_with_file.held.study.id == models[0].id
    app_with_file.go("start")
    app_with_file.button(key=f"kept.delete.{key}").click().run()
    app_with_file.button(key=f"kept.remove.{key}").click().run()
    assert workspace.cards(deleted=True) == []
    assert [card.id for card in workspace.cards()] == [copy.id]
    assert not app_with_file.exception


def test_a_card_that_is_gone_by_the_time_it_is_clicked(app_with_file, open_app, workspace):
    at = open_app("start")
    key = app_with_file.held.opened.key
    workspace.remove(key)
    at.button(key=f"kept.open.{key}").click().run()
    assert text.NOT_HELD in at.words()
    assert not at.exception


# --- where nothing is kept --------------------------------------------------------------------------------------------
def test_where_nothing_is_kept_the_page_says_so(open_app, table):
    at = open_app("data")
    at.held.open_table(table, source=FILE)
    assert text.HELD in at.go("data").words()
    assert service.ASKED_NOT_TO in at.go("start").words()
    came = open_app("data", open=at.held.opened.key)
    assert came.held.opened is None


def test_a_server_for_others_keeps_only_what_it_is_told_to(monkeypatch, tmp_path):
    monkeypatch.delenv("PROSET_WORKSPACE", raising=False)
    place = KeepingPlace(lambda: pytest.fail("it was opened"))
    place.serve(others=True)
    assert place.workspace is None
    assert place.why_not == service.FOR_OTHERS
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path))
    place = KeepingPlace()
    place.serve(others=True)
    assert place.workspace is not None
    place.close()


def test_nobody_opens_the_workspace_again_in_the_moment_in_which_others_may_come(monkeypatch, tmp_path):
    monkeypatch.setenv("PROSET_WORKSPACE", str(tmp_path))
    place = KeepingPlace()
    assert place.workspace is not None
    monkeypatch.delenv("PROSET_WORKSPACE")
    close = place.close

    def close_and_ask():
        close()
        assert place.workspace is None

    monkeypatch.setattr(place, "close", close_and_ask)
    place.serve(others=True)
    assert place.why_not == service.FOR_OTHERS


@pytest.mark.slow
def test_a_server_behind_another_one_keeps_nothing_unless_told_to(live, monkeypatch):
    monkeypatch.delenv("PROSET_WORKSPACE", raising=False)
    monkeypatch.setattr(HERE, "_for_others", False)
    live.visitor().join(query="data=iris_2f")
    assert HERE.workspace is not None
    live.visitor().join(query="data=iris_2f", **{"X-Forwarded-For": "192.0.2.7"})
    assert HERE.workspace is None
    assert HERE.why_not == service.FOR_OTHERS


def test_a_workspace_that_cannot_be_opened_is_tried_again(monkeypatch):
    tried = []

    def fails():
        tried.append(1)
        raise StorageError("No such server.")

    place = KeepingPlace(fails)
    assert place.workspace is None
    assert place.workspace is None
    assert len(tried) == 1
    assert "No such server." in place.why_not
    monkeypatch.setattr(service, "_SECONDS_BETWEEN_TRIES", -1.0)
    place._next_try = 0.0
    assert place.workspace is None
    assert place.workspace is None
    assert len(tried) == 3


# --- a reload, as it is served ----------------------------------------------------------------------------------------
@pytest.fixture
def live(workspace, monkeypatch):
    monkeypatch.setattr("dashboard.server.HERE", KeepingPlace(lambda: None))  # what it closes at its end
    with serving() as served:
        yield served


def gone(live, tab):
    """Close a window, and wait until the server knows."""
    tab.ws.close()
    wait_until(lambda: not live.runtime().is_active_session(tab.session))


def held(visitor, tab):
    """The session of a window."""
    return returning._SESSIONS[tab.session, visitor.http.cookies[visitors.COOKIE]]


def test_a_reload_goes_on_with_the_session_and_its_work(live, hold, monkeypatch):
    monkeypatch.setattr(visitors, "_SECONDS_TO_RECONNECT", 1e6)
    hold(0)
    asked = "data=iris_2f&num_candidates=33&fit=1"
    visitor = live.visitor()
    tab = visitor.join(query=asked)
    left = held(visitor, tab)
    (entry,) = jobs.QUEUE._entries
    gone(live, tab)
    again = visitor.join(query=asked)
    assert held(visitor, again) is left
    assert jobs.QUEUE._entries == [entry]
    assert entry.is_alive
    hold.let_go()
    wait_until(lambda: not entry.is_alive)
    again.run(query=asked)
    assert left.study is not None


@pytest.mark.slow
def test_a_reload_brings_what_another_window_has_added_meanwhile(live):
    visitor, asked = live.visitor(), "data=iris_2f&num_candidates=33&fit=1"
    first = visitor.join(query=asked)
    own = held(visitor, first)
    wait_until(lambda: not any(entry.is_alive for entry in jobs.QUEUE._entries))
    first.run(query=asked)
    address = f"open={own.opened.key}"
    second = visitor.join(query=address)
    left = held(visitor, second)
    assert len(left.opened.models) == len(own.opened.models) == 1
    own.add_study(fit_study(own.opened.table, own.opened.recipe.roles, settings=FEW))
    first.run(query=address)
    gone(live, second)
    again = held(visitor, visitor.join(query=address))
    assert again is left
    assert len(again.opened.models) == 2


@pytest.mark.slow
def test_only_its_own_browser_takes_over_a_session_and_only_one_that_was_left(live):
    visitor, stranger = live.visitor(), live.visitor()
    asked = "data=iris_2f"
    tab = visitor.join(query=asked)
    left = held(visitor, tab)
    assert held(visitor, visitor.join(query=asked)) is not left, "its window is still there"
    gone(live, tab)
    assert held(stranger, stranger.join(query=asked)) is not left
    assert held(visitor, visitor.join(query="data=wine")) is not left
    assert held(visitor, visitor.join(query=asked)) is left


@pytest.mark.slow
def test_a_window_that_had_lost_its_connection_leaves_its_session_to_the_one_that_took_it_over(live, hold):
    hold(0)
    asked = "data=iris_2f&num_candidates=33&fit=1"
    visitor, stranger = live.visitor(), live.visitor()
    first = visitor.join(query=asked)
    shared = held(visitor, first)
    (entry,) = jobs.QUEUE._entries
    gone(live, first)
    second = visitor.join(query=asked)
    assert held(visitor, second) is shared
    assert stranger.join(session=first.session).session != first.session
    back = visitor.join(session=first.session, query=asked)
    own = held(visitor, back)
    assert own is not shared
    assert own.table is not None
    said = text.RETURNED.partition(".")[0]
    assert said in back.text()
    assert said not in second.text()
    assert entry in jobs.QUEUE._entries
    assert entry.is_alive


@pytest.mark.slow
def test_where_nothing_is_kept_a_reload_begins_anew(live, monkeypatch):
    monkeypatch.setattr(HERE, "_open", lambda: None)
    HERE.close()
    visitor = live.visitor()
    tab = visitor.join(query="data=iris_2f")
    gone(live, tab)
    again = visitor.join(query="data=iris_2f")
    assert not {tab.session, again.session} & {session_id for session_id, _ in returning._SESSIONS}
