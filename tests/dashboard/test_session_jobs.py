"""Work of one session: one job of each kind, beside each other, and what becomes of it when other data is opened."""

import ctypes
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import streamlit as st
from patience import wait_until

import dashboard
from dashboard import cache
from dashboard.components.jobs import job_panel
from dashboard.session import jobs
from dashboard.session.jobs import Handling, Running
from dashboard.session.keeping import Keeping
from dashboard.session.opened import OpenTable
from dashboard.work import processes
from dashboard.work.queue import Status
from dashboard.work.tasks import FIT, SEARCH
from proset.common.errors import ProsetError, StorageError
from proset.data.samples import SAMPLES, load_sample

# --- without the app --------------------------------------------------------------------------------------------------


class StubJob:
    """A job that has ended in a given way."""

    def __init__(self, task=FIT, *, status=Status.RUNNING, message="", result="result", partial=None):
        self.task, self.status, self.message = task, status, message
        self._result, self._partial = result, partial
        self.calls = []

    def poll(self):
        return self.status

    def result(self):
        if isinstance(self._result, Exception):
            raise self._result
        return self._result

    def partial(self):
        return self._partial

    def stop(self):
        self.calls.append("stop")
        self.status = Status.CANCELLED

    def close(self):
        self.calls.append("close")


class Taken(list):
    """Writes down what is done with results."""

    def handling(self):
        return Handling(*(self._as(name) for name in ("take", "open", "keep", "reopen")))

    def _as(self, name):
        return lambda what: self.append((name, what))


@pytest.fixture
def taken(monkeypatch):
    """A session without a running app."""
    monkeypatch.setattr(st, "session_state", {})
    return Taken()


@pytest.fixture(scope="module")
def iris():
    return OpenTable.start(load_sample("iris_2f"))


@pytest.fixture(scope="module")
def wine():
    return OpenTable.start(load_sample("wine"))


def under_way(taken, job, opened, *, label="iris", stays=False):
    jobs._jobs().running[job.task.name] = Running(job, opened, label, taken.handling(), stays)
    return jobs.running(job.task)


def told(notices):
    return [(notice.kind, notice.text) for notice in notices]


def test_a_result_for_the_table_that_is_open_is_taken_over(taken, iris):
    entry = under_way(taken, StubJob(status=Status.DONE), iris)
    assert told(jobs.collect(iris)) == [("success", FIT.words.done)]
    assert taken == [("take", "result")]
    assert entry.job.calls == ["close"]
    assert jobs.under_way() == ()


def test_a_table_read_again_in_the_same_way_is_the_same_table(taken, iris):
    under_way(taken, StubJob(status=Status.DONE), iris)
    jobs.collect(OpenTable.start(load_sample("iris_2f")))
    assert taken == [("take", "result")]


def test_of_two_kept_studies_of_one_table_each_gets_its_own_results(taken, iris):
    one, copy = (OpenTable.start(iris.table) for _ in range(2))
    for opened in (one, copy):
        opened.keeping = Keeping(1, "{}", "{}")
    under_way(taken, StubJob(status=Status.DONE), one, stays=True)
    assert jobs.under_way(copy) == ()
    assert jobs.collect(copy) == []
    assert taken == []
    (offer,) = jobs.offers()
    offer.open()
    assert taken == [("open", "result")]


def test_work_that_runs_is_left_to_run(taken, iris):
    entry = under_way(taken, StubJob(), iris)
    assert jobs.collect(iris) == []
    assert jobs.under_way() == (entry,)
    assert jobs.under_way(iris) == (entry,)


def test_opening_other_data_ends_the_jobs_of_the_former_only(taken, iris, wine):
    former = under_way(taken, StubJob(FIT), iris)
    other = under_way(taken, StubJob(SEARCH), wine, label="wine", stays=True)
    assert told(jobs.leave(iris)) == [("info", "The fit under way was stopped because another table was opened.")]
    assert former.job.calls == ["close"]
    assert jobs.under_way() == (other,)


