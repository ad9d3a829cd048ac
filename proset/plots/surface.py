"""Figure of what a classifier says over two features, or over a map: figures 2.2, 2.3, 4.3 and 4.11."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import plotly.graph_objects as go

from proset.common.errors import ProsetError
from proset.common.words import listed, shown
from proset.explain.maps.surfaces import Surface
from proset.plots import style
from proset.plots.area_names import area_names
from proset.plots.backgrounds import likeliest_trace, smoothing, veil_traces
from proset.plots.surface_marks import (
    axis_ends,
    case_traces,
    face_entries,
    near_cases,
    near_prototypes,
    prototype_entries,
    prototype_traces,
    ring_traces,
    selected_trace,
)
from proset.plots.texts import plain, set_ticks
from proset.plots.traces import MARKS_LEGEND, Draft, Trace, legend_entry, place_legends

Show = Literal["probability", "class", "familiarity"]
_FACE = 0.5  # marks of a class have to be told from the area of the class
_COLOUR_BAR, _X_TITLE, _PLACE = 164, 52, 600  # pixels; what is missing is made, but then everything is drawn twice
_DASHES = ("solid", "dash", "dot", "dashdot")


def plot_surface(
    surface: Surface,
    *,
    show: Show = "probability",
    class_name: str | None = None,
    contours: bool = True,
    cases: bool = True,
    prototypes: bool = True,
    selected: int | None = None,
) -> go.Figure:
    """Draw a surface: grey where the model knows too little, cases the larger the nearer they are to the cut.

    Parameters
    ----------
    show : {"probability", "class", "familiarity"}, default "probability"
        The probability of one class, the most probable class, or familiarity as a quantile of the held-out cases.
    class_name : str or None
        Which class; None for the last one, the second of two.
    contours, cases, prototypes : bool, default True
        Whether to draw them.
    selected : int or None
        Row id of a case that is marked with a diamond, if it is among the cases.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a mark is the row id. ``layout.meta`` says how many cases and prototypes
        are not drawn, and why.

    Raises
    ------
    ProsetError
        If there is no such class, or familiarity of a classifier that has none.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> plot_surface(surface(study, n_points=20), class_name="setosa").data[0].z.shape
    (20, 20)
    """
    return draft_surface(
        surface,
        show=show,
        class_name=class_name,
        contours=contours,
        cases=cases,
        prototypes=prototypes,
        selected=selected,
    ).figure()


def draft_surface(
    surface: Surface,
    *,
    show: Show = "probability",
    class_name: str | None = None,
    contours: bool = True,
    cases: bool = True,
    prototypes: bool = True,
    selected: int | None = None,
) -> Draft:
    """Return what :func:`plot_surface` draws, not yet checked by plotly.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> shown = surface(fit_sample("iris_2f"), n_points=20)
    >>> len(draft_surface(shown).traces) == len(plot_surface(shown).data)
    True
    """
    draft = Draft()
    figure = draft.layout
    titles = [plain(axis.name, limit=50) for axis in (surface.x_axis, surface.y_axis)]
    style.finish(figure, x_title=titles[0], y_title=titles[1], height=600)
    draft.add(_faces(surface, show, class_name))
    if show != "familiarity":  # which is what the colours say then
        draft.add(veil_traces(surface))
    notes: list[str | None] = []
    drawn = surface.samples.head(0)
    if contours:
        draft.add(_contour_traces(surface))
    marks = []
    if prototypes:
        near, said = near_prototypes(surface)
        draft.add(prototype_traces(surface, near))
        notes.append(said)
        marks.append(near)
    if cases:
        drawn, said = near_cases(surface, selected)
        notes.insert(0, said)
        draft.add([*case_traces(surface, drawn), *ring_traces(drawn), *selected_trace(drawn, selected)])
    named = set(drawn["actual"].dropna())
    if show == "class":
        draft.add(face_entries(surface, drawn))
        named |= {surface.classes[k] for k in np.unique(surface.likeliest).tolist()}
        spots = np.concatenate([one[["x", "y"]].to_numpy(dtype=np.float64) for one in (*marks, drawn)])
        figure.update_layout(annotations=area_names(surface, spots))
    for near in marks:
        draft.add(prototype_entries(surface, near, named))
    _set_axes(figure, surface)
    if show != "class":
        figure.update_layout(margin_r=_COLOUR_BAR)
    room = place_legends(draft, _PLACE)
    figure.update_layout(meta=" ".join(filter(None, notes)) or None, margin_b=_X_TITLE, margin_t=room)
    return draft


def _set_axes(figure: Any, surface: Surface) -> None:
    """Let both axes end where the surface does, and keep their ratio if it has one."""
    ends = np.array([[surface.x[0], surface.y[0]], [surface.x[-1], surface.y[-1]]])
    set_ticks(figure, (surface.x_axis, surface.y_axis), ends)
    if surface.ratio is not None:
        figure.update_yaxes(scaleanchor="x", scaleratio=surface.ratio)
        figure.update_xaxes(constrain="domain")  # no axis beside what is drawn
    figure.update_xaxes(showgrid=False, range=list(axis_ends(surface.x)))
    figure.update_yaxes(showgrid=False, range=list(axis_ends(surface.y)))


def _faces(surface: Surface, show: Show, class_name: str | None) -> list[Any]:
    """Return the coloured faces."""
    if show == "class":
        return [_class_face(surface)]
    if show == "familiarity":
        values = surface.quantile
        if values is None:
            raise ProsetError(
                f"There is no familiarity to show for {surface.name}.",
                hint="Show a probability, or give a proset model held-out cases.",
            )
        return [_face(surface, values, style.RAMP, "held-out cases that are less familiar", "familiarity")]
    k = _position(surface, class_name)
    name = plain(surface.classes[k], limit=30)
    scale = style.probability_scale(surface.classes, k)
    return [_face(surface, surface.probabilities[:, :, k], scale, f"probability of {name}", f"P({name})")]


def _position(surface: Surface, class_name: str | None) -> int:
    """Return which class is shown."""
    if class_name is None:
        return len(surface.classes) - 1
    if class_name not in surface.classes:
        raise ProsetError(
            f"There is no class '{shown(class_name)}'.", hint=f"Classes: {listed(surface.classes, most=10)}."
        )
    return surface.classes.index(class_name)


def _face(surface: Surface, values: np.ndarray, scale: Any, name: str, title: str) -> go.Heatmap:
    """Return one face whose colour follows a number from 0 to 1."""
    spots, template = _spots(surface)
    return go.Heatmap(
        x=surface.x,
        y=surface.y,
        z=values.astype(np.float32),
        zmin=0.0,
        zmax=1.0,
        zsmooth=smoothing(surface),
        # In the colours, not as the opacity of the face: the bar beside it would keep full strength.
        colorscale=[[place, style.tinted(colour, _FACE)] for place, colour in scale],
        colorbar=style.colour_bar(title),
        name=name,
        text=spots,
        customdata=(100.0 * values).astype(np.float32),
        hovertemplate=f"{template}<br>{name}: %{{customdata:.1f}} %<extra></extra>",
    )


def _class_face(surface: Surface) -> go.Heatmap:
    """Return the face of the most probable class, which says under the mouse how probable it is."""
    names = [plain(name, limit=30) for name in surface.classes]
    spots, template = _spots(surface)
    said = np.asarray(names, dtype=object)[surface.likeliest]
    text = said if spots is None else np.char.add(np.char.add(spots.astype(str), "<br>"), said.astype(str))
    head = "%{text}" if spots is not None else f"{template}<br>%{{text}}"
    return likeliest_trace(surface, strength=_FACE).update(
        text=text,
        customdata=(100.0 * surface.probabilities.max(axis=2)).astype(np.float32),
        hoverinfo=None,
        hovertemplate=f"{head}: %{{customdata:.1f}} %<extra></extra>",
    )


def _spots(surface: Surface) -> tuple[np.ndarray | None, str]:
    """Return what is said of each spot, if it takes words, and the template that says it."""
    names = [plain(axis.name, limit=30) for axis in (surface.x_axis, surface.y_axis)]
    if surface.x_axis.kind == surface.y_axis.kind == "number":
        return None, f"{names[0]}: %{{x:.4g}}<br>{names[1]}: %{{y:.4g}}"
    along = [plain(surface.x_axis.text(value), limit=24) for value in surface.x]
    up = [plain(surface.y_axis.text(value), limit=24) for value in surface.y]
    return np.array([[f"{names[0]}: {a}<br>{names[1]}: {b}" for a in along] for b in up], dtype=object), "%{text}"


def _contour_traces(surface: Surface) -> list[go.Contour | Trace]:
    """Draw where familiarity falls below that of a share of the held-out cases."""
    if surface.familiarity is None or "level" in (surface.x_axis.kind, surface.y_axis.kind):
        return []
    traces = []
    for line, dash in zip(surface.contours.to_dict("records"), _DASHES * len(surface.contours), strict=False):
        level = line["familiarity"]
        if not surface.familiarity.min() < level < surface.familiarity.max():
            continue
        # Familiarity falls like a bell, so that its logarithm is what is nearly straight between two spots.
        height = np.log(np.maximum(surface.familiarity, level * 1e-6) / level).astype(np.float32)
        traces.append(
            go.Contour(
                x=surface.x,
                y=surface.y,
                z=height,
                contours={"coloring": "none", "start": 0.0, "end": 0.0, "size": 1.0, "showlabels": False},
                line={"color": style.INK, "width": 2, "dash": dash},
                showlegend=False,
                showscale=False,
                hoverinfo="skip",
            )
        )
        # A contour has no entry in the legend.
        traces.append(
            legend_entry(
                f"familiarity contour, {100 * line['quantile']:g} %",
                legend=MARKS_LEGEND,
                mode="lines",
                line={"color": style.INK, "width": 2, "dash": dash},
            )
        )
    return traces
