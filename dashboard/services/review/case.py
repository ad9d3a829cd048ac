"""One case as the review queue draws it: everything that it shows, as JSON types."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dashboard.services.aside import set_aside
from dashboard.services.case import mind
from dashboard.services.case.beside import LEADING, Beside, Cell, Head, Line, Range, beside, plain_value
from dashboard.services.case.case import case_name
from dashboard.services.case.verdict import verdict
from dashboard.services.pictures import pictures
from dashboard.services.review.said import Drawn
from dashboard.services.review.small_map import on_map
from proset.common.words import count_words, percent
from proset.explain.attribution.comparison import name_of
from proset.explain.phrases import HELD_OUT
from proset.study.study import TRAIN

if TYPE_CHECKING:
    from dashboard.services.case.evidence import Side
    from dashboard.services.case.selected import CaseEvidence
    from dashboard.services.review.small_map import SmallMap

MOST_VOICES, MOST_MOVED, N_NEAREST = 3, 3, 2
MOST_USED, MOST_UNUSED = 8, 5
_LEAST_LEAN = 0.1
HASH_DIGITS = 12
TRAINING_ROW, LEFT_OUT = "training row", "rows left out with it"
_NEAREST = "nearest"


@dataclass(frozen=True)
class Drawing:
    """Choices for drawing a case.

    Attributes
    ----------
    model : str
        Id of the model that is reviewed.
    typical : callable or None
        Returns the row of a typical case of a class; None of a number.
    row_hash : str
        Hash of the content of the row.
    unseen : bool
        Whether it is a training row that is judged by a model that has not seen it.
    blind : bool
        Whether estimate, class in the table and error stay hidden.
    picture : bool
        Whether rows are pictures.
    map : SmallMap or None
        Map of the model that judges.
    trees : float or None
        Probability of the class in the table by trees that have not seen the row.
    """

    model: str
    typical: Callable[[str], int] | None
    row_hash: str
    unseen: bool
    blind: bool = False
    picture: bool = False
    map: SmallMap | None = None
    trees: float | None = None


def draw_case(evidence: CaseEvidence, drawing: Drawing) -> dict[str, Any]:
    """Return what the queue shows of a case.

    With `blind`, nothing in it tells the estimate, the class in the table, or which of two classes is which of these.

    Examples
    --------
    >>> from dashboard.services.case.selected import CaseEvidence
    >>> from dashboard.services.cases import CaseRef
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> drawing = Drawing(study.id, lambda label: 1, "00", unseen=False)
    >>> found = draw_case(CaseEvidence(study, CaseRef.in_table(71)), drawing)
    >>> found["name"], found["actual"], [line["name"] for line in found["columns"]["lines"]]
    ('Row 71', 'versicolor', ['sepal length (cm)', 'sepal width (cm)'])
    """
    row = evidence.case.row
    assert row is not None
    table = beside(evidence, typical=drawing.typical, n_nearest=N_NEAREST, most_used=MOST_USED, most_unused=MOST_UNUSED)
    shown: dict[str, Any] = {
        "row": row,
        "name": case_name(evidence.study, row),
        "row_hash": drawing.row_hash,
        "part": TRAINING_ROW if drawing.unseen else evidence.headline.part,
        "unseen": drawing.unseen,
        "blind": drawing.blind,
        "columns": _table(evidence, table, blind=drawing.blind),
        "picture": _picture(evidence, table, blind=drawing.blind) if drawing.picture else None,
        "map": _map(evidence, table, drawing),
        # Of a picture one would have to see it, and Case shows it.
        "aside": [] if drawing.blind else set_aside(evidence.study, evidence.case.frame),
        "change": "" if drawing.blind or drawing.picture else mind.sentence(evidence),
        **(_nothing() if drawing.blind else _argument(evidence, drawing)),
    }
    packed = json.dumps(shown, sort_keys=True, default=str)
    content = hashlib.sha256(packed.encode("utf-8", "backslashreplace")).hexdigest()[:HASH_DIGITS]
    lines = evidence.headline
    place = evidence.report.classes.index(lines.predicted)
    unseen = drawing.unseen or evidence.report.part != TRAIN
    return shown | {"hash": Drawn(drawing.model, unseen, place, lines.confidence).name(content)}


def _nothing() -> dict[str, Any]:
    """Return what a blind case says of the estimate."""
    hidden = dict.fromkeys(("said", "estimate", "actual", "wrong"))
    words = dict.fromkeys(("sentence", "moved_from", "leading"), "")
    return {**hidden, **words, "left": False, "facts": [], "outside": [], "moved": [], "votes": None}


def _argument(evidence: CaseEvidence, drawing: Drawing) -> dict[str, Any]:
    """Return the estimate, and what speaks for and against it."""
    judged, among = verdict(evidence), LEFT_OUT if drawing.unseen else HELD_OUT
    lines = judged.lines
    return {
        "said": lines.predicted,
        "estimate": lines.confidence,
        "actual": lines.actual,
        "wrong": lines.correct is False,
        "left": lines.left,
        "sentence": " ".join([*_learned(evidence), *judged.notes]),
        "facts": [
            {"tone": "warn" if chip.doubt else "plain"}
            | {name: text.replace(HELD_OUT, among) for name, text in (("text", chip.text), ("help", chip.help))}
            for chip in judged.chips
            if chip.text.partition(":")[0] != lines.predicted  # what the neighbours are stands beside the votes
        ],
        "votes": _votes(evidence),
        "outside": [*_outside(evidence), *_trees(drawing.trees, lines.actual)],
        "leading": _leading(evidence),
        **_moved(evidence),
    }


def _learned(evidence: CaseEvidence) -> list[str]:
    """Say so if the model has learned the row with another class than the table states."""
    study, row = evidence.study, evidence.case.row
    learned, stated = study.labels.get(row), study.table_labels.get(row)
    if row in study.split.held_out or learned == stated or not isinstance(learned, str):
        return []
    return [f"The table has '{stated}'; it was learned as '{learned}', as people said."]


def _map(evidence: CaseEvidence, table: Beside, drawing: Drawing) -> dict[str, Any] | None:
    """Return where the case lies, with the nearest known cases that the table shows and the prototypes that lead."""
    row = evidence.case.row
    if drawing.map is None or row is None:
        return None
    codes = {name: at for at, name in enumerate(evidence.study.classes)}
    labels = evidence.study.labels
    near = {head.row: codes[str(labels.loc[head.row])] for head in table.heads if _NEAREST in head.what and head.row}
    leading = {
        voice.row: codes[side.label] for side in evidence.sides for voice in side.voices[:MOST_VOICES] if voice.row
    }
    return {"of": evidence.study.id, **on_map(drawing.map, row, near, leading, blind=drawing.blind)}


# --- the table --------------------------------------------------------------------------------------------------------
def _table(evidence: CaseEvidence, found: Beside, *, blind: bool) -> dict[str, Any]:
    """Return the case beside others; blind, in the order of the classes and without what speaks for an estimate."""
    classes = evidence.report.classes
    pair = (classes.index(found.said), classes.index(found.other))
    order = _heads_shown(evidence, found.heads, blind=blind)
    heads = _heads([found.heads[place] for place in order], blind=blind)
    lines = [_line(line, order, pair, blind=blind) for line in found.lines]
    if blind:  # the order of unused columns tells which class they are held against
        lines.sort(key=lambda line: (not line["used"], "" if line["used"] else line["name"]))
    more = {"used": found.used - sum(line.used for line in found.lines), "unused": found.unused}
    return {"heads": heads, "lines": lines, "more_used": max(0, more["used"]), "unused": more["unused"]}


def _heads_shown(evidence: CaseEvidence, heads: tuple[Head, ...], *, blind: bool) -> list[int]:
    """Return the places of the cases that are shown, the case itself first."""
    if not blind:
        return list(range(len(heads)))
    labels, classes = evidence.study.labels, evidence.study.classes
    others = [
        (classes.index(str(labels.loc[head.row])), place)
        for place, head in enumerate(heads)
        if head.row is not None and place and not all(map(_leads, head.reasons))
    ]
    return [0, *(place for _, place in sorted(others))]


def _heads(heads: Sequence[Head], *, blind: bool) -> list[dict[str, str]]:
    """Return who stands there; of two nearest cases of a class the second gives way where there is little room."""
    found = [_head(head, blind=blind) for head in heads]
    titles = [head["title"] for head in found]
    seconds = {place for place, title in enumerate(titles) if title in titles[:place]}
    return [head | ({"kind": "second"} if place in seconds else {}) for place, head in enumerate(found)]


def _head(head: Head, *, blind: bool) -> dict[str, str]:
    """Return who stands there."""
    title = ", ".join(why for why in head.reasons if not (blind and _leads(why)))
    return {"title": title, "sub": "" if title == "this case" else head.name, "kind": "typical" if head.typical else ""}


def _leads(why: str) -> bool:
    """Tell whether a case stands there for what the model says."""
    return why.startswith(LEADING)


def _line(line: Line, order: list[int], pair: tuple[int, int], *, blind: bool) -> dict[str, Any]:
    """Return one column of the user's table."""
    ranges = [_range(part, which) for part, which in zip(line.ranges, pair, strict=True) if part is not None]
    return {
        "name": line.column,
        "used": line.used,
        "contradicts": line.contradicts and not blind,
        "cells": [_cell(line.cells[place], pair) for place in order],
        "ranges": sorted(ranges, key=lambda found: found["class"]) if blind else ranges,
        "here": line.at,
        "flip": None if blind else line.flip,
    }


