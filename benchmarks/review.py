"""From a key to what it draws in the queue of the review, in a real browser: ``python -m benchmarks.review``.

Rows of two tables are handed over to Review, and judged one after the other with keys: a verdict, then Enter. Measured
in the page, from the time stamp of the key to the frame that shows it: the verdict as chosen (bar: 50 ms), and
the evidence of the next case (bar: 150 ms), whether it was in the browser already or had to come from the server.
Beside them stand a key that means nothing, which is what browser and machine take on their own, and the time in which
the queue's own script held the browser. Once by somebody who takes a second for a case, once at five verdicts per two
seconds. The figures go to ``results/review.json``, the table to the README. It takes about six minutes and needs
Chromium.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from benchmarks.app_server import AppServer
from benchmarks.cells import RESULTS, machine, sentence
from benchmarks.tables import table, write_section
from proset.common.files import replacing

DATA = ("cancer", "digits")
BARS = {"bare": 50.0, "verdict": 50.0, "next": 150.0}  # milliseconds; of a key that means nothing as of a verdict
NAMED = {"q": "bare", "4": "verdict", "Enter": "next"}
PACES = {"one in 1 s": 1_000, "one in 0.4 s": 400}  # milliseconds between two verdicts
VERDICTS = 100
ROWS = 260  # handed over; rows of the untouched half are not among those that come
LONGEST_MS = 120_000

# Waits after each key for the frame that shows what it means; tells how long that took.
WATCH = """
() => {
  const times = window.prosetTimes = {bare: [], verdict: [], next: [], script: {bare: [], verdict: [], next: []}};
  const meaning = key => ({q: 'bare', Enter: 'next'})[key] ?? 'verdict';
  let began = 0;
  const root = () => [...document.querySelectorAll("[data-testid^='stBidiComponent']")]
    .map(one => one.shadowRoot).find(one => one?.querySelector('.foot'));
  const after = run => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = run;
    channel.port2.postMessage(null);
  });
  document.addEventListener('keydown', event => {
    const queue = root(), name = meaning(event.key);
    if (!queue) return;
    const before = queue.querySelector('.about').textContent;
    const drawn = () => name === 'bare' || (name === 'verdict'
      ? queue.querySelector(".verdict[aria-pressed='true']") !== null
      : queue.querySelector('.about').textContent !== before && queue.querySelector('.waiting').hidden);
    const look = () => drawn() ? times[name].push(performance.now() - event.timeStamp) : after(look);
    after(look);
    began = performance.now();
  }, true);
  // The last to hear of it: the queue has drawn by then what was in the browser.
  window.addEventListener('keydown', event => times.script[meaning(event.key)].push(performance.now() - began));
}
"""

Figures = dict[str, Any]


def begin(browser: Browser, server: AppServer, data: str) -> Page:
    """Open the queue of some rows of a table, and wait until nothing is under way."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(f"({WATCH.strip()})()")
    page.goto(f"{server.address}/review?data={data}&fit=1&these=map:1-{ROWS}")
    name = page.get_by_role("textbox", name="Your name")
    name.fill("Ann", timeout=LONGEST_MS)
    name.press("Enter")
    expect(page.get_by_role("button", name="table is right")).to_be_visible(timeout=LONGEST_MS)
    expect(page.get_by_text("they join the queue when that is done")).to_have_count(0, timeout=LONGEST_MS)
    page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']", timeout=LONGEST_MS)
    expect(page.locator(".review[data-short]")).to_have_count(0, timeout=LONGEST_MS)
    return page


def judged(page: Page, pace: int) -> Figures:
    """Judge cases at a pace; a case whose evidence is late is waited for, as a person would."""
    for count in range(1, VERDICTS + 1):
        for key, name in NAMED.items():
            page.keyboard.press(key)
            page.wait_for_function(
                "([name, count]) => window.prosetTimes[name].length >= count", arg=[name, count], timeout=LONGEST_MS
            )
            page.wait_for_timeout(pace / len(NAMED))
    times = page.evaluate("() => window.prosetTimes")
    found = {name: summary(times[name][-VERDICTS:]) for name in BARS}
    return found | {"script": {name: summary(times["script"][name][-VERDICTS:]) for name in BARS}}


def summary(times: list[float]) -> Figures:
    """Sum times up, in milliseconds."""
    ordered = sorted(times)
    late = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return {"median": statistics.median(ordered), "late": late, "worst": ordered[-1], "n": len(ordered)}


def lines(facts: dict[str, str], runs: dict[str, Figures]) -> list[str]:
    """Return the figures as a Markdown table, a line per run; what is above the bar is bold."""
    rows = [
        [data, pace, *(cell(found[name], BARS[name]) for name in BARS), _script(found), f"{found['load']:.1f}"]
        for data, paces in runs.items()
        for pace, repeats in paces.items()
        for found in repeats
    ]
    head = ("table", "verdicts", "key without a meaning", "verdict drawn", "next case drawn", "of it script", "load")
    return [f"Machine: {sentence(facts)}. Each line is a run of {VERDICTS} verdicts.", "", *table(head, rows)]


def _script(found: Figures) -> str:
    """Write the time in which the queue's script held the browser: median and worst, for a verdict and for Enter."""
    each = (found["script"][name] for name in ("verdict", "next"))
    return "; ".join(f"{one['median']:.0f}, {one['worst']:.0f}" for one in each)


def cell(found: Figures, bar: float) -> str:
    """Write median, 95th per cent and worst."""
    return ", ".join(
        f"**{value:.0f}**" if value > bar else f"{value:.0f}"
        for value in (found[k] for k in ("median", "late", "worst"))
    )


def main() -> None:
    """Measure what is asked for, keep it, and write the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--data", nargs="+", choices=DATA, default=DATA)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--dry", action="store_true", help="print the table, keep nothing")
    asked = parser.parse_args()
    path = os.environ.get("PROSET_BROWSER") or shutil.which("chromium") or shutil.which("google-chrome")
    runs: dict[str, Figures] = {}
    with sync_playwright() as playwright, tempfile.TemporaryDirectory(prefix="proset-review-") as folder:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        for data in asked.data:
            runs[data] = {pace: [] for pace in PACES}
            for pace in [*PACES] * asked.repeats:
                # A server of its own each time: what was computed for one run would be there in the next.
                with AppServer(Path(folder)) as server:
                    page = begin(browser, server, data)
                    runs[data][pace].append(judged(page, PACES[pace]) | {"load": os.getloadavg()[0]})
                    page.context.close()
                print("\n".join(lines({}, {data: {pace: runs[data][pace][-1:]}})[4:]), flush=True)
        browser.close()
    if asked.dry:
        return
    with replacing(RESULTS / "review.json") as draft:
        draft.write_text(json.dumps({"machine": machine(), "figures": runs}, indent=1) + "\n")
    write_section("review", lines(machine(), runs))


if __name__ == "__main__":
    main()
