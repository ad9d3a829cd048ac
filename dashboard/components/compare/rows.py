"""The rows on which systems disagree: how often, which, and what each system says of one and why."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.components import anchor, figure_panel, line_list, page, tables, words
from dashboard.components.compare import case as compare_case
from dashboard.components.compare.kept import kept
from dashboard.services.compare import found as service
from dashboard.services.compare.choices import PAIR, pair_number, pair_of
from dashboard.services.exports import file_stem
from dashboard.services.params import NOT_THERE
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import compare as text
from proset.common.words import count_words
from proset.compare import disagreements
from proset.plots import style
from proset.plots.compare_agreement import plot_agreement

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from dashboard.services.cases import Within
    from dashboard.services.compare.found import Disputed
    from proset.compare import Comparison, Disagreements
    from proset.study import Study

_AGREEMENT = "compare.agreement"
_ASIDE = 400
_FEWEST = 2  # systems that can disagree
_LINES_SHOWN = 10
# Pixels, in a window of 1440:
_BESIDE, _WHOLE = 735, 1165  # of the list beside the figure, and alone
_TICK, _ROW, _GAP = 33, 50, 64
_LETTER, _EDGES = 7.2, 17  # of a letter in bold, as it stands where a class is wrong; of both edges of a cell
_NARROW = 70
_WRONG = f"font-weight: bold; background-color: {style.tinted(style.WRONG, 0.2)}"


def show(session: Session, study: Study, found: Comparison) -> None:
    """Show how often systems agree, the rows on which they do not, and one of them as each system sees it."""
    rows = found_rows(study, found, session.within)
    if not rows.n_rows:
        return  # the page has said so
    if len(rows.agreement) < _FEWEST:
        words.notice("info", " ".join(rows.words))
        return
    pair = pair_of(session.get(PAIR), tuple(rows.agreement.index))
    if pair is None and session.get(PAIR):
        what = "this comparison"
        words.notice("info", NOT_THERE.format(name=PAIR.name, value=session.get(PAIR), what=what))
        session.forget(PAIR)
    listed = cache.derived(service.disputed, found, rows, pair)
    width = max(_NARROW, round(_LETTER * _longest(study)) + _EDGES)
    # Long names take the whole width: what is cut off may be all that tells two classes apart.
    beside = width <= _room(_BESIDE, listed)
    with st.container(horizontal=beside, gap="medium"):
        with st.container(width="stretch", key="compare-list"):
            _pairs(session, found, rows, pair)
            _list(session, listed, pair, width=width if beside else _room(_WHOLE, listed))
        with st.container(width=_ASIDE, key="compare-aside"):
            _matrix(session, study, found, rows, pair)
    compare_case.show(session, study, found, key="compare")


def found_rows(study: Study, found: Comparison, within: Within | None) -> Disagreements:
    """Return the rows on which systems disagree, once."""
    return kept(_disagreements, study, found, within)


def _disagreements(study: Study, found: Comparison, within: Within | None) -> Disagreements:
    return disagreements(study, found, None if within is None else within.rows)


def agreement_figure(study: Study, found: Comparison, within: Within | None, *, picked: int | None = None) -> go.Figure:
    """Draw how often two systems say the same."""
    pairs = found_rows(study, found, within).agreement
    return plot_agreement(pairs.rename(index=text.SHORT, columns=text.SHORT), picked=picked)


def _pairs(session: Session, found: Comparison, rows: Disagreements, pair: tuple[str, str] | None) -> None:
    """Show the choice of any systems, or two of them."""
    names, known = service.titles_of(found), list(rows.agreement.index)
    options = [0, *(pair_number(a, b) for i, a in enumerate(known) for b in known[i + 1 :])]

    def said(number: float) -> str:
        two = pair_of(number, tuple(known))
        return text.ANY_TWO if two is None else f"{names[two[0]]} against {names[two[1]]}"

    widgets.pick(session, PAIR, options, text.BETWEEN, key="compare.pair", words=said, in_line=True)


def _matrix(session: Session, study: Study, found: Comparison, rows: Disagreements, pair: Any) -> None:
    """Show how often two systems say the same; a click lists the rows on which they do not."""
    keys = list(rows.agreement.index)
    st.markdown(f"**{text.AGREEMENT.format(rows=count_words(rows.n_rows, 'row'))}**")
    picked = None if pair is None else keys.index(pair[0]) * len(keys) + keys.index(pair[1])
    # The figure stays the one that the browser has: it shows by itself what is clicked.
    name = f"{_AGREEMENT}.{session.rows_key}"
    _, start = anchor.place(session, name, picked)
    figure = agreement_figure(study, found, session.within, picked=start)

    def clicked(cell: int | None) -> None:
        number = 0 if cell is None else pair_number(keys[cell // len(keys)], keys[cell % len(keys)])
        session.put(PAIR, number)

    figure_panel.show_points(
        session,
        figure,
        name=name,
        picked=picked,
        file_name=file_stem(study.table.name, "compare", "agreement"),
        alt="Share of rows, in per cent, for which two systems say the same class.",
        clicked=clicked,
        fade=True,
    )
    st.caption(words.caption(" ".join((*rows.words, text.CLICK))))


def _longest(study: Study) -> int:
    """Return how many letters the longest name of a class has."""
    return max(map(len, study.classes))


def _room(pixels: int, listed: Disputed) -> int:
    """Return how wide each column of classes may be in a list of that width."""
    return (pixels - _TICK - _ROW - _GAP) // (1 + len(listed.titles))


def _list(session: Session, listed: Disputed, pair: tuple[str, str] | None, *, width: int) -> None:
    """Show the list; picking a line selects the case on every page."""
    frame = listed.frame
    if frame.empty:
        words.notice("success", text.AGREED if pair is None else text.AGREED_PAIR)
        return
    column = st.column_config.TextColumn
    line_list.show_cases(
        session,
        f"compare.rows.{listed.cases.key}",
        tables.in_words(frame, ["gap"], listed.wrong.replace({True: _WRONG, False: ""})),
        rows=frame.index,
        lines=_LINES_SHOWN,
        columns={
            "row": st.column_config.NumberColumn("Row", format="%d", width=_ROW),
            "actual": column("Actual", width=width),
            "gap": st.column_config.NumberColumn("Gap", width=_GAP, help=text.GAP),
            **{key: column(text.SHORT[key], width=width, help=title) for key, title in listed.titles.items()},
        },
        alt=f"List of {listed.cases.counted(len(frame))}.",
    )
    st.caption(f"{listed.counted} {text.WRONG} {text.PICK}")
    _ways(session, listed)


def _ways(session: Session, listed: Disputed) -> None:
    """Show the ways to the listed rows: all on the map, or one by one from the first."""
    cases = listed.cases

    def look() -> None:
        session.look_through(cases)
        if session.case not in (cases.picked or ()):
            session.select((cases.picked or (None,))[0])

    with st.container(horizontal=True):
        through = st.button(text.ONE_BY_ONE, key="compare.walk", icon=":material/person_search:", on_click=look)
        on_map = st.button(text.ON_MAP, key="compare.map", icon=":material/scatter_plot:", on_click=look)
    if on_map or through:
        page.go(session, page.find(session, "map" if on_map else "case"))
