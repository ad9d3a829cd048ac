"""About how long a fit or a search takes, in words, and what it would take to learn from fewer rows."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dashboard.services.fit.learned_time import LEARNED
from proset.common.errors import ProsetError
from proset.common.words import seconds_words
from proset.study.any_study import recipe_problem, recipe_seconds
from proset.study.time_needed import Clock, TimeNeeded

if TYPE_CHECKING:
    from dashboard.services.fit.modes import Mode
    from proset.data.table import Table
    from proset.study.recipe import Recipe

MANY_ROWS, FEWER_ROWS = 10_000, 5_000
"""From how many training rows on fewer are offered, and how many."""
WORTH_OFFERING = 15.0  # seconds that fewer rows have to save, and half of the time
COSTS = "the log-loss is usually within 0.01"
"""Cost in quality of learning from fewer rows per batch."""
_SOON = (1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90)


@dataclass(frozen=True)
class FitTime:
    """Time of a fit as it is set, and with fewer or all rows.

    Attributes
    ----------
    needed : TimeNeeded
        As it is set.
    n_rows : int
        Training rows.
    most : int or None
        Rows per batch as it is set; None for all.
    fewer : TimeNeeded or None
        With :data:`FEWER_ROWS` per batch; None where that is not worth offering.
    all_rows : TimeNeeded or None
        With all rows, where a limit binds.
    """

    needed: TimeNeeded
    n_rows: int
    most: int | None = None
    fewer: TimeNeeded | None = None
    all_rows: TimeNeeded | None = None


def as_measured(recipe: Recipe) -> Recipe:
    """Return a recipe with nothing in it that makes no difference to the time.

    Examples
    --------
    >>> from proset.data.roles import Roles
    >>> from proset.study import FitSettings
    >>> from proset.study.recipe import Recipe
    >>> one, other = (Recipe(Roles({}), settings=FitSettings(random_state=seed)) for seed in (1, 2))
    >>> as_measured(one) == as_measured(other)
    True
    """
    return replace(recipe, settings=replace(recipe.settings, random_state=0))


def fit_time(table: Table, recipe: Recipe, clock: Clock = time.perf_counter) -> FitTime | None:
    """Estimate how long it takes to do what a recipe asks for; None where it would be refused.

    Parameters
    ----------
    recipe : Recipe
        With the plan that is asked for, or without one.
    clock : callable
        Tells the time; what it raises ends the measurement.
    """
    settings = recipe.settings
    try:
        problem = recipe_problem(table, recipe)
        rows, most = len(problem.split.train), settings.max_samples

        def with_most(limit: int | None) -> TimeNeeded:
            return recipe_seconds(problem, replace(recipe, settings=replace(settings, max_samples=limit)), clock=clock)

        needed = with_most(most)
        limited = most is not None and most < rows
        all_rows = with_most(None) if limited else None
        fewer = with_most(FEWER_ROWS) if not limited and rows >= MANY_ROWS else None
    except (ProsetError, ValueError):  # said where it is fitted
        return None
    if fewer is not None and (needed.seconds - fewer.seconds < max(WORTH_OFFERING, needed.seconds / 2)):
        fewer = None
    return FitTime(needed, rows, most if limited else None, fewer, all_rows)


def corrected(time: FitTime, mode: Mode) -> FitTime:
    """Return an estimate times what this server has learned about the way to a model."""

    def now(needed: TimeNeeded | None) -> TimeNeeded | None:
        return None if needed is None else LEARNED.corrected(mode, needed)

    needed = LEARNED.corrected(mode, time.needed)
    return replace(time, needed=needed, fewer=now(time.fewer), all_rows=now(time.all_rows))


def rough_words(seconds: float) -> str:
    """Return a length of time as roughly as it is known.

    Examples
    --------
    >>> [rough_words(seconds) for seconds in (0.3, 17.0, 140.0, 3000.0)]
    ['about 1 s', 'about 15 s', 'about 2 min', 'about 50 min']
    """
    if seconds <= 100.0:
        return f"about {seconds_words(min(_SOON, key=lambda step: abs(step - seconds)))}"
    minutes = seconds / 60.0
    if minutes < 100.0:
        return f"about {round(minutes) if minutes < 10.0 else 5 * round(minutes / 5.0)} min"
    return f"about {minutes / 60.0:.0f} h"


def needed_words(time: FitTime) -> str:
    """Say about how long it takes, before it is started.

    Parameters
    ----------
    time : FitTime
        From :func:`fit_time`.

    Examples
    --------
    >>> needed_words(FitTime(TimeNeeded(1.0, 2.0), 500))
    'Takes about 3 s.'
    """
    takes = f"Takes {rough_words(time.needed.seconds)}."
    if time.most is None:
        return takes
    longer = f"; with all rows {rough_words(time.all_rows.seconds)}" if time.all_rows is not None else ""
    learns = f"Each batch learns from {time.most:,} of the {time.n_rows:,} training rows, drawn anew"
    return f"{takes} {learns}{longer}."


def fewer_words(time: FitTime) -> str:
    """Offer to learn from fewer rows, with what it saves and costs; empty where it is not worth it.

    Parameters
    ----------
    time : FitTime
        From :func:`fit_time`.
    """
    if time.fewer is None:
        return ""
    return (
        f"With {FEWER_ROWS:,} of the {time.n_rows:,} training rows per batch, drawn anew for each, it takes "
        f"{rough_words(time.fewer.seconds)}; {COSTS}."
    )