def _cell(cell: Cell, pair: tuple[int, int]) -> dict[str, Any]:
    """Return one value with the class that it leans to."""
    weak = abs(cell.lean) < _LEAST_LEAN
    tint = None if weak else {"class": pair[cell.lean < 0], "strength": round(min(1.0, abs(cell.lean)), 2)}
    return {"text": f"{cell.text} ({cell.assumed})" if cell.assumed else cell.text, "tint": tint}


def _range(part: Range, which: int) -> dict[str, Any]:
    """Return the range of one class."""
    ends = {"low": part.p05, "q1": part.q25, "q3": part.q75, "high": part.p95}
    return {"class": which, **{name: round(min(1.0, max(0.0, value)), 3) for name, value in ends.items()}}


# --- what speaks for and against --------------------------------------------------------------------------------------
def _votes(evidence: CaseEvidence) -> dict[str, Any]:
    """Return the prototypes that add most, for what is said and against it."""
    sides, study = evidence.sides, evidence.study

    def voices(side: Side) -> list[dict[str, Any]]:
        own = {"class": evidence.report.classes.index(side.label)}
        return [
            {"row": v.row, "name": study.short_name(v.name, v.row), "share": v.share, "similarity": v.similarity}
            | {"decides": v.dominant, **own}
            for v in side.voices
        ]

    against = [voice for side in sides[1:] for voice in voices(side)]
    return {
        "for": voices(sides[0])[:MOST_VOICES],
        "against": sorted(against, key=lambda voice: -voice["share"])[:MOST_VOICES],
        "n_for": sides[0].count,
        "n_against": sum(side.count for side in sides[1:]),
    }


