"""Contributions of prototypes and class shares that add up to the estimate of a case."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from dashboard.components import tables, words
from dashboard.services.case.ledger import ledger
from dashboard.services.case.selected import CaseEvidence
from proset.common.words import unbroken

# Sums of some hundred float64 numbers agree far better than this.
_ADDS_UP = 1e-9
_CLASS_PREFIX = "p class "
_LETTER, _NARROWEST, _WIDEST = 9, 96, 190  # pixels


def show(evidence: CaseEvidence) -> None:
    """Show the sum as one line and as a table, and whether it holds to the last digit."""
    found = ledger(evidence.listed)
    parts = found.sum
    st.markdown(f"Estimate for **{words.markdown(parts.label)}**: {unbroken(words.markdown(parts.words))}")
    if parts.gap < _ADDS_UP:
        st.caption("The contributions add up to the estimate.")
    else:
        st.caption(f"The contributions miss the estimate by {parts.gap:.0e}.")
    _table(found.frame, found.printed)
    if found.left:
        st.caption("The last line takes the others together; 'Report (CSV)' under Downloads has them all.")


def _table(ledger: pd.DataFrame, printed: Sequence[str]) -> None:
    """Show the lines; the class that is estimated stands first, written as in the sum, and is never scrolled away."""
    shares = [name for name in ledger.columns if name.startswith(_CLASS_PREFIX)]
    shown = ledger[["sample name", *shares[:1], "target", "prototype weight", "similarity", "impact", "dominant set"]]
    shown = pd.concat([shown, ledger[shares[1:]]], axis=1).set_axis(pd.RangeIndex(len(ledger)), axis=0)
    st.dataframe(
        tables.in_words(
            shown, shares, even=["prototype weight", "impact"], near=["similarity"], texts={shares[0]: printed}
        ),
        key="case.report",
        hide_index=True,
        height=tables.height(len(shown)),
        column_config=_columns(shares),
        placeholder="",
        alt="One line each for the case, the class shares and the prototypes that matter, with what they add.",
    )


def _columns(shares: list[str]) -> dict[str, Any]:
    """Return how the columns look."""
    config = st.column_config
    columns: dict[str, Any] = {
        "dominant set": config.TextColumn(
            "Dominant",
            help="Belongs to the smallest group that settles which class comes first: the largest contributions, also"
            " those to other classes.",
            width="small",
        ),
        "sample name": config.TextColumn("Name", pinned=True, width=190),
        "target": config.TextColumn("Class", width=_width(shares)),
        "prototype weight": config.NumberColumn("Weight", width="small"),
        "similarity": config.NumberColumn("Similarity", width="small"),
        "impact": config.NumberColumn("Impact", help="Weight times similarity.", width="small"),
    }
    for place, name in enumerate(shares):
        label = name.removeprefix(_CLASS_PREFIX)
        text = words.help_text(
            f"What the line adds to the probability of '{label}'; the line of the case is the sum of all others."
        )
        columns[name] = config.NumberColumn(f"p {label}", help=text, pinned=place == 0, width=_width([name]))
    return columns


def _width(shares: list[str]) -> int:
    """Return a width in pixels for the longest name of a class, within reason; also "under 0.1 %" has to fit."""
    longest = max(len(name.removeprefix(_CLASS_PREFIX)) for name in shares)
    return min(max(longest * _LETTER + 40, _NARROWEST), _WIDEST)
