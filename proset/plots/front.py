"""Figures of a joint search: log-loss against the size of the models, and its curves over the number of batches."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words
from proset.plots import style
from proset.plots.selection_marks import PENALTIES, POINT
from proset.plots.texts import hover_template
from proset.plots.traces import Trace, legend_entry
from proset.selection.front import JOINED, FrontPoint, front_point, landmarks

if TYPE_CHECKING:
    from proset.selection.joint_record import JointRecord
    from proset.selection.joint_rules import ChosenRefinement

_NONE_AT = 0.5  # where a logarithmic axis shows a model without prototypes
_FEWEST_COLOURS = 2
_BESIDE = 1.25  # how far outside the outermost point the axis ends, as a factor
# What lies more than so many times the height of the usual points above the lowest is left out of the first view.
_FAR, _LEAST_ROOM = 2.5, 0.02
_TRIANGLE, _SQUARE, _PENTAGON = "triangle-down", "square", "pentagon"
_FAINT = {"size": POINT - 3.0, "color": style.NEUTRAL, "opacity": 0.4}


def plot_front(record: JointRecord) -> go.Figure:
    """Draw the log-loss of all points over their number of prototypes, with the front and the points that are named.

    Parameters
    ----------
    record : JointRecord
        Whole or under way, with at least one trial done.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every point is its row label in ``record.points``. The line joins the points of the front
        that none with fewer prototypes beats; a star marks the best, a triangle the smallest that is as good, a diamond
        the chosen one, and where that is refined, a dotted line leads to a square; one to a pentagon leads to the
        joined votes of several fits like the rule's choice, where they were tried. ``layout.meta`` holds a note for the
        reader, or None.

    Examples
    --------
    >>> from proset.engine.model import ClassifierModel
    >>> from proset.selection import JointPlan, select_hyperparameters
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> plan = JointPlan(lambda_w=1e-4, n_lambda_v=2, n_folds=2, max_batches=2)
    >>> result = select_hyperparameters(ClassifierModel(), X, X[:, 0] > 0.0, plan=plan, n_jobs=1)
    >>> figure = plot_front(result.record)
    >>> figure.layout.xaxis.type, figure.layout.yaxis.title.text
    ('log', 'log-loss, mean over folds')
    """
    points = [front_point(record, label) for label in record.points.index]
    whole = [point for point in points if point.folds == record.plan.n_folds]
    figure = go.Figure()
    for name, faint in _not_on_all_folds(record, points).items():
        figure.add_trace(_points(faint, _FAINT, name, legend=True))
    if front := _falling(whole):
        figure.add_trace(_line(front))
    if whole:
        figure.add_trace(_whole(whole))
    named = landmarks(record)
    refined = _refined(record)
    joined = [] if record.joined_model is None else [front_point(record, JOINED)]
    figure.add_traces(_way(named.chosen, refined, "refined" if record.takes_joined else "chosen, refined"))
    figure.add_traces(_joined(named.rule, joined, taken=record.takes_joined))
    figure.add_traces(_marks(named.by_name))
    style.finish(figure, x_title="prototypes, mean over folds", y_title="log-loss, mean over folds", height=460)
    beside: list[FrontPoint | ChosenRefinement] = [*refined, *joined]
    top = _without_far_points(figure, points, [*named.by_name.values(), *beside])
    seen = [_place(point) for point in points if point.log_loss <= top]
    _log_axis(figure, [*seen, *map(_place, beside)])
    return figure


def plot_curves(record: JointRecord) -> go.Figure:
    """Draw the log-loss over the number of batches for every pair of penalties that was tried on all folds.

    Parameters
    ----------
    record : JointRecord
        Whole or under way.

    Returns
    -------
    plotly Figure
        The chosen point has a diamond.

    Examples
    --------
    >>> from proset.engine.model import ClassifierModel
    >>> from proset.selection import JointPlan, select_hyperparameters
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> plan = JointPlan(lambda_w=1e-4, n_lambda_v=2, n_folds=2, max_batches=2)
    >>> result = select_hyperparameters(ClassifierModel(), X, X[:, 0] > 0.0, plan=plan, n_jobs=1)
    >>> plot_curves(result.record).layout.xaxis.title.text
    'number of batches'
    """
    points = record.points
    figure = go.Figure()
    for number, pair in enumerate(record.tried):
        curve = points[points["pair"] == pair]
        if not (curve["n_batches"] == 0).any():
            curve = pd.concat([points[points["n_batches"] == 0], curve])
        first = curve[curve["n_batches"] > 0] if len(curve) > 1 else curve
        look = style.system_looks(record.tried, landmarks(record).chosen.point[0])[number]
        figure.add_trace(
            go.Scatter(
                x=first["n_batches"],
                y=first["mean"],
                mode="lines+markers",
                name=_pair_name(record, pair),
                line={"color": look.colour, "width": 2},
                marker={"symbol": look.symbol, "size": POINT - 2.0},
                hovertemplate="%{x} batches<br>log-loss %{y:.4f}<extra></extra>",
            )
        )
    chosen = landmarks(record).chosen
    if chosen.n_batches:
        figure.add_traces(_rings([chosen.n_batches], [chosen.log_loss], chosen.label))
    style.finish(figure, x_title="number of batches", y_title="log-loss, mean over folds", height=420)
    return figure.update_xaxes(dtick=1)


def _refined(record: JointRecord) -> list[ChosenRefinement]:
    """Return the refinement of the chosen model, if it has one."""
    found = record.refinement
    return [found] if found is not None and found.changes_anything else []


def _way(chosen: FrontPoint, refined: list[ChosenRefinement], name: str) -> list[go.Scatter]:
    """Draw the way from the chosen model, as it was grown, to what refining makes of it."""
    return [
        go.Scatter(
            x=[_place(chosen), _place(one)],
            y=[chosen.log_loss, one.log_loss],
            mode="lines+markers",
            name=name,
            line={"color": style.INK, "width": 1.5, "dash": "dot"},
            # Opaque is said, because Plotly draws marks of several sizes paler.
            marker={"symbol": _SQUARE, "size": [0, POINT + 2.0], "color": style.INK, "opacity": 1.0},
            customdata=[[chosen.label]] * 2,
            hoverinfo="skip",
        )
        for one in refined
    ]


def _joined(rule: FrontPoint, joined: list[FrontPoint], *, taken: bool) -> list[go.Scatter]:
    """Draw the way from the rule's choice to the joined votes of several fits like it; a full mark if taken."""
    look = {"size": POINT + 4.0, "color": style.INK if taken else style.GROUND, "opacity": 1.0}
    line, name = {"color": style.INK, "width": 1.5}, "joined votes, chosen" if taken else "joined votes"
    return [
        trace
        for one in joined
        for trace in (
            go.Scatter(
                x=[_place(rule), _place(one)], y=[rule.log_loss, one.log_loss], mode="lines", showlegend=False,
                line=line | {"dash": "dot"}, hoverinfo="skip",
            ),
            _points([one], look | {"symbol": _PENTAGON, "line": line}, name, legend=True),
        )
    ]  # fmt: skip


