"""Prototypes: all of them, what each decides, and what would change without it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, page, part_switch, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.quality import decision_rule
from dashboard.components.rows import prototype_gallery, prototype_list, prototype_pictures, prototype_view
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services import prototypes as service
from dashboard.services.case.alike import alike_words
from dashboard.services.cases import PART_WORDS, Part
from dashboard.services.prototypes import CARDS, PrototypeRef
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import prototypes as text
from dashboard.texts import slices as slice_text
from proset import explain
from proset.explain.words import rows_kept_words
from proset.plots.prototypes import plot_prototypes

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.services.cases import Within
    from proset.explain.structure.prototype_table import PrototypeTable
    from proset.explain.structure.reverse_view import PrototypeView
    from proset.study import Study
    from proset.study.decision import DecisionRule

_LINES, _LINES_ALONE = 5, 10
_HEIGHT, _LIST = 400, 640


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    if study.prototypes.empty:
        words.notice("info", text.NONE)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        part_switch.show(session, key="prototypes")
        widgets.choose(session, CARDS, "Order", key="prototypes.order", words=text.CARDS.__getitem__)
        decision_rule.show(session, study, key="prototypes")
    count, those = followed.counted(session, study, session.part)
    if followed.too_few(session, count, session.part, fewest=1):
        return
    ground = session.part, session.rule, session.within
    whole: PrototypeTable = cache.derived(_prototypes, study, *ground)
    table = service.called(study, whole)
    measured = f"Measured on {those}." if those and table.n_cases == count else ""
    measured = measured or service.measured_words(
        table.n_cases, count, those or PART_WORDS[session.part].removeprefix("all ")
    )
    learned = "" if session.part is Part.HELD_OUT else f" {text.LEARNED}"
    page.finding(service.finding_words(table))
    st.caption(f"{measured}{learned} {decision_rule.say(session, study)} {rows_kept_words(study)}")
    followed.too_few(session, count, session.part)
    followed.say(session, slice_text.CARDS)
    first = service.card_places(table, session.get(CARDS), settling=session.within is not None)[0]
    place = prototype_list.chosen(session, table.frame, first)
    choose = partial(prototype_list.choose, session, table.frame)
    line = table.frame.iloc[place]
    which = PrototypeRef(int(line["batch"]), int(line["row"]))
    view: PrototypeView = cache.derived(_reverse, study, which, *ground)
    with st.container(key="prototypes-all"):
        prototype_gallery.show(session, study, table, place, key="prototypes", choose=choose)
        # One above the other where a larger list would leave the figure no room.
        with st.container(horizontal=not session.presenter, gap="medium"):
            left, right = st.container(), st.container(width="stretch" if session.presenter else _LIST)
        with left:
            _figure(session, study, table, place, choose)
        with right:
            lines = _LINES if study.table.grid is None else _LINES_ALONE
            prototype_list.show(session, table, place, lines=lines, choose=choose)
            prototype_view.values(study, view)
    prototype_view.show(session, study, view, line, key="prototypes")
    prototype_pictures.show(study, view)
    alike = cache.derived(alike_words, study, view.batch, view.row, tuple(view.decides.index))
    prototype_view.lists(session, study, view, alike, key="prototypes")
    _downloads(study, whole, view)


def _prototypes(study: Study, part: Part, rule: DecisionRule, within: Within | None) -> PrototypeTable:
    rows = service.measured_rows(cache.judged(study, rule), part, len(study.prototypes), within)
    return explain.prototypes(study, rows, rule=rule)


def _reverse(study: Study, which: PrototypeRef, part: Part, rule: DecisionRule, within: Within | None) -> PrototypeView:
    rows = service.measured_rows(cache.judged(study, rule), part, len(study.prototypes), within)
    return explain.prototype_view(study, which.batch, which.row, rows, rule=rule)


def _figure(
    session: Session, study: Study, table: PrototypeTable, place: int, choose: Callable[[int | None], None]
) -> None:
    """Show all prototypes as marks; a click on one opens it."""
    draw = partial(plot_prototypes, table, picked=place, height=_HEIGHT)
    figure = cache.drawn(study, "prototypes.chart", draw, place, session.rows_key, session.rule)
    if not table.frame["dominant"].any():
        st.caption(words.caption(figure.layout.meta))
        return
    figure_panel.show_points(
        session,
        figure,
        name=f"prototypes.chart.{session.rows_key}",
        picked=place,
        file_name="prototypes",
        alt="Prototypes by the number of cases they help to settle and how many of these are wrong.",
        clicked=choose,
        fade=True,
    )
    if figure.layout.meta:
        st.caption(words.caption(figure.layout.meta))


def _downloads(study: Study, table: PrototypeTable, view: PrototypeView) -> None:
    """Offer the tables and the figure."""
    stem = exports.file_stem(study.table.name, "prototypes")
    one = exports.file_stem(study.table.name, "prototype", view.batch, view.row)
    downloads.show(
        Download("All prototypes (CSV)", f"{stem}.csv", CSV, lambda: exports.csv_bytes(table.frame, index=False)),
        Download("All prototypes (HTML)", f"{stem}.html", HTML, lambda: exports.figure_html(plot_prototypes(table))),
        Download("Cases of this one (CSV)", f"{one}-cases.csv", CSV, lambda: exports.csv_bytes(view.decides)),
        Download("Known cases like it (CSV)", f"{one}-like.csv", CSV, lambda: exports.csv_bytes(view.known)),
        key="prototypes",
    )
