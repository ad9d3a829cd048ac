"""The queue of cases to judge in a real browser: no press is lost or goes to a wrong row, nothing written is gone."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from contrast import contrast
from patience import expect_equal, read_until
from playwright.sync_api import Browser, Locator, Page, expect
from review_cases import digest, make_queue

from dashboard.client import FOLDER
from dashboard.texts.review_words import WORDS

pytestmark = pytest.mark.e2e

KEYS = {"1": "table", "2": "model", "4": "both", "6": "undecidable"}
VERDICTS = ("table", "model", "other", "both", "faulty", "undecidable")
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


@pytest.fixture
def review(browser: Browser, queue_server, request: pytest.FixtureRequest) -> Iterator[Callable[..., Review]]:
    """A maker of reviews on the server that tests share; nothing that the browser complains of is left unsaid."""
    with _reviews(browser, queue_server, request.node.name) as make:
        yield make


@contextmanager
def _reviews(browser: Browser, server, name: str, expected: tuple[str, ...] = ()) -> Iterator[Callable[..., Review]]:
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


def test_ten_verdicts_pressed_in_a_row_all_arrive_on_their_rows(review):
    one = review()
    wanted = judge_all(one, 10, 80)
    one.expect_counts("10 of 40 judged, 30 left")
    one.expect_row(one.rows[10])
    expect_kept(one, wanted)


@pytest.mark.exhaustive
def test_a_server_that_is_killed_and_started_again_loses_nothing(browser, frail_queue_server):
    _survives(browser, frail_queue_server, 40)


@pytest.mark.exhaustive
def test_two_hundred_verdicts_survive_a_killed_server(browser, frail_queue_server):
    _survives(browser, frail_queue_server, 200)


def _survives(browser, server, n):
    with _reviews(browser, server, f"survives{n}", GONE) as make:
        one = make(n=n + 10)
        first = one.rows[0]
        one.expect_row(first)
        back = threading.Thread(target=server.start)

        def kill():
            server.kill()

        wanted = judge_all(one, n, 200, {n // 4: kill, n // 2: back.start})
        one.expect_counts(f"{n} of {n + 10} judged")
        back.join()
        expect_kept(one, wanted)


def test_what_was_not_sent_survives_a_reload(browser, frail_queue_server):
    with _reviews(browser, frail_queue_server, "reload", GONE) as make:
        one = make()
        frail_queue_server.kill()
        wanted = judge_all(one, 5, 100)
        one.press("n")
        one.page.keyboard.type("half a no")
        one.press("Escape")
        assert one.kept() == []
        frail_queue_server.start()
        one.open()
        one.expect_counts("5 of 40 judged")
        expect_kept(one, wanted)
        one.expect_row(one.rows[5])
        expect(one.page.locator("textarea")).to_have_value("half a no")


# In the page: from the press of a key to the frame that has it.
LATENCY = """
() => {
  window.times = {verdict: [], next: []};
  const root = [...document.querySelectorAll("*")].find(one => one.shadowRoot?.querySelector(".review")).shadowRoot;
  document.addEventListener("keydown", event => {
    const kind = event.key === "Enter" ? "next" : "verdict";
    const began = event.timeStamp, before = root.querySelector(".about").textContent;
    requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => {
      const seen = kind === "next" ? root.querySelector(".about").textContent !== before
        : root.querySelector(".verdict[aria-pressed=true]") !== null;
      window.times[kind].push(seen ? performance.now() - began : 1e9);
    }; channel.port2.postMessage(0); });
  }, {capture: true});
}
"""


def test_a_verdict_is_drawn_at_once_and_so_is_the_next_case(review):
    one = review(spare=24)
    one.page.evaluate(LATENCY)
    judge_all(one, 20, 300)
    times = one.page.evaluate("() => window.times")
    for kind, most in (("verdict", 250), ("next", 750)):
        taken = sorted(times[kind])
        print(kind, [round(time) for time in taken])
        assert len(taken) == 20
        assert taken[10] < most, f"{kind}: {taken}"


# A window as Streamlit opens one when it has lost the server: it takes the focus.
ALARM = """
() => {
  const alarm = document.createElement("div");
  alarm.dataset.testid = "stDialog";
  alarm.innerHTML = "<div role='dialog'><button>Close</button></div>";
  document.body.append(alarm);
  alarm.querySelector("button").focus();
}
"""
NO_ALARM = "() => document.querySelector('[data-testid=stDialog]').remove()"


def test_a_window_about_a_lost_server_takes_no_letter_of_a_note(review):
    one = review()
    one.press("n")
    one.page.keyboard.type("half")
    one.page.evaluate(ALARM)
    one.page.keyboard.type(" a no")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == []
    one.page.evaluate(NO_ALARM)
    one.page.evaluate(ALARM)
    one.page.evaluate(NO_ALARM)
    one.headline.click()  # whoever clicks elsewhere types there
    one.press("4")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == ["both"]
    one.press("u")
    one.page.evaluate(ALARM)  # nobody types now, and the window has the keys
    one.page.keyboard.type("1n")
    expect(one.page.locator("textarea")).to_have_value("half a no")
    assert one.chosen() == []


def test_keys_do_nothing_while_somebody_types_or_a_window_is_open(review):
    one = review(input=1)
    one.press("n")
    one.page.keyboard.type("1 junk for usf 2")
    expect(one.page.locator("textarea")).to_have_value("1 junk for usf 2")
    assert one.chosen() == []
    one.press("Escape", "1")
    assert one.chosen() == ["table"]
    words = one.page.get_by_label("Words of the page")
    words.click()
    one.page.keyboard.type("246jks")
    expect(words).to_have_value("246jks")
    one.page.wait_for_timeout(IDLE)
    assert one.chosen() == ["table"]
    one.expect_row(one.rows[0])
    one.headline.click()
    one.press("h")
    expect(one.page.locator("dialog")).to_be_visible()
    one.press("2", "j", "Enter")
    expect(one.page.locator("dialog dl kbd")).to_have_count(12)  # there is no picture to veil
    expect(one.page.locator("dialog dl")).to_contain_text("J / →")
    expect(one.page.locator("dialog dl")).not_to_contain_text("object")
    one.press("Escape")
    expect(one.page.locator("dialog")).to_be_hidden()
    one.press("Control+j", "Alt+4", "Meta+2")
    one.expect_row(one.rows[0])
    assert one.chosen() == ["table"]
    assert one.kept() == []


def test_what_is_typed_stays_when_the_page_runs_again(review):
    one = review(input=1)
    one.press("1", "Enter", "6", "n")
    one.page.keyboard.type("still wri")
    read_until(one.pairs, lambda pairs: pairs == [(one.rows[0], "table")])
    expect(one.page.locator(".unsent")).to_be_hidden()
    one.page.keyboard.type("ting")
    expect(one.page.locator("textarea")).to_have_value("still writing")
    one.expect_row(one.rows[1])
    assert one.chosen() == ["undecidable"]


def test_keys_end_with_the_queue_and_what_was_chosen_comes_back_with_it(review):
    one = review(switch=1, at=0)
    one.press("1", "Enter", "4")
    box = one.page.get_by_text("The queue is here")
    box.click()
    expect(one.headline).to_have_count(0)
    one.page.get_by_text("Nothing else").click()
    one.press("6", "Enter", "s", "j")
    box.click()
    one.expect_counts("1 of 40 judged, 39 left")
    one.expect_row(one.rows[1])
    assert one.chosen() == ["both"]
    one.press("Enter", "Enter")
    expect(one.page.locator(".message")).to_contain_text("Choose")
    box.click()
    expect(one.headline).to_have_count(0)
    box.click()
    expect(one.page.locator(".message")).to_contain_text("Choose")  # what was said stands there, too
    expect_kept(one, [(one.rows[0], "table"), (one.rows[1], "both")])


# Calls the queue as Streamlit does, in an element of the test's own.
MOUNT = """async data => {
    const address = performance.getEntriesByType("resource").map(one => one.name).find(one => one.includes("queue.js"));
    const queue = await import(address);
    const host = document.body.appendChild(document.createElement("div"));
    const parentElement = host.attachShadow({ mode: "open" });
    window.sent = [];
    window.host = host;
    window.call = changes => {
        const setStateValue = (name, value) => name === "log" && window.sent.push(...value.map(one => one.verdict));
        return queue.default({ parentElement, data: { ...data, ...changes }, setStateValue });
    };
}"""


def without_a_queue(review) -> Review:
    """Open a page whose queue has been taken away, so that a test can mount one by hand."""
    one = review(n=8, switch=1)
    one.page.get_by_text("The queue is here").click()
    expect(one.headline).to_have_count(0)
    return one


def test_a_call_that_newer_data_overtook_takes_no_keys_with_it(review):
    one = without_a_queue(review)
    one.page.evaluate(MOUNT, one.queue)
    one.page.evaluate("call()()")  # overtaken: ended before it is called again
    one.press("1", "Enter", "4", "Enter")
    one.expect_row(one.rows[2])
    one.press("k")
    one.expect_row(one.rows[1])
    one.page.evaluate("call({ order: 'other' })()")  # the same queue, which hears that the order is another
    one.expect_row(one.rows[2])
    one.expect_counts("2 of 8 judged")
    expect_equal(lambda: one.page.evaluate("[...new Set(sent)]"), ["table", "both"])
    one.page.evaluate("host.remove()")  # taken away, and nobody ends anything: keys are no longer the queue's
    one.page.wait_for_function("() => !document.documentElement.style.getPropertyValue('--queue-foot')")
    one.page.evaluate("sent.length = 0")
    one.press("6", "Enter")
    one.page.wait_for_timeout(IDLE)
    assert one.page.evaluate("sent") == []


def test_the_queue_takes_the_focus_from_a_name_that_was_typed_and_from_nobody_who_has_gone_on(review):
    one = without_a_queue(review)
    box = one.page.get_by_role("checkbox").element_handle()
    for goes_on, focused in ((True, "box"), (False, "host")):
        one.page.evaluate(MOUNT, one.queue)
        one.page.evaluate(
            """([box, goes_on]) => {
                window.box = box;
                document.body.appendChild(document.createElement("input")).focus();
                window.call({});
                if (goes_on) box.focus();
            }""",
            [box, goes_on],
        )
        expect(one.headline).to_be_visible()
        one.page.wait_for_timeout(IDLE)
        assert one.page.evaluate(f"document.activeElement === {focused}")
        one.page.evaluate("host.remove()")


def test_undo_takes_back_a_choice_then_a_verdict_then_the_one_before(review):
    one = review()
    first, second, third = one.rows[:3]
    one.press("1", "Enter", "4", "Enter", "6")
    one.expect_row(third)
    one.press("u")
    assert one.chosen() == []
    one.press("u")
    one.expect_row(second)
    one.expect_counts("1 of 40 judged")
    one.press("u")
    one.expect_row(first)
    one.press("u")
    expect(one.page.locator(".message")).to_contain_text("nothing to take back")
    one.press("2", "Enter")
    wanted = [(first, "table"), (second, "both"), (second, "undone"), (first, "undone"), (first, "model")]
    expect_equal(one.pairs, wanted)
    kept = one.kept()
    assert [kept[2]["takes_back"], kept[3]["takes_back"]] == [kept[1]["id"], kept[0]["id"]]
    one.open()
    one.press("k", "k", "k")
    one.expect_row(first)
    expect(one.page.locator(".state")).to_contain_text("model is right")
    one.press("u")
    expect_equal(one.pairs, [*wanted, (first, "undone")])
    assert one.kept()[-1]["takes_back"] == kept[4]["id"]


def test_skipped_cases_come_back_and_are_passed_over_meanwhile(review):
    one = review(n=4)
    first, second, third, fourth = one.rows
    one.press("s")
    one.expect_row(second)
    one.expect_counts("1 set aside")
    one.press("1", "Enter", "1", "Enter", "1", "Enter")
    one.expect_counts("3 of 4 judged, 1 left")
    expect(one.page.locator(".message")).to_contain_text("No case is left")
    one.press("k", "k", "k")
    one.expect_row(first)
    one.press("s")
    expect(one.page.locator(".state")).to_be_hidden()
    one.press("1", "Enter")
    one.expect_counts("4 of 4 judged, 0 left")
    wanted = [
        (first, "skipped"),
        *((row, "table") for row in (second, third, fourth)),
        (first, "undone"),
        (first, "table"),
    ]
    expect_equal(one.pairs, wanted)


def test_another_class_is_asked_for_where_there_is_one(review):
    two = review(n=5)
    two.press("3")
    expect(two.page.locator(".message")).to_contain_text("only two classes")
    assert two.chosen() == []
    three = review(n=6, classes=3)
    case = three.queue["cases"][str(three.rows[0])]
    (other,) = {"Adelie", "Chinstrap", "Gentoo"} - {case["said"], case["actual"]}
    three.press("3")
    expect(three.page.locator("dialog button.class")).to_have_text([f"1{other}"])
    three.press("1")
    expect(three.foot.locator("[data-verdict=other]")).to_contain_text(f"another class: {other}")
    three.press("Enter")
    expect_equal(lambda: [(entry["verdict"], entry["new_label"]) for entry in three.kept()], [("other", other)])


def test_blind_only_a_class_can_be_said(review):
    one = review(n=7, blind=1)
    expect(one.page.get_by_text("wrong", exact=True)).to_have_count(0)
    one.press("1")
    expect(one.page.locator(".message")).to_contain_text("hidden")
    one.press("3", "2", "Enter")
    expect_equal(lambda: [(entry["verdict"], entry["new_label"]) for entry in one.kept()], [("other", "malignant")])


COLOURS = """
canvas => {
  const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let coloured = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 80) coloured += 1;
  return coloured;
}
"""


def test_the_map_is_drawn_with_the_case_and_blind_it_has_no_classes(review):
    one, blind = review(n=9), review(n=10, blind=1)
    small = one.page.locator("section.map canvas")
    expect(small).to_have_attribute("aria-label", re.compile("row 356, row 74; leading prototypes: row 297"))
    assert small.evaluate(COLOURS) > 100
    one.press("m")
    large = one.page.locator("dialog canvas")
    expect(large).to_be_visible()
    assert large.bounding_box()["width"] > 2 * small.bounding_box()["width"]
    veiled = blind.page.locator("section.map canvas")
    expect(veiled).to_be_visible()
    assert veiled.evaluate(COLOURS) == 0
    assert "leading" not in veiled.get_attribute("aria-label")


def test_a_faulty_cell_is_flagged_with_reasons_and_certainty(review):
    one = review(n=8)
    one.press("f")
    expect(one.page.locator(".message")).to_contain_text("Choose a cell")
    one.press("ArrowDown", "ArrowDown", "f")
    assert one.chosen() == ["faulty"]
    one.page.get_by_role("button", name="measurement").click()
    one.page.get_by_role("button", name="rather").click()
    one.press("Enter")
    expect_equal(lambda: len(one.kept()), 1)
    (entry,) = one.kept()
    cell = one.queue["cases"][str(one.rows[0])]["columns"]["lines"][1]["name"]
    assert (entry["verdict"], entry["cell"], entry["reasons"], entry["certainty"]) == (
        "faulty", cell, ["measurement"], "rather",
    )  # fmt: skip
    assert 0 < entry["seconds"] < 600


def test_a_refused_verdict_is_shown_and_the_case_is_open_again(review):
    one = review(n=9, refuse="no")
    one.press("1", "n")
    one.page.keyboard.type("no")
    one.press("Escape", "Enter")
    expect(one.page.locator(".refused")).to_contain_text("The row has changed since. Open it again.")
    one.expect_counts("0 of 9 judged")
    one.page.get_by_role("button", name="show the case").click()
    one.expect_row(one.rows[0])
    one.open()
    expect(one.page.locator(".refused")).to_contain_text("The row has changed since")
    one.page.get_by_role("button", name="dismiss").click()
    expect(one.page.locator(".refused")).to_be_hidden()
    assert one.kept() == []


def test_no_verdict_is_taken_for_a_case_that_is_not_there_yet(review, queue_server):
    one = review(late=1)
    one.press("1", "Enter", "1", "Enter")
    expect(one.page.locator(".waiting")).to_be_visible()
    one.expect_row(one.rows[1])
    first = (one.rows[0], "table")
    expect_equal(one.pairs, [first])
    (queue_server.folder / "evidence").touch()
    expect(one.page.locator(".grid")).to_be_visible()
    one.press("4", "Enter")
    expect_equal(one.pairs, [first, (one.rows[1], "both")])


def test_names_of_strangers_do_not_run(review):
    one = review(n=11, hostile=1, classes=3)
    expect(one.page.locator(".values")).to_contain_text("<script>window.hacked = 1</script>")
    one.press("3", "1", "m", "Escape", "ArrowDown", "f", "Enter", "h", "Escape")
    expect_equal(lambda: len(one.kept()), 1)
    assert one.page.evaluate("() => window.hacked") is None
    assert one.page.locator(".review script, .review img").count() == 0


def test_every_word_of_the_screen_is_there():
    folder = Path(FOLDER)
    used = {name for file in folder.glob("*.js") for name in re.findall(r"\bwords\.([a-z_]+)", file.read_text())}
    assert len(used) > 60
    assert used - set(WORDS) == set()
    made = {f"{kind}_{verdict}" for kind in ("verdict", "help") for verdict in VERDICTS}
    assert set(WORDS) >= made | {"sure", "rather", "unsure", "save", "skip", "undo", "keys"}


def test_words_grow_with_the_text_of_the_page():
    """A presenter's text is a quarter larger; only what is drawn in a picture of a given size is measured in pixels."""
    styles = (Path(FOLDER) / "queue.css").read_text()
    fixed = [rule for rule in styles.split("}") if re.search(r"font(-size)?:[^;]*\dpx", rule)]
    assert [rule.partition("{")[0].split("*/")[-1].strip() for rule in fixed] == ["svg.answer"]


