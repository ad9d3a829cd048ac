"""What is drawn can be read, on light and on dark pages: contrasts as the browser has computed and painted them."""

from __future__ import annotations

import io
from collections import defaultdict
from functools import cache

import numpy as np
import pytest
from contrast import contrast
from PIL import Image
from playwright.sync_api import expect

from dashboard.pages import PAGES
from proset.plots import style

pytestmark = pytest.mark.e2e

TEXT, MARK = 4.5, 3.0
LEAST_AXIS = 13  # pixels
HIGH = 3_000  # pixels of a window in which a page stands as a whole
FEWEST_WORDS = 20
HALOS = {"rgb(254, 254, 254)", "rgb(18, 23, 29)"}  # in the colour of the page, so that rings are seen on marks
MOST_MARKS = 12  # of one look, of which the one that stands most apart counts

SEEN = {
    "quality": {name: f"show={name}" for name in ("confusion", "roc", "calibration", "familiarity")},
    "map": {name: f"colour={name}" for name in ("class", "correct", "probability", "familiarity")},
    "features": {name: f"aspect={name}" for name in ("weights", "together")},
}
"""More than one picture of a page."""

# Words that are seen, with where they are, their colour, how solid it is, and whether they are an icon. What cannot be
# used now is left out, as the guidelines have it, and so is the name of the app, which is a picture.
WORDS = """
() => {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, owner = node.parentElement;
    if (!node.data.trim() || !owner.checkVisibility({checkOpacity: true, checkVisibilityCSS: true})) continue;
    if (owner.closest(":disabled, [aria-disabled='true'], style, script, canvas, .modebar, .hoverlayer")) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = range.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    const look = getComputedStyle(owner), drawn = owner instanceof SVGElement;
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!drawn && top && !owner.contains(top) && !top.contains(owner)) continue;  // a message lies over it
    let solid = drawn ? Number(look.fillOpacity) : 1;
    for (let one = owner; one; one = one.parentElement) solid *= Number(getComputedStyle(one).opacity);
    found.push({
      text: node.data.trim().slice(0, 60), x: box.x, y: box.y, width: box.width, height: box.height, solid,
      colour: drawn ? look.fill : look.color, size: parseFloat(look.fontSize),
      icon: look.fontFamily.includes("Material"), axis: Boolean(owner.closest(".xtick, .ytick")),
    });
  }
  return found;
}
"""
# Marks, bars and lines of figures: their fill and their edge.
MARKS = """
() => [...document.querySelectorAll(".js-plotly-plot :is(.points path, path.point, .js-line)")].flatMap(mark => {
  const look = getComputedStyle(mark), box = mark.getBoundingClientRect();
  let solid = 1;
  for (let one = mark; one; one = one.parentElement) solid *= Number(getComputedStyle(one).opacity);
  if (solid < 0.3 || !mark.checkVisibility() || box.width < 2 && box.height < 2) return [];
  const line = parseFloat(look.strokeWidth) >= 0.5 && look.stroke !== "none";
  const area = look.fill.startsWith("rgb") && !mark.matches(".js-line");
  const round = share => Math.round(10 * share) / 10;
  return [{
    x: box.x, y: box.y, width: box.width, height: box.height,
    fill: area ? [look.fill, round(solid * look.fillOpacity)] : null,
    edge: line ? [look.stroke, round(solid * look.strokeOpacity)] : null,
  }];
})
"""


AT_REST = "() => !document.getAnimations().some(one => one instanceof CSSTransition && one.playState === 'running')"


