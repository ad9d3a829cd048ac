"""Figure of the prototypes of a model of a number."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from proset.common.words import number, percent
from proset.explain.numbers.prototypes import NumberPrototypes
from proset.plots import style
from proset.plots.map_marks import mark_sizes
from proset.plots.texts import hover_template, plain
from proset.plots.traces import diamond, per_point

_TINT = 0.35


def plot_number_prototypes(
    found: NumberPrototypes, *, target: str = "target", picked: int | None = None, height: int = 420
) -> go.Figure:
    r"""Draw each prototype by its own number and its mean share in the answers, the heavier the larger.

    Parameters
    ----------
    target : str, default "target"
        What the number is, for the axis.
    picked : int or None
        Place in the frame of one that stands out, with its give or take as a bar.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a mark is its place in the frame.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> figure = plot_number_prototypes(explain.number_prototypes(study), target="miles per gallon")
    >>> len(figure.data[0].x) == len(study.prototypes)
    True
    """
    frame = found.frame
    texts = [
        [plain(name, limit=40) for name in frame["name"]],
        [f"{number(t)} ± {number(float(f'{s:.2g}'))}" for t, s in zip(frame["target"], frame["spread"], strict=True)],
        [percent(share) for share in frame["share"]],
        [f"{count:,}" for count in frame["leads"]],
        [str(batch) for batch in frame["batch"]],
    ]
    marks: dict[str, Any] = {
        "type": "scatter",
        "x": frame["target"].tolist(),
        "y": frame["share"].tolist(),
        "mode": "markers",
        "name": "prototype (size: weight)",
        "marker": {
            "size": mark_sizes(frame["weight"].to_numpy(dtype=np.float64)).tolist(),
            "color": style.tinted(style.MODEL, _TINT),
            "line": {"color": style.MODEL, "width": 1.2},
            "opacity": 1.0,
        },
        "unselected": {"marker": {"opacity": 1.0}},
        "cliponaxis": False,  # those that say next to nothing would be cut in half
        "customdata": per_point(range(len(frame)), *texts),
        "hovertemplate": hover_template("%{customdata[1]}", ["says", "mean share", "rows it leads", "batch"], first=2),
    }
    figure = go.Figure([marks, *_picked(found, picked)])
    style.finish(figure, x_title=plain(target), y_title="mean share in the answers", height=height)
    figure.update_yaxes(**style.share_axis(".1~%"), rangemode="tozero")
    return figure


def _picked(found: NumberPrototypes, picked: int | None) -> list[dict[str, Any]]:
    """Mark the one that is looked at, with its give or take."""
    if picked is None or not 0 <= picked < len(found.frame):
        return []
    line = found.frame.iloc[picked]
    spread = {"type": "data", "array": [float(line["spread"])], "color": style.INK, "thickness": 2}
    mark = diamond([float(line["target"])], [float(line["share"])], "looked at, ± its give or take")
    return [mark | {"error_x": spread}]