def _place(point: FrontPoint | ChosenRefinement) -> float:
    """Return where a point stands on the axis of prototypes."""
    return max(point.n_prototypes, _NONE_AT)


def _pair_name(record: JointRecord, pair: int) -> str:
    """Name a pair of penalties by those that were searched."""
    values = dict(zip(PENALTIES, record.plan.pairs()[pair], strict=True))
    return ", ".join(f"{PENALTIES[name]} {values[name]:.1e}" for name in record.plan.searched or PENALTIES)


def _falling(whole: list[FrontPoint]) -> list[FrontPoint]:
    """Return the points of the front, whose size counts features as well, that fall with the number of prototypes."""
    falling: list[FrontPoint] = []
    for point in sorted(whole, key=lambda point: (point.n_prototypes, point.log_loss)):
        if point.on_front and (not falling or point.log_loss < falling[-1].log_loss):
            falling.append(point)
    return falling


def _line(front: list[FrontPoint]) -> go.Scatter:
    """Draw the front, with how far each of its points is from the best."""
    errors = [0.0 if np.isnan(point.error) else point.error for point in front]
    return go.Scatter(
        x=[_place(point) for point in front],
        y=[point.log_loss for point in front],
        mode="lines",
        name="front",
        line={"color": style.NEUTRAL, "width": 2},
        error_y={"type": "data", "array": errors, "color": style.NEUTRAL, "thickness": 1, "width": 3},
        hoverinfo="skip",
    )


def _whole(points: list[FrontPoint]) -> go.Scatter:
    """Draw the points on all folds, coloured by the number of features."""
    features = [point.n_features for point in points]
    ends = min(features), max(max(features), min(features) + _FEWEST_COLOURS)
    step = max(1, round((ends[1] - ends[0]) / 5))  # whole numbers, none of them twice
    marker = {
        "size": POINT,
        "color": features,
        "colorscale": style.GREYS,
        "cmin": ends[0],
        "cmax": ends[1],
        "colorbar": {
            "title": {"text": "features", "side": "right"},
            "thickness": 12,
            "tickformat": ".0f",
            "dtick": step,
        },
        "line": {"color": style.OUTLINE, "width": 1},
    }
    return _points(points, marker, "tried on all folds", legend=False)


def _not_on_all_folds(record: JointRecord, points: list[FrontPoint]) -> dict[str, list[FrontPoint]]:
    """Return the points that are not on all folds, by why that is so."""
    reached: dict[int, int] = {}
    for point in points:
        reached[point.point[0]] = max(point.folds, reached.get(point.point[0], 0))
    groups: dict[str, list[FrontPoint]] = {}
    # After a stop nobody knows which pairs would have gone on, unless only the last look was missing.
    whole = not replace(record, choice=None).to_do()
    for point in points:
        pair = point.point[0]
        if point.folds < record.plan.n_folds:
            dropped = pair not in record.tried and whole
            why = f"dropped after {count_words(reached[pair], 'fold')}" if dropped else "on some folds only"
            groups.setdefault(why, []).append(point)
    return dict(sorted(groups.items()))


