"""Figure of the map before and after a change: the same cases at their old and their new places."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.explain.maps.map import BatchMap
from proset.plots import style
from proset.plots.texts import plain

BEFORE, AFTER = "Before", "After"
_MOST = 1_500
_SECONDS = 1.2
_SIZES = {"case": 6, "prototype": 13}

FloatArray = NDArray[np.float64]


def plot_map_change(before: BatchMap, after: BatchMap, *, part: str = "held_out") -> go.Figure:
    """Draw the map after a change; its two buttons move cases and prototypes between their old and new places.

    Without a press nothing moves. Where both maps have the same two features as axes, these are the axes. Otherwise the
    map before is shifted and turned, and scaled if one of them has features as axes, so that its cases come as close as
    they can to their places after; what is near stays near.

    Parameters
    ----------
    before, after : BatchMap
        Of two models of one table with the same classes; both have all rows of it.
    part : str, default "held_out"
        Rows that are drawn beside prototypes; of more than 1,500, as many in even steps.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every mark is the row id; frames are named "Before" and "After". ``layout.meta`` says how
        the maps were brought together.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> mapping = batch_map(fit_sample("iris_2f"))
    >>> [frame.name for frame in plot_map_change(mapping, mapping).frames]
    ['Before', 'After']
    """
    figure = go.Figure()
    names = [plain(axis.name, limit=40) for axis in after.axes] if after.axes else ["Axis 1", "Axis 2"]
    style.finish(figure, x_title=names[0], y_title=names[1], height=520)
    if before.prototypes.empty or after.prototypes.empty:
        lacking = before if before.prototypes.empty else after
        reason = f"{BEFORE if lacking is before else AFTER}: {lacking.message or 'there are no prototypes.'}"
        figure.add_annotation(text=plain(reason), x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
        return figure.update_xaxes(visible=False).update_yaxes(visible=False)
    places = before.points[["x", "y"]].to_numpy(dtype=np.float64), after.points[["x", "y"]].to_numpy(dtype=np.float64)
    same = _same_axes(before, after)
    moved = places[0] if same else _brought(places[0], places[1], scale=bool(before.axes) or bool(after.axes))
    spots = after.points[["actual", "part"]].assign(
        x0=moved[:, 0], y0=moved[:, 1], x1=places[1][:, 0], y1=places[1][:, 1]
    )
    traces = [_traces(before, after, spots, part, now=now) for now in (False, True)]
    figure.add_traces(traces[1])
    figure.frames = [go.Frame(name=name, data=data) for name, data in zip((BEFORE, AFTER), traces, strict=True)]
    everywhere = spots[(spots["part"] == part) | spots.index.isin(_prototype_rows(before, after))]
    for update, axis in ((figure.update_xaxes, "x"), (figure.update_yaxes, "y")):
        update(range=_range(everywhere[[f"{axis}0", f"{axis}1"]].to_numpy(dtype=np.float64)))
    if not same:
        figure.update_xaxes(showticklabels=False).update_yaxes(showticklabels=False)
    meta = "" if same else "The map before was turned so that cases come as close as they can to where they are after."
    return figure.update_layout(updatemenus=[_buttons()], meta=meta or None)


def _same_axes(before: BatchMap, after: BatchMap) -> bool:
    """Tell whether both maps have the same two features as axes."""
    return bool(before.axes and after.axes) and [one.name for one in before.axes or ()] == [
        one.name for one in after.axes or ()
    ]


def _brought(places: FloatArray, to: FloatArray, *, scale: bool) -> FloatArray:
    """Shift and turn places as close to others as they come, mirrored if need be; with `scale` in their size, too."""
    middle, goal = places.mean(axis=0), to.mean(axis=0)
    own, other = places - middle, to - goal
    if scale:
        spread = np.where(own.std(axis=0) > 0, own.std(axis=0), 1.0)
        own = own / spread * np.where(other.std(axis=0) > 0, other.std(axis=0), 1.0)
        return own + goal
    left, _, right = np.linalg.svd(own.T @ other)
    return own @ (left @ right) + goal


def _prototype_rows(*maps: BatchMap) -> list[int]:
    """Return the rows that are prototypes on any of the maps."""
    return sorted({int(row) for mapping in maps for row in mapping.prototypes["row"]})


def _traces(before: BatchMap, after: BatchMap, spots: pd.DataFrame, part: str, *, now: bool) -> list[go.Scatter]:
    """Return cases and prototypes of each class, before or now; prototypes of the other time only have no size."""
    rows = spots[spots["part"] == part]
    rows = rows.iloc[:: max(1, -(-len(rows) // _MOST))]
    heads = spots.loc[[row for row in _prototype_rows(before, after) if row in spots.index]]
    mine = set((after if now else before).prototypes["row"])
    sizes = pd.Series([_SIZES["prototype"] if row in mine else 0 for row in heads.index], index=heads.index)
    found = []
    for name, colour in style.class_colours(after.classes).items():
        for kind, group in (("case", rows), ("prototype", heads)):
            own = group[group["actual"].astype(str) == name]
            size = _SIZES["case"] if kind == "case" else sizes.loc[own.index].tolist()
            marker = {"color": colour, "size": size, "opacity": 0.55 if kind == "case" else 1.0}
            line = {"width": 0 if kind == "case" else 1.5, "color": style.INK}
            end = "1" if now else "0"
            found.append(
                go.Scatter(
                    x=own[f"x{end}"],
                    y=own[f"y{end}"],
                    ids=[str(row) for row in own.index],
                    customdata=own.index.to_numpy()[:, np.newaxis],
                    mode="markers",
                    marker={**marker, "line": line},
                    name=plain(name),
                    legendgroup=plain(name),
                    showlegend=kind == "case",
                    hovertemplate=f"row %{{customdata[0]}}<br>{plain(name)}, {kind}<extra></extra>",
                )
            )
    return found


def _range(values: FloatArray) -> list[float]:
    """Return the ends of an axis that holds all values."""
    low, high = float(values.min()), float(values.max())
    room = 0.05 * (high - low) or 0.5
    return [low - room, high + room]


def _buttons() -> dict[str, object]:
    """Return the two buttons."""
    move = {"duration": 1000 * _SECONDS, "easing": "cubic-in-out"}
    how = {"mode": "immediate", "frame": {"duration": 1000 * _SECONDS, "redraw": False}, "transition": move}
    buttons = [{"label": name, "method": "animate", "args": [[name], how]} for name in (BEFORE, AFTER)]
    place = {"x": 1.0, "xanchor": "right", "y": 1.0, "yanchor": "bottom", "pad": {"b": 8}}
    return {"type": "buttons", "direction": "left", "active": 1, "showactive": True, "buttons": buttons, **place}
