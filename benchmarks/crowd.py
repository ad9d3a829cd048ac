"""Many visitors for minutes: each with tables of its own, whose every word is found nowhere else; see ``windows``."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.proto.Common_pb2 import FileUploaderState, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.app_server import AppServer, wait_for
from benchmarks.socket_visitor import Tab, Visitor

ROWS = 400
RETENTION = 20  # seconds for which the server of this run keeps sessions that have left; 120 where it is not told
LEAVERS = 4  # every fourth visit ends in mid-fit
LOOK = 3.0
ENDED = ("was stopped because", "was stopped by the system", "ended unexpectedly")
PAGES = ("quality", "map", "features", "prototypes", "case", "data")


@dataclass(eq=False)
class Heard:
    """What all visitors together have heard."""

    visits: int = 0
    models: int = 0
    strange: int = 0
    ended: int = 0
    failed: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def word_of(number: int) -> str:
    """Return the word of a visitor; none is part of another."""
    return f"zq{number:03d}v"


def csv(number: int) -> bytes:
    """Make a table: names of columns, cells and classes begin with the word."""
    rng, word = np.random.default_rng(number), word_of(number)
    size, age = rng.normal(50, 12, ROWS), rng.normal(40, 9, ROWS)
    kind = np.where(size + age + rng.normal(0, 9, ROWS) > 90, "wild", "calm")
    lines = [f"{word}_size,{word}_age,{word}_class"]
    lines += [f"{size[i]:.2f},{age[i]:.1f},{word}_{kind[i]}" for i in range(ROWS)]
    return "\n".join(lines).encode()


def run(tab: Tab, heard: Heard, number: int, n_all: int, **how: Any) -> str:
    """Let the app run once; note how long it takes and whose words come."""
    tab.heard.clear()
    began = time.monotonic()
    tab.run(**how)
    heard.seconds.append(time.monotonic() - began)
    text = tab.text()
    heard.strange += any(word_of(other) in text for other in range(n_all) if other != number)
    heard.ended += any(words in text for words in ENDED)
    return text


def tour(address: str, heard: Heard, number: int, n_all: int, *, leaves: bool) -> None:
    """Bring a table, fit, look at every page, and leave."""
    visitor = Visitor(address)
    try:
        tab = visitor.join()
        data, name = csv(number), f"{word_of(number)}.csv"
        visitor.upload(tab.session, data, name)
        info = UploadedFileInfo(name=name, size=len(data), file_id=name)
        box = tab.element("file_uploader", "Open a file of your own")
        state = FileUploaderState(uploaded_file_info=[info])
        run(tab, heard, number, n_all, widgets=[WidgetState(id=box.id, file_uploader_state_value=state)])
        run(tab, heard, number, n_all, page="fit")
        button = tab.element("button", "Fit")
        pressed = [WidgetState(id=button.id, trigger_value=True)]
        run(tab, heard, number, n_all, page="fit", widgets=pressed)
        while not leaves and tab.element("button", "Fit again") is None:
            time.sleep(LOOK)
            run(tab, heard, number, n_all, page="fit")
        for page in () if leaves else PAGES:
            run(tab, heard, number, n_all, page=page)
        heard.models += not leaves
    except Exception as error:
        heard.failed.append(f"{type(error).__name__}: {error}"[:200])
    finally:
        heard.visits += 1
        visitor.leave()


def crowd(folder: Path, visitors: int, minutes: float) -> dict[str, Any]:
    """Let visitors come and go for minutes; return what they heard, and what they have left behind."""
    with AppServer(folder, f"--server.disconnectedSessionTTL={RETENTION}") as server:
        address, heard = f"127.0.0.1:{server.port}", Heard()
        tour(address, Heard(), visitors, visitors + 1, leaves=False)
        time.sleep(RETENTION)
        before = peak = server.memory()
        until = time.monotonic() + 60 * minutes

        def come_and_go(number: int) -> None:
            visit = number
            while time.monotonic() < until:
                tour(address, heard, number, visitors, leaves=visit % LEAVERS == LEAVERS - 1)
                visit += 1

        threads = [threading.Thread(target=come_and_go, args=(number,)) for number in range(visitors)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            peak = max(peak, server.memory())
            time.sleep(1)
        folders_gone = wait_for(lambda: not server.job_folders(), RETENTION)
        time.sleep(RETENTION)
        return {
            "visitors": visitors,
            "minutes": minutes,
            "visits": heard.visits,
            "models": heard.models,
            "visits that broke off": len(heard.failed),
            "runs of a page": len(heard.seconds),
            "milliseconds of a run, median": 1000 * float(np.median(heard.seconds)),
            "milliseconds of a run, 19 of 20 at most": 1000 * float(np.quantile(heard.seconds, 0.95)),
            "runs that heard the word of another": heard.strange,
            "runs that told of work ended by others": heard.ended,
            "memory before, MiB": before,
            "memory at most, MiB": peak,
            f"memory {2 * RETENTION} s after all have left, MiB": server.memory(),
            "folders of jobs gone": folders_gone,
            "processes left besides the one that waits": max(len(server.workers()) - 1, 0),
            "first reasons to break off": "; ".join(sorted(set(heard.failed))[:3]),
        }