# Words of the component with their colour, and that of what is behind them, layer by layer.
LAYERS = """
() => {
  const root = [...document.querySelectorAll("*")].find(one => one.shadowRoot?.querySelector(".review")).shadowRoot;
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true});
  const over = layers => { canvas.clearRect(0, 0, 1, 1);
    for (const one of layers) { canvas.fillStyle = one; canvas.fillRect(0, 0, 1, 1); }
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3); };
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
  while (walker.nextNode()) {
    const owner = walker.currentNode.parentElement, text = walker.currentNode.data.trim();
    if (!text || owner.closest("style, .aside, :disabled, [aria-disabled=true]") || !owner.checkVisibility()) continue;
    const layers = [];
    for (let one = owner; one; one = one.parentElement ?? one.getRootNode().host)
      layers.unshift(getComputedStyle(one).backgroundColor);
    found.push({text, ink: over([...layers, getComputedStyle(owner).color]), ground: over(layers)});
  }
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_stands_on_one_screen_and_can_be_read(review, scheme):
    one = review(n=12, classes=3)
    one.page.emulate_media(color_scheme=scheme)
    expect(one.page.locator(f".review[data-look={scheme}]")).to_be_visible()
    one.press("ArrowDown", "f")
    high, room = one.page.get_by_test_id("stMain").evaluate("one => [one.scrollHeight, one.clientHeight]")
    assert high <= room
    for part in (".left .values", ".right"):
        inner, outer = one.page.locator(part).evaluate("one => [one.scrollHeight, one.clientHeight]")
        assert inner <= outer, part
    words = one.page.evaluate(LAYERS)
    assert len(words) > 100
    faint = {
        word["text"]: contrast(*("#{:02x}{:02x}{:02x}".format(*word[name]) for name in ("ink", "ground")))
        for word in words
    }
    assert {text: ratio for text, ratio in faint.items() if ratio < 4.5} == {}


def test_a_narrow_window_keeps_the_foot_in_sight(review):
    one = review(n=13)
    one.page.set_viewport_size({"width": 800, "height": 900})
    one.page.mouse.move(400, 400)
    one.page.mouse.wheel(0, 3000)
    box = read_until(one.foot.bounding_box, lambda box: box["y"] + box["height"] >= 899)
    assert box["y"] + box["height"] == pytest.approx(900, abs=1)
    assert one.page.evaluate("() => document.documentElement.scrollWidth") <= 800
    expect(one.page.locator("textarea")).to_be_in_viewport()
    note = one.page.locator("textarea").bounding_box()
    assert note["y"] + note["height"] <= box["y"]


SIZES = "one => [one.scrollWidth, one.clientWidth]"


def test_columns_that_do_not_fit_are_left_out_whole_and_come_back(review):
    one = review(n=14, classes=3)
    values = one.page.locator(".values")
    shown = {}
    for width in (1440, 1050, 640, 1440):
        one.page.set_viewport_size({"width": width, "height": 900})
        one.page.wait_for_function(f"innerWidth === {width}")
        inner, outer = read_until(lambda: values.evaluate(SIZES), lambda found: found[0] <= found[1])
        assert inner <= outer, width
        heads = values.locator("thead th").evaluate_all("all => all.filter(one => one.checkVisibility()).length")
        shown.setdefault(width, heads)
        assert shown[width] == heads
    assert shown[640] < shown[1440]
