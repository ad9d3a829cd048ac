"""Draw what changes by itself, look at it again every so often, and run the app again when it is over."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st


def look_again(is_over: Callable[[], bool], draw: Callable[[], object], *, every: float) -> None:
    """Draw something now and every so many seconds; run the app again once it is over.

    Never within the run of the app that draws it first: a button further down has not been asked yet whether it was
    pressed, and the click would be lost. The next look does it.

    Parameters
    ----------
    is_over : callable
        Tells whether the page is to be drawn without it.
    every : float
        Seconds between two looks.
    """
    looks = 0

    @st.fragment(run_every=every)
    def look() -> None:
        nonlocal looks
        looks += 1
        if is_over() and looks > 1:
            st.rerun()
        draw()

    look()
