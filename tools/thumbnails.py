"""Fits the bundled tables as a quick fit does; ``python tools/thumbnails.py`` writes ``examples.json`` and the fits."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dashboard.services.data.examples import FILE
from dashboard.services.data.fitted import STORED, file_of
from proset.data.samples import SAMPLES, load_sample, sample_roles, sample_split
from proset.explain.maps.map import batch_map
from proset.plots import style
from proset.selection import JointPlan, NumberPlan
from proset.storage import save_result
from proset.study import Study, search_number_study, search_study
from proset.study.repeats import with_repeats

WIDTH, HEIGHT, EDGE = 220, 110, 8
MOST_POINTS, MOST_PROTOTYPES, FEW = 140, 60, 40


def main() -> None:
    """Fit every bundled data set as a quick fit does, draw its first map, and store some of the fits."""
    FILE.write_text(json.dumps({name: entry(name) for name in SAMPLES}, indent=1) + "\n", encoding="utf-8")


def entry(name: str) -> dict[str, Any]:
    """Return what a card says and shows of a data set."""
    table, roles = load_sample(name), sample_roles(name)
    if roles.number:
        return number_entry(name)
    study = search_study(table, roles, plan=JointPlan.quick())
    if name in STORED:
        save_result(with_repeats(study), file_of(name))
    svg, shows = drawn(study)
    print(f"{name}: {len(study.prototypes)} prototypes, {shows}, {len(svg):,} bytes")
    return {
        "fingerprint": table.fingerprint,
        "rows": len(table.frame),
        "features": len(roles.features),
        "classes": len(study.classes),
        "picture": svg,
        "shows": shows,
    }


def number_entry(name: str) -> dict[str, Any]:
    """Return what a card says and shows of a data set whose target is a number."""
    table, roles = load_sample(name), sample_roles(name)
    study = search_number_study(table, roles, split=sample_split(name), plan=NumberPlan.quick())
    if name in STORED:
        save_result(study, file_of(name))
    held_out = study.predictions.loc[pd.Index(study.split.held_out)]
    svg = stated_picture(held_out["actual"].to_numpy(), held_out["median"].to_numpy())
    print(f"{name}: {len(study.prototypes)} prototypes, {len(svg):,} bytes")
    return {
        "fingerprint": table.fingerprint,
        "rows": len(table.frame),
        "features": len(roles.features),
        "classes": 0,
        "picture": svg,
        "shows": "What the model states, above what held-out cases have",
    }


def stated_picture(actual: NDArray[np.float64], median: NDArray[np.float64]) -> str:
    """Draw some cases, what is stated above what is, and the line on which both are the same."""
    some = np.random.default_rng(0).permutation(len(actual))[:MOST_POINTS]
    low, high = np.quantile(actual, [0.005, 0.995])

    def place(value: float, size: int) -> float:
        return EDGE + (size - 2 * EDGE) * (value - low) / (high - low)

    dots = [(round(place(actual[i], WIDTH)), round(HEIGHT - place(median[i], HEIGHT))) for i in some]
    path = "".join(f"M{x} {y}h0" for x, y in dots if 0 <= x <= WIDTH and 0 <= y <= HEIGHT)
    line = f'<path stroke="{style.NEUTRAL}" stroke-dasharray="4 3" d="M{EDGE} {HEIGHT - EDGE}L{WIDTH - EDGE} {EDGE}"/>'
    marks = f'<path stroke="{style.NEUTRAL}" stroke-width="4" stroke-linecap="round" d="{path}"/>'
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{line}{marks}</svg>'


def drawn(study: Study) -> tuple[str, str]:
    """Return a picture and what it shows: the map, or two features where there is no map."""
    mapping = batch_map(study)
    points = mapping.points.dropna(subset=["actual"])
    if len(points):
        many = len(mapping.prototypes) > FEW
        prototypes = mapping.prototypes.nlargest(MOST_PROTOTYPES, "weight")
        return picture(study.classes, points, prototypes, largest=5.0 if many else 10.0), "Map of the cases"
    first, second = study.roles.features[:2]
    frame, labels = study.table.frame, study.table.frame[study.roles.target].astype(str)
    points = pd.DataFrame({"x": frame[first], "y": frame[second], "actual": labels})
    return picture(study.classes, points, mapping.prototypes, largest=0.0), f"{first} and {second} of the cases"


def picture(classes: tuple[str, ...], points: pd.DataFrame, prototypes: pd.DataFrame, *, largest: float) -> str:
    """Draw some cases as small and the prototypes as large circles."""
    points = points.sample(min(len(points), MOST_POINTS), random_state=0).sort_index()
    both = np.vstack([points[["x", "y"]].to_numpy(), prototypes[["x", "y"]].to_numpy(dtype=float)])
    low, high = np.quantile(both, [0.01, 0.99], axis=0)
    # One scale for both axes: near means alike.
    scale = float(np.min((np.array([WIDTH, HEIGHT]) - 2 * EDGE) / np.maximum(high - low, 1e-9)))
    colours = dict(zip(classes, style.CLASS_COLOURS, strict=False))

    middle = (low + high) / 2

    def place(x: float, y: float) -> tuple[int, int] | None:
        left, top = WIDTH / 2 + (x - middle[0]) * scale, HEIGHT / 2 - (y - middle[1]) * scale
        return (round(left), round(top)) if 0 <= left <= WIDTH and 0 <= top <= HEIGHT else None

    sizes = 2 + largest * np.sqrt(prototypes["weight"] / max(prototypes["weight"].max(), 1e-9))
    marks = ""
    for label in classes:
        colour, of_class = colours[label], prototypes["class"] == label
        entries = zip(*(prototypes.loc[of_class, axis] for axis in ("x", "y")), sizes[of_class], strict=True)
        circles = [(place(x, y), size) for x, y, size in entries]
        large = "".join(f'<circle cx="{at[0]}" cy="{at[1]}" r="{size:.1f}"/>' for at, size in circles if at)
        cases = points[points["actual"] == label]
        dots = [at for x, y in zip(cases["x"], cases["y"], strict=True) if (at := place(x, y))]
        # A line of no length with round ends is a dot, in the fewest bytes.
        small = "".join(f"M{left} {top}h0" for left, top in dots)
        marks += (
            f'<g fill="{colour}" fill-opacity=".3" stroke="{colour}">{large}'
            f'<path stroke-width="4" stroke-linecap="round" d="{small}"/></g>'
        )
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}">{marks}</svg>'


if __name__ == "__main__":
    main()