def _outside(evidence: CaseEvidence) -> list[str]:
    """Say of which classes the nearest known cases are, in the model's columns and in all of them."""
    found = []
    for metric, where in (("by_model", "nearest known cases"), ("by_columns", "nearest in all columns")):
        counts = evidence.contradictions.nearest[metric].sort_values(ascending=False, kind="stable")
        total, there = int(counts.sum()), list(counts[counts > 0].head(3).items())
        if total:
            (first, count), others = there[0], "".join(f", {count:,} '{name}'" for name, count in there[1:])
            verb = "is" if count == 1 else "are"
            found.append(f"{count:,} of the {total:,} {where} {verb} '{first}'{others}")
    return found


def _trees(estimate: float | None, actual: str | None) -> list[str]:
    """Say what another kind of model gives the class in the table."""
    if estimate is None or actual is None:
        return []
    return [f"trees, another kind of model, give '{actual}' {percent(estimate)}"]


def _leading(evidence: CaseEvidence) -> str:
    """Say which prototype the estimate rests on most."""
    voices = evidence.sides[0].voices
    if not voices:
        return ""
    first, side = voices[0], evidence.sides[0]
    alone = first.dominant and evidence.report.prototypes["dominant set"].eq(1).sum() == 1
    called = evidence.study.short_name(first.name, first.row)
    name = f"{called[:1].upper()}{called[1:]} {'decides alone' if alone else 'adds most'}"
    who = f"one of {side.count:,} prototypes" if side.count > 1 else "the only prototype"
    return f"{name}: {percent(first.share)} of {percent(side.estimate)}, {who} for '{side.label}'."


