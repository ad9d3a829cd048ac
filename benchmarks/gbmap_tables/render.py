"""gbmap's tables as Markdown: published beside ours."""

from __future__ import annotations

from pathlib import Path

from benchmarks.cells import Cells, sentence
from benchmarks.gbmap_tables import growth, peer
from benchmarks.gbmap_tables.coordinates import BETAS, LENGTHS
from benchmarks.gbmap_tables.coordinates import SETS as COORDINATE_SETS
from benchmarks.gbmap_tables.drift import LOSSES
from benchmarks.gbmap_tables.published import COLUMNS, DRIFT, TABLE_4, TABLE_5, TRIAL, published
from benchmarks.gbmap_tables.sets import NOT_AT_HAND, SOURCES
from benchmarks.gbmap_tables.summary import Mean, area, differences, ours
from benchmarks.tables import table

WORDS = Path(__file__).parent
MISSING = "not run"


def section(cells: Cells) -> list[str]:
    """Lines of the section."""
    parts = [
        ["## Gradient boosting mapping", "", *_words("protocol"), "", f"Machine: {sentence(cells.machine)}."],
        ["### Table 4: quality", "", *_quality(cells)],
        ["### Table 4: warnings of drift", "", *_words("drift"), "", *_drift(cells)],
        ["### Where ours leave what is published", "", *_differences(cells)],
        ["### Table 5: a straight line on m coordinates", "", *_coordinates(cells)],
        ["### Table 3: growth", "", *_words("growth"), "", *growth.lines(cells)],
        [
            "### Beside a stand-in for the authors' program",
            "",
            *_words("standin"),
            "",
            *_trial(),
            "",
            *peer.lines(cells),
        ],
    ]
    return [line for part in parts for line in (*part, "")][:-1]


def _words(name: str) -> list[str]:
    """Read a paragraph that is written by hand."""
    return (WORDS / f"{name}.md").read_text(encoding="utf-8").strip().splitlines()


def _beside(said: float | None, own: Mean | None, digits: int = 3) -> str:
    """Write a published value and ours."""
    first = "" if said is None else f"{said:.{digits}f}"
    return f"{first} / {MISSING if own is None else own.text(digits)}"


def _quality(cells: Cells) -> list[str]:
    """Write published scores beside ours."""
    rows = []
    for name in TABLE_4:
        if name in NOT_AT_HAND:
            rows.append([name, "not at hand", "", *(f"{published(name, column):.3f} /" for column in COLUMNS)])
            continue
        beside = [_beside(published(name, column), ours(cells, name, column)) for column in COLUMNS]
        rows.append([name, _shape(cells, name), _draws(cells, name), *beside])
    return table(["set", "rows x columns", "settings drawn", *COLUMNS], rows)


def _shape(cells: Cells, name: str) -> str:
    """Rows and columns of the matrix."""
    small = next((f"{one['rows']:,} x {one['columns']}" for one in cells.matching(f"table4/{name}/")), "")
    large = next((f"{one['rows']:,} x {one['columns']}" for one in cells.matching(f"large/{name}")), "")
    return f"{large}; kNN {small}" if large else small


def _draws(cells: Cells, name: str) -> str:
    """How many settings were drawn."""
    found = next((cell for cell in cells.matching(f"table4/{name}/") if "draws" in cell), None)
    if found is None:
        return ""
    return f"{found['draws'] if name in SOURCES else 1}; kNN {found['knn_draws']}"


def _drift(cells: Cells) -> list[str]:
    """Areas under the ROC curve, published beside ours, for both losses of two classes."""
    _, other = LOSSES["classification"]
    head = ["set", *(f"{one}" for one in DRIFT), f"gbmap, {other}", f"euclid, {other}", "large losses"]
    rows = []
    for name in TABLE_4:
        if name in SOURCES:
            beside = [_beside(published(name, f"auc-{one}"), ours(cells, name, f"auc-{one}"), 2) for one in DRIFT]
            kind = SOURCES[name].kind
            others = [area(cells, name, one, other) for one in DRIFT] if kind == "classification" else [None, None]
            large = area(cells, name, "large", LOSSES[kind][0])
            share = "" if large is None else f"{large.mean:.0%}"
            rows.append([name, *beside, *("" if one is None else one.text(2) for one in others), share])
    return table(head, rows)


def _differences(cells: Cells) -> list[str]:
    """Values that leave what is published by more than two standard deviations, and the explanations."""
    words = (WORDS / "differences.md").read_text(encoding="utf-8").strip()
    named = " ".join(words.split())
    rows = [
        [
            one.name,
            one.column,
            f"{one.said:.3f}",
            one.ours.text(),
            "above" if one.better else "below",
            "yes" if one.label in named else "**NO**",
        ]
        for one in differences(cells)
    ]
    head = ["set", "column", "published", "ours", "ours is", "looked into below"]
    return [*table(head, rows), "", *words.splitlines()]


def _coordinates(cells: Cells) -> list[str]:
    """Table 5."""
    rows = []
    for name in COORDINATE_SETS:
        found = cells.matching(f"coordinates/{name}/")
        for beta in BETAS:
            means = [Mean.of([cell[f"{beta:g}/{m}"] for cell in found]) for m in LENGTHS]
            beside = [_beside(said, own, 2) for said, own in zip(TABLE_5[name], means, strict=True)]
            rows.append([name, f"{beta:g}", *beside])
    text = "Published / **ours** ± standard deviation over five splits; ridge 1e-3, 400 iterations."
    return [f"{text} The paper does not state beta.", "", *table(["set", "beta", *(f"m = {m}" for m in LENGTHS)], rows)]


def _trial() -> list[str]:
    """Say what the specification says of the authors' own program."""
    pairs = "; ".join(f"{theirs:.3f} and {own:.3f}" for theirs, own in TRIAL)
    return [f"R2 in that trial, the authors' program and a plain form by scipy on the same halves: {pairs}."]
