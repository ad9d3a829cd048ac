"""Prototypes of a model of a number: what each says, of whom, and what the others make of it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, line_list, page, part_switch, tables, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.numbers import prototype_view
from dashboard.components.rows.prototype_list import choose, chosen
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.numbers import prototypes as service
from dashboard.services.numbers.prototypes import ORDER
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_prototypes as text
from proset.explain.words import rows_kept_words
from proset.plots.number_prototypes import plot_number_prototypes

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.numbers.prototypes import NumberPrototypes, NumberPrototypeView
    from proset.study.number_study import NumberStudy

_LINES, _HEIGHT = 10, 400


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    if study.prototypes.empty:
        words.notice("info", text.NONE)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        part = part_switch.show(session, key="prototypes")
        widgets.choose(session, ORDER, "Order", key="prototypes.order", words=text.ORDERS.__getitem__)
    found = cache.derived(service.prototypes, study, part, session.within)
    if followed.too_few(session, found.n_rows, part, fewest=1):
        return
    if not found.n_rows:
        words.notice("info", "There are no such rows: choose others above.")
        return
    page.finding(service.finding(found))
    learned = "" if part is part.HELD_OUT else f" {text.LEARNED}"
    measured = f"{service.measured_words(study, found, part, session.within)}{learned}"
    st.caption(words.caption(f"{measured} {rows_kept_words(study)}"))
    lines = service.ordered(found, session.get(ORDER))
    place, target = chosen(session, found.frame, int(lines.index[0])), str(study.roles.target)
    grid = st.grid(2, min_column_width=420, gap="medium")
    with grid.cell():
        _figure(session, study, found, place, target)
    with grid.cell():
        _list(session, study, found.frame, lines, place)
    line = found.frame.iloc[place]
    view = cache.derived(service.view, study, int(line["batch"]), int(line["row"]), part, session.within)
    prototype_view.show(session, study, view, found.frame, place)
    _downloads(study, found, view, target)


def _figure(session: Session, study: NumberStudy, found: NumberPrototypes, place: int, target: str) -> None:
    """Show all prototypes as marks; a click on one opens it."""
    figure_panel.show_points(
        session,
        plot_number_prototypes(found, target=target, picked=place, height=_HEIGHT),
        name=f"prototypes.chart.{session.rows_key}",
        picked=place,
        file_name=exports.file_stem(study.table.name, "prototypes"),
        alt="Prototypes by their own number and their mean share in the answers.",
        clicked=partial(choose, session, found.frame),
        fade=True,
    )


def _list(session: Session, study: NumberStudy, all_of: pd.DataFrame, lines: pd.DataFrame, place: int) -> None:
    """Show all prototypes; a ticked line opens one."""
    line_list.show(
        session,
        f"prototypes.table.{session.rows_key}.{session.get(ORDER)}",
        tables.in_words(service.table(study, lines), ["share"], even=["weight"]),
        labels=lines.index,
        picked=place,
        ticked=partial(choose, session, all_of),
        lines=_LINES,
        hide_index=True,
        columns=_columns(str(study.roles.target)),
        alt="Table of all prototypes.",
    )


def _columns(target: str) -> dict[str, Any]:
    """Return how the columns of the table look."""
    number, text_column = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "row": number("Row", format="%d", width=52),
        "name": text_column("Name"),
        "batch": number("Batch", format="%d", width=52),
        "target": number("Has", format="%.4g", width=62, help=f"Its own number: {words.help_text(target)}."),
        "spread": number("±", format="%.2g", width=50, help="Give or take: standard deviation of what it says."),
        "weight": number("Weight", width=62),
        "share": number("Share", width=62, help="Mean share in the answers for the rows measured."),
        "leads": number("Leads", width=52, help="For how many rows no prototype has a larger share."),
        "expected": text_column("Others expect", help="What all other rows' prototypes state for its row, and 90 %."),
    }


def _downloads(study: NumberStudy, found: NumberPrototypes, view: NumberPrototypeView, target: str) -> None:
    """Offer the tables and the figure."""
    stem = exports.file_stem(study.table.name, "prototypes")
    one = exports.file_stem(study.table.name, "prototype", view.batch, view.row)
    downloads.show(
        Download("All prototypes (CSV)", f"{stem}.csv", CSV, lambda: exports.csv_bytes(found.frame, index=False)),
        Download(
            "All prototypes (HTML)", f"{stem}.html", HTML,
            lambda: exports.figure_html(plot_number_prototypes(found, target=target)),
        ),
        Download("Rows of this one (CSV)", f"{one}-rows.csv", CSV, lambda: exports.csv_bytes(view.cases)),
        key="prototypes",
    )  # fmt: skip
