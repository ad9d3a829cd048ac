"""The section of ``benchmarks/tables.md``: published beside ours."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.pvm_tables import published, tangent_choice
from benchmarks.pvm_tables.digits import chosen, curve
from benchmarks.pvm_tables.distances import choices
from benchmarks.pvm_tables.sets import NAMES, SPLITS
from benchmarks.tables import table

METHODS = ("1-NN", "PVM", "K-medoids", "LVQ")
DIFFERENCES = Path(__file__).with_name("differences.md")
FAR = 2.0  # standard deviations over splits that a published value may be off before it is told


def section(small: Cells, euclidean: Cells, tangent: Cells) -> list[str]:
    """Return all lines, the heading first."""
    return [
        "## Prototype vector machine: table 2, and the handwritten digits",
        "",
        f"Made by `python -m benchmarks.pvm_tables`. Machine: {sentence(small.machine)}. Cells read",
        "*published* / **ours**.",
        "",
        *table_2(small),
        *euclidean_part(euclidean),
        *tangent_part(tangent),
        *DIFFERENCES.read_text(encoding="utf-8").rstrip().splitlines(),
    ]


def results(cells: Cells, name: str, method: str) -> list[Cell]:
    """Return the finished splits of one table and method."""
    keys = [f"{name}/{seed}/{method}" for seed in range(SPLITS)]
    return [cells[key] for key in keys if key in cells]


def mean_and_deviation(found: Sequence[Cell], what: str) -> tuple[float, float]:
    """Return mean and standard deviation over splits."""
    values = np.array([one[what] for one in found], dtype=np.float64)
    return float(values.mean()), float(values.std(ddof=1)) if len(values) > 1 else 0.0


def table_2(cells: Cells) -> list[str]:
    """Errors and numbers of prototypes on six tables, and which published errors lie far from ours."""
    rows = []
    for name in NAMES:
        found = {method: results(cells, name, method) for method in METHODS}
        rows.append([name, "error, %", *(error_cell(found[method], name, method) for method in METHODS)])
        rows.append(["", "prototypes", *(count_cell(found[method], name, method) for method in METHODS)])
    return [
        "### Table 2: six tables",
        "",
        f"Published: one split. Ours: mean ± standard deviation over {SPLITS} random splits, two thirds of the rows",
        "for training; of prototypes the mean, the smallest and the largest number.",
        "",
        *table(("set", "", *METHODS), rows),
        "",
        *far_lines(cells),
    ]


def error_cell(found: Sequence[Cell], name: str, method: str) -> str:
    """Write the published error beside ours."""
    stated = published.TABLE_2[name][method][0]
    if not found:
        return f"{stated} / "
    mean, deviation = mean_and_deviation(found, "error")
    return f"{stated} / **{mean:.1f} ± {deviation:.1f}**"


def count_cell(found: Sequence[Cell], name: str, method: str) -> str:
    """Write the published number of prototypes beside ours, with the smallest and the largest one."""
    stated = published.TABLE_2[name][method][1]
    if not found:
        return f"{stated} / "
    counts = [one["n_prototypes"] for one in found]
    spread = f" ({min(counts)} to {max(counts)})" if min(counts) < max(counts) else ""
    return f"{stated} / **{np.mean(counts):.0f}**{spread}"


def far_lines(cells: Cells) -> list[str]:
    """List the published errors and numbers of prototypes that our splits do not show."""
    far, counts = [], []
    n_splits = min(len(results(cells, name, method)) for name in NAMES for method in METHODS)
    for name in NAMES:
        for method in METHODS:
            found, stated = results(cells, name, method), published.TABLE_2[name][method][0]
            if len(found) < 2:
                continue
            mean, deviation = mean_and_deviation(found, "error")
            if abs(stated - mean) > FAR * deviation:
                far.append(f"{name}, {method}: {stated} against {mean:.1f} ± {deviation:.1f}")
            sizes, size = [one["n_prototypes"] for one in found], published.TABLE_2[name][method][1]
            if not min(sizes) <= size <= max(sizes):
                counts.append(f"{name}, {method}: {size} against {min(sizes)} to {max(sizes)}")
    words = "; ".join(far) if far else "none"
    others = "; ".join(counts) if counts else "none"
    unfinished = f" So far {n_splits} of {SPLITS} splits of every method are finished." if n_splits < SPLITS else ""
    return [
        f"Published errors more than two standard deviations from our mean: {words}. Published numbers of prototypes",
        f"outside the range of ours: {others}.{unfinished}",
        "",
    ]


def euclidean_part(cells: Cells) -> list[str]:
    """Error over the radius, without and with centres."""
    plain, more = curve(cells, "euclidean"), curve(cells, "euclidean and centres")
    if not plain:
        return []
    best, best_of_more = chosen(cells, "euclidean"), chosen(cells, "euclidean and centres")
    rows = []
    for place, one in enumerate(plain):
        row = [f"{one['share']:.2%}", f"{one['eps']:.2f}", *point(one, is_chosen=place == best)]
        if place < len(more):
            row += point(more[place], is_chosen=place == best_of_more, with_centres=True)
        rows.append([*row, "", ""][:6])
    head = ("share of distances", "eps", "prototypes", "test error, %", "prototypes, with centres", "test error, %")
    return [
        "### Handwritten digits, Euclidean distance",
        "",
        "The paper shows these as curves without numbers. A radius is told by the share of distances between training",
        "digits that are smaller; at the smallest every digit is a prototype, which is 1-NN. With centres, ten k-means",
        "centres of every class are candidates besides. In bold what ten folds of the training digits and the rule of",
        "one standard error choose.",
        "",
        *table(head, rows),
        "",
    ]


def point(one: Cell, *, is_chosen: bool, with_centres: bool = False) -> list[str]:
    """Write the prototypes and the error of one radius, in bold if it was chosen."""
    centres = f" ({one['of_centres']} centres)" if with_centres else ""
    return [marked(f"{one['n_prototypes']:,}{centres}", is_chosen), marked(f"{one['error']:.2f}", is_chosen)]


def marked(text: str, is_chosen: bool) -> str:
    """Write what was chosen in bold."""
    return f"**{text}**" if is_chosen else text


def tangent_part(cells: Cells) -> list[str]:
    """Which distance was chosen, and its figures beside the published ones."""
    lines = ["### Handwritten digits, tangent distance", ""]
    if any(tangent_choice.key(one) in cells for one in choices()):
        lines += choice_lines(cells)
    points = curve(cells, "tangent")
    if not points:
        return lines
    best = chosen(cells, "tangent")
    columns = {"lowest test error, as published": min(points, key=lambda one: (one["wrong"], one["n_prototypes"]))}
    if "tangent/alike" in cells:
        columns["as many prototypes"] = cells["tangent/alike"]
    if best is not None:
        columns["chosen by ten folds"] = points[best]
    nearest = points[0]
    one_side = f"With one side: {cells['tangent/one side']['error']:.2f} %." if "tangent/one side" in cells else ""
    head = ("share of distances", "eps", "prototypes", "test error, %")
    return [
        *lines,
        f"1-NN: {published.NEAREST_ERROR} % / **{nearest['error']:.2f} %** ({nearest['wrong']} of 2,007). {one_side}",
        "The published radius is the one with the lowest error on test digits; beside it stand ours chosen in the same",
        "way, the one with as many prototypes, and the one that ten folds of the training digits choose.",
        "",
        *table(("", "published", *(f"ours, {words}" for words in columns)), tangent_rows(list(columns.values()))),
        "",
        *table(
            head,
            (
                [f"{one['share']:.2%}", f"{one['eps']:.2f}", *point(one, is_chosen=place == best)]
                for place, one in enumerate(points)
            ),
        ),
        "",
    ]


def choice_lines(cells: Cells) -> list[str]:
    """Say how the distance was chosen, with the errors of all choices."""
    best = tangent_choice.chosen(cells)
    kinds = [(False, "derivatives only"), (True, "images too")]
    ridges = sorted({one.ridge for one in choices()})
    rows = []
    for sigma in sorted({one.sigma for one in choices()}):
        for smooth_images, words in kinds:
            by_ridge = {
                one.ridge: cells[tangent_choice.key(one)]["wrong"]
                for one in choices()
                if (one.sigma, one.smooth_images) == (sigma, smooth_images) and tangent_choice.key(one) in cells
            }
            if by_ridge:
                own = (best.sigma, best.smooth_images) == (sigma, smooth_images)
                cells_of_row = (marked(str(by_ridge.get(ridge, "")), own and ridge == best.ridge) for ridge in ridges)
                rows.append([f"{sigma:g}", words if sigma else "nothing", *cells_of_row])
    return [
        "Two-sided, seven directions. Width of the smoothing, what is smoothed, and the ridge are those with which the",
        "nearest of all other training digits is wrong least often; test digits have no say. Wrong of 7,291:",
        "",
        *table(("sigma", "smoothed", *(f"ridge {ridge:g}" for ridge in ridges)), rows),
        "",
    ]


def tangent_rows(columns: Sequence[Cell]) -> list[list[str]]:
    """Write the published figures beside ours."""
    first, dear = published.FIRST, published.DEAR
    return [
        ["test error, %", f"{published.LOWEST_ERROR}", *(f"**{one['error']:.2f}**" for one in columns)],
        ["prototypes", f"{published.N_PROTOTYPES:,}", *(f"**{one['n_prototypes']:,}**" for one in columns)],
        ["eps, share of distances", "not given", *(f"{one['eps']:.2f}, {one['share']:.2%}" for one in columns)],
        [
            "prototypes of 0 to 9",
            ", ".join(map(str, published.PER_CLASS)),
            *(", ".join(map(str, one["per_class"])) for one in columns),
        ],
        [
            "first prototype",
            f"a {first['class']}, covers {first['covers']} and {first['miscovers']} others",
            *(
                f"a {one['first']['class']}, covers {one['first']['covers']} and {one['first']['miscovers']} others"
                for one in columns
            ),
        ],
        [
            "prototypes that gain more than 1",
            f"{published.GAIN_ABOVE_1}",
            *(str(one["gain_above_1"]) for one in columns),
        ],
        [
            "that gain 1",
            f"{published.ONLY_THEMSELVES:,}, all of them cover one digit",
            *(
                f"{one['n_prototypes'] - one['gain_above_1']:,}; {one['only_themselves']:,} cover one digit"
                for one in columns
            ),
        ],
        ["with lambda = 6", f"{dear['n_prototypes']}", *(str(one["dear"]["n_prototypes"]) for one in columns)],
        [
            "test digits wrong then and right in the end",
            f"{dear['wrong_then_right']}",
            *(str(one["dear"]["wrong_then_right"]) for one in columns),
        ],
    ]