def _moved(evidence: CaseEvidence) -> dict[str, Any]:
    """Return what leads from the estimate for another case to that for this one, for the class that is said."""
    if not evidence.study.used_columns:
        return {"moved": [], "moved_from": ""}
    k = evidence.report.classes.index(evidence.report.predicted)
    adds = evidence.shap.values[0][:, k]
    names = evidence.study.roles.features
    order = np.argsort(-np.abs(adds), kind="stable")[:MOST_MOVED]
    lines = [
        {"name": str(names[j]), "value": plain_value(evidence.case.cells.get(names[j])), "adds": float(adds[j])}
        for j in order
        if adds[j]
    ]
    left = [float(one) for j, one in enumerate(adds) if one and j not in order]
    if left:  # so that all lines lead from where they begin to the estimate
        others = count_words(len(left), "other column")
        lines.append({"name": others, "value": "", "adds": sum(left)})
    row, base = name_of(evidence.reference), float(evidence.shap.base_values[k])
    start = "the reference point" if row is None else f"row {row}"
    label = None if row is None else evidence.study.labels.loc[row]
    whose = f", a typical '{label}'" if evidence.usual_reference.startswith("class") and label is not None else ""
    return {"moved": lines, "moved_from": f"from {start}{whose}: {percent(base)} '{evidence.report.predicted}'"}


def _picture(evidence: CaseEvidence, found: Beside, *, blind: bool) -> dict[str, Any] | None:
    """Return the case and those beside it as pictures, scaled to 0 to 1 together."""
    shown = [found.heads[place] for place in _heads_shown(evidence, found.heads, blind=blind)]
    rows = [evidence.case.row, *(head.row for head in shown[1:])]
    tiles = pictures(evidence.study, [row for row in rows if row is not None])
    if not tiles:
        return None
    stack = np.stack(tiles)
    known = stack[np.isfinite(stack)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    flat = [_pixels((tile - low) / ((high - low) or 1.0)) for tile in tiles]
    heads = [_head(head, blind=blind) for head in shown[1:]]
    others = [
        {"title": f"{head['title']}, {head['sub']}", "pixels": pixels}
        for head, pixels in zip(heads, flat[1:], strict=True)
    ]
    return {"width": tiles[0].shape[1], "height": tiles[0].shape[0], "here": flat[0], "others": others}


def _pixels(tile: NDArray[np.float64]) -> list[float | None]:
    """Return the pixels line by line; None where one is missing."""
    return [None if not np.isfinite(value) else round(float(value), 3) for value in tile.ravel()]
