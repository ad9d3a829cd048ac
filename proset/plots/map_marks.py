"""Marks of a map: prototypes large, cases small."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import percent
from proset.explain.maps.map import BatchMap
from proset.plots import style
from proset.plots.texts import hover_template, plain, value_texts
from proset.plots.traces import Trace, legend_entry, per_point

NO_LABEL = style.Look("no label", style.NEUTRAL, "circle-open")
FADED = 0.12
HOLLOW = "-open"
_TINT_BEHIND = 0.12  # of prototypes in grey: several on one another would hide the colours of what lies before them
_TEXT_SIZE = 13
THIN = {"weight": 400, "style": "italic"}
"""Numerals that stand for training rows: they cannot be hollow."""
_JITTER = 0.3  # of the smallest step between two values, to either side


@dataclass(frozen=True, eq=False)
class ByValue:
    """Colours that follow a number.

    Attributes
    ----------
    values : Series
        Index row id, each in [0, 1].
    title : str
        What they are, above the colour bar.
    scale : tuple of (float, str)
        Colours from 0 to 1; the ramp of familiarity and nearness unless it is said.
    """

    values: pd.Series = field(repr=False)
    title: str
    scale: tuple[tuple[float, str], ...] = style.RAMP


Colouring = Literal["class", "correct"] | ByValue


def prototype_traces(mapping: BatchMap, impacts: pd.Series | None, *, colour: Colouring = "class") -> list[Trace]:
    """Draw one trace of large marks per class, below everything else."""
    frame = mapping.prototypes.assign(strength=mapping.prototypes["weight"])
    names = ["prototype weight"]
    if impacts is not None:
        frame["strength"] = frame["row"].map(impacts).fillna(0.0).astype(np.float64)
        names.append("impact on the selected case")
    frame["size"] = mark_sizes(frame["strength"].to_numpy())
    numbers = [value_texts(frame[column]) for column in ("weight", "strength")[: len(names)]]
    details, columns = _details(mapping, frame["row"])
    boxes = per_point(frame["row"], *numbers, *details)
    traces = []
    for look in _class_looks(mapping, colour):
        own = (frame["class"] == look.name).to_numpy(dtype=bool)
        mine = frame[own]
        traces.append(
            _marks(
                mine,
                look,
                marker={
                    "size": mine["size"],
                    # Said, because Plotly draws marks of many sizes paler until one of them is clicked.
                    "opacity": 1.0,
                    "color": style.tinted(look.colour, style.PROTOTYPE_TINT if colour == "class" else _TINT_BEHIND),
                    "line": {"color": look.colour, "width": 1.5},
                },
                showlegend=False,
                customdata=boxes[own],
                hovertemplate=hover_template(
                    f"Prototype, row %{{customdata[0]}}: {plain(look.name, limit=30)}", [*names, *columns]
                ),
            )
        )
    return traces


def sample_traces(
    mapping: BatchMap, rows: pd.DataFrame, *, colour: Colouring = "class", bright: Collection[int] | None = None
) -> list[Trace]:
    """Draw small marks, one trace per class, part and brightness; training rows are hollow, faded ones pale."""
    traces: list[Trace] = []
    numerals = colour == "class" and style.are_numerals(mapping.classes)
    pale = np.zeros(len(rows), dtype=bool) if bright is None else ~rows.index.isin(list(bright))
    hollow = (rows["part"] == "train").to_numpy()
    boxes, names = _facts(mapping, rows, colour)
    for look in (*_class_looks(mapping, colour), NO_LABEL):
        own = (rows["actual"].isna() if look is NO_LABEL else rows["actual"] == look.name).fillna(False).to_numpy(bool)
        kinds = [(h, p) for h in (False, True) for p in (False, True) if (own & (hollow == h) & (pale == p)).any()]
        for is_hollow, is_pale in kinds:
            these = own & (hollow == is_hollow) & (pale == is_pale)
            template = hover_template(f"Row %{{customdata[0]}}: {plain(look.name, limit=30)}", names)
            draw = _numeral_trace if numerals and look is not NO_LABEL else _sample_trace
            trace = draw(rows[these], look, colour=colour, hollow=is_hollow, pale=is_pale)
            traces.append(trace | {"customdata": boxes[these], "hovertemplate": template})
        if kinds:
            traces.append(_class_entry(look))
    return traces


def _sample_trace(mine: pd.DataFrame, look: style.Look, *, colour: Colouring, hollow: bool, pale: bool) -> Trace:
    """Draw small marks of one class."""
    symbol = look.symbol if look.symbol.endswith(HOLLOW) or not hollow else look.symbol + HOLLOW
    marker: dict[str, Any] = {
        "symbol": symbol,
        "size": style.SAMPLE_SIZE,
        "color": _colours(mine, look, colour),
        "opacity": FADED if pale else style.SAMPLE_OPACITY,
        "line": {"width": 1.3} if symbol.endswith(HOLLOW) else {"color": style.OUTLINE, "width": 0.5},
    }
    if isinstance(colour, ByValue):
        marker["coloraxis"] = "coloraxis"
        marker["line"] = {"color": style.INK, "width": 0.8}  # pale ones are seen by their edge
    return _marks(mine, look, marker=marker, showlegend=False)


def _numeral_trace(mine: pd.DataFrame, look: style.Look, *, colour: Colouring, hollow: bool, pale: bool) -> Trace:
    """Draw the name of a class in place of marks: ten digits have no ten symbols that can be told apart."""
    colour_of_text = style.of_text(look.colour)
    font = style.tinted(colour_of_text, FADED) if pale else colour_of_text
    return {
        "type": "scatter",
        "x": mine["x"],
        "y": mine["y"],
        "mode": "text",
        "text": [plain(look.name)] * len(mine),
        "name": plain(look.name, limit=30),
        "legendgroup": f"class {look.name}",
        "textfont": {"color": font, "size": _TEXT_SIZE, **(THIN if hollow else {"weight": 700})},
        "unselected": {"textfont": {"color": font}},
        "marker": {"size": style.SAMPLE_SIZE, "symbol": look.symbol, "color": look.colour},
        "showlegend": False,
    }


def _facts(mapping: BatchMap, mine: pd.DataFrame, colour: Colouring) -> tuple[NDArray[np.object_], list[str]]:
    """Return what the hover boxes say, a line for each row, and what it is."""
    facts = [
        [plain(name, limit=30) for name in mine["predicted"]],
        [percent(share) for share in mine["confidence"]],
        [percent(share) for share in mine["quantile"]],
        [_PART_WORDS.get(part, "") for part in mine["part"]],
    ]
    names = ["the model says", "with probability", "familiarity", "row used for"]
    if isinstance(colour, ByValue):
        facts.append([percent(value) for value in colour.values.reindex(mine.index)])
        names.append(colour.title)
    details, columns = _details(mapping, mine.index)
    return per_point(mine.index, *facts, *details), [*names, *columns]


_PART_WORDS = {"train": "training", "held_out": "held out", "unlabelled": "nothing, it has no class"}


def _colours(mine: pd.DataFrame, look: style.Look, colour: Colouring) -> Any:
    """Return the colour of small marks."""
    if isinstance(colour, ByValue):
        return colour.values.reindex(mine.index).to_numpy(dtype=np.float64)
    if colour == "class" or look is NO_LABEL:
        return look.colour
    correct = mine["correct"].astype("boolean")
    return [style.NEUTRAL if pd.isna(right) else style.NEUTRAL if right else style.WRONG for right in correct]


def _class_looks(mapping: BatchMap, colour: Colouring) -> list[style.Look]:
    """Return the looks of the classes; grey where colours stand for something else."""
    looks = style.class_looks(mapping.classes)
    return looks if colour == "class" else [style.Look(look.name, style.NEUTRAL, look.symbol) for look in looks]


def _marks(points: pd.DataFrame, look: style.Look, *, marker: dict[str, Any], **options: Any) -> Trace:
    """Draw marks of one class that keep their brightness when another point is clicked."""
    return dict(
        type="scatter",
        x=points["x"],
        y=points["y"],
        mode="markers",
        name=plain(look.name, limit=30),
        legendgroup=f"class {look.name}",
        marker={"symbol": look.symbol, **marker},
        unselected={"marker": {"opacity": marker.get("opacity", 1.0)}},
        **options,
    )


def _class_entry(look: style.Look) -> Trace:
    """Return the entry of a class in the legend, whatever its marks look like."""
    marker = {"symbol": look.symbol, "size": style.SAMPLE_SIZE, "color": look.colour}
    name, group = plain(look.name, limit=30), f"class {look.name}"
    return legend_entry(name, legendgroup=group, showlegend=True, marker=marker)


def mark_sizes(strength: np.ndarray) -> np.ndarray:
    """Return diameters whose areas are in proportion to the strength, above a smallest mark that can be seen.

    Parameters
    ----------
    strength : array of shape (n,)
        Weights or impacts, not negative.

    Returns
    -------
    float64 array of shape (n,)
        Diameters in pixels within ``style.PROTOTYPE_SIZE``.

    Examples
    --------
    >>> mark_sizes(np.array([0.0, 1.0, 4.0])).tolist()
    [8.0, 14.0, 28.0]
    """
    low, high = style.PROTOTYPE_SIZE
    largest = strength.max(initial=0.0)
    if largest <= 0:
        return np.full(len(strength), low)
    return np.maximum(low, high * np.sqrt(strength / largest))


def jitter(
    positions: NDArray[np.float64], places: NDArray[np.float64] | None = None, *, seed: int = 0
) -> NDArray[np.float64]:
    """Return how far to move marks that lie on one another, less than a third of the smallest step to either side.

    Parameters
    ----------
    positions : array of shape (n,)
        Where the marks are.
    places : array of shape (m,) or None
        All values that the feature has; None for those of the marks.
    seed : int
        The same seed moves marks in the same way.

    Returns
    -------
    float64 array of shape (n,)

    Examples
    --------
    >>> moved = jitter(np.array([0.0, 0.0, 2.0]))
    >>> bool((abs(moved) <= 0.6).all())
    True
    """
    every = positions if places is None else places
    different = np.unique(every[np.isfinite(every)])
    step = float(np.diff(different).min()) if len(different) > 1 else 1.0
    return np.random.default_rng(seed).uniform(-_JITTER, _JITTER, len(positions)) * step


def _details(mapping: BatchMap, rows: Sequence[int] | pd.Series | pd.Index) -> tuple[list[list[str]], list[str]]:
    """Return texts of the details of some rows, one list per column, and the names of the columns."""
    if mapping.details.empty:  # a model alone has no table
        return [], []
    frame = mapping.details.loc[list(rows)]
    return [value_texts(frame[column]) for column in frame.columns], list(frame.columns)
