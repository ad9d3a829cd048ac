"""Figures of the Quality page of a number: what was said and true, whether intervals hold, and for whom."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, tables, words
from dashboard.components.numbers import calibrate
from dashboard.components.quality.by_group import BY
from dashboard.services import exports
from dashboard.services.numbers import quality as service
from dashboard.services.numbers.quality import ERRORS
from dashboard.session import widgets
from dashboard.texts import number_quality as text
from proset.plots.number_errors import plot_column_errors
from proset.plots.number_predictions import plot_number_predictions
from proset.plots.number_promises import plot_coverage, plot_number_groups, plot_places

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.explain.numbers.error_column import ColumnErrors
    from proset.explain.numbers.error_columns import NumberErrors
    from proset.explain.numbers.quality import NumberQuality
    from proset.explain.numbers.quality_by import NumberQualityBy
    from proset.study import NumberStudy
    from proset.study.number_unseen import NumberUnseen


def predictions(session: Session, study: NumberStudy, found: NumberQuality, judges: NumberUnseen | None) -> None:
    """Show what was said and true of each row."""
    ready = figure_panel.show_clickable(
        session,
        lambda selected: plot_number_predictions(found.rows, target=found.target, selected=selected),
        name=f"number.quality.predictions.{session.rows_key}.{judges is None}",
        file_name=exports.file_stem(study.table.name, "said_and_true"),
        alt=f"Actual number over the median said, with 90 % intervals. {found.words}",
        owner=study,
    )
    if ready.note:
        st.caption(words.caption(ready.note))


def promises(session: Session, study: NumberStudy, found: NumberQuality, judges: NumberUnseen | None) -> None:
    """Show whether intervals hold what they promise."""
    page.section(text.HOLD)
    grid = st.grid(2, min_column_width=380, gap="medium")
    for name, draw, said in (
        ("coverage", lambda: plot_coverage(found), service.levels_words(found)),
        ("places", lambda: plot_places(found.places), found.places.words),
    ):
        with grid.cell():
            figure_panel.show(
                draw,
                key=f"number.quality.{name}",
                file_name=exports.file_stem(study.table.name, name),
                alt=said,
                owner=study,
                of=(session.rows_key, judges is None),
            )
            st.caption(words.caption(said))
    calibrate.show(session, study, judges)
    with st.expander(text.PINBALL):
        column = st.column_config.TextColumn
        frame = service.pinball_frame(found)
        st.dataframe(
            frame,
            key="number.quality.pinball",
            width="content",
            height=tables.height(len(frame)),
            column_config={
                "quantile": column("Quantile"),
                "model": column("Model"),
                "everybody": column("Everybody"),
                "line": column("Straight line"),
            },
            alt="Pinball loss by quantile.",
        )


def groups(session: Session, study: NumberStudy, judges: NumberUnseen | None) -> NumberQualityBy:
    """Show for which groups of rows intervals hold and how far off answers are; returns them."""
    page.section(text.GROUPS)
    names = {0: None} | service.table_columns(study)
    now = widgets.pick(
        session,
        BY,
        list(names),
        text.GROUPED,
        key="number.quality.by",
        words=lambda place: text.BY_FAMILIARITY if names[place] is None else words.bare(names[place]),
    )
    found: NumberQualityBy = cache.derived(service.quality_by, study, session.part, session.within, judges, names[now])
    if not found.frame.empty:
        figure_panel.show(
            lambda: plot_number_groups(found, unit=str(study.roles.target)),
            key="number.quality.groups",
            file_name=exports.file_stem(study.table.name, "groups"),
            alt=found.words,
            owner=study,
            of=(session.rows_key, judges is None, now),
        )
    st.caption(words.caption(service.groups_words(found)))
    return found


def errors(
    session: Session, study: NumberStudy, judges: NumberUnseen | None
) -> tuple[NumberErrors, ColumnErrors | None]:
    """Show the columns that errors still depend on, and the errors by one of them; returns both."""
    page.section(text.ERRORS)
    found: NumberErrors = cache.derived(service.errors, study, session.part, session.within, judges)
    st.markdown(words.markdown(found.words))
    names = service.table_columns(study)
    if found.frame.empty or not names:
        return found, None
    first = str(found.frame.index[0])
    options = [0, *(place for place, name in names.items() if name != first)]
    now = widgets.pick(
        session,
        ERRORS,
        options,
        text.COLUMN,
        key=f"number.quality.errors.{session.rows_key}",
        words=lambda place: words.bare(names[place] if place else first),
    )
    column = names[now] if now else first
    own: ColumnErrors = cache.derived(service.errors_by, study, session.part, session.within, judges, column)
    ready = figure_panel.show_clickable(
        session,
        lambda selected: plot_column_errors(own, selected=selected),
        name=f"number.quality.errors.{session.rows_key}.{now}.{judges is None}",
        file_name=exports.file_stem(study.table.name, "errors"),
        alt="Errors by the values of a column.",
        owner=study,
    )
    note = "Above the line, answers are too high; squares are means of groups of values with 95 % intervals."
    st.caption(words.caption(" ".join(filter(None, (note, ready.note)))))
    return found, own
