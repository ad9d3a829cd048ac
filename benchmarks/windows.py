"""Twelve windows at once, killed processes and a full disk: ``python -m benchmarks.windows``.

Every window has a table of its own, whose every word is found nowhere else; all press Fit at the same time, page
through Map and Case, and leave, some of them in the middle of the fit. What the server sends to each is searched for
the words of the others. Then a worker, the process that waits and the server are killed in the middle of work, and the
disk runs full. The figures go to ``results/windows.json``; it takes about five minutes and needs Chromium.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from playwright.sync_api import Browser, sync_playwright

from benchmarks.app_server import AppServer, wait_for
from benchmarks.cells import RESULTS, machine
from benchmarks.crowd import crowd
from benchmarks.tables import table
from benchmarks.visitor import WORDS, Window, visit
from proset.common.files import replacing

LEAVERS = 4  # every fourth window leaves in the middle of its fit
BACK_WITHIN = 1.2  # memory afterwards, as a share of that before
RECONNECT_SECONDS = 2  # how long Streamlit keeps a session that has left; 120 where it is not told otherwise
LONG_FIT = "/fit?data=checker_rot&n_iter=10&num_candidates=5000&lambda_v=1e-06"
TMPFS_MIB = 4

Figures = dict[str, Any]


# --- twelve at once ---------------------------------------------------------------------------------------------------
def many_windows(browser: Browser, folder: Path, count: int) -> Figures:
    """Let many windows do the same at once; return what they heard, and what they have left behind."""
    with AppServer(folder, f"--server.disconnectedSessionTTL={RECONNECT_SECONDS}") as server:
        passing_visit(browser, server)
        before = server.memory()
        windows = [visit(browser, word, leaves=i % LEAVERS == LEAVERS - 1) for i, word in enumerate(WORDS[:count])]
        began, peak = time.monotonic(), before
        tours = [window.tour(server.address) for window in windows]
        while tours:
            tours = [tour for tour in tours if next(tour, "ended") is None]
            peak = max(peak, server.memory())
        seconds = time.monotonic() - began
        folders_gone = wait_for(lambda: not server.job_folders(), 10)
        passing_visit(browser, server)
        after = server.memory()
        stayed = [window for window in windows if not window.leaves]
        return {
            "windows": count,
            "left in mid-fit": count - len(stayed),
            "seconds": seconds,
            "seconds from Fit to the model, median": float(np.median([window.seconds for window in stayed])),
            "seconds from Fit to the model, largest": max(window.seconds for window in stayed),
            "windows that heard their own word": sum(window.word in window.heard for window in windows),
            "windows that heard the word of another": sum(bool(window.heard - {window.word}) for window in windows),
            "memory before, MiB": before,
            "memory at most, MiB": peak,
            "memory afterwards, MiB": after,
            "memory back": after <= BACK_WITHIN * before,
            "folders of jobs gone": folders_gone,
            "processes left besides the one that waits": max(len(server.workers()) - 1, 0),
        }


def passing_visit(browser: Browser, server: AppServer) -> None:
    """Let one visitor come, fit, page and leave, and wait until the session is dropped."""
    for _ in visit(browser, WORDS[-1]).tour(server.address):
        pass
    time.sleep(RECONNECT_SECONDS + 1)
    wait_for(lambda: len(server.workers()) <= 1, 10)
    time.sleep(1)


# --- killed processes -------------------------------------------------------------------------------------------------
def killed(browser: Browser, folder: Path) -> Figures:
    """Kill a worker of each kind, the process that waits and the server in mid-job; return what people see of it."""
    figures: Figures = {}
    with AppServer(folder) as server:
        figures["worker of a fit"] = killed_fit(visit(browser, WORDS[0]), server)
        figures["worker of a search"] = killed_search(visit(browser, WORDS[1]), server)
        figures["process that waits"] = killed_standby(visit(browser, WORDS[2]), server)
        window = started(visit(browser, WORDS[3]), server, LONG_FIT, "Fit")
        workers, folders = server.workers(), server.job_folders()
        server.kill()
        gone = wait_for(lambda: not any(alive(worker) for worker in workers), 20)
        left = [path.name for path in folders if path.exists()]
        window.context.close()
    with AppServer(folder) as server:
        passing_visit(browser, server)
        kept = len(list(server.temporary.glob("proset-jobs-*")))
    figures["server"] = {"its processes are gone": gone, "folders of jobs left": len(left), "folders of servers": kept}
    return figures


def alive(process: psutil.Process) -> bool:
    """Return whether a process still works."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def started(window: Window, server: AppServer, path: str, button: str) -> Window:
    """Open a page and start work there; return once its process works."""
    window.page.goto(server.address + path)
    window.settle()
    window.press(button)
    window.page.get_by_text("so far").first.wait_for()
    return window


def kill_all(server: AppServer) -> None:
    """Kill what the server has started, as the system does when memory runs out."""
    for worker in server.workers():
        worker.kill()


def killed_fit(window: Window, server: AppServer) -> Figures:
    """Kill the worker of a fit."""
    started(window, server, LONG_FIT, "Fit")
    kill_all(server)
    said = window.sees("The fit was stopped by the system, most likely because memory ran out.")
    again = window.page.get_by_role("button", name="Fit", exact=True).first.is_enabled()
    window.context.close()
    return {
        "said so": said,
        "can try again": again,
        "folders of jobs gone": wait_for(lambda: not server.job_folders(), 5),
    }