def test_a_job_that_may_stay_waits_with_its_result_to_be_opened(taken, iris, wine):
    under_way(taken, StubJob(SEARCH), iris)
    jobs.set_stays(SEARCH, True)
    assert jobs.leave(iris) == []
    jobs.running(SEARCH).job.status = Status.DONE
    assert jobs.collect(wine) == []
    assert taken == []
    (offer,) = jobs.offers()
    assert offer.text == "The search of 'iris' is done."
    offer.open()
    assert taken == [("open", "result")]
    jobs.withdraw(offer)
    assert jobs.offers() == ()


@pytest.mark.parametrize("announced", [True, False])
def test_what_waits_is_taken_over_once_its_table_is_opened_in_whatever_way(taken, iris, wine, announced):
    under_way(taken, StubJob(SEARCH, status=Status.DONE), iris, stays=True)
    jobs.collect(wine)
    (offer,) = jobs.offers()
    if not announced:
        jobs.put_off(offer)
        assert jobs.offers() == ()
    assert jobs.collect(wine) == []
    assert taken == []
    assert told(jobs.collect(iris)) == [("success", "The search of 'iris' is done.")]
    assert taken == [("take", "result")]
    assert jobs.offers() == ()
    assert jobs.collect(iris) == []


def test_a_search_of_other_data_that_is_stopped_says_one_thing(taken, iris, wine):
    entry = under_way(taken, StubJob(SEARCH, partial="the rest"), iris, stays=True)
    assert jobs.stop(entry, wine) == []
    (offer,) = jobs.offers()
    assert offer.text == "The search of 'iris' ended early; what it has finished is kept."
    jobs.put_off(offer)
    jobs.collect(iris)
    assert taken == [("keep", "the rest")]


def test_what_waits_to_be_opened_is_bounded(taken, iris, wine):
    for number in range(4):
        under_way(taken, StubJob(status=Status.DONE, result=number), iris, label=f"table {number}", stays=True)
        notices = jobs.collect(wine)
    assert "the oldest was dropped" in notices[0].text
    assert [offer.label for offer in jobs.offers()] == ["Open 'table 1'", "Open 'table 2'", "Open 'table 3'"]


def test_a_failure_of_work_on_other_data_says_whose_it_is(taken, iris, wine):
    under_way(taken, StubJob(status=Status.FAILED, message="Memory ran out."), iris, stays=True)
    assert told(jobs.collect(wine)) == [("error", "About 'iris': Memory ran out.")]
    under_way(taken, StubJob(status=Status.FAILED, message="Memory ran out."), wine)
    assert told(jobs.collect(wine)) == [("error", "Memory ran out.")]
    assert taken == []


def test_what_a_search_that_died_has_finished_is_kept(taken, iris, wine):
    dead = {"status": Status.FAILED, "message": "Memory ran out.", "partial": "the rest"}
    under_way(taken, StubJob(SEARCH, **dead), iris)
    assert told(jobs.collect(iris)) == [("error", "Memory ran out.")]
    assert taken == [("keep", "the rest")]
    under_way(taken, StubJob(SEARCH, **dead), iris, stays=True)
    jobs.collect(wine)
    (offer,) = jobs.offers()
    assert offer.text == "The search of 'iris' ended early; what it has finished is kept."
    offer.open()
    assert taken[1:] == [("reopen", "the rest")]


def test_a_search_that_is_stopped_keeps_what_it_has_and_a_fit_says_that_nothing_changed(taken, iris):
    entry = under_way(taken, StubJob(SEARCH, partial="the rest"), iris)
    assert jobs.stop(entry, iris) == []
    assert entry.job.calls == ["stop", "close"]
    assert taken == [("keep", "the rest")]
    entry = under_way(taken, StubJob(FIT), iris)
    assert told(jobs.stop(entry, iris)) == [("info", "The fit was cancelled. Nothing else has changed.")]


