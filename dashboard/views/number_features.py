"""Features of a model of a number: how its answer goes along them, what it looks at, and what it does without."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, figure_panel, page, tables, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.features import stability, weights
from dashboard.components.numbers import course
from dashboard.components.slices import followed
from dashboard.services import exports
from dashboard.services.numbers import features as service
from dashboard.services.numbers.features import COLUMN, REST
from dashboard.session.session import Session
from dashboard.texts import number_features as text
from dashboard.texts import slices as slices_text
from proset import explain
from proset.plots.number_course import plot_number_course
from proset.plots.weights import plot_weights

if TYPE_CHECKING:
    from proset.explain.numbers.course import NumberCourse
    from proset.explain.numbers.steps import NumberSteps
    from proset.explain.structure.features import FeatureWeights
    from proset.study.number_study import NumberStudy

PARAMS = (COLUMN, REST)
_LINES, _MOST_BARS = 14, 20


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    found = cache.derived(explain.feature_weights, study)
    if found.weights.empty:
        words.notice("info", text.NO_FEATURE)
        weights.dropped(found)
        weights.asked(session, study)
        return
    along = course.show(session, study)
    steps = cache.derived(explain.number_steps, study)
    grid = st.grid(2, min_column_width=420, gap="medium")
    with grid.cell():
        page.section(text.NEAR)
        _weights(study, found)
    with grid.cell():
        page.section(text.STEPS)
        _steps(study, steps)
    weights.dropped(found)
    followed.say(session, slices_text.OF_MODEL_NUMBER)
    weights.asked(session, study)
    page.section(text.STABLE)
    stability.show(session, study, key="features")
    _downloads(study, found, steps, along)


def _weights(study: NumberStudy, found: FeatureWeights) -> None:
    """Show the weights as bars."""
    figure = figure_panel.show(
        lambda: plot_weights(found, limit=_MOST_BARS),
        owner=study,
        key="features.weights",
        file_name=exports.file_stem(study.table.name, "feature-weights"),
        alt=f"Feature weights as bars; the largest is that of {found.weights.index[0]}. The downloads hold them all.",
    )
    st.caption(words.caption(" ".join(filter(None, (text.WEIGHTS, figure.note)))))


def _steps(study: NumberStudy, steps: NumberSteps) -> None:
    """Show how far the median moves for a step in each column."""
    st.caption(words.caption(f"In units of {study.roles.target}. {text.STEPS_HELP}"))
    frame = service.steps_frame(steps)
    st.dataframe(
        frame,
        key="features.steps",
        hide_index=True,
        height=tables.height(len(frame), _LINES),
        column_config={
            "column": "Column",
            "step": "Difference",
            "moves": st.column_config.TextColumn("Median", width=80),
            "between": st.column_config.TextColumn("8 of 10 cases", width=120, help=text.BETWEEN_HELP),
        },
        alt="How far the median moves for a step in one column, column by column.",
    )


def _downloads(study: NumberStudy, found: FeatureWeights, steps: NumberSteps, course_shown: NumberCourse) -> None:
    """Offer the tables and the figure."""
    stem = exports.file_stem(study.table.name, "features")
    along = exports.file_stem(study.table.name, "along", course_shown.axis.name)
    downloads.show(
        Download("Course (CSV)", f"{along}.csv", CSV, lambda: exports.csv_bytes(course_shown.to_frame(), index=False)),
        Download("Course (HTML)", f"{along}.html", HTML, lambda: exports.figure_html(plot_number_course(course_shown))),
        Download("Weights (CSV)", f"{stem}-weights.csv", CSV, lambda: exports.csv_bytes(found.to_frame(), index=False)),
        Download("Steps (CSV)", f"{stem}-steps.csv", CSV, lambda: exports.csv_bytes(steps.to_frame(), index=False)),
        key="features",
    )
