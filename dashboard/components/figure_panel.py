"""Figures on a page: one look of the tool bar everywhere, and marks that can be clicked."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import streamlit as st

from dashboard import cache
from dashboard.components import anchor, words
from dashboard.components.clickable import Words, draw_once, give_tool_strip, is_mark, make_clickable
from dashboard.components.ready_figure import ReadyFigure
from dashboard.services.cases import CaseRef
from dashboard.session import widgets
from dashboard.session.session import Session, current
from proset.plots import style
from proset.plots.page_look import layout_for_page, traces_for_page
from proset.plots.traces import in_words

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.data.table import Table
    from proset.plots.traces import Draft
    from proset.study.any_study import AnyStudy

_TOOLS_REMOVED = ["zoomIn2d", "zoomOut2d", "autoScale2d"]
_PICKING_TOOLS = ["select2d", "lasso2d"]
_SIZE_WHEN_CLICKED = 17


class PageLook(TypedDict):
    """Facts of the page that a figure depends on."""

    dark: bool
    larger: float


def show(
    figure: go.Figure | Callable[[], go.Figure],
    *,
    key: str,
    file_name: str,
    alt: str,
    tools: bool = True,
    owner: AnyStudy | Table | None = None,
    of: tuple[Hashable, ...] = (),
) -> ReadyFigure:
    """Show a figure that is only looked at, with or without tools; returns the figure that is shown.

    With an `owner`, a function draws the figure, which is kept; `of` is what it depends on beside owner and page.
    """
    look = page_look()

    def make() -> ReadyFigure:
        """Draw the figure."""
        said = in_words(figure() if callable(figure) else figure)
        return _ready(give_tool_strip(said) if tools else said, look)

    ready = make() if owner is None else cache.drawn(owner, key, make, *look.values(), *of)
    config = _config(file_name, wheel=False) if tools else {"displayModeBar": False}
    st.plotly_chart(ready, key=key, theme=None, config=config, alt=words.bare(alt))
    return ready


def _ready(said: Words, look: PageLook, *, clicks: bool = False) -> ReadyFigure:
    """Give a figure the look of the page; it is drawn once there."""
    said["data"] = traces_for_page(said["data"], **look)
    said["layout"] = layout_for_page(said["layout"], **look)
    return ReadyFigure(draw_once(said, clicks=clicks))


def page_look() -> PageLook:
    """Return whether the page is dark and how much larger its figures are."""
    return PageLook(dark=is_dark(), larger=current().larger)


def is_dark() -> bool:
    """Tell whether the page is dark."""
    return st.context.theme.type == "dark"


def toned(colour: str) -> str:
    """Return a colour of the grammar as the present page needs it."""
    return style.on_dark(colour) if is_dark() else colour


def show_clickable(
    session: Session,
    draw: Callable[[int | None], go.Figure | Draft],
    *,
    name: str,
    file_name: str,
    alt: str,
    lassoed: Callable[[list[int]], None] | None = None,
    owner: AnyStudy | None = None,
) -> ReadyFigure:
    """Show a figure whose marks carry row ids; a click on one selects its case.

    `draw` makes the figure for a row id whose case is to be drawn as selected; it may be changed. `lassoed` gets the
    rows around which a person draws a loop or a box; without it there are no tools for that. With an `owner` the figure
    is kept, so that `name` has to tell it from every other one of this model. Returns the figure that is shown.
    """
    key, row = anchor.place(session, name, session.selected_row())
    look = page_look()

    def make() -> ReadyFigure:
        """Draw the figure and make it answer to clicks."""
        return _ready(give_tool_strip(make_clickable(in_words(draw(row)), mark=row)), look, clicks=True)

    figure = make() if owner is None else cache.drawn(owner, name, make, row, *look.values(), session.rule)

    def clicked() -> None:
        selection = widgets.says(key)["selection"]
        if lassoed is not None and (selection.get("lasso") or selection.get("box")):
            # Drawn anew: Plotly would put a diamond on every mark within the loop.
            anchor.renew(session, name)
            lassoed(list(dict.fromkeys(int(point["customdata"][0]) for point in selection["points"])))
            return
        # A double click resets the zoom and also takes the diamond away, which nobody asks for: then it is drawn anew.
        picked = _label(selection["points"])
        anchor.shows(session, name, picked)
        if picked is not None:
            session.select(CaseRef.in_table(picked))

    modes: list[Literal["points", "lasso", "box"]] = ["points"] if lassoed is None else ["points", "lasso", "box"]
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        on_select=clicked,
        selection_mode=modes,
        config=_config(file_name, wheel=True, picking=lassoed is not None),
        alt=words.bare(alt),
    )
    return figure


def show_points(
    session: Session,
    figure: go.Figure | Callable[[], go.Figure],
    *,
    name: str,
    picked: int | None,
    file_name: str,
    alt: str,
    clicked: Callable[[int | None], None],
    fade: bool = False,
    owner: AnyStudy | None = None,
    of: tuple[Hashable, ...] = (),
) -> ReadyFigure:
    """Show a figure whose points carry labels in ``customdata[0]``; `clicked` gets that of a point that is clicked.

    It gets None when the click is taken back by another one on the same point. `picked` is the label that is picked
    now, here or elsewhere: the figure forgets a click that it does not agree with. With `fade` the figure itself says
    how what is clicked and what is not looks. `owner` and `of` as :func:`show` takes them.
    """
    key, _ = anchor.place(session, name, picked)

    def take() -> None:
        label = _label(widgets.says(key)["selection"]["points"])
        anchor.shows(session, name, label)
        clicked(label)

    look = page_look()

    def make() -> ReadyFigure:
        """Draw the figure and say what clicks do."""
        said = in_words(figure() if callable(figure) else figure)
        if not fade:
            _keep_bright(said)
        return _ready(give_tool_strip(said), look, clicks=True)

    ready = make() if owner is None else cache.drawn(owner, name, make, *look.values(), *of)
    st.plotly_chart(
        ready,
        key=key,
        theme=None,
        on_select=take,
        selection_mode="points",
        config=_config(file_name, wheel=False),
        alt=words.bare(alt),
    )
    return ready


def _keep_bright(said: Words) -> None:
    """Keep the other points as they are: Plotly would fade the chosen point and the best one, too."""
    for trace in said["data"]:
        if trace["type"] == "scatter":
            trace.setdefault("unselected", {}).setdefault("marker", {})["opacity"] = 1
        if is_mark(trace):
            trace.setdefault("selected", {}).setdefault("marker", {})["size"] = _SIZE_WHEN_CLICKED


def _label(points: list[Any]) -> int | None:
    """Return the label of the point that was clicked; None if a click was taken back."""
    return int(points[0]["customdata"][0]) if points else None


def _config(file_name: str, *, wheel: bool, picking: bool = False) -> dict[str, Any]:
    """Return the tool bar: a PNG under a good name, no tools that do nothing here."""
    return {
        "displaylogo": False,
        "scrollZoom": wheel,
        "modeBarButtonsToRemove": _TOOLS_REMOVED if picking else [*_TOOLS_REMOVED, *_PICKING_TOOLS],
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }
