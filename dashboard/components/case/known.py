"""The known cases nearest to a case, and where its values lie among those of each class."""

from __future__ import annotations

import streamlit as st

from dashboard.components import figure_panel, page, words
from dashboard.components.case import link
from dashboard.services.case.known import nearest_by_class
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.session.session import Session
from proset.common.words import percent
from proset.explain.phrases import similarity_words
from proset.plots.value_places import plot_value_places

_WIDTH = 232


def nearest(session: Session, evidence: CaseEvidence) -> None:
    """List three known cases of each class."""
    page.section("Nearest known cases")
    report, found = evidence.report, evidence.nearest
    with st.container(horizontal=True, gap="medium"):
        for place, (label, cases) in enumerate(nearest_by_class(found, report.probabilities, report.actual)):
            with st.container(width=_WIDTH, gap="xxsmall"):
                actual = " (actual)" if label == report.actual else ""
                share = percent(float(report.probabilities[label]))
                st.markdown(f"**{words.markdown(label)}**{actual} · {share}")
                for case in cases.to_dict("records"):
                    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
                        row = int(case["row"])
                        link.button(session, CaseRef.in_table(row), case["name"], key=f"case.known.{place}.{row}")
                        also = " · prototype" if case["prototype"] else ""
                        st.markdown(f":small[similarity {similarity_words(case['similarity'])}{also}]")
    st.caption("Training rows, whether prototypes or not; similarity as the model measures it, from 0 to 1.")


def places(session: Session, evidence: CaseEvidence) -> None:
    """Show each value of the case over where the values of each class lie."""
    found = evidence.places
    figure = plot_value_places(found)
    outside = [f"{line['column']} is {line['outside']}" for line in found.frame.to_dict("records") if line["outside"]]
    figure_panel.show(
        figure,
        key="case.places",
        file_name=f"{evidence.stem}-values",
        alt="Each value of the case among those of each class, one band per column.",
    )
    notes = ("Thin: 5th to 95th percentile of a class, thick: its middle half, diamond: this case.", figure.layout.meta)
    st.caption(words.caption(" ".join(filter(None, notes))))
    if outside:
        st.caption(words.caption(f"Beside the training rows: {'; '.join(outside[:5])}."))
