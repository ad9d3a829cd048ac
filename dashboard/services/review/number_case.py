"""One case of a number as the review queue draws it: everything that it shows, as JSON types."""

from __future__ import annotations

import hashlib
import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dashboard.services.aside import set_aside
from dashboard.services.case.case import case_name
from dashboard.services.numbers.number_beside import ODD, ValueLine, ValuesBeside, rows_beside, values_beside
from dashboard.services.numbers.number_evidence import answer_words, number_verdict
from dashboard.services.review.case import HASH_DIGITS, LEFT_OUT, TRAINING_ROW
from dashboard.services.review.said import Drawn
from dashboard.services.review.small_map import fifths, on_map
from proset.data.number_target import number_text
from proset.explain.numbers.answers import number_answer
from proset.explain.numbers.contrasts import to_width
from proset.explain.phrases import HELD_OUT, mean_of_batches, similarity_words
from proset.study.base import TRAIN

if TYPE_CHECKING:
    from dashboard.services.numbers.number_evidence import NumberEvidence
    from dashboard.services.review.case import Drawing
    from proset.explain.numbers.answers import NumberAnswer

MOST_VOICES, PLACES = 4, 100
_SEEN, _REACH = 0.02, 0.4  # of the probability on either side is not drawn; of that width a number may lie beside it
_DIGITS = 3


def draw_number_case(evidence: NumberEvidence, drawing: Drawing) -> dict[str, Any]:
    """Return what the queue shows of a case; a number is never reviewed blind.

    Examples
    --------
    >>> import proset
    >>> from dashboard.services.cases import CaseRef
    >>> from dashboard.services.numbers.number_evidence import NumberEvidence
    >>> from dashboard.services.review.case import Drawing
    >>> from proset.data.samples import load_sample, sample_roles
    >>> study = proset.fit_number_study(load_sample("cars"), sample_roles("cars"))
    >>> drawing = Drawing(study.id, None, "0f", unseen=False)
    >>> found = draw_number_case(NumberEvidence(study, CaseRef.in_table(30)), drawing)
    >>> found["actual"], float(found["said"]) > 0.0, len(found["voices"]) <= MOST_VOICES
    ('27', True, True)
    """
    row = evidence.case.row
    assert row is not None
    shown: dict[str, Any] = {
        "row": row,
        "name": case_name(evidence.study, row),
        "row_hash": drawing.row_hash,
        "part": TRAINING_ROW if drawing.unseen else number_verdict(evidence).part,
        "unseen": drawing.unseen,
        "blind": False,
        "columns": _table(values_beside(evidence)),
        "picture": None,
        "map": _map(evidence, drawing),
        "aside": set_aside(evidence.study, evidence.case.frame),
        "change": "",
        "left": False,
        **_argument(evidence, among=LEFT_OUT if drawing.unseen else HELD_OUT),
    }
    packed = json.dumps(shown, sort_keys=True, default=str)
    content = hashlib.sha256(packed.encode("utf-8", "backslashreplace")).hexdigest()[:HASH_DIGITS]
    unseen = drawing.unseen or evidence.part != TRAIN
    drawn = Drawn(drawing.model, unseen, None, _tail(evidence), _said(evidence.answer))
    return shown | {"hash": drawn.name(content)}


def _argument(evidence: NumberEvidence, *, among: str) -> dict[str, Any]:
    """Return the answer, and what it is made of."""
    answer, told = evidence.answer, number_verdict(evidence)
    return {
        "said": number_text(_said(answer)),
        "estimate": _tail(evidence),
        "actual": None if answer.stated is None else number_text(answer.stated),
        "wrong": answer.stated is not None and not answer.lower <= answer.stated <= answer.upper,
        "answer": {
            "said": answer_words(answer),
            "stated": "" if answer.stated is None else to_width(answer.stated, answer.width, digits=4),
            "mark": "" if answer.stated is None else told.mark,
            "short": to_width(answer.median, answer.width),
        },
        "sentence": " ".join(told.notes),
        "facts": [
            {"tone": "warn" if chip.doubt else "plain"}
            | {name: text.replace(HELD_OUT, among) for name, text in (("text", chip.text), ("help", chip.help))}
            for chip in told.chips
        ],
        "density": _density(evidence),
        "voices": _voices(answer),
        "votes": None,
        "outside": _outside(evidence),
        "leading": _sentence(answer.said_by(0)) if len(answer.prototypes) else "",
        "moved": [],
        "moved_from": "",
    }


def _said(answer: NumberAnswer) -> float:
    """Return the median to the digits that matter beside the interval: as it is shown, and as it would be learned."""
    if not answer.width > 0.0:
        return answer.median
    return round(answer.median, 2 - math.floor(math.log10(answer.width)))


def _tail(evidence: NumberEvidence) -> float:
    """Return the probability of a number at least as far out as that in the table; 1 without one."""
    place = float(evidence.study.predictions["place"].loc[int(evidence.case.row or 0)])
    return 1.0 if not math.isfinite(place) else min(1.0, 2.0 * min(place, 1.0 - place))


