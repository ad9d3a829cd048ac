"""When a search that was stopped gives way: to a later search and to its own end, never to a fit."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import streamlit as st

from dashboard.components.fit.fit_mode import MODE
from dashboard.components.jobs import job_panel
from dashboard.services.fit.modes import Mode
from dashboard.session import jobs, kept, written
from dashboard.session.jobs import Handling, Running
from dashboard.session.keeping import Keeping
from dashboard.session.session import Session
from dashboard.texts import kept as text
from dashboard.work import processes
from dashboard.work.tasks import FIT, SEARCH, FitRequest
from dashboard.work.tasks.request import write_record
from proset.study.recipe import Recipe


@pytest.fixture
def stopped(patients, patient_roles, stopped_search):
    """Goes on with a joint search that was stopped after half of its trials."""
    return FitRequest(patients, Recipe(patient_roles, plan=stopped_search.plan), stopped_search)


@pytest.fixture
def session(monkeypatch, stopped):
    """A session of its own with that search, without a running app."""
    monkeypatch.setattr(st, "session_state", {})
    session = Session()
    opened = session.open_table(stopped.table, roles=stopped.recipe.roles)
    opened.edit(plan=stopped.recipe.plan)
    opened.stopped = stopped
    return session


def choice(study):
    """Ask for another point of a study's search."""
    return FitRequest.going_on(study, study.search.with_point(*study.search.chosen))


def goes_on(session, stopped):
    """Tell whether the search that was stopped is there as it was left."""
    now = session.opened.stopped
    same = now.recipe.without_found() == stopped.recipe.without_found()
    return same and now.record.to_state() == stopped.record.to_state()


def test_one_fit_after_the_model_of_another_search_leaves_it(session, stopped, searched, study):
    session.opened.add(searched)
    session.keep_search()
    session.add_study(study)
    assert goes_on(session, stopped)


def test_the_fit_of_another_choice_leaves_it(session, stopped, jointly):
    session.opened.add(jointly)
    session.add_searched(jointly, choice(jointly))
    assert goes_on(session, stopped)


@pytest.mark.parametrize("beside", [True, False])
def test_a_model_of_its_best_so_far_that_a_fit_follows_does_not_complete_it(session, stopped, jointly, beside):
    best = stopped.best_so_far
    session.add_searched(replace(jointly, search=best.record), best)
    if not beside:  # as after the model was opened from a file
        session.opened.stopped = None
    session.keep_search()
    assert goes_on(session, stopped)


def test_its_own_end_or_a_whole_search_after_it_ends_it(session, stopped, jointly):
    session.add_searched(jointly, stopped)
    assert session.opened.stopped is None
    session.opened.stopped = stopped
    session.add_searched(jointly, replace(stopped, record=None))
    assert session.opened.stopped is None


def test_what_was_kept_to_be_repeated_ends_when_it_was(session, jointly):
    for kept_one in (FitRequest.going_on(jointly, jointly.search), choice(jointly)):
        session.opened.stopped = kept_one
        session.add_searched(jointly, kept_one)
        assert session.opened.stopped is None


def test_a_search_that_is_stopped_later_takes_its_place(session, stopped):
    later = replace(stopped, recipe=replace(stopped.recipe, settings=replace(stopped.recipe.settings, n_iter=3)))
    session.keep_request(later)
    assert session.opened.stopped.recipe == later.recipe


def test_a_stopped_search_of_other_settings_that_gives_way_is_said(session, stopped):
    plan = replace(stopped.recipe.plan, n_folds=stopped.recipe.plan.n_folds + 1)
    session.keep_request(replace(stopped, recipe=replace(stopped.recipe, plan=plan)))
    assert session.opened.stopped.recipe.plan == plan
    assert session.take_notices() == [("info", text.GIVEN_WAY)]


def test_a_search_that_is_gone_on_with_and_stopped_again_gives_nothing_up(session, stopped):
    session.keep_request(stopped)
    assert not session.take_notices()


