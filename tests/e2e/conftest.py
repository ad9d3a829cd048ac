"""A running app and a real browser; on a failure the page is kept as a picture in ``test-results/``."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlparse

import psutil
import pytest
from patience import HANG, read_until
from playwright.sync_api import Browser, Locator, Page, WebSocket, expect, sync_playwright
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from warm import LOG, WARM

from dashboard.pages import PAGES
from dashboard.work.processes import Process

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "test-results"
IDLE = "[data-testid='stApp'][data-test-script-state='notRunning']"
IN_VAIN = 30.0  # seconds after which a run that has not begun, on a page that is idle, never will
SMALL_FRAME = 1_000  # bytes; what tells that a run has ended has far fewer
BROWSER_OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
# What was drawn hears clicks once the browser has come to rest; nobody is as fast as a program.
AT_REST = "() => new Promise(done => requestIdleCallback(() => done(), {timeout: 5000}))"
HANG_MS = 1_000 * HANG  # nothing is decided by a time, on no machine: what comes is waited for, and what stays is read
SLOWED = float(os.environ.get("PROSET_SLOW_BROWSER", "1"))  # e.g. 5: to find tests that hope for a fast page
R20 = range(1, 20)
SERVERS: dict[str, int] = {}
"""Process ids of the servers that run, by address."""

# Where every mark of a map is on the screen. `calcdata` holds plain numbers, the traces may hold packed ones.
MARKS = """
() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(plot => {
  const corner = plot.querySelector('.nsewdrag')?.getBoundingClientRect();
  const layout = plot._fullLayout;
  return plot.calcdata.flatMap(points => {
    const rows = points[0].trace.customdata;
    if (!corner || !rows) return [];
    return points.map((point, i) => ({
      // A bar is known by its end: the middle is half its length before that.
      row: rows[i][0], x: corner.x + layout.xaxis.c2p(point.x),
      y: corner.y + layout.yaxis.c2p(point.y - (point.s ?? 0) / 2),
      top: Boolean(points[0].trace.selected?.marker?.opacity === 1 && points[0].trace.marker.opacity === 0),
      shown: Boolean(points[0].trace.selectedpoints?.includes(i)),
    }));
  });
})
"""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Take a picture of the page of a test that failed, while it is there, and say what page and server said last."""
    report = yield
    given = getattr(item, "funcargs", {})
    visit = given.get("visit") or given.get("kept_visit")
    if report.failed and visit is not None:
        report.sections.append(("Between page and server", "\n".join(visit.wire.last)))
        RESULTS.mkdir(exist_ok=True)
        visit.page.screenshot(path=RESULTS / f"{item.name}.{report.when}.png", full_page=True)
    return report


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start the app on a free port of this machine, with a home of its own; give its address."""
    with _serving(_as_people_start_it, "dashboard/server.py", tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture(scope="module")
def unlocked_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The same without the policy that forbids the browser to talk to strangers: nothing may depend on it."""
    with _serving(_as_people_start_it, "dashboard/app.py", tmp_path_factory.mktemp("home")) as address:
        yield address


@contextmanager
def _serving(start: Callable[[str, Path, int], Process], script: str, home: Path, port: int = 0) -> Iterator[str]:
    """Serve the app as long as the context lasts; gives its address."""
    port = port or free_port()
    process = start(script, home, port)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait_until_healthy(address, process, home / LOG)
        SERVERS[address] = process.pid
        yield address
    finally:
        if process.poll() is None:
            os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(timeout=HANG)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdin.close()


def _as_people_start_it(script: str, home: Path, port: int) -> Process:
    """Start the app from nothing."""
    command = [sys.executable, "-m", "streamlit", "run", script, f"--server.port={port}"]
    with (home / LOG).open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=ROOT,
            env=os.environ | {"HOME": str(home)},
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=subprocess.STDOUT,
        )


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_until_healthy(address: str, process: Process, log: Path) -> None:
    """Return when the app answers; fail with its log if it does not."""
    until = time.monotonic() + HANG
    while time.monotonic() < until and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"The app did not start:\n{log.read_text(errors='replace')[-3000:]}")


