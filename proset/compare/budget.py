"""Time of a comparison, estimated from small fits that are measured, and a smaller one where that is too long."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import pandas as pd

from proset.common.notebook import Displayed
from proset.common.words import count_words, seconds_words
from proset.compare.contenders import PROSET, Contender, contenders_of
from proset.compare.numbers.number_contenders import number_contenders
from proset.compare.pace import Clock, SystemPace, pace_of, sample_of
from proset.compare.plan import ComparePlan
from proset.selection.joint_plan import JointPlan
from proset.study.any_study import AnyStudy
from proset.study.number_study import NumberStudy

BUDGET = 120.0
"""Seconds that a comparison may take before a smaller one is offered."""

OFFERED_ROWS = (50_000, 20_000, 10_000, 5_000, 2_000, 1_000, 500, 200)
STARTING = 2.0  # seconds for reading, and until a process works
PART_OF_DRIFT = 0.25  # of the rows are learned from when they are shifted

TUNING: Mapping[str, float] = MappingProxyType(
    {"proset": 20.0, "pvm": 4.0, "smp": 180.0, "gbmap": 30.0, "knn": 6.0, "xgboost": 100.0}
)
"""Fits with one setting that a system takes about as long as to choose its settings."""

PATH: Mapping[str, float] = MappingProxyType(
    {"proset": 5.0, "pvm": 1.0, "smp": 3.0, "gbmap": 1.0, "knn": 1.0, "xgboost": 1.2}
)
"""Fits with one setting that a system takes about as long as to be measured at other sizes."""


@dataclass(frozen=True)
class SystemTime:
    """About how long one system takes.

    Attributes
    ----------
    key, title : str
        The system.
    seconds : float
        For all it does in the comparison; nan if that is not known.
    possible : bool
        Whether it can take part.
    why : str
        Why it cannot, or what makes it slow, in words; empty if there is nothing to say.
    """

    key: str
    title: str
    seconds: float
    possible: bool
    why: str


@dataclass(frozen=True)
class TimeEstimate(Displayed):
    """About how long a comparison takes; right within a factor of about 3 on a machine that does nothing else.

    Attributes
    ----------
    plan : ComparePlan
        What was asked for.
    n_rows : int
        Rows that systems would learn from.
    systems : tuple of SystemTime
        In the order of the plan.
    budget : float
        Seconds beyond which a smaller version is offered.
    smaller : ComparePlan or None
        A plan that takes less, where this one takes more than the budget; None where it does not, or nothing helps.
    smaller_seconds : float
        What that takes; nan without one.
    """

    plan: ComparePlan
    n_rows: int
    systems: tuple[SystemTime, ...]
    budget: float
    smaller: ComparePlan | None
    smaller_seconds: float

    @property
    def seconds(self) -> float:
        """All systems together."""
        return total_seconds(self.systems)

    @property
    def too_long(self) -> bool:
        """True if it takes more than the budget."""
        return self.seconds > self.budget

    @property
    def words(self) -> tuple[str, ...]:
        """Time and size of the work in sentences, to be read before the start."""
        said = [f"This takes about {seconds_words(self.seconds)}."]
        slow = [entry for entry in self.systems if entry.possible and entry.seconds > 0.5 * self.seconds]
        if self.too_long and slow and len(self.systems) > 1:
            said.append(f"Most of it is {slow[0].title}: about {seconds_words(slow[0].seconds)}.")
        if self.smaller is not None:
            less, shorter = smaller_words(self.plan, self.smaller), seconds_words(self.smaller_seconds)
            said.append(f"{less} it takes about {shorter}.")
        elif self.too_long:
            said.append("Leave systems out, or use fewer folds, to make it shorter.")
        return (*said, *(f"{entry.title}: {entry.why}" for entry in self.systems if not entry.possible))

    def to_frame(self) -> pd.DataFrame:
        """Return one line per system: ``title``, ``seconds``, ``possible``, ``why``; index ``key``."""
        lines = [(entry.key, entry.title, entry.seconds, entry.possible, entry.why) for entry in self.systems]
        return pd.DataFrame(lines, columns=["key", "title", "seconds", "possible", "why"]).set_index("key")


def estimate(
    study: AnyStudy,
    plan: ComparePlan,
    *,
    budget: float = BUDGET,
    contenders: Sequence[Contender] | None = None,
    clock: Clock = time.perf_counter,
) -> TimeEstimate:
    """Estimate how long a comparison takes, from one small fit of each system.

    Each system is fitted with one setting to a few hundred rows, and what that took is scaled by how its work is known
    to grow with the rows, and by the number of fits that tuning and paths of sizes come to.

    Parameters
    ----------
    plan : ComparePlan
        What would be compared.
    budget : float
        Seconds beyond which a smaller version is offered.
    contenders : sequence of Contender or None
        The systems, not tuned; None for those of the plan.
    clock : callable
        Tells the time; for tests.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = estimate(study, ComparePlan(("proset", "knn")))
    >>> found.too_long, [entry.possible for entry in found.systems]
    (False, [True, True])
    """
    untuned = replace(plan, tuned=False)
    systems = any_contenders(untuned, study) if contenders is None else contenders
    X, labels = sample_of(study, plan.random_state)
    paces = [pace_of(contender, X, labels, clock) for contender in systems]
    n_rows = len(study.split.train)
    times = _times(paces, plan, n_rows)
    smaller = _smaller(paces, plan, n_rows, budget) if total_seconds(times) > budget else None
    return TimeEstimate(
        plan=plan,
        n_rows=min(n_rows, plan.max_rows or n_rows),
        systems=times,
        budget=budget,
        smaller=smaller,
        smaller_seconds=math.nan if smaller is None else total_seconds(_times(paces, smaller, n_rows)),
    )


def any_contenders(plan: ComparePlan, study: AnyStudy) -> tuple[Contender, ...]:
    """Return the systems of a plan, for classes or for a number."""
    return number_contenders(plan, study) if isinstance(study, NumberStudy) else contenders_of(plan, study)


def total_seconds(systems: Sequence[SystemTime]) -> float:
    """Return what systems take together, and the start."""
    return STARTING + sum(entry.seconds for entry in systems if entry.possible and math.isfinite(entry.seconds))


def smaller_words(plan: ComparePlan, smaller: ComparePlan) -> str:
    """Say what is less about a smaller plan, to begin a sentence with.

    Examples
    --------
    >>> smaller_words(ComparePlan(tuned=True), ComparePlan(max_rows=5_000))
    'With 5,000 training rows and quick settings'
    """
    less = []
    if smaller.max_rows != plan.max_rows:
        less.append(count_words(smaller.max_rows or 0, "training row"))
    if smaller.tuned != plan.tuned:
        less.append("quick settings")
    return f"With {' and '.join(less)}"


def _times(paces: Sequence[SystemPace], plan: ComparePlan, n_rows: int) -> tuple[SystemTime, ...]:
    """Return what every system takes."""
    rows = min(n_rows, plan.max_rows or n_rows)
    return tuple(_time(pace, plan, rows) for pace in paces)


def _time(pace: SystemPace, plan: ComparePlan, n_rows: int) -> SystemTime:
    """Return what one system takes."""
    contender = pace.contender
    if contender.missing or pace.problem:
        return SystemTime(contender.key, contender.title, math.nan, not contender.missing, contender.missing)
    tuning = TUNING.get(contender.key, 1.0) if plan.tuned else 1.0
    path = PATH.get(contender.key, 1.0) if plan.sizes and pace.has_path else 0.0
    inside = n_rows * (1.0 - 1.0 / plan.n_folds)
    fits = [(float(plan.n_folds), inside), (1.0, float(n_rows))]
    fits += [(1.0, PART_OF_DRIFT * n_rows)] if plan.drift else []
    seconds = plan.n_folds * path * pace.fit_seconds(inside)
    for count, rows in fits:
        seconds += count * (
            pace.fit_seconds(rows) + (tuning - 1.0) * pace.fit_seconds(_tuned_rows(contender.key, rows))
        )
    return SystemTime(contender.key, contender.title, seconds, True, "")


def _tuned_rows(key: str, n_rows: float) -> float:
    """Return from how many rows a system learns while it chooses its settings."""
    return min(n_rows, JointPlan().max_rows or n_rows) if key == PROSET else n_rows


def _smaller(paces: Sequence[SystemPace], plan: ComparePlan, n_rows: int, budget: float) -> ComparePlan | None:
    """Return the largest plan within the budget: fewer rows, or quick settings; None if none is."""
    rows = min(n_rows, plan.max_rows or n_rows)
    offered = [count for count in OFFERED_ROWS if count < rows]
    candidates = [replace(plan, max_rows=count) for count in offered if count >= 1_000]
    if plan.tuned:
        candidates += [replace(plan, tuned=False)]
    candidates += [replace(plan, tuned=False, max_rows=count) for count in offered]
    for candidate in candidates:
        if total_seconds(_times(paces, candidate, n_rows)) <= budget:
            return candidate
    return None
