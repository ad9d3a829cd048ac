"""Takes the pictures of the README and of docs/ from the running dashboard: ``python tools/pictures.py http://127.0.0.1:8501``.

Needs the test extra (Playwright) and a Chromium, whose path may be given in PROSET_BROWSER.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from sklearn.datasets import load_diabetes
from sklearn.preprocessing import scale

from proset import RegressorModel, explain, plots

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
WIDTH = 1280
CANCER, DIGITS = "data=cancer&fit=own&row=298", "data=digits&fit=own&row=6"
PICTURES = {
    "start": ("", 900),
    "data": ("data?data=penguins", 900),
    "quality": ("quality?data=cancer&fit=1", 800),
    "map_case": (f"map?{CANCER}&lines=1", 940),
    "surface": ("surface?data=cancer&fit=1", 800),
    "features": ("features?data=cancer&fit=1&aspect=pairs", 900),
    "prototypes": ("prototypes?data=cancer&fit=1", 800),
    "case_cancer": (f"case?{CANCER}", 900),
    "case_digits": (f"case?{DIGITS}", 1000),
    "number_case": ("case?data=concrete&fit=1&row=115", 900),
}


def settle(page: Page) -> None:
    """Wait until nothing is computed any more and figures are drawn."""
    page.get_by_text("being fitted").first.wait_for(state="hidden", timeout=120_000)
    page.get_by_test_id("stStatusWidget").wait_for(state="hidden", timeout=60_000)
    page.wait_for_timeout(4_000)


def take(page: Page, address: str, name: str) -> None:
    """Photograph one page once it has settled."""
    path, height = PICTURES[name]
    page.set_viewport_size({"width": WIDTH, "height": height})
    page.goto(f"{address}/{path}")
    page.get_by_role("heading", level=1).first.wait_for(timeout=60_000)
    page.wait_for_timeout(3_000)
    settle(page)
    page.mouse.move(640, 5)
    page.wait_for_timeout(500)
    page.screenshot(path=FOLDER / f"{name}.png")


def take_search(page: Page, address: str) -> None:
    """Search for the settings of handwritten digits, wait for the chosen model, and photograph how it was found."""
    page.set_viewport_size({"width": WIDTH, "height": 1100})
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


def take_compare(page: Page, address: str) -> None:
    """Compare all systems on breast cancer and photograph the table."""
    page.set_viewport_size({"width": WIDTH, "height": 800})
    page.goto(f"{address}/compare?data=cancer&fit=1")
    page.get_by_text("model fitted").wait_for(timeout=60_000)
    page.get_by_test_id("stMain").get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("Compare again").wait_for(timeout=300_000)
    settle(page)
    page.mouse.move(640, 5)
    page.wait_for_timeout(1_000)
    page.screenshot(path=FOLDER / "compare.png")


def take_continue(page: Page, address: str) -> None:
    """Work a little on three tables and photograph their cards; the server needs an empty workspace."""
    page.set_viewport_size({"width": WIDTH, "height": 900})
    for name in ("checker_rot", "iris_2f"):
        page.goto(f"{address}/map?data={name}&fit=1")
        page.get_by_text("model fitted").wait_for(timeout=120_000)
        settle(page)
    page.goto(f"{address}/data")
    page.locator("input[type=file]").first.set_input_files(FOLDER.parents[1] / "sample_data" / "penguins.csv")
    page.get_by_role("heading", name="penguins.csv").wait_for(timeout=60_000)
    page.get_by_test_id("stSidebar").get_by_role("link", name="Fit", exact=True).click()
    page.get_by_role("button", name="Fit", exact=True).click()
    page.get_by_text("model fitted").wait_for(timeout=120_000)
    settle(page)
    page.get_by_role("link", name="Start", exact=True).click()
    heading = page.get_by_role("heading", name="Go on where you were")
    heading.wait_for(timeout=60_000)
    settle(page)
    heading.evaluate("heading => heading.scrollIntoView()")
    page.mouse.move(640, 5)
    page.wait_for_timeout(500)
    place = heading.bounding_box()
    clip = {"x": 200, "y": (place["y"] if place else 0) - 10, "width": WIDTH - 200, "height": 330}
    page.screenshot(path=FOLDER / "continue.png", clip=clip)


def take_story(page: Page, address: str) -> None:
    """Photograph steps of stories at 1440 x 900: one as a link opens it, one for an audience."""
    page.set_viewport_size({"width": 1440, "height": 900})
    for name, step, larger in (("story_quality", "cancer.2", False), ("story_case", "cancer.5", True)):
        page.goto(f"{address}/?story={step}{'' if larger else '&read=1'}")
        page.locator(".st-key-story").wait_for(timeout=60_000)
        settle(page)
        if larger:
            page.keyboard.press("p")
            settle(page)
        page.mouse.move(640, 5)
        page.wait_for_timeout(6_000)  # figures come after the words
        page.screenshot(path=FOLDER / f"{name}.png")


def take_review(page: Page, address: str) -> None:
    """Say who reviews, have the training rows judged, and photograph a case of classes and one of a number."""
    for name, data in (("review", "cancer"), ("review_number", "cars")):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{address}/review?data={data}&fit=1")
        box = page.get_by_role("textbox", name="Your name")
        box.fill("Ann", timeout=120_000)
        box.press("Enter")
        page.get_by_role("button", name="table is right").wait_for(timeout=120_000)
        settle(page)
        asked = page.get_by_role("button", name="Judge the training rows")
        if asked.count():
            asked.click()
            settle(page)
        page.get_by_text("they join the queue when that is done").wait_for(state="hidden", timeout=300_000)
        settle(page)
        page.mouse.move(640, 5)
        page.screenshot(path=FOLDER / f"{name}.png")


def take_answer(page: Page, _address: str) -> None:
    """Photograph the figure that the README's lines on a number as target make."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = X.apply(scale)
    number = RegressorModel(random_state=0).fit(X[40:], y[40:])
    case = explain.number_answer(number, X[2:3], y[2])
    figure = plots.plot_number_answer(case, unit="disease progression after a year")
    figure.update_layout(width=1000, height=450)
    page.set_viewport_size({"width": 1000, "height": 450})
    page.set_content(figure.to_html(include_plotlyjs=True, config={"displayModeBar": False}))
    page.locator(".main-svg").first.wait_for(timeout=60_000)
    page.locator(".js-plotly-plot").screenshot(path=FOLDER / "number_answer.png")


BY_HAND = {
    "search": take_search,
    "compare": take_compare,
    "continue": take_continue,
    "story": take_story,
    "review": take_review,
    "number_answer": take_answer,
}
"""Pictures of what somebody has to start first."""


def main() -> None:
    """Photograph the pages named on the command line after the address, all of them if none is."""
    address, *names = sys.argv[1:]
    address = address.rstrip("/")
    FOLDER.mkdir(exist_ok=True)
    chromium = os.environ.get("PROSET_BROWSER") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        for name in names or (*PICTURES, *BY_HAND):
            BY_HAND[name](page, address) if name in BY_HAND else take(page, address, name)
        browser.close()


if __name__ == "__main__":
    main()
