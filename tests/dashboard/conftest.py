"""The whole app in a test, without a browser."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from patience import HANG, wait_until
from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.scriptrunner import script_runner
from streamlit.testing.v1 import AppTest, local_script_runner
from streamlit.testing.v1.element_tree import InitialValue, Selectbox
from streamlit.util import calc_hash
from warm import WARM

import dashboard
from dashboard import cache
from dashboard.services.strangers import JOINER
from dashboard.session import jobs, visitors
from dashboard.work import processes, worker
from dashboard.work.limits import STANDBY_VARIABLE, jobs_at_once
from dashboard.work.queue import JobQueue
from proset.study import time_needed

APP = Path(dashboard.__file__).with_name("app.py")


class Session:
    """One visitor's session: an AppTest, and what tests do with it again and again.

    Everything not defined here (``button``, ``error``, ``session_state`` and so on) is the AppTest's own.
    """

    def __init__(self, page: str = "data", **query: str | list[str]) -> None:
        self._at = AppTest.from_file(str(APP), default_timeout=HANG)
        for name, value in query.items():
            self._at.query_params[name] = value
        self.go(page)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._at, name)

    def go(self, page: str) -> Session:
        """Go to a page of the app."""
        # Streamlit knows a page by its place in the address; AppTest has a way to pages that are files only.
        self._at._page_hash = calc_hash(page)
        self._at.run()
        return self

    @property
    def held(self) -> Any:
        """What the session holds."""
        return self._at.session_state["proset.session"]

    @property
    def jobs(self) -> dict[str, Any]:
        """The jobs under way by the name of their kind."""
        held = self._at.session_state.get("proset.jobs", None)
        return {} if held is None else {name: entry.job for name, entry in held.running.items()}

    @property
    def job(self) -> Any:
        """The job that has been under way longest, or None."""
        return next(iter(self.jobs.values()), None)

    def key(self, name: str) -> str:
        """Return the key that a widget has by now: one whose value was changed elsewhere has another."""
        turn = self._at.session_state.get("widgets.turns", {}).get(name, 0)
        return f"{name}.{turn}" if turn else name

    def target(self) -> Any:
        """Return the select box for the target of the table that is open."""
        return next(box for box in self._at.selectbox if str(box.key).startswith("roles.target."))

    def fit(self) -> Session:
        """Go to the Fit page, press Fit and wait for the worker."""
        self.go("fit")
        self._at.button(key="fit.start").click().run()
        return self.wait()

    def wait(self) -> Session:
        """Run the app while work is under way, and again whenever some of it has ended, until there is none."""
        while self.jobs:
            self._at.run()
            # To draw the page again and again would take the processor from the work that it waits for.
            wait_until(lambda: not self.jobs or any(job.poll().ended for job in self.jobs.values()))
        return self

    def words(self) -> str:
        """Return the text of the page, without the backslashes that keep Markdown from formatting it."""
        at = self._at
        headings = (at.title, at.header, at.subheader)
        kinds = (*headings, at.markdown, at.caption, at.error, at.warning, at.info, at.success, at.toast)
        said = "\n".join(str(item.value) for kind in kinds for item in kind).replace("\\", "").replace(JOINER, "")
        return f"{said}\n{self.markup_words()}"

    def markup_words(self) -> str:
        """Return the text of the page's own markup, without its tags."""
        bodies = (item.proto.body for item in self._at.get("html") if "<style" not in item.proto.body)
        return "\n".join(unescape(re.sub(r"<[^>]*>", "", body)) for body in bodies)

    def close(self) -> None:
        """Stop work that is still running."""
        for job in self.jobs.values():
            job.close()


@pytest.fixture(scope="session", autouse=True)
def _runs_are_waited_for() -> Iterator[None]:
    """Wait for a run of a page to end: AppTest looks a thousand times a second, through all that was sent."""

    def wait(runner: local_script_runner.LocalScriptRunner, timeout: float = HANG) -> None:
        runner._script_thread.join(timeout)
        if runner._script_thread.is_alive():
            runner.request_stop()
            raise RuntimeError(f"a run of a page has not ended after {timeout} s")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(local_script_runner, "require_widgets_deltas", wait)
        yield