def test_stopping_the_fit_of_a_choice_leaves_nothing_to_go_on_with(stopped, jointly, tmp_path):
    for request in (choice(jointly), stopped.best_so_far):
        write_record(request.record, tmp_path)
        assert SEARCH.partial(request, tmp_path) is None
    write_record(stopped.record, tmp_path)
    assert SEARCH.partial(stopped, tmp_path).record.to_state() == stopped.record.to_state()


@pytest.mark.parametrize("task", [FIT, SEARCH])
@pytest.mark.parametrize("own", [True, False])
def test_the_fit_of_a_choice_that_was_cut_off_leaves_it(session, stopped, searched, task, own):
    asked = stopped.best_so_far if own else FitRequest.going_on(searched, searched.search.with_batches(1))
    session.opened.stopped = None
    work = {
        "stopped": written.write_request(stopped, stopped.record),
        task.name: written.write_request(asked, asked.record),
    }
    said = kept._go_on(session.opened, json.dumps(work))
    assert goes_on(session, stopped)
    assert said == [(text.SEARCH_CUT if own else text.WORK_CUT).format(noun=task.words.noun)]


def test_a_choice_that_was_cut_off_beside_nothing_comes_back(session, jointly):
    asked = choice(jointly)
    session.opened.stopped = None
    kept._go_on(session.opened, json.dumps({SEARCH.name: written.write_request(asked, asked.record)}))
    assert session.opened.stopped.record.to_state() == asked.record.to_state()


def test_the_best_of_a_search_that_has_none_yet_is_not_that_of_another(app, monkeypatch, stopped):
    idle = (sys.executable, "-c", "import sys; sys.stdin.read()")
    monkeypatch.setattr(processes, "start", lambda _module, _folder: processes.popen(idle, subprocess.DEVNULL))
    opened = app.held.open_table(stopped.table, roles=stopped.recipe.roles)
    opened.edit(plan=replace(stopped.recipe.plan, n_folds=stopped.recipe.plan.n_folds + 1))
    opened.stopped = stopped
    app.held.put(MODE, Mode.SEARCH)
    app.go("fit").button(key="search.start").click().run()
    app.button(key="job.best.fit.search").click().run()
    assert app.jobs == {}
    assert SEARCH.words.cancelled in app.words()
    assert goes_on(app.held, stopped)


def test_a_search_that_was_gone_on_with_and_cut_by_other_data_keeps_what_it_has_done_since(session, stopped):
    earlier = replace(stopped, record=replace(stopped.record, curves=dict(list(stopped.record.curves.items())[:1])))
    opened = session.opened
    opened.stopped = earlier
    opened.cut = json.dumps(
        {
            "stopped": written.write_request(earlier, earlier.record),
            SEARCH.name: written.write_request(earlier, stopped.record),
        }
    )
    kept._take_up_what_was_left(session, opened)
    assert goes_on(session, stopped)


def test_a_search_whose_end_waited_while_other_data_was_open_has_ended(session, jointly, monkeypatch):
    opened, started = session.opened, []
    monkeypatch.setattr(jobs, "start", lambda *_, handling, **__: started.append(handling))
    job_panel.resume(session)
    session.close()
    started[0].open(jointly)
    assert session.opened is opened
    assert session.study is jointly
    assert opened.stopped is None


@pytest.mark.parametrize("stays", [True, False])
def test_what_was_written_of_a_search_that_stays_is_not_taken_up_beside_its_end(session, stopped, stays):
    opened, handling = session.opened, Handling(*[lambda _: None] * 4)
    opened.keeping = Keeping(1, "{}", "{}", work="what was written")
    for task in (FIT, SEARCH):
        job = SimpleNamespace(task=task, close=lambda: None)
        jobs._jobs().running[task.name] = Running(job, opened, "patients", handling, stays and task is SEARCH)
    session.close()
    assert opened.cut == (None if stays else "what was written")
