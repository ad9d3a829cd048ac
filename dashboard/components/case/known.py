"""The known cases nearest to a case, and where its values lie among those of each class."""

from __future__ import annotations

import streamlit as st

from dashboard.components import figure_panel, tables, words
from dashboard.components.case import link
from dashboard.services.case.known import nearest_lines, nearest_note
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.plots.value_places import plot_value_places

_LINES_SHOWN = 20


def nearest(session: Session, evidence: CaseEvidence) -> None:
    """List the nearest known cases of all classes together; a ticked one opens."""
    lines, key = nearest_lines(evidence), f"case.nearest.{evidence.ref.text}"
    if lines.empty:
        st.caption("The model uses no column, so that all known cases are alike to it.")
        return

    def take() -> None:
        picked = widgets.says(key)["selection"]["rows"]
        if picked:
            link.follow(session, CaseRef.in_table(int(lines["row"].iloc[picked[0]])))

    labels = {"similarity": "Similarity", "similarity_all": "In all columns"}
    shown, looks = tables.similarity_bars(lines.copy(), labels)
    st.dataframe(
        shown,
        key=key,
        hide_index=True,
        on_select=take,
        selection_mode="single-row",
        height=tables.height(len(lines), _LINES_SHOWN),
        column_config={
            "row": None,
            "name": st.column_config.TextColumn("Known case", width="small"),
            "class": st.column_config.TextColumn("Class", width="small"),
            **looks,
            "prototype": st.column_config.TextColumn("Kind", width="small") if lines["prototype"].any() else None,
        },
        alt="The known cases nearest to this one, with class and similarity.",
    )
    st.caption(nearest_note(evidence, lines))


def places(evidence: CaseEvidence) -> None:
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