def _points(points: list[FrontPoint], marker: dict[str, Any], name: str, *, legend: bool) -> go.Scatter:
    """Draw points with what they stand for."""
    names = ["log-loss", "above the best", "features (mean)", "prototypes (mean)", "batches", "lambda_v"]
    names += ["lambda_w", "folds"]
    texts = [
        [
            point.label, f"{point.log_loss:.4f}", _above(point), f"{point.n_features:.1f}",
            f"{point.n_prototypes:.1f}", str(point.n_batches), f"{point.lambda_v:.2g}", f"{point.lambda_w:.2g}",
            str(point.folds),
        ]
        for point in points
    ]  # fmt: skip
    return go.Scatter(
        x=[_place(point) for point in points],
        y=[point.log_loss for point in points],
        mode="markers",
        name=name,
        marker=marker,
        showlegend=legend,
        customdata=texts,
        hovertemplate=hover_template(name, names, first=1),
    )


def _above(point: FrontPoint) -> str:
    """Write by how much a point is above the best."""
    if np.isnan(point.above):
        return "not compared"
    return f"{point.above:+.4f}" + ("" if np.isnan(point.error) else f" ± {point.error:.4f}")


def _marks(named: dict[str, FrontPoint]) -> list[go.Scatter | Trace]:
    """Draw the star, the triangle and the diamond; each of them lets the others be seen where they coincide."""
    (chosen_name, chosen), (_, best), (_, sparsest) = named.items()
    star = {"symbol": style.REFERENCE_SYMBOL, "size": style.REFERENCE_SIZE, "color": style.GROUND}
    triangle = {"symbol": _TRIANGLE, "size": POINT + 4.0, "color": style.GROUND}
    traces = []
    for point, look, name in ((best, star, "best"), (sparsest, triangle, "smallest as good")):
        look["line"] = {"color": style.INK, "width": 1.5}
        traces.append(_mark(_place(point), point.log_loss, look, name, point.label))
    grey = {"symbol": style.SELECTED_SYMBOL, "size": style.RING_SIZE, "color": style.NEUTRAL, "line": {"width": 2}}
    entry = legend_entry(chosen_name, marker=grey)
    return [*traces, *_rings([_place(chosen)], [chosen.log_loss], chosen.label), entry]


def _mark(x: float, y: float, marker: dict[str, Any], name: str, label: int) -> go.Scatter:
    """Draw one mark over a point; a click on it is one on the point."""
    return go.Scatter(
        x=[x], y=[y], mode="markers", name=name, marker=marker, customdata=[[label]], hoverinfo="skip"
    )  # fmt: skip


def _rings(x: list[Any], y: list[float], label: int) -> list[go.Scatter]:
    """Draw a diamond that is seen on light and dark."""
    rings = []
    for colour, width in ((style.GROUND, 5.0), (style.INK, 2.5)):
        marker = {"symbol": style.SELECTED_SYMBOL, "size": style.SELECTED_SIZE + 4, "color": colour}
        marker["line"] = {"color": colour, "width": width}
        rings.append(
            go.Scatter(
                x=x, y=y, mode="markers", name="chosen", showlegend=False, marker=marker, customdata=[[label]],
                hoverinfo="skip",
            )
        )  # fmt: skip
    return rings


def _log_axis(figure: go.Figure, places: list[float]) -> None:
    """Give the axis of prototypes a logarithmic scale with round numbers, and a place for none."""
    low, high = min(places), max(places)
    decades = 10.0 ** np.arange(0, int(np.ceil(np.log10(max(high, 1.0)))) + 1)
    ticks = [float(step * decade) for decade in decades for step in (1, 2, 5) if low <= step * decade <= high * _BESIDE]
    texts = [f"{tick:,.0f}" for tick in ticks]
    if low == _NONE_AT:
        ticks, texts = [_NONE_AT, *ticks], ["none", *texts]
    ends = np.log10([low / _BESIDE**2, high * _BESIDE**2]).tolist()
    figure.update_xaxes(type="log", tickvals=ticks, ticktext=texts, range=ends)


def _without_far_points(
    figure: go.Figure, points: list[FrontPoint], named: list[FrontPoint | ChosenRefinement]
) -> float:
    """Show the points at a size that lets them be told apart where others are far worse; return the upper end."""
    losses = np.array([point.log_loss for point in points])
    interesting = np.array([point.log_loss for point in named])
    bottom = float(min(losses.min(), interesting.min()))
    typical = float(np.median([point.log_loss for point in points if point.n_batches] or losses))
    top = max(bottom + _FAR * max(typical - bottom, _LEAST_ROOM), float(interesting.max()) + _LEAST_ROOM)
    above = losses[losses > top]
    if above.shape[0] == 0:
        return top
    room = top - bottom
    figure.update_yaxes(range=[bottom - 0.1 * room, top + 0.1 * room])
    count = "1 point is" if above.shape[0] == 1 else f"{above.shape[0]} points are"
    figure.update_layout(meta=f"{count} above this view, the highest at a log-loss of {above.max():.2f}.")
    return top
