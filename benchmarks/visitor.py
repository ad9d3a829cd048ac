"""A visitor of the dashboard in a real browser, with a table whose every word is found nowhere else."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Page, WebSocket, expect
from playwright.sync_api import TimeoutError as NotSeen

WORDS = (
    "kestrel", "quokka", "zephyr", "marmot", "juniper", "obelisk", "walnut", "cobalt", "tundra", "ferret", "lagoon",
    "sphinx", "bramble", "onyx", "pelican", "quartz",
)  # fmt: skip
ROWS = 300
STEP_MS = 120_000


@dataclass(eq=False)
class Window:
    """A browser window with a table of its own, and what the server has sent to it."""

    context: BrowserContext
    word: str
    leaves: bool = False
    heard: set[str] = field(default_factory=set)
    seconds: float = 0.0

    def __post_init__(self) -> None:
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(STEP_MS)
        self.page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        """Note the words in everything that arrives."""
        socket.on("framereceived", self._hear)

    def _hear(self, payload: bytes | str) -> None:
        content = payload.encode() if isinstance(payload, str) else payload
        self.heard |= {word for word in WORDS if word.encode() in content}

    def csv(self) -> bytes:
        """Make the table: names of columns, cells and classes begin with the word."""
        rng = np.random.default_rng(WORDS.index(self.word))
        size, age = rng.normal(50, 12, ROWS), rng.normal(40, 9, ROWS)
        kind = np.where(size + age + rng.normal(0, 9, ROWS) > 90, "wild", "calm")
        w = self.word
        lines = [f"{w}_name,{w}_size,{w}_age,{w}_site,{w}_class"]
        lines += [
            f"{w}-{i:04d},{size[i]:.2f},{age[i]:.1f},{w}_{'north' if i % 3 else 'south'},{w}_{kind[i]}"
            for i in range(ROWS)
        ]
        return "\n".join(lines).encode()

    def settle(self) -> None:
        """Wait until the app has finished its run."""
        self.page.wait_for_timeout(250)
        self.page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']")

    def go(self, menu: str) -> None:
        """Open a page through the menu."""
        self.page.get_by_test_id("stSidebar").get_by_role("link", name=menu, exact=True).click()
        expect(self.page.get_by_role("heading", name=menu, exact=True, level=1)).to_be_visible(timeout=STEP_MS)
        self.settle()

    def press(self, label: str) -> None:
        """Press the first button with this label."""
        self.page.get_by_role("button", name=label, exact=True).first.click()

    def sees(self, text: str, seconds: float = 60.0) -> bool:
        """Return whether a text appears on the page in so many seconds."""
        try:
            self.page.get_by_text(text).first.wait_for(timeout=1000 * seconds)
        except NotSeen:
            return False
        return True

    def tour(self, address: str) -> Iterator[None]:
        """Open the table, fit, page and leave, in steps that other windows take at the same time."""
        page = self.page
        page.goto(address)
        self.settle()
        name = f"{self.word}.csv"
        page.locator("input[type=file]").first.set_input_files(
            {"name": name, "mimeType": "text/csv", "buffer": self.csv()}
        )
        yield
        expect(page.get_by_role("heading", name=name)).to_be_visible(timeout=STEP_MS)
        self.settle()
        self.go("Fit")
        yield
        self.press("Fit")
        began = time.monotonic()
        yield
        if self.leaves:
            page.get_by_text("so far").or_(page.get_by_text("Waiting")).first.wait_for()
            self.context.close()
            return
        expect(page.get_by_role("button", name="Fit again")).to_be_visible(timeout=STEP_MS)
        self.seconds = time.monotonic() - began
        yield
        self.go("Map")
        page.wait_for_selector(".js-plotly-plot .nsewdrag")
        yield
        self.go("Case")
        for label in ("Next misclassified", "Next misclassified", "Previous misclassified"):
            button = page.get_by_role("button", name=label, exact=True)
            if button.count() and button.first.is_enabled():
                button.first.click()
                self.settle()
        yield
        self.go("Data")
        self.context.close()


def visit(browser: Browser, word: str, *, leaves: bool = False) -> Window:
    """Open a window of its own, without anything that others have stored."""
    return Window(browser.new_context(viewport={"width": 1280, "height": 900}), word, leaves)
