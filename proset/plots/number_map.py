"""Figure of the map of a batch of a model of a number."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.words import number, percent, rough
from proset.explain.numbers.map import NumberMap
from proset.explain.numbers.map_levels import NumberLevels
from proset.explain.shares import added_percents
from proset.plots import style
from proset.plots.batch_map import equal_scale
from proset.plots.map_marks import FADED, mark_sizes
from proset.plots.room import room_for_legend
from proset.plots.texts import hover_template, plain, value_texts
from proset.plots.traces import Draft, Trace, diamond, legend_entry, per_point

NumberColour = Literal["median", "actual", "width", "quantile"]
Part = Literal["held_out", "train", "all"]
_TITLES = {"median": "median", "actual": "actual", "width": "width of 90 %", "quantile": "familiarity"}
_LIMIT, _PLACE = 3_000, 480
_SUREST, _LEAST_SURE = 10.0, 4.0  # pixels
_HEIGHT, _COLOUR_BAR = 600, 140


def draft_number_map(
    mapping: NumberMap,
    *,
    part: Part = "held_out",
    colour: NumberColour = "median",
    selected: int | None = None,
    spot: tuple[float, float] | None = None,
    bright: Collection[int] | None = None,
    levels: NumberLevels | None = None,
) -> Draft:
    r"""Draw prototypes large and rows small, coloured by a number; rows with a wide interval are smaller.

    Parameters
    ----------
    part : {"held_out", "train", "all"}, default "held_out"
        Which rows to draw beside the prototypes.
    colour : {"median", "actual", "width", "quantile"}, default "median"
        What the colour of rows follows; that of prototypes follows their own number with the first two.
    selected : int or None
        Row id of the selected case, drawn whatever its part.
    spot : (float, float) or None
        Where a selected case lies that is no row of the table.
    bright : collection of int, optional
        Row ids; all other rows are pale.
    levels : NumberLevels, optional
        Lines of equal medians, drawn behind.

    Returns
    -------
    Draft
        ``customdata[0]`` of every mark is the row id. ``layout.meta`` says how many rows are not drawn, or is None.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> len(draft_number_map(explain.number_map(study)).traces[1]["x"]) == len(study.split.held_out)
    True
    """
    draft = Draft()
    figure = draft.layout
    x_title, y_title = _titles(mapping)
    style.finish(figure, x_title=x_title, y_title=y_title, height=_HEIGHT)
    rows = mapping.points if part == "all" else mapping.points[mapping.points["part"] == part]
    if selected in mapping.points.index and selected not in rows.index:
        rows = pd.concat([rows, mapping.points.loc[[selected]]])
    drawn = _thinned(rows, selected)
    of_target = colour in ("median", "actual")
    draft.add(
        [
            *_lines(levels),
            _prototypes(mapping, of_target=of_target),
            *_rows(mapping, drawn, colour, bright),
            *_marked(mapping, selected, spot),
        ]
    )
    draft.add([_entry()])
    values = [mapping.points[name] for name in (("median", "actual") if of_target else (colour,))]
    ends = np.nanpercentile(np.concatenate(values), [1.0, 99.0]) if len(mapping.points) else np.array([0.0, 1.0])
    figure.update_layout(coloraxis=_scale(mapping, colour, ends), margin_r=_COLOUR_BAR)
    equal = equal_scale(draft.layout, mapping, drawn)
    notes = [
        "" if len(drawn) == len(rows) else f"Drawn: {len(drawn):,} of {len(rows):,} rows.",
        "" if equal else "The axes have different scales: with equal ones this map would be a strip.",
    ]
    names = [one["name"] for one in draft.traces if one.get("showlegend") is not False]
    figure.update_layout(meta=" ".join(filter(None, notes)) or None, margin_t=room_for_legend(names, _PLACE))
    return draft


def _titles(mapping: NumberMap) -> list[str]:
    """Return what stands along the axes, with their shares of the spread."""
    shares, _ = added_percents(mapping.axis_shares)
    names = [plain(axis.name, limit=40) for axis in mapping.axes] if mapping.axes else ["Axis 1", "Axis 2"]
    return [f"{name} ({share} of the prototypes' spread)" for name, share in zip(names, shares, strict=True)]


def _thinned(rows: pd.DataFrame, selected: int | None) -> pd.DataFrame:
    """Return no more rows than can be told apart, the selected one among them."""
    if len(rows) <= _LIMIT:
        return rows
    kept = rows.sample(_LIMIT, random_state=0).index
    return rows[rows.index.isin(kept) | (rows.index == selected)]


def _lines(levels: NumberLevels | None) -> list[go.Contour | Trace]:
    """Draw lines of equal medians with their numbers, and their entry of the legend."""
    if levels is None or not np.isfinite(levels.median).any():
        return []
    known = levels.median[np.isfinite(levels.median)]
    start, step = _steps(float(known.min()), float(known.max()))
    line = {"color": style.NEUTRAL, "width": 1.2, "smoothing": 1.0}
    contour = go.Contour(
        x=levels.x,
        y=levels.y,
        z=levels.median.astype(np.float32),
        contours={"coloring": "none", "start": start, "end": float(known.max()), "size": step},
        line=line,
        showlegend=False,
        showscale=False,
        hoverinfo="skip",
    )
    spots = _numbered(levels, np.arange(start, float(known.max()) + 1e-9 * step, step))
    numbers: Trace = {
        "type": "scatter",
        "x": [x for x, _, _ in spots],
        "y": [y for _, y, _ in spots],
        "text": [number(float(f"{level:.6g}")) for _, _, level in spots],
        "mode": "text",
        "textfont": {"color": style.INK, "size": 13, "shadow": "auto"},
        "hoverinfo": "skip",
        "showlegend": False,
        "name": "median on the plane",
    }
    return [contour, numbers, legend_entry("equal median, on one plane", mode="lines", line=line)]


def _numbered(levels: NumberLevels, values: NDArray[np.float64]) -> list[tuple[float, float, float]]:
    """Return a place on the line of each value, as far as can be from those of the others: Plotly leaves most out."""
    ends = [(float(along[0]), float(along[-1]) - float(along[0]) or 1.0) for along in (levels.x, levels.y)]
    taken: list[NDArray[np.float64]] = []
    found = []
    for value in values.tolist():
        above = levels.median - value
        before, after = above[:, :-1], above[:, 1:]
        # No line where nothing is known: comparisons with a missing number are false.
        rows, columns = np.nonzero(((before <= 0.0) & (after > 0.0)) | ((before >= 0.0) & (after < 0.0)))
        if not len(rows):
            continue
        part = before[rows, columns] / (before[rows, columns] - after[rows, columns])
        x = levels.x[columns] + part * (levels.x[columns + 1] - levels.x[columns])
        y = levels.y[rows]
        inside = np.column_stack([(at - low) / length for at, (low, length) in zip((x, y), ends, strict=True)])
        # Away from the edge, where a number would be cut.
        room = np.minimum(inside, 1.0 - inside).min(axis=1)
        apart = [np.linalg.norm(inside - other, axis=1) for other in taken]
        best = int(np.minimum.reduce([2.0 * room, *apart]).argmax())
        taken.append(inside[best])
        found.append((float(x[best]), float(y[best]), float(value)))
    return found


def _steps(low: float, high: float) -> tuple[float, float]:
    """Return the first of some six round numbers between two, and the step between them.

    Examples
    --------
    >>> _steps(3.2, 61.0), _steps(0.0125, 0.019)
    ((10.0, 10.0), (0.013, 0.001))
    """
    raw = (high - low) / 6.0
    if raw <= 0.0:
        return low, 1.0
    power = 10.0 ** np.floor(np.log10(raw))
    step = float(power * min((1.0, 2.0, 5.0, 10.0), key=lambda factor: abs(factor * power - raw)))
    return float(np.round(np.ceil(low / step - 1e-9) * step, 12)), step


def _prototypes(mapping: NumberMap, *, of_target: bool) -> Trace:
    """Draw prototypes as large marks."""
    frame = mapping.prototypes
    texts = [
        [f"{number(t)} ± {number(float(f'{s:.2g}'))}" for t, s in zip(frame["target"], frame["spread"], strict=True)],
        [rough(weight) for weight in frame["weight"]],
    ]
    values: Any = frame["target"].to_numpy() if of_target else style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT)
    return {
        "type": "scatter",
        "x": frame["x"],
        "y": frame["y"],
        "mode": "markers",
        "name": "prototype",
        "legendgroup": "prototype",
        "showlegend": False,
        "marker": {
            "symbol": "square",
            "size": mark_sizes(frame["weight"].to_numpy(dtype=np.float64)),
            "color": values,
            "opacity": 0.75,
            "line": {"color": style.INK, "width": 1.5},
            **({"coloraxis": "coloraxis"} if of_target else {}),
        },
        "unselected": {"marker": {"opacity": 0.75}},
        "customdata": per_point(frame["row"], *texts),
        "hovertemplate": hover_template("Prototype, row %{customdata[0]}", ["says", "weight"]),
    }


def _rows(mapping: NumberMap, drawn: pd.DataFrame, colour: NumberColour, bright: Collection[int] | None) -> list[Trace]:
    """Draw rows as small marks, and those that are faded for themselves, so that a click leaves both as they are."""
    sizes = _sizes(drawn["width"].to_numpy(dtype=np.float64))
    if bright is None:
        return [_marks(mapping, drawn, colour, sizes, style.SAMPLE_OPACITY)]
    strong = drawn.index.isin(list(bright))
    return [
        _marks(mapping, drawn[~strong], colour, sizes[~strong], FADED),
        _marks(mapping, drawn[strong], colour, sizes[strong], style.SAMPLE_OPACITY),
    ]


def _marks(
    mapping: NumberMap, drawn: pd.DataFrame, colour: NumberColour, sizes: NDArray[np.float64], opacity: float
) -> Trace:
    """Draw rows as small marks, the smaller the wider the interval."""
    interval = [f"{number(low)} to {number(high)}" for low, high in zip(drawn["lower"], drawn["upper"], strict=True)]
    details = mapping.details.loc[drawn.index]
    texts = [
        [number(value) for value in drawn["median"]],
        interval,
        [number(value) for value in drawn["actual"]],
        [percent(value) for value in drawn["quantile"]],
        *(value_texts(details[name]) for name in details.columns),
    ]
    names = ["median", "90 %", f"actual {mapping.target}", "familiarity", *map(str, details.columns)]
    return {
        "type": "scatter",
        "x": drawn["x"],
        "y": drawn["y"],
        "mode": "markers",
        "name": "row",
        "showlegend": False,
        "marker": {
            "size": sizes,
            "color": drawn[colour].to_numpy(dtype=np.float64),
            "coloraxis": "coloraxis",
            "opacity": opacity,
            "line": {"color": style.INK, "width": 0.6},
        },
        "unselected": {"marker": {"opacity": opacity}},
        "customdata": per_point(drawn.index, *texts),
        "hovertemplate": hover_template("Row %{customdata[0]}", names),
    }


def _sizes(width: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sizes of rows: the largest of the narrowest intervals."""
    if not len(width):
        return width
    low, high = np.percentile(width, [5.0, 95.0])
    wide = np.clip((width - low) / (high - low), 0.0, 1.0) if high > low else np.zeros(len(width))
    return np.round(_SUREST + (_LEAST_SURE - _SUREST) * wide, 1)