@pytest.fixture(scope="session")
def browser(browser_path: str) -> Iterator[Browser]:
    """The browser that all visitors use."""
    expect.set_options(timeout=HANG_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=BROWSER_OPTIONS)
        yield browser
        browser.close()


class Wire:
    """What goes between a page and the server: whether the page has asked for a run that has not ended."""

    def __init__(self, page: Page) -> None:
        self.asked = self.begun = False
        self.last: deque[str] = deque(maxlen=60)
        self._in_vain = float("inf")
        page.on("websocket", self._listen)

    @property
    def in_vain(self) -> bool:
        """Whether a run was asked for long ago: of a fragment that is gone meanwhile, or of a page that a reload has
        taken away, the server says nothing. Whoever waits looks whether the page is idle as well.
        """
        return time.monotonic() > self._in_vain

    def _listen(self, socket: WebSocket) -> None:
        self._note("connected")
        self.asked = False
        socket.on("framesent", self._sent)
        socket.on("framereceived", self._received)

    def _sent(self, frame: bytes | str) -> None:
        message = BackMsg.FromString(frame) if isinstance(frame, bytes) else BackMsg()
        if message.WhichOneof("type") == "rerun_script":
            asked = message.rerun_script
            pressed = [one.id for one in asked.widget_states.widgets if one.WhichOneof("value") == "trigger_value"]
            self._note("asked for a run", asked.page_name, asked.fragment_id, *pressed)
            self.asked = self.begun = True
            self._in_vain = time.monotonic() + IN_VAIN

    def _received(self, frame: bytes | str) -> None:
        if isinstance(frame, bytes) and len(frame) < SMALL_FRAME:
            message = ForwardMsg.FromString(frame)
            if message.WhichOneof("type") == "script_finished":
                self._note("a run has ended", ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))
                self.asked = message.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN

    def _note(self, *what: str) -> None:
        self.last.append(f"{datetime.now():%H:%M:%S.%f} {' '.join(filter(None, what))}")


TITLES = {page.text.menu: page.text.title for page in PAGES}
"""Title of a page by its name in the menu."""