def colours(pixels: np.ndarray) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Which colours there are, which of them each pixel has, and how many have each."""
    codes = pixels.reshape(-1, 3).astype(np.int32) @ (1 << 16, 1 << 8, 1)
    found, which, counts = np.unique(codes, return_inverse=True, return_counts=True)
    return [f"#{code:06x}" for code in found], which, counts


def usual(pixels: np.ndarray) -> str:
    """The most frequent colour."""
    found, _, counts = colours(pixels)
    return found[counts.argmax()]


def inside(picture: np.ndarray, box: dict, *, wider: int = 0) -> np.ndarray | None:
    """The pixels of a box; None if it is not all within the window."""
    top, left = int(box["y"]) - wider, int(box["x"]) - wider
    bottom, right = int(np.ceil(box["y"] + box["height"])) + wider, int(np.ceil(box["x"] + box["width"])) + wider
    if top < 0 or left < 0 or bottom > picture.shape[0] or right > picture.shape[1]:
        return None
    return picture[top:bottom, left:right]


@cache
def blended(colour: str, solid: float, ground: str) -> str:
    """A colour, as a style has it, on a ground."""
    parts = [float(part) for part in colour[colour.index("(") + 1 : -1].replace("/", ",").split(",")]
    solid *= parts[3] if len(parts) > 3 else 1.0
    return style.mixed("#" + "".join(f"{round(part):02x}" for part in parts[:3]), ground, solid)


def unread(words: list[dict], picture: np.ndarray) -> list[str]:
    """What is written too faintly, or too small along an axis."""
    found = []
    for word in words:
        part = inside(picture, word)
        if part is None or part.size == 0:
            continue
        ground = usual(part)
        got = contrast(blended(word["colour"], word["solid"], ground), ground)
        if got < (MARK if word["icon"] else TEXT):
            found.append(f"{word['text']!r}: {got:.1f} ({word['colour']}, {word['solid']:.2f} on {ground})")
        if word["axis"] and word["size"] < LEAST_AXIS:
            found.append(f"{word['text']!r} of an axis: {word['size']} px")
    return found


def unseen(marks: list[dict], picture: np.ndarray) -> list[str]:
    """Looks of marks that can hardly be told from what lies around them."""
    looks = defaultdict(list)
    for mark in marks:
        looks[str(mark["fill"]), str(mark["edge"])].append(mark)
    told = {look: told_apart(alike, picture) for look, alike in looks.items()}
    return [f"{look}: {best:.1f}" for look, best in told.items() if best < MARK]


def told_apart(alike: list[dict], picture: np.ndarray) -> float:
    """How well the best seen of some marks of one look is told from half of what lies around it, or from more."""
    got = []
    for mark in alike[:: max(1, len(alike) // MOST_MARKS)]:
        outer = inside(picture, mark, wider=4)
        parts = [part for part in (mark["fill"], mark["edge"]) if part and part[0] not in HALOS]
        if outer is None or not parts:
            continue
        rim = np.ones(outer.shape[:2], dtype=bool)
        rim[2:-2, 2:-2] = False
        found, which, _ = colours(outer[rim])
        by_colour = np.array([max(contrast(blended(*part, ground), ground) for part in parts) for ground in found])
        got.append(np.median(by_colour[which]))
    return max(got, default=MARK)


def faults(visit) -> list[str]:
    """What cannot be read or seen on a page."""
    expect(visit.page.get_by_test_id("stToast")).to_have_count(0)

    def read() -> tuple:
        visit.settle()  # work that ends draws the page anew, which is pale meanwhile
        return visit.page.evaluate(WORDS), visit.page.evaluate(MARKS)

    words, marks = visit.at_rest(read)
    visit.page.wait_for_function(AT_REST)  # a button that fades in is as it will be
    picture = np.asarray(Image.open(io.BytesIO(visit.page.screenshot())).convert("RGB"))
    assert len(words) > FEWEST_WORDS
    return unread(words, picture) + unseen(marks, picture)


def fitted(visit, path: str) -> None:
    """Open an address that has a model made, and wait for it."""
    visit.open(path)
    expect(visit.page.get_by_text("model fitted").first).to_be_visible()
    visit.settle()


def compared(visit) -> None:
    """Compare two systems, so that there is something to see."""
    fitted(visit, "/compare?data=penguins&fit=1&systems=proset,knn")
    visit.page.get_by_test_id("stMain").get_by_role("button", name="Compare", exact=True).click()
    expect(visit.page.get_by_text("Compare again")).to_be_visible()
    visit.settle()


LOOKS = ["light", "light, every picture", "dark, every picture"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("look", LOOKS)
def test_every_text_can_be_read_and_every_mark_be_seen(visit, look):
    scheme, every_picture = look.split(",")[0], look != "light"
    visit.page.emulate_media(color_scheme=scheme)
    visit.page.set_viewport_size({"width": 1440, "height": HIGH})
    fitted(visit, "/fit?data=penguins&fit=1")
    found = []
    for page in PAGES:
        visit.go(page.text.menu)
        if page.name == "compare":
            compared(visit)
        seen = SEEN.get(page.name, {}) if every_picture else {}
        for name, path in (seen or {"": ""}).items():
            if path:
                fitted(visit, f"/{page.name}?data=penguins&fit=1&{path}")
            found += [f"{page.name} {name}: {fault}" for fault in faults(visit)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("colour", "solid", "readable"), [("rgb(110, 110, 110)", 1.0, True), ("rgb(0, 0, 0)", 0.4, False)]
)
def test_faint_words_are_found(colour, solid, readable):
    word = {"text": "a", "x": 8, "y": 8, "width": 20, "height": 10, "colour": colour, "solid": solid}
    picture = np.full((40, 40, 3), 255, dtype=np.uint8)
    assert (unread([{**word, "icon": False, "axis": False, "size": 13}], picture) == []) is readable
    assert unread([{**word, "icon": False, "axis": True, "size": 12}], picture)
    mark = {**word, "fill": [colour, solid if readable else 0.2], "edge": None}
    assert (unseen([mark], picture) == []) is readable


SIZES = """
() => {
  const height = what => document.querySelector(what).getBoundingClientRect().height;
  const size = what => parseFloat(getComputedStyle(document.querySelector(what)).fontSize);
  return [
    size("[data-testid='stMain'] h1"), size("[data-testid='stSidebar'] p"),
    size("[data-testid='stCaptionContainer'] p"),
    size(".js-plotly-plot .xtick text"), height(".js-plotly-plot"),
  ];
}
"""


@pytest.mark.exhaustive
def test_for_an_audience_text_and_figures_are_a_quarter_larger_on_every_page(visit):
    def sizes():
        visit.page.wait_for_selector(".js-plotly-plot .xtick text")
        return visit.at_rest(lambda: visit.page.evaluate(SIZES))

    fitted(visit, "/features?data=penguins&fit=1")
    usual = sizes()
    visit.page.get_by_test_id("stSidebar").get_by_text("Presenter").click()
    visit.settle()
    assert sizes() == pytest.approx([1.25 * size for size in usual], rel=0.01)
    visit.go("Quality")
    visit.go("Features")
    assert sizes() == pytest.approx([1.25 * size for size in usual], rel=0.01)
