"""How good a model is on rows it has not seen, what it looks at, and what it kept."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.services import fit as service
from dashboard.services.cases import Part, part_rows
from dashboard.session.session import Session
from proset.plots.confusion import plot_confusion
from proset.plots.weights import plot_feature_weights
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, confusion

_BARS = 20


def held_out_confusion(session: Session, study: Study) -> pd.DataFrame:
    """Return how often each class is said of the held-out cases of each class."""
    judged = session.judged(study)
    return confusion(part_rows(judged, Part.HELD_OUT), study.classes)


def measures(session: Session, study: Study, counts: pd.DataFrame) -> None:
    """Show the verdict and the measures on held-out rows beside the naive model."""
    st.subheader("On rows the model has not seen", anchor=False)
    words.notice(*service.verdict(study, counts))
    entries = service.measures(study, counts)
    grid = st.grid(len(entries), min_column_width=180)
    for entry in entries:
        grid.metric(
            entry.label,
            entry.value,
            delta=f"naive {entry.naive}",
            delta_color="off",
            delta_arrow="off",
            help=entry.help,
            border=True,
        )
    rule = study.metrics.rule if session.rule == MOST_PROBABLE else session.rule.words
    absent = study.metrics.absent_classes
    note = f" No held-out row belongs to: {', '.join(map(words.caption, absent))}." if absent else ""
    st.caption(
        f"Measured on {study.metrics.n_rows:,} held-out rows. Predicted class: {words.caption(rule)}. "
        f"Naive: always states how common each class is among the training rows.{note}"
    )


def inside(study: Study, counts: pd.DataFrame) -> None:
    """Show the feature weights and the confusion matrix."""
    grid = st.grid(2, min_column_width=330, gap="medium")
    with grid.cell():
        st.subheader("What the model looks at", anchor=False)
        weights = study.feature_weights
        if weights.empty:
            st.markdown(":gray[No feature is used.]")
        else:
            figure = plot_feature_weights(weights, limit=_BARS)
            figure_panel.show(
                figure,
                key="fit.weights",
                file_name="feature_weights",
                alt=f"Feature weights as bars; the largest is {weights.index[0]}.",
            )
            hidden = len(weights) - _BARS
            more = f" {hidden:,} more features with smaller weights are in the download." if hidden > 0 else ""
            st.caption(f"Weights are for standardised features, so that their lengths can be compared.{more}")
    with grid.cell():
        st.subheader("Right and wrong", anchor=False)
        figure_panel.show(
            plot_confusion(counts),
            key="fit.confusion",
            file_name="confusion",
            alt="Held-out rows by actual and predicted class.",
        )


def batches(study: Study) -> None:
    """Show how many prototypes were kept and how the search for weights ended."""
    st.subheader("Prototypes", anchor=False)
    frame = service.batch_table(study)
    if frame.empty:
        st.markdown(":gray[The model has no batch, so it only states how common each class is.]")
    else:
        st.dataframe(frame, width="content")
    for converged, text in service.solver_lines(study):
        icon = ":material/check:" if converged else ":orange[:material/warning:]"
        st.markdown(f"{icon} {words.markdown(text)}")
    st.caption(words.caption(service.made_words(study)))
