"""Marks on a surface: cases and prototypes near the cut."""

from __future__ import annotations

from typing import Any

import numpy as np

from proset.common.words import count_words
from proset.explain.maps.scatter import MOST_VALUES
from proset.explain.maps.surfaces import Surface
from proset.explain.phrases import similarity_words
from proset.plots import style
from proset.plots.map_extras import wrong_traces
from proset.plots.map_marks import jitter, mark_sizes
from proset.plots.texts import hover_template, plain
from proset.plots.traces import MARKS_LEGEND, Trace, diamond, legend_entry, per_point

# Cases so much alike to the cut, or more, are drawn; the others would stand on colours that are not theirs. Over a
# map, where all but a few would be missing, they are drawn small and counted.
FARTHEST = 0.05
LIMIT = 500
_SMALLEST = 5.0  # with a smaller one the edge would hide the colour of the class
_FIRST_RANK = 100  # classes come first in the legend, in their order
_FEW_CASES = 10
_TOO_FAR = "too far from this cut to be drawn."
_NOWHERE = "a value on these axes that the model does not know"


def near_cases(surface: Surface, selected: int | None) -> tuple[Any, str | None]:
    """Return the cases to draw, and what to say of the others."""
    samples = surface.samples
    if samples.empty:
        return samples, None
    over_map = surface.ratio is not None
    beside = (samples["similarity"] < FARTHEST) & (samples.index != selected)
    near, far = samples if over_map else samples[~beside], int(beside.sum())
    notes = []
    if far:
        where = "beside this plane: the shades are not for them." if over_map else _TOO_FAR
        notes.append(f"{_part(far, len(samples), 'case')} {_verb(far, 'lie')} {where}")
    # The legend would list what nobody sees.
    near, beyond = _within(surface, near)
    notes += beyond
    if len(near) > LIMIT:
        those = "the others" if far and not over_map else count_words(len(near), "case")
        alike = near["similarity"].to_numpy(dtype=np.float64)
        # Where the model has no other features all are equally near: then those drawn are a sample.
        which = "of the nearest are drawn" if np.ptp(alike) > 0 else "are drawn, picked by chance"
        notes.append(f"Of {those}, {LIMIT:,} {which}.")
        order = np.lexsort((np.random.default_rng(0).random(len(near)), -alike, np.asarray(near.index != selected)))
        near = near.iloc[np.sort(order[:LIMIT])]
    return _spread(surface, near), " ".join(notes) or None


def _within(surface: Surface, near: Any, word: str = "") -> tuple[Any, list[str]]:
    """Return the marks that have a place on the axes, and what to say of the others."""
    known = near[["x", "y"]].notna().all(axis=1)
    within = near["x"].between(*axis_ends(surface.x)) & near["y"].between(*axis_ends(surface.y))
    nowhere, beyond = int((~known).sum()), int((known & ~within).sum())
    notes = []
    for n, verb, where in ((beyond, "lie", "beyond the ends of the axes"), (nowhere, "hold", _NOWHERE)):
        if n:
            notes.append(f"{count_words(n, word) if word else f'{n:,}'} {_verb(n, verb)} {where}.")
    return near[within], notes


def _part(n: int, whole: int, word: str) -> str:
    """Return how many of all something is said of, at the beginning of a sentence."""
    return f"All {count_words(n, word)}" if n == whole > 1 else f"{n:,} of {count_words(whole, word)}"


def _verb(n: int, verb: str) -> str:
    """Return a verb as it is said of so many."""
    return f"{verb}s" if n == 1 else verb


def _spread(surface: Surface, near: Any, *, few: int = _FEW_CASES) -> Any:
    """Move marks a little along axes with few different values, where several lie on one spot; none off the axis."""
    moved = near.copy()
    for name, seed, axis in (("x", 1, surface.x), ("y", 2, surface.y)):
        places = surface.samples[name].to_numpy(dtype=np.float64)
        if len(near) > few and len(np.unique(places)) <= MOST_VALUES:
            at = near[name].to_numpy(dtype=np.float64)
            shift = jitter(at, places, seed=seed)
            low, high = axis_ends(axis)
            moved[name] = at + np.where((at + shift < low) | (at + shift > high), -shift, shift)
    return moved


def axis_ends(positions: np.ndarray) -> tuple[float, float]:
    """Return the ends of an axis whose cells reach half a step beyond their middle."""
    step = float(positions[1] - positions[0]) / 2 if len(positions) > 1 else 0.5
    return float(positions[0]) - step, float(positions[-1]) + step


