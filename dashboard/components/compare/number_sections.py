"""Sections of the Compare page of a number: measures, small figures by system, rows on which they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, line_list, page, tables, words
from dashboard.services.compare import number_found as service
from dashboard.services.exports import file_stem
from dashboard.texts import compare as compare_text
from dashboard.texts import number_compare as text
from proset.compare import number_disputes, number_table
from proset.compare.verdict import beside_rule, verdict
from proset.plots.number_compare import plot_number_measures, plot_number_row, plot_number_system

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.compare import NumberComparison, NumberDisputes, NumberTable
    from proset.study import NumberStudy

_CURRENT = "proset"
_LINES, _ASIDE = 10, 520


def measures(study: NumberStudy, found: NumberComparison) -> None:
    """Show the measures of each system in a figure and a table."""
    table: NumberTable = cache.derived(number_table, found)
    finding, *rest = filter(None, (verdict(found), *table.words, beside_rule(found)))
    page.section(words.label(finding))
    figure = plot_number_measures(table, current=_CURRENT)
    figure_panel.show(
        figure,
        key="compare.number.measures",
        file_name=file_stem(study.table.name, "compare", "measures"),
        alt=f"CRPS and share held by 90 % intervals of each system over the folds. {finding}",
    )
    said = " ".join(filter(None, (*rest, table.promise_words, text.DOTS, figure.layout.meta)))
    st.caption(words.caption(said))
    lines = service.measure_lines(table)
    column = st.column_config.TextColumn
    st.dataframe(
        lines,
        key="compare.number.table",
        height=tables.height(len(lines)),
        column_config={
            "System": column(width=160, pinned=True),
            **{name: column(title, help=text.MEASURES[name]) for name, title in service.COLUMNS.items()},
            "equivalent": column("Equivalent", width=88, help=text.EQUIVALENT_HELP),
        },
        alt="Measures of each system: " + "; ".join(f"{name} CRPS {said}" for name, said in lines["crps"].items()),
    )
    st.caption(words.caption(text.TWO_NUMBERS.format(which=found.which)))


def about(found: NumberComparison) -> None:
    """Say what each system is, how it is set, what it costs, and what went wrong."""
    failed = [f"{entry.title}: {entry.failed}" for entry in found.systems if entry.failed]
    if failed:
        words.notice("warning", " ".join(failed))
    with st.expander(compare_text.WHAT_THEY_ARE, icon=":material/info:", key="compare.about"):
        for entry in found.systems:
            setting = f"Here: {entry.settings}." if entry.settings else ""
            said = " ".join(filter(None, (entry.about, setting, *entry.notes)))
            st.markdown(f"**{words.markdown(entry.title)}** {words.markdown(said)}")
        lines, number = service.cost_lines(found), st.column_config.NumberColumn
        st.dataframe(
            lines,
            key="compare.number.cost",
            width="content",
            height=tables.height(len(lines)),
            placeholder="–",
            column_config={
                "System": st.column_config.TextColumn(width=160),
                "fit": number("Learning, s", format="%.3f", help=text.COSTS),
                "predict": number("1,000 answers, ms", format="%.1f", help=text.COSTS),
                "prototypes": number("Prototypes", format="localized", help=text.PROTOTYPES),
                "columns": number("Columns", format="localized", help=text.PROTOTYPES),
            },
            alt="Time and size of each system.",
        )
        st.caption(compare_text.COST)


def systems(session: Session, study: NumberStudy, found: NumberComparison) -> None:
    """Show what was said and true for each system, with the same axes."""
    if not found.fitted:
        return
    page.section(text.SYSTEMS)
    grid = st.grid(len(found.fitted), min_column_width=260, gap="small")
    for entry in found.fitted:
        with grid.cell():
            st.markdown(f"**{words.markdown(entry.title)}**")
            figure_panel.show(
                plot_number_system(found, entry.key, selected=session.selected_row(), current=_CURRENT),
                key=f"compare.number.{entry.key}",
                file_name=file_stem(study.table.name, "compare", entry.key),
                alt=f"Actual numbers over the medians of {entry.title}.",
            )
    st.caption(words.caption(text.SAME))


def disputes(session: Session, study: NumberStudy, found: NumberComparison) -> None:
    """Show the rows on which systems disagree, and what each says of the selected one."""
    page.section(text.DISPUTES)
    said: NumberDisputes = cache.derived(number_disputes, found)
    if len(said.titles) < 2:
        st.caption(text.ALONE)
        return
    st.caption(words.caption(f"{said.words} {text.PICK}"))
    with st.container(horizontal=True, gap="medium"):
        listing, aside = st.container(), st.container(width=_ASIDE)
    with listing:
        _list(session, said)
    with aside:
        _row(session, study, found, said)


def _list(session: Session, said: NumberDisputes) -> None:
    """Show the list; picking a line selects the case on every page."""
    frame = service.dispute_lines(said)
    number = st.column_config.NumberColumn
    line_list.show_cases(
        session,
        "compare.number.rows",
        frame,
        rows=frame.index,
        lines=_LINES,
        columns={
            "row": number("Row", format="%d", width=50),
            "gap": number("Gap", width=70, help="The largest difference between two medians."),
            "actual": number("Actual", width=70),
            **{key: number(compare_text.SHORT[key], width=76, help=title) for key, title in said.titles.items()},
            "apart": st.column_config.TextColumn(
                "", width=120, help="Whether two of the intervals of 90 % have nothing in common."
            ),
        },
        alt="Rows in the order in which systems disagree about them.",
    )


def _row(session: Session, study: NumberStudy, found: NumberComparison, said: NumberDisputes) -> None:
    """Show what each system says of the selected row, or of the one they disagree about most."""
    selected = session.selected_row()
    measured = selected is not None and selected in said.frame.index
    if selected is not None and not measured:
        st.caption(words.caption(text.NOT_MEASURED.format(row=selected)))
    row = selected if selected is not None and measured else int(said.frame.index[0])
    st.markdown(f"**Row {row}**")
    figure_panel.show(
        plot_number_row(found, row, current=_CURRENT),
        key="compare.number.row",
        file_name=file_stem(study.table.name, "compare", f"row_{row}"),
        alt=f"What each system says of row {row}, and what is true.",
    )
    st.caption(words.caption(text.BARS))
    if measured:
        page.link(session, "case", f"Look at row {row}", content=True)
