"""Takes the README's pictures from the running dashboard: ``python tools/pictures.py http://127.0.0.1:8501``.

Needs the test extra (Playwright) and a Chromium, whose path may be given in PROSET_BROWSER.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
CASE = "data=penguins&fit=1&row=307"
WAIT_FOR = {
    "data": "Which cases should the model learn from",
    "fit": "On rows the model has not seen",
    "map": "Misclassified cases",
    "case": "How the estimate adds up",
}
HEIGHTS = {"data": 900, "fit": 900, "map": 900, "case": 1180}


def take(page: Page, name: str) -> None:
    """Photograph one page once it has settled."""
    page.get_by_role("link", name=name.capitalize(), exact=True).first.click()
    page.get_by_text(WAIT_FOR[name]).first.wait_for(timeout=60_000)
    page.set_viewport_size({"width": 1280, "height": HEIGHTS[name]})
    page.mouse.move(640, 5)
    page.wait_for_timeout(3_000)
    page.screenshot(path=FOLDER / f"{name}.png")


def take_search(page: Page, address: str) -> None:
    """Search for the settings of handwritten digits, wait for the chosen model, and photograph how it was found."""
    page.set_viewport_size({"width": 1280, "height": 1100})
    page.goto(f"{address}/fit?data=digits")
    page.get_by_test_id("stMain").get_by_role("radio", name="Search").click()
    page.get_by_role("button", name="Search", exact=True).click()
    found = page.get_by_text("How the settings were found")
    found.wait_for(timeout=300_000)
    page.wait_for_timeout(3_000)
    found.evaluate("heading => heading.scrollIntoView()")
    page.mouse.move(640, 5)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "search.png")


def main() -> None:
    """Open a fitted model of a bundled table and photograph every page, then a search."""
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("PROSET_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
        address = sys.argv[1].rstrip("/")
        page.goto(f"{address}/case?{CASE}")
        page.get_by_text(WAIT_FOR["case"]).wait_for(timeout=120_000)
        page.get_by_text("The model is fitted.").wait_for(state="hidden", timeout=20_000)
        for name in WAIT_FOR:
            take(page, name)
        take_search(page, address)
        browser.close()


if __name__ == "__main__":
    main()