def killed_search(window: Window, server: AppServer) -> Figures:
    """Kill the worker of a search once it has finished some fits, and let the search go on."""
    window.page.goto(f"{server.address}/fit?data=digits&num_candidates=300")
    window.settle()
    window.page.get_by_text("Search", exact=True).first.click()
    window.settle()
    window.press("Search")
    window.page.get_by_text("of about").first.wait_for()
    wait_for(lambda: any(folder.joinpath("search.json").exists() for folder in server.job_folders()), 60)
    kill_all(server)
    said = window.sees("The search was stopped by the system, most likely because memory ran out.")
    kept = window.sees("Stopped after ")
    window.press("Resume")
    goes_on = window.sees("of about")
    window.page.get_by_test_id("stMain").get_by_role("button", name="Stop").click()
    stopped = window.sees("Stopped after ")
    window.context.close()
    return {"said so": said, "kept what it had finished": kept, "goes on": goes_on and stopped}


def killed_standby(window: Window, server: AppServer) -> Figures:
    """Kill the process that waits for the next job."""
    window.page.goto(f"{server.address}/fit?data=iris_2f")
    window.settle()
    waiting = wait_for(lambda: len(server.workers()) == 1, 30)
    kill_all(server)
    window.press("Fit")
    fitted = window.sees("On rows the model has not seen")
    window.context.close()
    return {"was there": waiting, "the next fit works": fitted}


# --- a full disk ------------------------------------------------------------------------------------------------------
def full_disk(browser: Browser, folder: Path) -> Figures:
    """Let the disk for temporary files run full, before a fit and in the middle of one."""
    temporary = folder / "tmp"
    temporary.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_MIB}m", "tmpfs", str(temporary)], check=False, capture_output=True
    ).returncode:
        return {"not tried": "a small file system cannot be mounted by this user"}
    try:
        with AppServer(folder) as server:
            return fits_on_full_disk(visit(browser, WORDS[0]), server, temporary / "filler")
    finally:
        subprocess.run(["umount", "--lazy", str(temporary)], check=False)


def fits_on_full_disk(window: Window, server: AppServer, filler: Path) -> Figures:
    """Fit three times: nothing can be written, there is room again, the result cannot be written."""
    said = "There is no space left on the server's disk for the fit."
    window.page.goto(f"{server.address}/fit?data=wine")
    window.settle()
    fill(filler)
    window.press("Fit")
    refused = window.sees(said)
    filler.unlink()
    window.press("Fit")
    fitted = window.sees("On rows the model has not seen")
    started(window, server, "/fit?data=checker_rot&num_candidates=2000", "Fit")
    fill(filler)
    late = window.sees(said, seconds=120)
    filler.unlink()
    window.context.close()
    gone = wait_for(lambda: not server.job_folders(), 5)
    return {
        "said so before the fit": refused,
        "with room again it works": fitted,
        "said so after the fit": late,
        "folders of jobs gone": gone,
    }


def fill(path: Path) -> None:
    """Write until nothing more fits."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)


# --- all of it --------------------------------------------------------------------------------------------------------
PARTS: dict[str, Callable[..., Figures]] = {"windows": many_windows, "killed": killed, "full disk": full_disk}


def lines(figures: Figures) -> list[str]:
    """Return the figures as a Markdown table."""
    rows = [(part, name, shown(value)) for part, found in figures.items() for name, value in flat(found)]
    return table(("", "", ""), rows)


def flat(figures: Figures, before: str = "") -> Iterator[tuple[str, Any]]:
    """Return names and values, those of groups with the name of the group in front."""
    for name, value in figures.items():
        if isinstance(value, dict):
            yield from flat(value, f"{before}{name}: ")
        else:
            yield before + name, value


def shown(value: object) -> str:
    """Write a value for people."""
    if isinstance(value, bool):
        return "yes" if value else "**no**"
    return f"{value:,.1f}" if isinstance(value, float) else str(value)


def keep_crowd(visitors: int, minutes: float) -> None:
    """Let many visitors come and go, and keep the figures."""
    with tempfile.TemporaryDirectory(prefix="proset-crowd-") as folder:
        figures = crowd(Path(folder), visitors, minutes)
    print("\n".join(lines({"visitors": figures})), flush=True)
    with replacing(RESULTS / "crowd.json") as draft:
        draft.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1) + "\n")


def main() -> None:
    """Run the parts that are asked for and keep their figures."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--windows", type=int, default=12, choices=range(2, len(WORDS)), metavar="N")
    parser.add_argument("--visitors", type=int, metavar="N", help="only this: so many at once, without browsers")
    parser.add_argument("--minutes", type=float, default=10.0, metavar="M", help="how long visitors come and go")
    parser.add_argument("--only", choices=tuple(PARTS), action="append")
    asked = parser.parse_args()
    if asked.visitors:
        keep_crowd(asked.visitors, asked.minutes)
        return
    path = os.environ.get("PROSET_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    kept = RESULTS / "windows.json"
    figures: Figures = json.loads(kept.read_text())["figures"] if asked.only and kept.exists() else {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for part in asked.only or PARTS:
            with tempfile.TemporaryDirectory(prefix="proset-windows-") as folder:
                more = (asked.windows,) if part == "windows" else ()
                figures[part] = PARTS[part](browser, Path(folder), *more)
            print("\n".join(lines({part: figures[part]})), flush=True)
        browser.close()
    with replacing(kept) as draft:
        draft.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1) + "\n")


if __name__ == "__main__":
    main()