def test_who_comes_back_after_a_lost_connection_is_told_and_finds_what_the_search_had(taken, iris):
    said = "was stopped because this page had lost its connection to the server."
    under_way(taken, StubJob(FIT, status=Status.CANCELLED), iris)
    assert told(jobs.collect(iris)) == [("warning", f"The fit {said}")]
    under_way(taken, StubJob(SEARCH, status=Status.CANCELLED, partial="the rest"), iris)
    assert told(jobs.collect(iris)) == [("warning", f"The search {said}")]
    assert taken == [("keep", "the rest")]


@pytest.mark.parametrize("partial", [None, "the rest"])
def test_who_opens_another_page_while_work_is_stopping_is_told_that_it_was_stopped(taken, iris, partial):
    class Interrupted(BaseException):
        """What ends a run of the app for the next one."""

    job = StubJob(SEARCH, partial=partial)

    def stop():
        job.status = Status.CANCELLED
        raise Interrupted

    job.stop = stop
    with pytest.raises(Interrupted):
        jobs.stop(under_way(taken, job, iris), iris)
    cancelled = [("info", "The search was cancelled. Nothing else has changed.")]
    assert told(jobs.collect(iris)) == (cancelled if partial is None else [])
    assert taken == ([] if partial is None else [("keep", "the rest")])
    assert not jobs.under_way()


def test_freed_memory_goes_back_to_the_system():
    code = (
        "import psutil; from dashboard.services.memory import return_freed_memory; process = psutil.Process(); "
        "kept = [bytes(10_000) for _ in range(5_000)]; held = kept[::100]; large = process.memory_info().rss; "
        "del kept; return_freed_memory(); raise SystemExit(process.memory_info().rss > large - 30_000_000)"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(dashboard.__file__).parents[1])}
    if not hasattr(ctypes.CDLL(None), "malloc_trim"):
        pytest.skip("this C library returns memory in its own way")
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0


def test_a_result_that_cannot_be_read_is_told_and_its_folder_goes(taken, iris):
    entry = under_way(taken, StubJob(status=Status.DONE, result=ProsetError("It is damaged.")), iris)
    ((kind, text),) = told(jobs.collect(iris))
    assert kind == "error"
    assert text.startswith("The result of the fit cannot be read. It is damaged. ")
    assert entry.job.calls == ["close"]


def test_a_result_of_another_version_is_not_answered_with_advice_for_files(taken, iris):
    error = StorageError("This study has format 9; this version reads 1 to 4.", hint="Open it with a newer proset.")
    under_way(taken, StubJob(status=Status.DONE, result=error), iris)
    ((_, text),) = told(jobs.collect(iris))
    assert "newer proset" not in text
    assert "If proset was updated while this server ran, start the server again" in text


# --- with the app and the real worker ---------------------------------------------------------------------------------


@pytest.fixture
def few(app):
    """The app with iris opened and few candidates, so that a fit takes a moment only."""
    app.button(key="sample.iris_2f").click().run()
    app.go("fit").segmented_control(key="fit.mode").set_value("own").run()
    app.number_input(key="fit.num_candidates").set_value(30).run()
    return app


def start_search(app, sample, folds):
    """Start a search for all settings."""
    app.button(key=f"sample.{sample}").click().run()
    app.go("fit").segmented_control(key="fit.mode").set_value("search").run()
    app.number_input(key="search.n_folds").set_value(folds).run()
    app.button(key="search.start").click().run()
    return app


def until(app, condition):
    def happened():
        ended = [job.poll().ended for job in app.jobs.values()]  # each is polled: that starts what waits
        if any(ended):
            app.run()
        return condition()

    wait_until(happened)


def some_value(table):
    """Return a new object at each call."""
    return object()


