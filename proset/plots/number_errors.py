"""Figure of the errors of a model of a number by the values of one column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from proset.common.spread import spread_places
from proset.common.words import number
from proset.explain.value_bins import on_a_scale
from proset.plots import style
from proset.plots.texts import hover_template, plain, value_texts
from proset.plots.traces import Draft, Trace, diamond, per_point, reach

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.error_column import ColumnErrors

MOST_DRAWN = 1_500
_WIDTH = 0.3  # half of what marks of a category are spread over


def plot_column_errors(found: ColumnErrors, *, selected: int | None = None, height: int = 400) -> Draft:
    r"""Draw the error of each row over its value of a column, and the mean error of each group of values.

    Parameters
    ----------
    selected : int or None
        Row id of the selected case.
    height : int
        In pixels.

    Returns
    -------
    Draft
        Small marks for rows, with a ring where the number is outside its 90 % interval; large ones for mean errors with
        95 % intervals. ``layout.meta`` says what is not drawn.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> plot_column_errors(explain.column_errors(study, column="weight (pounds)")).traces[0]["name"]
    'row'
    """
    rows, bins = found.rows, found.bins
    scaled = on_a_scale(rows["value"])
    kept = spread_places(len(rows), MOST_DRAWN)
    drawn = rows.iloc[kept]
    x, middles = _places(drawn, bins, scaled=scaled)
    # A missing value has no place on a scale, but its group has a mean.
    there = np.array([place is not None for place in x], dtype=bool)
    drawn, x = drawn[there], x[there]
    draft = Draft()
    draft.add([_marks(drawn, x, found), _rings(drawn, x), _means(bins, middles)])
    if selected is not None and selected in drawn.index:
        at = drawn.index.tolist().index(selected)
        draft.add([diamond([x[at]], drawn["error"].iloc[[at]])])
    unit = plain(found.target, limit=40)
    style.finish(draft.layout, x_title=plain(found.column), y_title=f"{unit}: median less actual", height=height)
    draft.layout.update_yaxes(zeroline=True, zerolinecolor=style.INK, zerolinewidth=1)
    draft.layout.update_layout(dragmode="zoom", meta=_left_out(len(rows), kept, there))
    if not scaled:
        draft.layout.update_xaxes(
            tickvals=list(range(len(bins))), ticktext=[plain(name, limit=20) for name in bins.index], showgrid=False
        )
    return draft


def _places(drawn: pd.DataFrame, bins: pd.DataFrame, *, scaled: bool) -> tuple[np.ndarray, list[Any]]:
    """Return where rows and groups stand: as their values, or side by side in the order of the groups."""
    if not scaled:
        # The same for the same row, so that a figure drawn again looks the same.
        beside = ((drawn.index.to_numpy(dtype=np.int64) * 0.618034) % 1.0 - 0.5) * 2.0 * _WIDTH
        return drawn["bin"].to_numpy() + beside, list(range(len(bins)))
    if drawn["value"].dtype.kind == "M":
        days = np.asarray([None if day != day else day.isoformat() for day in drawn["value"]], dtype=object)
        return days, [None if one != one else str(np.datetime64(int(one), "us")) for one in bins["middle"]]
    values = drawn["value"].to_numpy(dtype=np.float64, na_value=np.nan)
    places = np.asarray([value if np.isfinite(value) else None for value in values.tolist()], dtype=object)
    return places, [None if one != one else one for one in bins["middle"].tolist()]


def _left_out(n_rows: int, kept: np.ndarray, there: np.ndarray) -> str | None:
    """Say what is not drawn."""
    said = []
    if len(kept) < n_rows:
        said.append(f"Drawn are {len(kept):,} of {n_rows:,} rows; means are of all.")
    if not there.all():
        said.append("Rows without a value are not drawn.")
    return " ".join(said) or None


def _marks(drawn: pd.DataFrame, x: np.ndarray, found: ColumnErrors) -> Trace:
    """Return one mark per row."""
    errors = [number(float(f"{value:.4g}")) for value in drawn["error"]]
    return {
        "type": "scatter",
        "x": x,
        "y": drawn["error"],
        "mode": "markers",
        "name": "row",
        "marker": {"color": style.tinted(style.NEUTRAL, 0.6), "size": style.SAMPLE_SIZE},
        "customdata": per_point(drawn.index, value_texts(drawn["value"]), errors),
        "hovertemplate": hover_template("Row %{customdata[0]}", [found.column, "median less actual"]),
    }


def _rings(drawn: pd.DataFrame, x: np.ndarray) -> Trace:
    """Return rings around rows whose number is outside its interval."""
    out = ~drawn["inside"].to_numpy(dtype=bool)
    return {
        "type": "scatter",
        "x": x[out],
        "y": drawn["error"][out],
        "mode": "markers",
        "name": "outside its 90 % interval",
        "marker": {
            "symbol": "circle-open",
            "size": style.RING_SIZE_MANY + 2,
            "color": style.WRONG,
            "line": {"width": 1.5, "color": style.WRONG},
        },
        "hoverinfo": "skip",
    }


def _means(bins: pd.DataFrame, middles: list[Any]) -> Trace:
    """Return the mean error of each group with its interval."""
    there = [place is not None for place in middles]
    own = bins[np.array(there, dtype=bool)]
    return {
        "type": "scatter",
        "x": [place for place in middles if place is not None],
        "y": own["error"],
        "mode": "markers",
        "name": "mean of a group, 95 % interval",
        "marker": {"symbol": "square", "size": 9, "color": style.MODEL},
        "error_y": reach(own["error"], own["low"], own["high"], thickness=2, width=5, color=style.MODEL),
        "hoverinfo": "skip",
    }