def _entry() -> Trace:
    """Explain the prototypes in the legend."""
    look = {
        "symbol": "square",
        "size": 14,
        "color": style.tinted(style.MODEL, 0.4),
        "line": {"color": style.INK, "width": 1.5},
    }
    return legend_entry("prototype (size: weight)", legendgroup="prototype", marker=look)


def _marked(mapping: NumberMap, selected: int | None, spot: tuple[float, float] | None) -> list[Trace]:
    """Mark the selected case."""
    here = mapping.points[mapping.points.index == selected]
    at = spot if here.empty else (float(here["x"].iloc[0]), float(here["y"].iloc[0]))
    if at is None:
        return []
    return [diamond([at[0]], [at[1]])]


def _scale(mapping: NumberMap, colour: NumberColour, ends: NDArray[np.float64]) -> dict[str, Any]:
    """Return the scale of the colours: the stronger the more."""
    title = _TITLES[colour] if colour == "quantile" else f"{_TITLES[colour]}<br>{plain(mapping.target, limit=40)}"
    bar = style.colour_bar(title, shares=colour == "quantile")
    low, high = (0.0, 1.0) if colour == "quantile" else (float(ends[0]), float(ends[1]))
    return {"colorscale": style.RAMP, "cmin": low, "cmax": high if high > low else low + 1.0, "colorbar": bar}
