"""A case beside its prototypes: a table in which a difference has a sign, bold type and a colour."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.services.case.comparison import DIFFERENT, MISSING, CaseComparison, plain_value
from proset.plots import style

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

# At such opacities readable under black text and under white text.
_STRONGEST = 0.55
_ROW_HEIGHT = 35
_LINES_SHOWN = 16


def show(comparison: CaseComparison, *, key: str) -> None:
    """Show the table and say what the marks mean."""
    st.dataframe(
        _styled(comparison),
        key=key,
        height=_ROW_HEIGHT * (1 + min(len(comparison.cells), _LINES_SHOWN)) + 3,
        column_config={"_index": st.column_config.TextColumn("", pinned=True)},
        alt="The case and its most influential prototypes, feature by feature.",
    )
    st.caption(
        "Features in order of weight. ▲ higher, ▼ lower, ≠ other than the case, in **bold**; the stronger the colour, "
        "the more the difference takes away from the similarity. Differences that leave "
        f"{100 * DIFFERENT:.0f} % of it or more are not marked."
    )


def _styled(comparison: CaseComparison) -> Styler:
    """Return the cells with weight and colour by how different they are."""
    css = comparison.similarity.map(_css)
    css.iloc[: comparison.n_facts, 0] = "font-weight: bold"
    return comparison.cells.style.apply(lambda _: css, axis=None)


def _css(similarity: float) -> str:
    """Return the look of one cell; nothing where values are (nearly) equal or not compared."""
    if math.isnan(similarity) or similarity >= DIFFERENT:
        return ""
    tint = style.tinted(style.NEUTRAL, round(_STRONGEST * (1 - similarity), 2))
    return f"font-weight: bold; background-color: {tint}"


def _as_read(cell: object) -> object:
    """Return a cell as it is, but dates without an empty time."""
    return plain_value(cell) if isinstance(cell, pd.Timestamp) else cell


def show_extras(extras: pd.DataFrame, *, key: str) -> None:
    """Show the columns that the model does not use, one line each."""
    st.dataframe(
        extras.astype(object).map(_as_read).T.astype("string"),
        key=key,
        placeholder=MISSING,
        column_config={"_index": st.column_config.TextColumn("", pinned=True)},
    )
