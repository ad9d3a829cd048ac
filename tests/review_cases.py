"""Made-up cases for the queue in the browser: two or three classes, pictures, long names, names that want to run."""

from __future__ import annotations

import hashlib
import random
from typing import Any

from dashboard.texts.review_words import WORDS
from proset.plots.style import CLASS_COLOURS, ON_DARK

EVIL = ("<script>window.hacked = 1</script>", "<img src=x onerror='window.hacked = 2'>", "__proto__")
NAMES = {
    2: ("benign", "malignant"),
    3: ("Adelie", "Chinstrap", "Gentoo"),
}
COLUMNS = (
    "worst radius",
    "worst concave points",
    "worst texture",
    "mean concave points",
    "worst smoothness",
    "worst symmetry",
)
SPARE = (
    "area error",
    "perimeter error",
    "concave points error",
    "radius error",
    "mean fractal dimension of the nucleus",
)
REASONS = ("label error", "measurement", "column missing", "prototype doubtful", "not alike", "rare case")


def digest(*parts: object) -> str:
    """A hash of whatever."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def make_queue(
    n: int = 40,
    n_classes: int = 2,
    *,
    hostile: bool = False,
    picture: bool = False,
    blind: bool = False,
    spare: int = 8,
) -> dict[str, Any]:
    """A queue as the server would send it before anything was said, with the evidence of all cases.

    Rows are in an order of their own: place and row id differ.
    """
    classes = [*NAMES[n_classes]]
    if hostile:
        classes = [*EVIL[:n_classes]]
    rows = list(range(101, 101 + n))
    random.Random(n).shuffle(rows)
    cases = {
        str(row): make_case(row, classes, hostile=hostile, picture=picture, blind=blind, spare=spare) for row in rows
    }
    return {
        "study": f"study-{n}-{n_classes}",
        "reviewer": "",
        "rows": rows,
        "states": {},
        "at": None,
        "cases": cases,
        "maps": {"model": _ground(len(classes), blind)},
        "acked": [],
        "refused": {},
        "classes": [
            {"name": name, "color": colour, "dark": ON_DARK[colour]}
            for name, colour in zip(classes, CLASS_COLOURS, strict=False)
        ],
        "reasons": [*REASONS, *(EVIL[:1] if hostile else ())],
        "blind": blind,
        "median_seconds": 48.2,
        "words": WORDS,
    }


def make_case(row: int, classes: list[str], *, hostile: bool, picture: bool, blind: bool, spare: int) -> dict[str, Any]:
    """One case, the same for the same row."""
    rng = random.Random(row)
    said, actual = rng.sample(range(len(classes)), 2)
    names = [*COLUMNS, *(f"{SPARE[i % len(SPARE)]}{'' if i < len(SPARE) else i}" for i in range(spare))]
    if hostile:
        names = [f"{EVIL[i % 2]} {i}" if i % 3 == 0 else name for i, name in enumerate(names)]
    lines = [_line(rng, name, i < len(COLUMNS), len(classes)) for i, name in enumerate(names)]
    odd = [line["name"] for line in lines if line["contradicts"]]
    heads = [
        ("this case", f"row {row}"),
        (f"typical {classes[0]}", "middle"),
        (f"typical {classes[1]}", "middle"),
        (f"nearest {classes[said]}", "row 356"),
        (f"leading for {classes[said]}", "row 297"),
        (f"leading for {classes[actual]}", "row 204"),
    ]
    case: dict[str, Any] = {
        "row": row,
        "name": f"Row {row} (patient {row % 7})" if not hostile else f"Row {row} ({EVIL[1]})",
        "row_hash": digest("row", row),
        "hash": digest("case", row, blind)[:12],
        "part": "training row",
        "unseen": True,
        "said": None if blind else classes[said],
        "estimate": None if blind else 0.9 + 0.099 * rng.random(),
        "actual": None if blind else classes[actual],
        "wrong": not blind,
        "sentence": _sentence(row, classes[said], classes[actual], len(odd), blind),
        "facts": [
            {"text": f"familiar: above {rng.randint(20, 90)} % of known cases", "tone": "plain"},
            {"text": f"nearest known case: row 356, {classes[said]}, similarity 0.94", "tone": "plain"},
            {"text": "20 of 20 nearest agree; in all columns 15 of 15", "tone": "plain"},
            {"text": f"unused columns that clearly contradict: {len(odd)}", "tone": "warn"},
        ],
        "columns": {
            "heads": [{"title": title, "sub": sub} for title, sub in heads],
            "lines": lines,
            "more_used": 2,
            "unused": spare + 1,
        },
        "votes": None if blind else _votes(rng, said, actual),
        "outside": [
            "of the 20 nearest known cases 20 are of the class said",
            "of the 15 nearest in all columns 11 are",
            "without row 297 the estimate is 99.6 %",
        ],
        "moved": [
            {"name": name, "value": f"{rng.uniform(0, 20):.3g}", "adds": adds or rng.uniform(-0.3, 0.5)}
            for name, adds in zip(names, (0.0, 0.0, -0.0004, 0.0, 0.0), strict=False)
        ],
        "leading": "Row 297 decides: it is alike in radius and texture, and differs most in symmetry.",
        "map": {
            "of": "model",
            "here": [rng.gauss(1, 1), rng.gauss(0, 1)],
            "near": [[rng.gauss(1, 1), rng.gauss(0, 1), -1 if blind else said, at] for at in (356, 74)],
            "leading": [] if blind else [[rng.gauss(1, 1), rng.gauss(0, 1), said, 297]],
        },
        "picture": None,
    }
    if picture:
        case["picture"] = _picture(rng)
    return case


def _ground(n_classes: int, blind: bool) -> dict[str, Any]:
    """Known cases behind the maps."""
    rng = random.Random(0)
    points = [[rng.gauss(2 * (i % n_classes), 1), rng.gauss(0, 1), -1 if blind else i % n_classes] for i in range(160)]
    return {"points": points, "words": "The map shows all of the spread of the prototypes."}


def _sentence(row: int, said: str, actual: str, n_odd: int, blind: bool) -> str:
    """The case in one sentence."""
    if blind:
        return ""
    return (
        f"Every known case like row {row} is {said}; {n_odd} columns that the model does not use fit {actual} better."
    )


def _line(rng: random.Random, name: str, used: bool, n_classes: int) -> dict[str, Any]:
    """One column."""
    ranges = []
    for at in range(n_classes):
        low = rng.uniform(0.02, 0.3) + 0.2 * at
        width = rng.uniform(0.2, 0.4)
        ranges.append(
            {"class": at, "low": low, "q1": low + 0.3 * width, "q3": low + 0.6 * width, "high": min(1.0, low + width)}
        )
    cells = [
        {"text": f"{rng.uniform(0, 50):.3g}", "tint": {"class": rng.randrange(n_classes), "strength": rng.random()}}
        for _ in range(5)
    ]
    cells.append({"text": "missing", "tint": None})
    return {
        "name": name,
        "used": used,
        "contradicts": not used and rng.random() < 0.4,
        "cells": cells,
        "ranges": ranges,
        "here": rng.random(),
    }


def _votes(rng: random.Random, said: int, actual: int) -> dict[str, Any]:
    """Votes of prototypes."""

    def vote(row: int, of: int, share: float, decides: bool) -> dict[str, Any]:
        return {
            "row": row,
            "name": f"row {row}",
            "class": of,
            "share": share,
            "similarity": rng.random(),
            "decides": decides,
        }

    return {
        "for": [
            vote(297, said, 0.349, True),
            vote(117, said, 0.275, True),
            vote(72, said, 0.262, False),
            vote(569, said, 0.078, False),
        ],
        "against": [vote(204, actual, 0.001, False), vote(281, actual, 0.0004, False)],
        "n_for": 6,
        "n_against": 12,
    }


def _picture(rng: random.Random) -> dict[str, Any]:
    """A picture of 14 x 14 pixels and three others."""

    def blob() -> list[float]:
        x, y = rng.uniform(4, 10), rng.uniform(4, 10)
        return [max(0.0, 1 - ((i % 14 - x) ** 2 + (i // 14 - y) ** 2) / 20) for i in range(196)]

    others = [
        {"title": title, "pixels": blob()}
        for title in ("leading for 1: row 297", "nearest 1: row 356", "leading for 7: row 204")
    ]
    return {"width": 14, "height": 14, "here": blob(), "others": others, "used": [i % 14 > 3 for i in range(196)]}
