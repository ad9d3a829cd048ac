"""More on a case in tabs: what a tab shows is computed when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard.components import figure_panel, words
from dashboard.components.case import attribution, known, ledger, mind
from dashboard.components.features import stability
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.params import ListedParam
from dashboard.session import links, widgets
from dashboard.session.session import Session
from dashboard.texts import case as text
from proset.common.words import percent
from proset.plots.contributions import has_hatching, has_rest, plot_contributions


@dataclass(frozen=True)
class Tab:
    """One of them.

    Attributes
    ----------
    name, label : str
        In the address, and on the page.
    show : callable
        Draws it.
    of_columns : bool
        Whether it is about columns in use and needs some.
    """

    name: str
    label: str
    show: Callable[[Session, CaseEvidence], None]
    of_columns: bool = True


@st.fragment
def show(session: Session, evidence: CaseEvidence, *others: Tab) -> None:
    """Show the tabs and those of other rooms, and the content of the one that is open."""
    links.write_address(session)
    fit = [tab for tab in (*TABS, *others) if evidence.study.used_columns or not tab.of_columns]
    names, labels, key = [tab.name for tab in fit], [tab.label for tab in fit], "case.tab"
    here = session.get(TAB) if session.get(TAB) in names else names[0]
    now = labels[names.index(here)]
    if not widgets.is_drawn(key) or widgets.says(key) != now:  # another default would make other tabs
        widgets.shows(key, now)

    def take() -> None:
        session.put(TAB, names[labels.index(widgets.says(key))])

    for place, box in enumerate(st.tabs(labels, key=key, on_change=take)):
        if names[place] == here:
            with box:
                fit[place].show(session, evidence)


def _sum(session: Session, evidence: CaseEvidence) -> None:
    """Show the estimate as a bar per class, cut into what adds up to it, and the same as a table."""
    report = evidence.listed
    figure = plot_contributions(report)
    estimates = ", ".join(f"{name} {percent(float(share))}" for name, share in report.probabilities.items())
    figure_panel.show(
        figure,
        key="case.contributions",
        file_name=f"{evidence.stem}-contributions",
        alt=f"Probability of each class, and what the class shares and each prototype add to it: {estimates}.",
    )
    others = "Dark: the other prototypes together." if has_rest(report) else ""
    hatched = "Hatched: the class shares among the training rows." if has_hatching(report) else ""
    notes = (hatched, others, figure.layout.meta)
    st.caption(words.caption(" ".join(filter(None, notes))))
    # The first sentence says what stands above the case.
    st.markdown(words.markdown(" ".join(report.words[1:])))
    ledger.show(evidence)


def _seeds(session: Session, evidence: CaseEvidence) -> None:
    """Show what other seeds and splits say of the case, or the way to it."""
    stability.of_case(session, evidence.study, evidence.case.row)


TABS = (
    Tab("nearest", "20 nearest", known.nearest),
    Tab("mind", text.MIND, mind.show),
    Tab("shap", "What moved it (SHAP)", attribution.show_estimate),
    Tab("familiar", "Familiarity", attribution.show_familiarity),
    Tab("sum", "How it adds up", _sum, of_columns=False),
    Tab("places", "Values by class", lambda _, evidence: known.places(evidence)),
    Tab("seeds", "Other seeds", _seeds, of_columns=False),
)
"""In their order."""
SYSTEMS = "systems"
"""Name of the tab with other methods."""
TAB = ListedParam("tab", TABS[0].name, words=(*(tab.name for tab in TABS), SYSTEMS))
"""Name of the one that is open."""
