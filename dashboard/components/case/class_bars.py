"""The estimate of one case as a bar per class, on an axis from 0 to 100 %, cut into what adds up to it."""

from __future__ import annotations

import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.features import stability
from dashboard.services.case.selected import CaseEvidence
from dashboard.session.session import Session
from proset.common.words import percent
from proset.plots.contributions import has_rest, plot_contributions

_ASIDE = 400


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the bars, and beside them in sentences what drives the estimate and how familiar and near the case is."""
    report, case, refits = evidence.report, evidence.case, stability.result(session, evidence.study)
    more = "" if refits is None or case.row is None else refits.case_words(case.row)
    figure = plot_contributions(report)
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="large"):
        bars, aside = st.container(), st.container(width=_ASIDE)
    with bars:
        estimates = ", ".join(f"{name} {percent(float(share))}" for name, share in report.probabilities.items())
        figure_panel.show(
            figure,
            key="case.contributions",
            file_name=f"{evidence.stem}-contributions",
            alt=f"Probability of each class, and what the baseline and each prototype add to it: {estimates}.",
        )
        others = "Dark: the other prototypes together." if has_rest(report) else ""
        notes = ("Hatched: the class shares among the training rows.", others, figure.layout.meta)
        st.caption(words.caption(" ".join(filter(None, notes))))
    with aside:
        # The first sentence says what the banner says.
        for sentence in filter(None, (*report.words[1:], more)):
            st.markdown(words.markdown(sentence))
