"""Figures of a comparison that are only looked at: error against size, features, drift."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, page, words
from dashboard.services.compare import found as service
from dashboard.services.compare.choices import ALONG, Along
from dashboard.services.exports import file_stem
from dashboard.session import widgets
from dashboard.texts import compare as text
from proset.companions.systems import the_system
from proset.compare import feature_matrix, metric_table, size_paths
from proset.plots.compare_agreement import plot_overlap
from proset.plots.compare_drift import plot_drift_signs
from proset.plots.compare_features import plot_feature_shares
from proset.plots.compare_size import plot_error_over_size

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

    from dashboard.session.session import Session
    from proset.compare import Comparison, DriftTest
    from proset.study import Study

_SIDE_BY_SIDE = 460
_NAMES, _COLUMN = 240, 90  # widths of a figure of squares: what stands before them, and one of them


def size(session: Session, study: Study, found: Comparison) -> None:
    """Show the error of each system against its size."""
    if size_paths(found).frame.empty:
        words.notice("info", text.NO_PATH)
        return
    widgets.choose(session, ALONG, "Along", key="compare.along", words=text.ALONG.__getitem__)
    figure = size_figure(study, found, session.get(ALONG).value)
    _show(study, figure, "size", "Mean log-loss over the folds of each system against its size.")
    levels = text.LEVELS if session.get(ALONG) is Along.FEATURES else ""
    st.caption(words.caption(" ".join(filter(None, (figure.layout.meta, text.SIZE, text.MEANS, levels)))))


def size_figure(study: Study, found: Comparison, by: str) -> go.Figure:
    """Draw the error against the size."""
    table = cache.derived(metric_table, found)
    threshold = None if np.isnan(table.threshold) else table.threshold
    systems = [entry.title for entry in found.systems]
    paths, current = size_paths(found).frame, the_system("proset").title
    return plot_error_over_size(paths, by=by, threshold=threshold, systems=systems, current=current)


def features(session: Session, study: Study, found: Comparison) -> None:
    """Show which features each system uses, and how far they rest on the same rows."""
    matrix = cache.derived(feature_matrix, found)
    if matrix.shares.notna().any(axis=None):
        figure = features_figure(study, found)
        with st.container(width=_NAMES + _COLUMN * matrix.shares.shape[1]):
            _show(study, figure, "features", "Share of each feature in the weights of each system, in per cent.")
        without = text.NO_WEIGHTS_OF if matrix.shares.isna().all().any() else ""
        said = (*matrix.words, figure.layout.meta, text.FEATURES, without)
        st.caption(words.caption(" ".join(filter(None, said))))
    else:
        words.notice("info", text.NO_WEIGHTS)
    few = service.with_few_prototypes(found)
    shown = matrix.overlap.loc[few, few]
    if len(shown) < 2:
        return
    page.section(text.OVERLAP)
    shown = shown.rename(index=text.SHORT, columns=text.SHORT)
    with st.container(width=_NAMES + _COLUMN * len(shown)):
        _show(study, plot_overlap(shown), "overlap", "Prototypes that two systems share, in per cent.")
    st.caption(words.caption(text.OVERLAP_NOTE))


def features_figure(study: Study, found: Comparison) -> go.Figure:
    """Draw the shares of the features."""
    matrix = cache.derived(feature_matrix, found)
    return plot_feature_shares(matrix.shares.rename(columns=text.SHORT))


def drift(session: Session, study: Study, found: Comparison) -> None:
    """Show how well each system's sign tells shifted rows from the others, and its own errors among them."""
    if found.drift is None or found.drift.frame.empty:
        words.notice("info", service.drift_words(found.drift))
        return
    st.markdown(words.markdown(service.drift_words(found.drift)))
    with st.container(horizontal=True, gap="medium"):
        for name in ("auc_shifted", "auc_wrong"):
            with st.container(width=_SIDE_BY_SIDE, key=f"compare.drift.{name}"):
                st.markdown(f"**{text.DRIFT[name]}**")
                lines = service.drift_lines(found.drift, name)
                if lines["auc"].notna().any():
                    _show(study, _bars(found.drift, name), f"drift_{name}", f"{text.DRIFT[name]}: ROC-AUC by system.")
                else:
                    st.caption(text.NO_AUC)
    st.caption(words.caption(" ".join(filter(None, (text.DRIFT_NOTE, service.without_sign_words(found.drift))))))


def drift_files(found: Comparison) -> list[tuple[str, str, Callable[[], go.Figure]]]:
    """Return label, name and maker of the bars that are shown."""
    drift = found.drift
    if drift is None or drift.frame.empty:
        return []
    known = [name for name in text.DRIFT if drift.frame[name].notna().any()]
    return [(text.DRIFT[name], f"drift_{name}", partial(_bars, drift, name)) for name in known]


def _bars(drift: DriftTest, name: str) -> go.Figure:
    """Draw one ROC-AUC of all systems."""
    # Both figures have one axis: they stand beside each other.
    lowest = drift.frame[list(text.DRIFT)].astype(float).min().min()
    return plot_drift_signs(service.drift_lines(drift, name), lowest=lowest, current=the_system("proset").title)


def _show(study: Study, figure: go.Figure, name: str, alt: str) -> None:
    """Show one figure."""
    figure_panel.show(figure, key=f"compare.{name}", file_name=file_stem(study.table.name, "compare", name), alt=alt)
