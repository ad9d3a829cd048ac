"""Controls for the values of a case: one per column that the model uses, within what the table holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from typing import Any

import streamlit as st

from dashboard.components import words
from dashboard.services.case.what_if import bounds, level_options
from dashboard.session import widgets
from proset.explain.cases.value_range import ValueKind, ValueRange

_DAY = 86_400
# More steps than this cannot be told apart on a slider, and a key that moves one of them seems to do nothing.
_MOST_STEPS = 1_000


def show(
    ranges: Mapping[str, ValueRange],
    own: Mapping[str, Any],
    now: Mapping[str, Any],
    *,
    key: str,
    took: Callable[[str, Any], None],
    track: Callable[[ValueRange], str],
) -> None:
    """Show the controls; `took` gets a column and the value that a person has chosen for it.

    Parameters
    ----------
    ranges : mapping of str to ValueRange
        The columns, in the order in which they are shown.
    own, now : mapping of str to object
        Cells of the case as it is, and as it is changed; what hangs together with a change follows it.
    key : str
        Begins the keys of the controls.
    took : callable
        Receives a change.
    track : callable
        Returns the markup of the line on which a slider stands.
    """
    for place, (column, scope) in enumerate(ranges.items()):
        with st.container(gap=None, key=f"case-control-{place}"):
            _control(scope, own.get(column), now.get(column), key=f"{key}.{place}", took=took, track=track)


def _control(
    scope: ValueRange,
    own: Any,
    now: Any,
    *,
    key: str,
    took: Callable[[str, Any], None],
    track: Callable[[ValueRange], str],
) -> None:
    """Show the control of one column."""
    changed = scope.text(own) != scope.text(now)
    label = f"{words.label(scope.column)} **{words.label(scope.text(now))}**"
    label += f" :gray[(was {words.label(scope.text(own))})]" if changed else ""

    take = partial(took, scope.column)
    if scope.kind is ValueKind.LEVEL:
        _levels(scope, now, label=label, key=key, take=take)
    elif scope.kind is ValueKind.DATE:
        _dates(scope, own, now, label=label, key=key, take=take)
        st.html(track(scope))
    else:
        _numbers(scope, own, now, label=label, key=key, take=take)
        st.html(track(scope))


def _levels(scope: ValueRange, now: Any, *, label: str, key: str, take: Callable[[Any], None]) -> None:
    """Show the levels of a category."""
    here = None if scope.plain(now) is None else scope.text(now)
    levels = level_options(scope.levels, here)
    key = widgets.anew(key, here)
    st.selectbox(
        label,
        levels,
        index=None if here is None else levels.index(here),
        key=key,
        format_func=words.bare,
        on_change=widgets.heard(key, take),
        placeholder="missing",
    )


def _range(scope: ValueRange, own: Any, now: Any) -> tuple[float, float, float]:
    """Return the ends of a slider, and where it stands: for a missing value in the middle."""
    low, high = bounds(scope, own)
    here = scope.number(now)
    if here != here:  # nan is not itself
        here = scope.middle
    return low, high, min(max(here, low), high)  # a date that follows the days before it may lie beyond either end


def _numbers(scope: ValueRange, own: Any, now: Any, *, label: str, key: str, take: Callable[[Any], None]) -> None:
    """Show a slider over the numbers of a column."""
    low, high, here = _range(scope, own, now)
    step = max(scope.step, (high - low) / _MOST_STEPS)  # a part of the whole, so that both ends can be had
    whole = scope.decimals == 0 and all(float(value).is_integer() for value in (low, high, here, step))
    kind = (lambda value: int(value)) if whole else float
    step = kind(step)
    # Another range is another slider to Streamlit, which would begin at its lower end.
    key = widgets.anew(f"{key}.{low}.{high}.{step}", kind(here), within=step / 2)
    st.slider(
        label,
        kind(low),
        kind(high),
        value=kind(here),
        step=step,
        key=key,
        format="%d" if whole else f"%.{min(scope.decimals, 10)}f",
        on_change=widgets.heard(key, take),
    )


def _dates(scope: ValueRange, own: Any, now: Any, *, label: str, key: str, take: Callable[[Any], None]) -> None:
    """Show a slider over the dates of a column."""
    low, high, here = _range(scope, own, now)
    moments = [scope.cell(value).to_pydatetime() for value in (low, high, here)]
    step = timedelta(seconds=round(scope.step * _DAY))
    if scope.step >= 1.0:
        moments = [moment.date() for moment in moments]
    key = widgets.anew(f"{key}.{low}.{high}.{scope.step}", moments[2], within=step / 2)
    st.slider(label, moments[0], moments[1], value=moments[2], step=step, key=key, on_change=widgets.heard(key, take))
