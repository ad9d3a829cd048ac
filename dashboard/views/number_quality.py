"""Quality of a number: how far off the model is, whether its intervals hold, and what errors still depend on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, page, part_switch, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.numbers import quality_figures, quality_measures
from dashboard.components.review import unseen
from dashboard.components.slices import followed, where_wrong
from dashboard.services import exports
from dashboard.services.numbers import quality as service
from dashboard.texts import number_quality as text
from proset.explain.numbers.known_rows import UNSEEN
from proset.plots.number_errors import plot_column_errors
from proset.plots.number_predictions import plot_number_predictions
from proset.plots.number_promises import plot_coverage, plot_number_groups, plot_places

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import plotly.graph_objects as go

    from dashboard.session.session import Session
    from proset.explain.numbers.error_column import ColumnErrors
    from proset.explain.numbers.error_columns import NumberErrors
    from proset.explain.numbers.quality import NumberQuality
    from proset.explain.numbers.quality_by import NumberQualityBy
    from proset.explain.slices.find import ErrorSlices
    from proset.study import NumberStudy

_ASIDE, _ASIDE_NAME = 440, 76


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    part_switch.show(session, key="quality")
    judges = unseen.result(session, study)
    found: NumberQuality = cache.derived(service.quality, study, session.part, session.within, judges)
    count, those = followed.counted(session, study, session.part)
    if followed.too_few(session, count, session.part, fewest=1):
        return
    if not found.n_rows:
        words.notice("info", text.NOTHING)
        return
    page.section(words.label(found.words))
    followed.too_few(session, count, session.part)
    followed.say(session, text.MEASURED.format(rows=those))
    st.caption(words.caption(f"{service.rows_words(found)}{text.PICTURE}"))
    with page.room():
        if found.n_learned:
            words.notice("warning", text.LEARNED)
        if (found.rows["part"] == UNSEEN).any():
            st.caption(text.JUDGED)
    # Unlike columns, these go below one another where the window is narrow.
    width = _ASIDE + _ASIDE_NAME * min(len(study.naming_columns), 2)  # so that no list loses its last column
    with st.container(horizontal=True, gap="medium"):
        picture, aside = st.container(key="quality-picture"), st.container(width=width)
    with picture:
        quality_figures.predictions(session, study, found, judges)
    with aside:
        quality_measures.show(found)
        quality_measures.outside(session, study, found)
    quality_figures.promises(session, study, found, judges)
    parts = where_wrong.show_outside(session, study)
    groups = quality_figures.groups(session, study, judges)
    errors, column = quality_figures.errors(session, study, judges)
    _downloads(session, study, found, groups, errors, column, parts)


def _downloads(
    session: Session,
    study: NumberStudy,
    found: NumberQuality,
    groups: NumberQualityBy,
    errors: NumberErrors,
    column: ColumnErrors | None,
    parts: ErrorSlices,
) -> None:
    """Offer the figures and the numbers."""
    stem, unit = exports.file_stem(study.table.name, "quality", session.part.value), str(study.roles.target)

    def csv(label: str, name: str, frame: Callable[[], pd.DataFrame]) -> Download:
        return Download(label, f"{stem}{name}.csv", CSV, lambda: exports.csv_bytes(frame()))

    def html(label: str, name: str, figure: Callable[[], go.Figure], said: str) -> Download:
        return Download(label, f"{stem}-{name}.html", HTML, lambda: exports.figure_html(figure(), [said]))

    files = [
        csv("Measures (CSV)", "", found.to_frame),
        csv("Answers by row (CSV)", "-rows", lambda: found.rows),
        csv("Intervals by level (CSV)", "-intervals", lambda: found.coverage),
        csv("Places (CSV)", "-places", found.places.to_frame),
        csv("Pinball loss (CSV)", "-pinball", lambda: found.pinball),
        csv("By group (CSV)", "-groups", groups.to_frame),
        csv("Errors by column (CSV)", "-errors", errors.to_frame),
        csv("Where intervals miss (CSV)", "-parts", parts.to_frame),
        html(
            "Said and actual (HTML)",
            "said",
            lambda: plot_number_predictions(found.rows, target=found.target).figure(),
            found.words,
        ),
        html("Intervals by level (HTML)", "intervals", lambda: plot_coverage(found), service.levels_words(found)),
        html("Places (HTML)", "places", lambda: plot_places(found.places), found.places.words),
        html("By group (HTML)", "groups", lambda: plot_number_groups(groups, unit=unit), service.groups_words(groups)),
    ]
    if column is not None:
        files.append(
            html("Errors by column (HTML)", "errors", lambda: plot_column_errors(column).figure(), errors.words)
        )
    downloads.show(*files, key="quality")