@pytest.fixture(scope="session", autouse=True)
def _installed_packages_are_read_once() -> Iterator[None]:
    """Keep what Streamlit finds in the installed packages; every AppTest would read the metadata of them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            manifest_scanner, "scan_component_manifests", functools.cache(manifest_scanner.scan_component_manifests)
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def _keras_is_left_alone() -> Iterator[None]:
    """Do not clear what Keras holds after every run, a walk through all objects: tests load it, the app does not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(script_runner, "_clean_problem_modules", lambda: None)
        yield


@pytest.fixture(autouse=True)
def _fresh_server(monkeypatch):
    """What sessions share starts empty, so that no test sees the fit of another; and workers are forked."""
    monkeypatch.setenv(STANDBY_VARIABLE, "0")
    monkeypatch.setattr(time_needed, "REPEATS", 1)  # to say how long a fit takes is a ninth of what pages take here
    monkeypatch.setattr(jobs, "QUEUE", JobQueue(jobs_at_once()))
    monkeypatch.setattr(visitors, "VISITORS", visitors.Visitors())
    cache.SAMPLE_STUDIES.clear()
    cache.SAMPLE_WORKS.clear()
    start = processes.start

    def fork(module: str, folder: Path) -> Any:
        if module != worker.__name__:
            return start(module, folder)
        return WARM.fork(folder)

    monkeypatch.setattr(processes, "start", fork)


class Ended:
    """What a job asks of its process, of one that has ended well."""

    pid, returncode, stdin = 2**31 - 1, 0, None  # no process has this number

    def poll(self) -> int:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        return self.returncode


@pytest.fixture
def worked_here(monkeypatch):
    """Do the work of jobs at once and in this process, for tests that need a model and ask nothing of the process.

    To start a process and to load the engine takes ten times as long as a small fit. Request, work and result are
    written and read as ever.
    """

    def start(module: str, folder: Path) -> Ended:
        assert module == worker.__name__
        worker.run(folder)
        return Ended()

    monkeypatch.setattr(processes, "start", start)
    # What a search asks of the process that is its own: to be polite, and to hear that it shall stop.
    monkeypatch.setattr("os.nice", lambda more: 0)
    monkeypatch.setattr("signal.signal", lambda which, handler: None)


class Hold:
    """Lets the next worker wait in its work when `done` steps are, however fast the machine is, until it is let go."""

    def __init__(self, let_go: Path) -> None:
        self.waiting: list[int] = []
        self.file = let_go

    def __call__(self, done: int) -> None:
        self.waiting.append(done)

    def let_go(self) -> None:
        self.file.touch()


@pytest.fixture
def hold(monkeypatch, tmp_path):
    """Let the next worker wait when that much is done: ``hold(1)``; and ``hold.let_go()`` where it is to go on."""
    start, held = processes.start, Hold(tmp_path / "let_go")

    def start_held(module: str, folder: Path) -> Any:
        if not held.waiting:
            return start(module, folder)
        return WARM.fork(folder, hold={"done": held.waiting.pop(), "let_go": str(held.file)})

    monkeypatch.setattr(processes, "start", start_held)
    return held


@pytest.fixture
def option_texts(monkeypatch):
    """What a browser says of select boxes, by id: the text of what was drawn first, until a person chooses."""
    said, plain = {}, Selectbox._widget_state.fget

    def state(box):
        told = plain(box)
        if not isinstance(box._value, InitialValue) or box.id not in said:
            said[box.id] = told.string_value
        told.string_value = said[box.id]
        return told

    monkeypatch.setattr(Selectbox, "_widget_state", property(state))
    return said


@pytest.fixture
def open_app():
    """Return a function that opens the app in a new session, with query parameters as in a shared link."""
    sessions = []

    def start(page: str = "data", **query: str | list[str]) -> Session:
        sessions.append(Session(page, **query))
        return sessions[-1]

    yield start
    for session in sessions:
        session.close()


@pytest.fixture
def app(open_app):
    """The app in a new session, after its first run."""
    return open_app()
