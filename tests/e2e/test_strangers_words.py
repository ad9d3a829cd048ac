"""A table whose words want to link, load and draw: they are shown as they are, and no request goes to strangers."""

from __future__ import annotations

import json
from urllib.parse import quote, urlparse

import numpy as np
import pytest
from patience import text_with
from playwright.sync_api import Page, Request, expect
from variants import main_cases

pytestmark = pytest.mark.e2e

IMAGE = "![x](http://evil.example/a.png)"
LINK = "[press](http://evil.example/link)"
BARE = "www.evil.example/bare"
ADDRESS = "https://evil.example/auto"
HTML = "<img src='http://evil.example/i.png'><b>bold</b>"
MAIL = "me@evil.example"
DRAWN = ":smile: :material/home: :red[red] $x^2$ **bold**"
SHEET = "www.evil.example"
FILE = "![f](www.evil.example) www.evil.example.csv"
CLASSES = ("![c](http://evil.example/c.png)", "www.evil.example", ":heart: <b>no</b>")


def table(n: int = 120) -> str:
    """Every name and every text is a stranger's."""
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=n), rng.normal(size=n)
    kind = np.where(first > 0.4, 0, np.where(second > 0, 1, 2))
    places = (BARE, IMAGE, MAIL)
    lines = [[IMAGE, LINK, ADDRESS, HTML, DRAWN, MAIL]]
    lines += [
        [f"{IMAGE} {i}", f"{first[i]:.3f}", f"{second[i]:.3f}", places[i % 3], f"{BARE} {i % 7} so it is", CLASSES[k]]
        for i, k in enumerate(kind)
    ]
    return "\n".join(",".join(json.dumps(str(cell)).replace('\\"', '""') for cell in line) for line in lines) + "\n"


class Watch:
    """What a page asks for, and from whom."""

    def __init__(self, page: Page) -> None:
        self.asked: list[str] = []
        self.said: list[str] = []
        page.on("request", self._asked)
        page.on("console", lambda message: self.said.append(message.text))
        self.page = page

    def _asked(self, request: Request) -> None:
        self.asked.append(request.url)

    def expect_no_stranger(self, server: str) -> None:
        """Fail if anything was asked of, or links to, another server, or if a stranger's words were drawn."""
        home = urlparse(server).netloc
        strange = [url for url in self.asked if urlparse(url).scheme in ("http", "https", "ws", "wss")
                   and urlparse(url).netloc != home]  # fmt: skip
        assert strange == []
        for selector in ("a[href*='evil']", "img[src*='evil']", "[src*='evil']", "[style*='evil']", ".katex"):
            expect(self.page.locator(selector)).to_have_count(0)


def shown(page: Page) -> str:
    """All text of the page as one reads it: single blanks, without the joiners that take no room."""
    return " ".join(page.locator("body").inner_text().replace("\u2060", "").split())


@pytest.mark.exhaustive
def test_no_page_asks_strangers_for_anything(stranger):
    page, watch, server = stranger.page, Watch(stranger.page), stranger.server
    stranger.open()
    page.locator("input[type=file]").first.set_input_files(
        {"name": FILE, "mimeType": "text/csv", "buffer": table().encode()}
    )
    expect(page.get_by_text("How the file was read")).to_be_visible()
    stranger.settle()
    watch.expect_no_stranger(server)
    stranger.choose("Target: the column to estimate", MAIL)
    watch.expect_no_stranger(server)
    assert FILE in text_with(lambda: shown(page), [FILE])
    for box in page.locator("details summary").all():
        box.click()
    stranger.settle()
    watch.expect_no_stranger(server)

    stranger.fit()
    watch.expect_no_stranger(server)

    stranger.go("Map")
    page.wait_for_selector(".js-plotly-plot .nsewdrag")
    watch.expect_no_stranger(server)

    stranger.go("Case")
    search = page.get_by_role("textbox", name="Find a case")
    said = search.get_attribute("placeholder").replace("\u2060", "")
    assert IMAGE in said, "the name of the identifier stands in the box"
    search.fill(IMAGE.replace("a.png", "typed.png"))
    search.press("Enter")
    stranger.settle()
    watch.expect_no_stranger(server)
    text = text_with(lambda: shown(page), ["typed.png"])
    assert "typed.png" in text, "what was typed is told as it was typed"
    page.get_by_role("button", name="Next misclassified").click()
    stranger.settle()
    expect(page.locator(".st-key-case-banner")).to_be_visible()
    watch.expect_no_stranger(server)
    text = shown(page)
    assert any(name in text for name in CLASSES)
    assert "😄" not in text
    assert "❤" not in text
    report = page.get_by_test_id("stDataFrame").last
    report.scroll_into_view_if_needed()
    box = report.bounding_box()
    for x in range(300, int(box["width"]), 120):  # the help of a column comes up over its heading
        page.mouse.move(box["x"] + x, box["y"] + 17)
        page.wait_for_timeout(700)
    watch.expect_no_stranger(server)


QUERIES = (
    f"data=iris_2f&solver_factr={quote(IMAGE)}&test=www.evil.example&row={quote(LINK)}",
    f"data=iris_2f&role={quote('extra:' + ADDRESS)}&{quote(IMAGE)}=1&part={quote(MAIL)}&split={quote(DRAWN)}",
    f"data={quote(IMAGE + ' ' + BARE + ' ' + MAIL)}",
)


ADDRESSES = [f"/{page}?{QUERIES[at]}" for page, at in (("map", 1), ("fit", 0), ("case", 2), ("data", 0), ("data", 1))]


@pytest.mark.slow
@pytest.mark.parametrize("address", main_cases(ADDRESSES, every=5))
def test_no_address_makes_a_page_ask_strangers_for_anything(stranger, address):
    page, watch, server = stranger.page, Watch(stranger.page), stranger.server
    stranger.open(address)
    expect(page.get_by_test_id("stAlert").first).to_be_visible()
    stranger.settle()
    watch.expect_no_stranger(server)
    text = text_with(lambda: shown(page), ["evil"])
    assert "evil" in text, "what was left out is named"
    assert "😄" not in text


@pytest.mark.slow
def test_the_policy_of_the_server_forbids_it_anyway(visit):
    answers = []
    visit.page.on("response", lambda response: answers.append(response))
    watch = Watch(visit.page)
    visit.open("/map?data=iris_2f&fit=own&row=71")
    expect(visit.heading("Map")).to_be_visible()
    visit.page.wait_for_selector(".js-plotly-plot .nsewdrag")
    for menu in ("Case", "Fit", "Data", "Map"):
        visit.go(menu)
    watch.expect_no_stranger(visit.server)
    assert "default-src 'self'" in answers[0].headers["content-security-policy"]
    refused = [text for text in watch.said if "Content Security Policy" in text]
    assert refused == [], "nothing that the app itself needs is forbidden"

    loaded = visit.page.evaluate(
        """() => new Promise(done => {
            const image = new Image();
            image.onload = () => done('loaded');
            image.onerror = () => done('refused');
            document.addEventListener('securitypolicyviolation', event => done('forbidden: ' + event.blockedURI));
            image.src = 'http://evil.example/a.png';
        })"""
    )
    assert loaded.startswith("forbidden: http://evil.example")
