"""From a click to the last figure drawn, on every page, in a real browser: ``python -m benchmarks.pages``.

For each data set the server fits the usual model; then the pages are opened through the menu, round after round, and
among them a bare one with a title and one small figure. The first round computes what the pages show, later ones find
it. What counts is the ratio to the bare page of the same round, because it is the same on a slow and on a busy machine:
the median over all pages is held against one bar, each page against another. A page is drawn when nothing in it changes
any more. The figures go to ``results/pages.json``, the table to the README; with fewer
data sets or pages than all, only those are measured again. It takes about five minutes and needs Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.app_server import BARE, AppServer
from benchmarks.cells import RESULTS, machine, sentence
from benchmarks.tables import table, write_section
from dashboard.pages import PAGES
from proset.common.files import replacing

DATA = ("cancer", "digits", "penguins")
BAR, BAR_OF_EACH = 2.0, 4.0  # times the bare page: the median over all pages, and each of them
ROUNDS = 5
QUIET_MS = 700  # a page that has not changed for so long is drawn
LONGEST_MS = 60_000
NEXT_CASE = "case, next"

# When somebody clicked, and when the page and the figures in it changed last.
WATCH = """
() => {
  const seen = window.prosetSeen = {click: 0, page: 0, figure: 0};
  document.addEventListener('pointerdown', () => { seen.click = seen.page = seen.figure = performance.now(); }, true);
  new MutationObserver(changes => {
    const main = document.querySelector("[data-testid='stMain']");
    for (const {target} of changes) {
      const element = target.nodeType === 1 ? target : target.parentElement;
      // What stands inside a drawing is for screen readers; it follows the drawing after a pause.
      if (!main?.contains(element) || element.closest('canvas')) continue;
      seen.page = performance.now();
      if (element.closest(".js-plotly-plot, [data-testid='stDataFrame'], [data-testid='stImage'], svg"))
        seen.figure = seen.page;
      if (seen.figure === seen.page) break;  // the rest came with it: to look at it would cost what is measured
    }
  }).observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
}
"""
DRAWN = """
quiet => document.querySelector("[data-testid='stApp'][data-test-script-state='notRunning']")
  && !document.querySelector("[data-stale='true']")
  && performance.now() - window.prosetSeen.page > quiet
"""

Figures = dict[str, Any]


def measured(page: Page, click: Callable[[], None], title: str) -> tuple[float, float]:
    """Click and wait until the page is drawn; return the seconds to the last figure and to the last change."""
    click()
    # An expectation would look through the whole page, as a screen reader does, each time that it is not met yet.
    page.get_by_role("heading", name=title, exact=True, level=1).wait_for(timeout=LONGEST_MS)
    page.wait_for_function(DRAWN, arg=QUIET_MS, timeout=LONGEST_MS)
    seen = page.evaluate("() => window.prosetSeen")
    changed = (seen["page"] - seen["click"]) / 1000
    figure = (seen["figure"] - seen["click"]) / 1000
    return figure or changed, changed  # a page without figures is drawn with its last word


def clicks(page: Page, names: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], None], str]]:
    """Give what is clicked in one round: name, click and the title of the page it leads to."""
    menu = page.get_by_test_id("stSidebar")
    yield BARE, menu.get_by_role("link", name=BARE, exact=True).click, BARE
    for place in PAGES:
        if place.name in names:
            link = menu.get_by_role("link", name=place.text.menu, exact=True)
            yield place.name, link.click, place.text.title
            if place.name == "case":
                button = page.get_by_test_id("stMain").get_by_role("button", name=re.compile("^Next"))
                if button.first.is_enabled():  # a model with one error has no next one
                    yield NEXT_CASE, button.first.click, place.text.title


def one_table(browser: Browser, server: AppServer, data: str, names: tuple[str, ...], rounds: int) -> Figures:
    """Measure the pages of one data set."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.add_init_script(f"({WATCH.strip()})()")
    page.goto(f"{server.address}/fit?data={data}&fit=1")
    expect(page.get_by_text("model fitted").first).to_be_visible(timeout=LONGEST_MS)
    page.wait_for_function(DRAWN, arg=QUIET_MS, timeout=LONGEST_MS)
    times: dict[str, list[tuple[float, float]]] = {}
    for _ in range(rounds + 1):
        for name, click, title in clicks(page, names):
            times.setdefault(name, []).append(measured(page, click, title))
    context.close()
    return {name: summary(found, times[BARE]) for name, found in times.items() if len(found) == rounds + 1}


