"""Result of a fit: the quality on rows not seen, the features the model looks at, and the prototypes it kept."""

from __future__ import annotations

import streamlit as st

from dashboard import cache
from dashboard.components import endings, figure_panel, page, words
from dashboard.services.fit import verdict as service
from dashboard.services.quality.rules import rule_words
from dashboard.session.session import Session
from proset.common.words import count_words
from proset.data.scales import Scale
from proset.explain.judged.lone_column import lone_column
from proset.plots.weights import plot_feature_weights
from proset.study import Study
from proset.study.judging import judge_model
from proset.study.verdict import Verdict

_BARS = 20
_SCALE_WORDS = {kind: f" Numbers are on a {kind} scale, on which a standard deviation is 1." for kind in Scale} | {
    Scale.STANDARD: "",
    Scale.EVIDENCE: " Beside its values a column has a weight for what these say of each class, its evidence.",
}


def held_out_verdict(session: Session, study: Study) -> Verdict:
    """Return what the model adds to the class shares, as the session decides."""
    rule = session.rule
    return cache.derived(judge_model, study, rule)


def measures(session: Session, study: Study, verdict: Verdict) -> None:
    """Show the verdict and the measures on held-out rows beside the naive model."""
    found = service.notice(study, verdict, cache.derived(lone_column, study))
    words.notice(found.kind, found.text, found.advice)
    entries = service.measures(study, verdict)
    grid = st.grid(len(entries), min_column_width=page.measure_width(session))
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
    rows = count_words(study.metrics.n_rows, "held-out row")
    st.caption(
        f"Measured on {rows}. {words.caption(rule_words(session.rule, study.classes))} "
        "Naive: always states how common each class is among the training rows."
    )
    page.link(session, "quality", "What is right and wrong, and whether probabilities hold", content=True)


def looks_at(study: Study) -> None:
    """Show the feature weights."""
    page.section("What the model looks at")
    weights = study.feature_weights
    if weights.empty:
        st.markdown(":gray[No feature is used.]")
        return
    figure_panel.show(
        lambda: plot_feature_weights(weights, limit=_BARS),
        owner=study,
        key="fit.weights",
        file_name="feature_weights",
        alt=f"Feature weights as bars; the largest is {weights.index[0]}.",
    )
    hidden = len(weights) - _BARS
    more = f" {count_words(hidden, 'more feature')} of less weight can be had as a file." if hidden > 0 else ""
    scale = _SCALE_WORDS[study.settings.scale]
    st.caption(f"Weights are for standardised features, so that their lengths can be compared.{scale}{more}")


def batches(study: Study) -> None:
    """Show how many prototypes were kept and how the search for weights ended."""
    without = "The model has no batch, so it only states how common each class is."
    endings.batches(study, service.batch_table(study), without)