class Visit:
    """One visitor with a browser window of their own."""

    def __init__(self, page: Page, server: str) -> None:
        self.page, self.server, self.wire = page, server, Wire(page)

    @property
    def address(self) -> str:
        """The address as the browser has it now; Playwright's own is that of its last event."""
        return self.page.evaluate("location.href")

    def asked(self, name: str) -> list[str]:
        """The texts under a name in the address."""
        return parse_qs(urlparse(self.address).query).get(name, [])

    def open(self, path: str = "/data") -> None:
        """Go to an address of the app and wait until the page stands, that is until its first run has ended."""
        end, self.wire.begun = time.monotonic() + HANG, False
        self.page.goto(self.server + path)
        while not self.wire.begun:
            assert time.monotonic() < end, "the page has not asked for its first run"
            self.page.wait_for_timeout(20)
        self.settle()

    def settle(self) -> None:
        """Wait until the app has finished its run and shows the result."""
        end = time.monotonic() + HANG
        self.page.wait_for_timeout(100 * SLOWED)  # a click that asks for a run has asked by then
        while self.wire.asked and not (self.wire.in_vain and self.page.locator(IDLE).count()):
            assert time.monotonic() < end, "the run did not end"
            self.page.wait_for_timeout(50)
        self.page.wait_for_selector(IDLE)
        expect(self.page.locator("[data-stale='true']")).to_have_count(0)
        self.page.evaluate(AT_REST)

    def at_rest(self, read: Callable[[], T]) -> T:
        """Read until two readings are the same: places on the screen, while charts above them are drawn."""
        end, former, now = time.monotonic() + HANG, None, read()
        while former != now and time.monotonic() < end:
            self.page.wait_for_timeout(300)
            former, now = now, read()
        return now

    @contextmanager
    def held_work(self, *, later: bool = False) -> Iterator[None]:
        """Hold the process that will do the next work, or does it now, so that what a page says of it can be read.

        With `later` also those that begin meanwhile: an estimate of time may take the one that was ready, and the work
        that is looked at goes to the next.
        """
        held: dict[int, psutil.Process] = {}
        ended = threading.Event()

        def hold(workers: list[psutil.Process]) -> None:
            for worker in workers:
                with suppress(psutil.NoSuchProcess):
                    worker.suspend()
                    held[worker.pid] = worker

        def hold_later() -> None:
            while not ended.wait(0.05):
                with suppress(psutil.NoSuchProcess):  # one that ends while it is looked at
                    hold([worker for worker in self._workers() if worker.pid not in held])

        hold(read_until(self._workers, bool))
        holding = threading.Thread(target=hold_later, daemon=True)
        if later:
            holding.start()
        try:
            yield
        finally:
            ended.set()
            if later:
                holding.join()
            for worker in held.values():
                with suppress(psutil.NoSuchProcess):
                    worker.resume()

    def _workers(self) -> list[psutil.Process]:
        """Processes of this server that work; if there are none, the one that is ready to or will fork the next."""
        children = psutil.Process(SERVERS[self.server]).children()
        ready = [child for child in children if child.cmdline()[2:3] in (["dashboard.work.worker"], ["warm"])]
        return [worker for one in ready for worker in one.children()] or ready

    def go(self, menu: str) -> None:
        """Open a page through the menu."""
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=menu, exact=True).click()
        expect(self.heading(TITLES.get(menu, menu))).to_be_visible()
        self.settle()

    def heading(self, text: str) -> Locator:
        """The title of a page."""
        return self.page.get_by_role("heading", name=text, exact=True, level=1)

    def press(self, label: str) -> None:
        """Press the first button with this label, whether or not its key stands on it."""
        self.page.get_by_role("button", name=re.compile(f"^{re.escape(label)}( Shortcut [A-Z])?$")).first.click()
        self.settle()

    def choose(self, label: str, option: str, *, exact: bool = False) -> None:
        """Choose an option of a select box that rests in view: scrolling would close the list that the click opens."""
        box = self.page.get_by_role("combobox", name=label, exact=exact)
        box.scroll_into_view_if_needed()
        self.at_rest(box.bounding_box)
        box.click()
        self.page.get_by_role("option", name=option, exact=True).click()
        self.settle()

    def fit(self) -> None:
        """Fit on the Fit page and wait for the model."""
        self.go("Fit")
        self.press("Fit")
        expect(self.page.get_by_text("Change it").first).to_be_visible()
        self.settle()

    def marks(self) -> list[dict]:
        """The clickable marks of the map: row id and place on the screen."""
        self.page.wait_for_selector(".js-plotly-plot .nsewdrag")
        return [mark for mark in self.at_rest(lambda: self.page.evaluate(MARKS)) if mark["top"]]

    def click_mark(self, rows: list[int]) -> int:
        """Click the mark of these rows that stands most apart from all others; give its row."""
        marks = self.marks()
        known = [mark for mark in marks if mark["row"] in rows]
        assert known, "none of these rows is on the map"
        best = max(known, key=lambda mark: _room(mark, marks))
        assert _room(best, marks) > 4, "every such mark is covered by another one"
        self.page.mouse.click(best["x"], best["y"])
        self.settle()
        return int(best["row"])

    def empty_spot(self) -> tuple[float, float]:
        """The place on the map that is farthest from all marks."""
        box, marks = self.page.locator(".nsewdrag").first.bounding_box(), self.marks()
        spots = [(box["x"] + box["width"] * i / 20, box["y"] + box["height"] * j / 20) for i in R20 for j in R20]
        return max(spots, key=lambda spot: min((m["x"] - spot[0]) ** 2 + (m["y"] - spot[1]) ** 2 for m in marks))

    def text(self) -> str:
        """All text of the page, with single blanks."""
        return " ".join(self.page.get_by_test_id("stMain").inner_text().split())

    def axis_range(self) -> list[float]:
        """The stretch of the first axis that the map shows."""
        return self.page.evaluate("() => document.querySelector('.js-plotly-plot')._fullLayout.xaxis.range")

    def expect_no_traceback(self) -> None:
        """Fail if the page shows how the program works instead of what to do."""
        expect(self.page.get_by_test_id("stException")).to_have_count(0)
        text = self.text()
        for word in ("Traceback", 'File "', ".py", "Error:", "Exception"):
            assert word not in text, f"{word!r} on the page: {json.dumps(text)}"