def summary(found: list[tuple[float, float]], bare: list[tuple[float, float]]) -> Figures:
    """Sum up the rounds: the first one, then median and largest of the others, also beside the bare page."""
    first, later = found[0], found[1:]
    ratios = [figure / base for (figure, _), (base, _) in zip(later, bare[1:], strict=True)]
    return {
        "ratio": statistics.median(ratios),
        "largest ratio": max(ratios),
        "first": first[0],
        "median": statistics.median(figure for figure, _ in later),
        "largest": max(figure for figure, _ in later),
        "last change": statistics.median(change for _, change in later),
        "rounds": len(later),
        "load": os.getloadavg()[0],
    }


def lines(facts: dict[str, str], figures: dict[str, Figures]) -> list[str]:
    """Return the figures as a Markdown table; what is above the bar is bold."""
    names = list(dict.fromkeys(name for found in figures.values() for name in found))
    rows = [[name, *(cell(figures[data].get(name)) for data in figures)] for name in names]
    cells = [found for places in figures.values() for found in places.values()]
    loads, rounds = [found["load"] for found in cells], min(found["rounds"] for found in cells)
    load = f"Load (processes that wanted a core): {min(loads):.1f} to {max(loads):.1f}"
    return [
        f"Machine: {sentence(facts)}. {load}; rounds after the first: {rounds}.",
        "",
        *table(("click on", *figures), rows),
        "",
        "; ".join(f"{data}: median of all pages {_median(found):.2f}" for data, found in figures.items()) + ".",
    ]


def _median(found: dict[str, Figures]) -> float:
    """Return the median over the pages but the bare one."""
    return statistics.median(figures["ratio"] for name, figures in found.items() if name != BARE)


def cell(found: Figures | None) -> str:
    """Write the ratio to the bare page, then the seconds: median (first, largest)."""
    if found is None:
        return ""
    ratio = f"{found['ratio']:.2f}"
    seconds = f"{found['median']:.2f} s ({found['first']:.2f}, {found['largest']:.2f})"
    return f"{f'**{ratio}**' if found['ratio'] > BAR_OF_EACH else ratio}: {seconds}"


def main() -> None:
    """Measure what is asked for, keep it with what is there, and write the table."""
    names = tuple(page.name for page in PAGES)
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA)
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="PAGE", help=", ".join(names))
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--dry", action="store_true", help="print the table, keep nothing")
    asked = parser.parse_args()
    kept = RESULTS / "pages.json"
    figures: dict[str, Figures] = json.loads(kept.read_text())["figures"] if kept.exists() and not asked.dry else {}
    path = os.environ.get("PROSET_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(prefix="proset-pages-") as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        with AppServer(Path(folder), script="benchmarks/bare_server.py") as server:
            for data in asked.data:
                found = one_table(browser, server, data, tuple(asked.only), asked.rounds)
                former = {} if asked.only == names else figures.get(data, {})
                figures[data] = in_order(former | found)
                print("\n".join(lines({}, {data: figures[data]})[2:]), flush=True)
        browser.close()
    if asked.dry:
        return
    with replacing(kept) as draft:
        draft.write_text(json.dumps({"machine": machine(), "figures": figures}, indent=1) + "\n")
    write_section("pages", lines(machine(), figures))


def in_order(found: Figures) -> Figures:
    """Put pages in the order of the menu; those that are gone are dropped."""
    order = [BARE]
    for page in PAGES:
        order += [page.name, NEXT_CASE] if page.name == "case" else [page.name]
    return {name: found[name] for name in order if name in found}


if __name__ == "__main__":
    main()