def case_traces(surface: Surface, near: Any) -> list[Trace]:
    """Draw cases, the larger and the stronger the nearer they are to the cut."""
    traces = []
    for k, look in enumerate(style.class_looks(surface.classes)):
        mine = near[(near["actual"] == look.name).fillna(False).to_numpy(dtype=bool)]
        if mine.empty:
            continue
        wrong = (mine["correct"] == False).fillna(False).to_numpy(dtype=bool)  # noqa: E712 (missing where unknown)
        # Those that are wrong last: they lie on top.
        mine, wrong = mine.iloc[np.argsort(wrong, kind="stable")], np.sort(wrong)
        alike = mine["similarity"].to_numpy(dtype=np.float64)
        name = plain(look.name, limit=30)
        group = {"legendgroup": f"class {look.name}", "legendrank": _FIRST_RANK + k}
        # A legend would look like the first mark, which may be small and pale.
        edge = {"color": style.INK, "width": 0.8}
        plainly = {"symbol": look.symbol, "color": look.colour, "size": style.SAMPLE_SIZE + 3, "line": edge}
        traces.append(legend_entry(name, marker=plainly, **group))
        traces.append(
            {
                "type": "scatter",
                "x": mine["x"],
                "y": mine["y"],
                "mode": "markers",
                "name": name,
                "showlegend": False,
                **group,
                "marker": {
                    "symbol": look.symbol,
                    "color": look.colour,
                    "size": _SMALLEST + (style.SAMPLE_SIZE + 3 - _SMALLEST) * alike,
                    "opacity": np.where(wrong, 1.0, 0.7 + 0.3 * alike),
                    "line": edge,
                },
                "unselected": {"marker": {"opacity": 1.0}},
                "customdata": per_point(mine.index, [similarity_words(a) for a in alike]),
                "hovertemplate": hover_template(f"Row %{{customdata[0]}}: {name}", ["similarity to the cut"]),
            }
        )
    return traces


def face_entries(surface: Surface, near: Any) -> list[Trace]:
    """Say in the legend what the colours of areas mean whose class has no case near the cut."""
    marked = set(near["actual"].dropna())
    here = set(np.unique(surface.likeliest).tolist())
    return [
        legend_entry(
            plain(look.name, limit=30),
            legendgroup=f"class {look.name}",
            legendrank=_FIRST_RANK + k,
            marker={"symbol": "square", "color": style.tinted(look.colour, 0.6), "size": style.SAMPLE_SIZE + 5},
        )
        for k, look in enumerate(style.class_looks(surface.classes))
        if k in here and look.name not in marked
    ]


def ring_traces(near: Any) -> list[Trace]:
    """Draw rings around misclassified cases, as on the map, and say in the legend what they are."""
    wrong = (near["correct"] == False).fillna(False).to_numpy(dtype=bool)  # noqa: E712 (missing where unknown)
    rings = wrong_traces(near[wrong])
    marker = {"symbol": "circle-open", "color": style.WRONG, "size": style.SAMPLE_SIZE + 3, "line": {"width": 2}}
    group = {"legend": MARKS_LEGEND, "legendgroup": "misclassified"}
    return [*rings, legend_entry("misclassified", marker=marker, **group)] if rings else []


def near_prototypes(surface: Surface) -> tuple[Any, str | None]:
    """Return the prototypes to draw, by what is left of their weight on the cut, and what to say of the others."""
    every = surface.prototypes
    strength = (every["weight"] * every["similarity"]).to_numpy(dtype=np.float64)
    near = every.assign(size=mark_sizes(strength))[every["similarity"] >= FARTHEST]
    far = len(every) - len(near)
    near, beyond = _within(surface, near, "prototype")
    notes = [f"{_part(far, len(every), 'prototype')} {_verb(far, 'lie')} {_TOO_FAR}"] if far else []
    if len(surface.samples) and near[["x", "y"]].duplicated().any():
        near = _spread(surface, near, few=1)
    return near, " ".join([*notes, *beyond]) or None


def prototype_traces(surface: Surface, near: Any) -> list[Trace]:
    """Draw the prototypes near the cut, and say in the legend what they are."""
    traces = []
    for look in style.class_looks(surface.classes):
        mine = near[near["class"] == look.name]
        if mine.empty:
            continue
        name = plain(look.name, limit=30)
        traces.append(
            {
                "type": "scatter",
                "x": mine["x"],
                "y": mine["y"],
                "mode": "markers",
                "name": f"prototype: {name}",
                "legendgroup": f"class {look.name}",
                "showlegend": False,
                "marker": {
                    "symbol": look.symbol,
                    "size": mine["size"],
                    "color": style.tinted(look.colour, style.PROTOTYPE_TINT),
                    "opacity": 1.0,
                    "line": {"color": style.INK, "width": 1.2},
                },
                "unselected": {"marker": {"opacity": 1.0}},
                "customdata": per_point(mine["row"], [similarity_words(a) for a in mine["similarity"]]),
                "hovertemplate": hover_template(
                    f"Prototype, row %{{customdata[0]}}: {name}", ["similarity to the cut"]
                ),
            }
        )
    if traces:
        grey = {"color": style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT), "line": {"color": style.INK, "width": 1.2}}
        marker = {**grey, "symbol": "circle", "size": style.RING_SIZE}
        traces.append(legend_entry("prototype (large)", legend=MARKS_LEGEND, marker=marker))
    return traces


def prototype_entries(surface: Surface, prototypes: Any, named: set[str]) -> list[Trace]:
    """Say in the legend of which class prototypes are whose class nothing else there names."""
    here = set(prototypes["class"]) - named
    return [
        legend_entry(
            plain(look.name, limit=30),
            legendgroup=f"class {look.name}",
            legendrank=_FIRST_RANK + k,
            marker={
                "symbol": look.symbol,
                "color": style.tinted(look.colour, style.PROTOTYPE_TINT),
                "size": style.SAMPLE_SIZE + 3,
                "line": {"color": style.INK, "width": 1.2},
            },
        )
        for k, look in enumerate(style.class_looks(surface.classes))
        if look.name in here
    ]


def selected_trace(near: Any, selected: int | None) -> list[Trace]:
    """Mark the selected case."""
    if selected is None or selected not in near.index:
        return []
    spot = near.loc[[selected]]
    return [{**diamond(spot["x"], spot["y"]), "legend": MARKS_LEGEND}]
