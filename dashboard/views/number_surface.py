"""Surface of a model of a number: median and width over two columns while all others stay."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, page, tables, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.maps import axis_picker
from dashboard.components.numbers import rest_choice
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.cases import CaseSource
from dashboard.services.maps.surface import unused_words
from dashboard.services.numbers.features import REST, columns
from dashboard.services.params import ListedParam
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_surface as text
from dashboard.texts import slices as slices_text
from dashboard.texts import surface as surface_text
from dashboard.texts.number_features import NO_FEATURE
from proset.explain.numbers.surface import NumberSurface, number_surface
from proset.plots.number_surface import plot_number_surface

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.study.number_study import NumberStudy

ENOUGH = ListedParam("enough", "5", words=("1", "5", "10", "25"))
PARAMS = (REST, ENOUGH)
_WIDTH, _LINES = 210, 10


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    order = columns(study)
    if len(order) < 2:
        words.notice("info", surface_text.ONE_FEATURE)
        return
    if not study.used_columns:
        words.notice("info", NO_FEATURE)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        x, y = axis_picker.show(session, study.roles.features, order)
        typical = rest_choice.show(session, key="surface.rest")
        with st.container(width=_WIDTH):
            enough = widgets.pick(
                session, ENOUGH, ENOUGH.words, "Grey", key="surface.enough", words=text.ENOUGH.format, in_line=True,
                help=text.ENOUGH_HELP,
            )  # fmt: skip
    found = _found(session, study, x, y, float(enough) / 100.0, typical=typical)
    lost = not typical and not found.known.any()
    page.finding(found.words)
    if lost:
        st.markdown(text.WAY_OUT)
    drawn = replace(found, rows=followed.marks(session, found.rows))
    _picture(session, study, drawn, f"{x}.{y}.{enough}.{found.name}.{session.rows_key}")
    followed.say(session, slices_text.SURFACE_NUMBER)
    if unused := unused_words(study, found):
        st.caption(words.caption(unused))
    _fixed(found)
    _downloads(study, drawn)


def _cut(study: NumberStudy, x: str, y: str, row: int | None, enough: float) -> NumberSurface:
    return number_surface(study, row, x=x, y=y, enough=enough)


def _found(session: Session, study: NumberStudy, x: str, y: str, enough: float, *, typical: bool) -> NumberSurface:
    """Return the surface; of rows of the table it is kept."""
    case = session.case
    if typical or case is None:
        return cache.derived(_cut, study, x, y, None, enough)
    if case.source is CaseSource.TABLE:
        return cache.derived(_cut, study, x, y, case.row, enough)
    return number_surface(study, case.open(study, session.others), x=x, y=y, enough=enough)


def _picture(session: Session, study: NumberStudy, found: NumberSurface, key: str) -> None:
    """Show median and width side by side; a click on a mark selects its row."""

    def draw(selected: int | None) -> go.Figure:
        return plot_number_surface(found, selected=selected)

    figure_panel.show_clickable(
        session,
        draw,
        name=f"surface.number.{hash(key)}",
        file_name=exports.file_stem(study.table.name, "surface"),
        alt=f"Median and width of the interval over two columns. {found.words} The downloads hold the numbers.",
    )


def _fixed(found: NumberSurface) -> None:
    """List what the other columns are fixed at."""
    if found.fixed.empty:
        st.caption(text.ALL)
        return
    st.caption(words.caption(f"{text.FIXED}, as in {found.name}"))
    frame = found.fixed.rename("Value").rename_axis("Column").to_frame()
    st.dataframe(
        frame, key="surface.fixed", height=tables.height(len(frame), _LINES), width="content",
        alt="The columns that do not vary, and what they are fixed at.",
    )  # fmt: skip


def _downloads(study: NumberStudy, found: NumberSurface) -> None:
    """Offer the picture and the numbers behind it."""
    stem = exports.file_stem(study.table.name, "surface", found.x_axis.name, found.y_axis.name)
    fixed = "; ".join(f"{name}: {value}" for name, value in found.fixed.items())
    downloads.show(
        Download(
            "Surface (HTML)", f"{stem}.html", HTML,
            lambda: exports.figure_html(plot_number_surface(found), [found.words, f"Fixed: {fixed}"]),
        ),
        Download("Surface (CSV)", f"{stem}.csv", CSV, lambda: exports.csv_bytes(found.to_frame(), index=False)),
        key="surface",
    )  # fmt: skip