def _room(mark: dict, marks: list[dict]) -> float:
    """Distance in pixels to the nearest mark of another row."""
    others = (other for other in marks if other["row"] != mark["row"])
    return min(((mark["x"] - o["x"]) ** 2 + (mark["y"] - o["y"]) ** 2) ** 0.5 for o in others)


@pytest.fixture
def visit(browser: Browser, server: str) -> Iterator[Visit]:
    """A fresh visitor."""
    with _visiting(browser, server) as visit:
        yield visit


@pytest.fixture
def stranger(browser: Browser, unlocked_server: str) -> Iterator[Visit]:
    """A fresh visitor of the server without a policy."""
    with _visiting(browser, unlocked_server) as visit:
        yield visit


@contextmanager
def _visiting(browser: Browser, server: str) -> Iterator[Visit]:
    """A fresh visitor of a server."""
    # Nothing is asserted of what moves, and drawing what pulses while a page loads is a third of a browser's work.
    context = browser.new_context(viewport={"width": 1440, "height": 1000}, reduced_motion="reduce")
    context.set_default_timeout(HANG_MS)
    page = context.new_page()
    if SLOWED > 1:
        context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWED})
    yield Visit(page, server)
    context.close()


class KeepingServer:
    """A server that keeps studies in a folder of its own, and that can be killed and started again.

    Attributes
    ----------
    folder : Path
        The workspace.
    """

    script = "dashboard/server.py"

    def __init__(self, home: Path, running: ExitStack) -> None:
        self.folder, self._home, self._running, self._port = home / "kept", home, running, free_port()
        self.start()

    @property
    def address(self) -> str:
        """The address, the same after it was started again."""
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Start it."""
        self._running.enter_context(_serving(self._fork, self.script, self._home, self._port))

    def _fork(self, script: str, home: Path, port: int) -> Process:
        """Fork the app: to load it takes longer than most of what is done with it."""
        with pytest.MonkeyPatch.context() as patch:
            for name, value in ({"HOME": str(home)} | self.variables()).items():
                patch.setenv(name, value)
            return WARM.fork(home, serve={"script": script, "port": port})

    def variables(self) -> dict[str, str]:
        """What it finds in its environment."""
        return {"PROSET_WORKSPACE": str(self.folder)}

    def kill(self) -> None:
        """End it so that it has no time to do anything."""
        os.kill(SERVERS[self.address], signal.SIGKILL)
        self._running.close()


class QueueServer(KeepingServer):
    """A server of one page with the queue of cases to judge alone; what arrives is in files of its folder."""

    script = "tests/e2e/review_server.py"

    def variables(self) -> dict[str, str]:
        """What it finds in its environment."""
        self.folder.mkdir(exist_ok=True)
        return {"REVIEW_FOLDER": str(self.folder), "PYTHONPATH": os.pathsep.join((str(ROOT / "tests"), str(ROOT)))}


@pytest.fixture(scope="session")
def queue_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QueueServer]:
    """A server of the queue that tests share."""
    with ExitStack() as running:
        yield QueueServer(tmp_path_factory.mktemp("queue"), running)


@pytest.fixture
def frail_queue_server(tmp_path: Path) -> Iterator[QueueServer]:
    """A server of the queue that a test may kill."""
    with ExitStack() as running:
        yield QueueServer(tmp_path, running)


@pytest.fixture(scope="module")
def shared_keeping(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KeepingServer]:
    """A server that keeps what is done, for tests that do not mind what others have done."""
    with ExitStack() as running:
        yield KeepingServer(tmp_path_factory.mktemp("kept"), running)


@pytest.fixture
def keeping(tmp_path: Path) -> Iterator[KeepingServer]:
    """A server that keeps what is done."""
    with ExitStack() as running:
        yield KeepingServer(tmp_path, running)


@pytest.fixture
def kept_visit(browser: Browser, keeping: KeepingServer) -> Iterator[Visit]:
    """A visitor of that server."""
    with _visiting(browser, keeping.address) as visit:
        yield visit
