"""From a click to the last figure drawn, for every page, in a real browser: ``python -m benchmarks.pages``.

For three bundled data sets a visitor goes through all pages of the menu again and again, and from one case to the next.
A watcher within the page notes the click and the last change of what is shown; how often the benchmark looks does not
count. The first round makes the numbers that pages keep; the others are measured. The figures go to
``results/pages.json``; it takes about four minutes and needs Chromium, whose path may be given in PROSET_BROWSER.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.app_server import AppServer
from benchmarks.cells import RESULTS, machine
from benchmarks.tables import table
from dashboard.pages import PAGES
from proset.common.files import replacing

SETS = ("cancer", "digits", "penguins")
ROUNDS = 5
BAR, TARGET = 1.0, 0.5
NEXT_CASE = "case: next"
WAIT_MS = 120_000
OPTIONS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

# The time of the last change in the main part of the page; messages that pass by are no part of it.
WATCH = """() => {
  window.changed = performance.now();
  document.addEventListener('click', () => { window.clicked = performance.now(); }, true);
  new MutationObserver(changes => {
    if (changes.some(c => c.target.nodeType !== 1 || !c.target.closest('[data-testid=stToastContainer]')))
      window.changed = performance.now();
  }).observe(document.querySelector('[data-testid=stMain]'),
    {subtree: true, childList: true, attributes: true, characterData: true});
}"""
# Over once nothing runs, nothing is pale, every figure has its drawing, and nothing has changed for a while.
OVER = """() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-stale=true]') && !document.querySelector('[data-testid=stSkeleton]')
  && [...document.querySelectorAll('[data-testid=stPlotlyChart]')].every(e => e.querySelector('.main-svg'))
  && performance.now() - Math.max(window.changed, window.clicked) > 500"""
TOOK = "() => (window.changed - window.clicked) / 1000"


def measured(page: Page, click: Callable[[], None], arrived: Callable[[], None]) -> float:
    """Return the seconds from a click to the last change."""
    click()
    arrived()
    page.wait_for_function(OVER, timeout=WAIT_MS)
    return round(float(page.evaluate(TOOK)), 3)


def go(page: Page, menu: str) -> float:
    """Go to a page through the menu."""
    link = page.get_by_test_id("stSidebar").get_by_role("link", name=menu, exact=True)
    heading = page.get_by_role("heading", name=menu, exact=True, level=1)
    return measured(page, link.click, lambda: expect(heading).to_be_visible(timeout=WAIT_MS))


def next_case(page: Page) -> list[float]:
    """Go from one case to the next; nothing if the list has no other case."""
    before = page.url
    button = page.get_by_role("button", name="Next ").first
    if not button.is_enabled():
        return []
    seconds = measured(page, button.click, lambda: page.wait_for_timeout(1000))
    return [seconds] if page.url != before else []


def data_set(browser: Browser, address: str, name: str, rounds: int) -> dict[str, list[float]]:
    """Return the seconds of every round for every page; the first round comes first."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.set_default_timeout(WAIT_MS)
    page.goto(f"{address}/map?data={name}&fit=1")
    page.locator("[data-testid=stPlotlyChart] .main-svg").first.wait_for()
    page.evaluate(WATCH)
    took: dict[str, list[float]] = {entry.name: [] for entry in PAGES} | {NEXT_CASE: []}
    for _ in range(rounds + 1):
        for entry in PAGES:
            took[entry.name].append(go(page, entry.text.menu))
            if entry.name == "case":
                took[NEXT_CASE] += next_case(page)
    page.context.close()
    return {step: seconds for step, seconds in took.items() if len(seconds) > 1}


def lines(found: dict[str, dict[str, list[float]]]) -> list[str]:
    """Return the medians as a table; what is above the bar is marked."""
    steps = list(dict.fromkeys(step for each in found.values() for step in each))

    def cell(seconds: list[float] | None) -> str:
        if seconds is None:
            return "–"
        median = statistics.median(seconds[1:])
        sign = " **" if median > BAR else " *" if median > TARGET else ""
        return f"{median:.2f}{sign} ({seconds[0]:.2f})"

    return table(("page", *found), [(step, *(cell(each.get(step)) for each in found.values())) for step in steps])


def main() -> None:
    """Measure, write the figures and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sets", nargs="+", default=list(SETS), metavar="NAME")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--out", type=Path, default=RESULTS / "pages.json")
    given = parser.parse_args()
    path = os.environ.get("PROSET_BROWSER") or None
    found: dict[str, dict[str, list[float]]] = {}
    load: tuple[float, ...] = os.getloadavg()
    with (
        tempfile.TemporaryDirectory() as folder,
        AppServer(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=OPTIONS)
        for name in given.sets:
            found[name] = data_set(browser, server.address, name, given.rounds)
            print(f"{name}: {found[name]}", flush=True)
        browser.close()
    figures: dict[str, Any] = {
        "machine": machine(),
        "load before and after": [round(load[0], 1), round(os.getloadavg()[0], 1)],
        "seconds": found,
    }
    with replacing(given.out) as target:
        Path(target).write_text(json.dumps(figures, indent=1) + "\n")
    print(
        f"Seconds from click to last change: median of {given.rounds} (first visit). * above {TARGET}, ** above {BAR}."
    )
    print(f"Load before and after: {figures['load before and after']}.")
    print("\n".join(lines(found)))


if __name__ == "__main__":
    main()