def _map(evidence: NumberEvidence, drawing: Drawing) -> dict[str, Any] | None:
    """Return where the case lies, with the known cases and prototypes that the table shows."""
    row = evidence.case.row
    if drawing.map is None or row is None:
        return None
    hues, leading, near = fifths(evidence.study), *rows_beside(evidence)
    around = [{at: int(hues.loc[at]) for at in some} for some in (near, leading)]
    return {"of": evidence.study.id, **on_map(drawing.map, row, *around, blind=False)}


# --- the picture ------------------------------------------------------------------------------------------------------
def _density(evidence: NumberEvidence) -> dict[str, Any]:
    """Return the distribution as stacked humps, everybody first, with places from 0 to 1 and the top at 1.

    A number in the table that lies far from all of it stands at the edge: else nothing would be seen of the rest.
    """
    answer = evidence.answer
    places = _places(evidence)
    drawn = number_answer(evidence.study, evidence.case, n_shown=answer.n_shown, places=places)
    low, high = float(places[0]), float(places[-1])
    top = float(drawn.density.max()) or 1.0

    def at(value: float) -> float:
        return round(min(1.0, max(0.0, (value - low) / ((high - low) or 1.0))), 4)

    order = [answer.n_shown + 1, answer.n_shown, *reversed(range(answer.n_shown))]
    words = {name: to_width(getattr(answer, name), answer.width) for name in ("lower", "median", "upper")}
    marks: dict[str, Any] = {
        name: {"at": at(float(getattr(answer, name))), "text": text} for name, text in words.items()
    }
    if answer.stated is not None:
        text = to_width(answer.stated, answer.width, digits=4)
        marks["stated"] = {"at": at(answer.stated), "text": text, "beyond": not low <= answer.stated <= high}
    return {
        "x": [at(float(place)) for place in places],
        "humps": [[round(float(value) / top, _DIGITS) for value in drawn.humps[part]] for part in order],
        "shown": answer.n_shown,
        "marks": marks,
        "coverage": answer.coverage_words,
    }


def _places(evidence: NumberEvidence) -> NDArray[np.float64]:
    """Return where the density is stated: evenly over what is seen of it, and as densely as the probability lies."""
    answer = evidence.answer
    found = evidence.study.distribution(evidence.case)
    levels = np.linspace(_SEEN, 1.0 - _SEEN, PLACES // 2)
    quantiles = np.asarray(found.quantile(levels)[0], dtype=np.float64)
    low, high = min(quantiles[0], answer.lower), max(quantiles[-1], answer.upper)
    reach = _REACH * (high - low)
    if answer.stated is not None and low - reach <= answer.stated <= high + reach:
        low, high = min(low, answer.stated), max(high, answer.stated)
    return np.unique([*np.linspace(low, high, PLACES // 2), *quantiles])


def _voices(answer: NumberAnswer) -> list[dict[str, Any]]:
    """Return the prototypes that count most: what each has, and what it says of this case."""
    return [
        {
            "row": int(line["sample"]),
            "name": str(line["name"]),
            "has": to_width(float(line["target"]), answer.width, digits=4),
            "says": to_width(float(line["says"]), answer.width),
            "share": float(line["share"]),
            "similarity": float(line["similarity"]),
            "decides": bool(line["dominant"]),
            "text": answer.said_by(place),
        }
        for place, line in enumerate(answer.prototypes.head(MOST_VOICES).to_dict("records"))
    ]


def _outside(evidence: NumberEvidence) -> list[str]:
    """Say which numbers the nearest known cases have."""
    near, width = evidence.nearest.frame.head(3), evidence.answer.width
    return [_neighbour(line, width) + mean_of_batches(evidence.study) for line in near.to_dict("records")]


def _sentence(text: str) -> str:
    """Begin a sentence with a capital letter; names of rows begin with a small one."""
    return text[:1].upper() + text[1:]


def _neighbour(line: dict[Any, Any], width: float) -> str:
    """Say which number a known case has, and how alike it is."""
    target = to_width(float(line["target"]), width, digits=4)
    kept = ", a prototype" if line["prototype"] else ""
    return _sentence(f"{line['name']} has {target}{kept}; similarity {similarity_words(float(line['similarity']))}")


# --- the table --------------------------------------------------------------------------------------------------------
def _table(found: ValuesBeside) -> dict[str, Any]:
    """Return the case beside others."""
    heads = [
        {"title": what, "sub": ": ".join(part for part in (name, number) if part)} for what, name, number in found.heads
    ]
    titles = [head["title"] for head in heads]
    for place, head in enumerate(heads):  # of two such cases the second gives way where there is little room
        head["kind"] = "second" if head["title"] in titles[:place] else ""
    more = found.n_used - sum(line.used for line in found.lines)
    lines = [_line(line) for line in found.lines]
    return {"heads": heads, "lines": lines, "more_used": max(0, more), "unused": found.n_unused}


def _line(line: ValueLine) -> dict[str, Any]:
    """Return one column of the user's table."""
    spread = line.spread
    ends = {} if spread is None else {"low": spread.p05, "q1": spread.q25, "q3": spread.q75, "high": spread.p95}
    rounded = {name: round(value, _DIGITS) for name, value in ends.items()}
    return {
        "name": line.column,
        "used": line.used,
        "contradicts": line.odd < ODD,
        "cells": [{"text": text, "tint": None} for text in line.texts],
        "ranges": [{"class": 0, **rounded}] if rounded else [],
        "here": None if spread is None else spread.here,
        "flip": None,
    }
