"""The known cases nearest to a case, and where its values lie among those of each class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import figure_panel, tables, words
from dashboard.components.case import link
from dashboard.services.case.known import nearest_lines, nearest_note
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.cases import CaseRef
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.plots.value_places import plot_value_places

if TYPE_CHECKING:
    import pandas as pd

_LINES_SHOWN = 20
_SIMILARITIES = {"similarity": "Similarity", "similarity_all": "In all columns"}


def nearest(session: Session, evidence: CaseEvidence) -> None:
    """List the nearest known cases of all classes together; a ticked one opens."""
    lines = nearest_lines(evidence)
    if lines.empty:
        st.caption("The model uses no column, so that all known cases are alike to it.")
        return
    own = {"class": st.column_config.TextColumn("Class", width="small")}
    ticked(session, lines, own, key=f"case.nearest.{evidence.ref.text}", has="class")
    st.caption(nearest_note(evidence, lines))


def ticked(session: Session, lines: pd.DataFrame, own: dict[str, Any], *, key: str, has: str) -> None:
    """Show lines of known cases, of which a ticked one opens.

    Parameters
    ----------
    lines : DataFrame
        Columns row, name, what each case has, similarity, perhaps similarity_all, and prototype (a word or nothing).
    own : dict of str to column
        How what each case has is shown.
    has : str
        What it is, in words.
    """

    def take() -> None:
        picked = widgets.says(key)["selection"]["rows"]
        if picked:
            link.follow(session, CaseRef.in_table(int(lines["row"].iloc[picked[0]])))

    similar = {name: said for name, said in _SIMILARITIES.items() if name in lines}
    shown, looks = tables.similarity_bars(lines, similar)
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
            **own,
            **looks,
            "prototype": st.column_config.TextColumn("Kind", width="small") if lines["prototype"].any() else None,
        },
        alt=f"The known cases nearest to this one, with {has} and similarity.",
    )


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
