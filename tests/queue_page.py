"""The queue of cases to judge on a page of its own, as somebody who judges has it: tests of the browser share it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from patience import read_until
from playwright.sync_api import Browser, Locator, Page, expect
from review_cases import digest, make_queue

KEYS = {"1": "table", "2": "model", "4": "both", "6": "undecidable"}
IDLE = 600  # milliseconds in which whatever a wrong key would have done is there
# What Streamlit's page says of a server that is gone.
GONE = (
    "WebSocket",
    "ERR_CONNECTION",
    "_stcore",
    "server is not responding",
    "DoInitPings timed out",
    "when disconnected from server",
)


class Review:
    """One visitor who judges cases."""

    def __init__(self, page: Page, address: str, folder: Path, **asked: object) -> None:
        self.page, self.asked = page, {"study": "s"} | asked
        self._file = folder / f"{self.asked.get('n', 40)}-{self.asked['study']}.jsonl"
        options = {"n_classes": asked.get("classes", 2)} | {
            name: True for name in ("hostile", "picture", "blind") if name in asked
        }
        self.queue = make_queue(int(self.asked.get("n", 40)), **options)
        self.address = f"{address}/?{'&'.join(f'{name}={value}' for name, value in self.asked.items())}"
        self.said: list[str] = []
        page.on("console", lambda message: self.said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.said.append(str(error)))
        self.open()

    def open(self) -> None:
        """Open the page, or load it again."""
        self.page.goto(self.address)
        expect(self.headline).to_be_visible()

    @property
    def rows(self) -> list[int]:
        """The rows in the order of the queue."""
        return self.queue["rows"]

    @property
    def headline(self) -> Locator:
        """The case in one line."""
        return self.page.locator(".headline")

    @property
    def foot(self) -> Locator:
        """Where the verdicts are."""
        return self.page.locator(".foot")

    def press(self, *keys: str) -> None:
        """Press keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def kept(self) -> list[dict]:
        """What the server has, in its order."""
        return [json.loads(line) for line in self._file.read_text().splitlines()] if self._file.exists() else []

    def pairs(self) -> list[tuple[int, str]]:
        """Row and verdict of all that the server has."""
        return [(entry["row"], entry["verdict"]) for entry in self.kept()]

    def expect_row(self, row: int) -> None:
        """Fail unless this row comes to be drawn."""
        expect(self.page.locator(".about")).to_contain_text(f"Row {row}")

    def expect_counts(self, text: str) -> None:
        """Fail unless the line on progress comes to say so."""
        expect(self.page.locator(".counts")).to_contain_text(text)

    def chosen(self) -> list[str]:
        """Verdicts that look chosen."""
        return self.foot.locator(".verdict[aria-pressed=true]").evaluate_all(
            "all => all.map(one => one.dataset.verdict)"
        )


@contextmanager
def reviews(browser: Browser, server, name: str, expected: tuple[str, ...] = ()) -> Iterator[Callable[..., Review]]:
    """A maker of reviews; nothing that the browser complains of is left unsaid but what is expected."""
    made: list[Review] = []
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")

    def make(**asked: object) -> Review:
        study = "".join(letter for letter in name if letter.isalnum())[-30:]
        made.append(Review(context.new_page(), server.address, server.folder, study=study, **asked))
        return made[-1]

    yield make
    complaints = [text for one in made for text in one.said if not any(word in text for word in expected)]
    context.close()
    assert complaints == []


def judge_all(
    review: Review, n: int, every: int, then: dict[int, Callable[[], None]] | None = None
) -> list[tuple[int, str]]:
    """Give `n` verdicts, one every so many milliseconds; returns what must be kept."""
    keys = list(KEYS)
    wanted = []
    for at, row in enumerate(review.rows[:n]):
        if then and at in then:
            then[at]()
        key = keys[(at * 7) % len(keys)]
        wanted.append((row, KEYS[key]))
        review.press(key)
        review.page.wait_for_timeout(every / 2)
        review.press("Enter")
        review.page.wait_for_timeout(every / 2)
    return wanted


def expect_kept(review: Review, wanted: list[tuple[int, str]]) -> None:
    """Fail unless the server comes to have exactly this, each of it once, in order and of the rows that were drawn."""
    read_until(review.pairs, lambda pairs: len(pairs) >= len(wanted))
    review.page.wait_for_timeout(IDLE)
    assert review.pairs() == wanted
    kept = review.kept()
    sequence = [int(entry["id"].rsplit("-", 1)[1]) for entry in kept]
    assert sequence == sorted(set(sequence))
    assert len({entry["id"].rsplit("-", 1)[0] for entry in kept}) == 1
    for entry in kept:
        assert entry["row_hash"] == digest("row", entry["row"])
        assert entry["evidence"] == review.queue["cases"][str(entry["row"])]["hash"]
    expect(review.page.locator(".unsent")).to_be_hidden()
