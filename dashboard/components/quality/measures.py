"""The measures of a model with their intervals, in a small table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard.components import tables
from dashboard.services.quality.quality import measure_lines

if TYPE_CHECKING:
    from proset.explain.judged.assessment import Quality


def show(quality: Quality, *, key: str) -> None:
    """Show one line per measure: its value, its 95 % interval and that of the naive model."""
    lines = measure_lines(quality)
    frame = pd.DataFrame(
        [[line.value, line.interval, line.naive] for line in lines],
        index=pd.Index([line.label for line in lines], name="Measure"),
        columns=["value", "interval", "naive"],
    )
    column = st.column_config.TextColumn
    st.dataframe(
        frame,
        key=key,
        height=tables.height(len(lines)),
        column_config=tables.fitted(
            {
                "Measure": column(width=130, help="\n\n".join(f"**{line.label}**: {line.help}" for line in lines)),
                "value": column("Value", width=75),
                "interval": column("95 % interval", width=125, help="Where the value may lie for many more such rows."),
                "naive": column("Naive", width=70, help="Always states how common each class is."),
            }
        ),
        alt="Measures: " + "; ".join(f"{line.label} {line.value}" for line in lines) + ".",
    )