def test_after_a_fit_the_table_is_the_same_object_with_its_caches(few):
    table = few.held.table
    kept = cache.derived(some_value, table)
    few.button(key="fit.start").click().run()
    few.wait()
    assert few.held.study.table is table
    assert few.held.table is table
    assert cache.derived(some_value, table) is kept


@pytest.mark.slow
def test_a_quick_fit_runs_beside_a_search(app, hold):
    hold(1)
    start_search(app, "iris_2f", 3)
    app.segmented_control(key="fit.mode").set_value("quick").run()
    app.button(key="fit.start").click().run()
    assert list(app.jobs) == ["search", "fit"]
    assert [app.button(key=f"job.cancel.fit.{kind}").label for kind in app.jobs] == ["Stop", "Cancel"]
    assert "fit.start" not in {button.key for button in app.button}
    until(app, lambda: "fit" not in app.jobs)
    assert not app.exception
    assert list(app.jobs) == ["search"]
    assert app.held.study.search.plan.is_quick
    assert app.button(key="fit.start").label == "Fit again"
    app.button(key="job.cancel.fit.search").click().run()
    assert app.jobs == {}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["fit", "sidebar"])
def test_while_work_is_stopping_the_page_says_so_and_takes_no_second_press(app, hold, monkeypatch, place):
    hold(1)
    start_search(app, "iris_2f", 3)
    monkeypatch.setattr(job_panel, "cancel", lambda *_: st.stop())  # what a browser shows while the stop takes its time
    if place == "sidebar":
        app.go("data")
    app.button(key=f"job.cancel.{place}.search").click().run()
    button = app.button(key=f"job.stopping.{place}.search")
    assert (button.label, button.disabled) == ("Stopping …", True)
    assert not {f"job.cancel.{place}.search", f"job.best.{place}.search"} & {one.key for one in app.button}


@pytest.fixture
def gate(monkeypatch, tmp_path):
    """Hold workers back until the gate is there, however fast the machine is."""
    path = tmp_path / "gate"
    held_back = (
        "import os, runpy, sys, time\n"
        f"while not os.path.exists({str(path)!r}): time.sleep(0.02)\n"
        "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)"
    )

    def start(module, folder):
        return processes.popen((sys.executable, "-c", held_back, module, str(folder)), subprocess.DEVNULL)

    monkeypatch.setattr(processes, "start", start)
    return path


@pytest.mark.slow
def test_a_fit_that_may_stay_is_opened_with_its_own_table(few, gate):
    few.button(key="fit.start").click().run()
    few.toggle(key="job.stays.fit.fit").set_value(True).run()
    few.go("data").button(key="sample.wine").click().run()
    assert "another table was opened" not in few.words()
    gate.touch()
    until(few, lambda: not few.jobs)
    assert few.held.opened.sample == "wine"
    assert few.held.study is None
    assert f"The fit of '{SAMPLES['iris_2f'].title}' is done." in few.words()
    few.button(key="job.offer.open.0").click().run()
    assert not few.exception
    assert few.held.opened.sample == "iris_2f"
    assert few.held.table is few.held.study.table
    assert few.held.recipe.settings.num_candidates == 30
    assert few.held.study.settings.num_candidates == 30
    assert "is done" not in few.words()


@pytest.mark.slow
def test_a_search_whose_worker_is_killed_goes_on_from_what_it_had_finished(app):
    start_search(app, "digits", 40)  # takes a while
    until(app, lambda: app.jobs["search"].progress().done >= 4)
    os.kill(app.jobs["search"]._entry.process.pid, signal.SIGKILL)
    until(app, lambda: not app.jobs)
    assert "The search was ended from outside, by the system where memory ran out, or by a person." in app.words()
    assert "Stopped after " in app.words()
    before = app.held.opened.stopped.record.reached()[1]
    assert before >= 1
    app.button(key="search.resume").click().run()
    until(app, lambda: app.jobs["search"].progress().done > before)
    app.button(key="job.cancel.fit.search").click().run()
    assert app.held.opened.stopped.record.reached()[1] >= before
