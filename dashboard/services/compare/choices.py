"""Choices on the Compare page, and their form in its address."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from dashboard.services.fit.fit_time import rough_words
from dashboard.services.params import EnumParam, ListedParam, Number, Several
from proset.common.errors import ProsetError
from proset.common.words import seconds_words
from proset.companions.systems import SYSTEMS as REGISTRY
from proset.compare.ground import ground_of
from proset.compare.numbers.number_contenders import NUMBER_SYSTEMS
from proset.compare.numbers.number_ground import number_ground
from proset.compare.plan import SYSTEMS, ComparePlan
from proset.study.number_study import NumberStudy
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from proset.compare import Comparison, NumberComparison, TimeEstimate
    from proset.study.any_study import AnyStudy

RAW = "raw"
MOST_FOLDS = 5
"""Folds of a comparison, unless the rows allow for fewer only."""
_FEWEST = 2


class CompareAspect(StrEnum):
    """Aspects of a comparison."""

    QUALITY = "quality"
    SIZE = "size"
    FEATURES = "features"
    DISAGREE = "disagree"
    SURFACES = "surfaces"
    MAP = "map"
    DRIFT = "drift"
    COST = "cost"


class Setting(StrEnum):
    """Origins of a system's settings."""

    QUICK = "quick"
    TUNED = "tuned"


class Along(StrEnum):
    """Axes of size in the figure of error against size."""

    PROTOTYPES = "n_prototypes"
    FEATURES = "n_features"


ASPECT = EnumParam("compared", CompareAspect.QUALITY)
"""Aspect that the page shows; only this is computed."""
CHOSEN = Several("systems", SYSTEMS, parts=SYSTEMS)
"""Systems that the next comparison is about."""
SETTING = EnumParam("setting", Setting.QUICK)
ALONG = EnumParam("along", Along.PROTOTYPES)
METRIC = ListedParam("distance", "proset", words=(RAW, *SYSTEMS))
"""Whose distance the map is drawn with."""
# 0 is any two systems; then pairs of the positions in SYSTEMS, counted line by line from 1.
PAIR = Number("pair", 0, bounds=Bounds(0, len(SYSTEMS) ** 2, whole=True))
PARAMS = (ASPECT, CHOSEN, SETTING, ALONG, METRIC, PAIR)


def offered(study: AnyStudy) -> tuple[str, ...]:
    """Return the systems that can answer what a study asks: classes, or a number."""
    return NUMBER_SYSTEMS if isinstance(study, NumberStudy) else SYSTEMS


def plan_for(
    study: AnyStudy, systems: tuple[str, ...], *, tuned: bool, n_folds: int = MOST_FOLDS
) -> ComparePlan | None:
    """Return the plan for those of some systems that can answer; None for too few to compare."""
    number = isinstance(study, NumberStudy)
    plan = plan_of(tuple(key for key in systems if key in offered(study)), tuned=tuned, n_folds=n_folds)
    return replace(plan, sizes=False, drift=False) if plan is not None and number else plan


def plan_of(systems: tuple[str, ...], *, tuned: bool, n_folds: int = MOST_FOLDS) -> ComparePlan | None:
    """Return the plan for some systems; None for too few to compare.

    Examples
    --------
    >>> plan_of(("proset", "knn"), tuned=False).systems, plan_of(("knn",), tuned=True)
    (('proset', 'knn'), None)
    """
    return ComparePlan(systems, tuned=tuned, n_folds=n_folds) if len(systems) >= _FEWEST else None


def folds_for(study: AnyStudy) -> int:
    """Return the largest usual number of folds into which the training rows can be cut, given their classes and groups.

    Where no number will do, that is told when the comparison is started.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> folds_for(fit_sample("iris_2f"))
    5
    """
    for count in range(MOST_FOLDS, 2, -1):
        try:
            plan = ComparePlan(offered(study), n_folds=count)
            number_ground(study, plan) if isinstance(study, NumberStudy) else ground_of(study, plan)
        except ProsetError:
            continue
        return count
    return 2


def pair_number(one: str, other: str) -> int:
    """Return the number of two systems in the address.

    Examples
    --------
    >>> pair_number("proset", "pvm"), pair_of(pair_number("knn", "proset"), SYSTEMS), pair_of(1, SYSTEMS)
    (2, ('proset', 'knn'), None)
    """
    first, second = sorted((SYSTEMS.index(one), SYSTEMS.index(other)))
    return 1 + first * len(SYSTEMS) + second


def pair_of(number: float, known: tuple[str, ...]) -> tuple[str, str] | None:
    """Return the two systems of a number; None for any two, or for one that is not among those known."""
    if not number:
        return None
    one, other = divmod(int(number) - 1, len(SYSTEMS))
    pair = SYSTEMS[min(one, other)], SYSTEMS[max(one, other)]
    return pair if one != other and set(pair) <= set(known) else None


def older_than(found: Comparison | NumberComparison, plan: ComparePlan | None) -> str:
    """Say how the plan that is chosen differs from that of a comparison; empty where it does not."""
    if plan is None:
        return ""
    titles = {key: REGISTRY[key].title for key in SYSTEMS}
    parts = [f"with {titles[key]}" for key in plan.systems if key not in found.plan.systems]
    parts += [f"without {titles[key]}" for key in found.plan.systems if key not in plan.systems]
    if plan.tuned != found.plan.tuned:
        parts.append("tuned settings" if plan.tuned else "quick settings")
    return ", ".join(parts)


def about(short: Mapping[str, str]) -> list[tuple[str, str]]:
    """Return what every system is called, with its short name before it, and a sentence that says what it is.

    Examples
    --------
    >>> [name for name, _ in about({key: key.upper() for key in SYSTEMS})][1]
    'PVM, Prototype vector machine'
    """
    return [(both_names(short[key], REGISTRY[key].title), REGISTRY[key].about) for key in SYSTEMS]


def both_names(short: str, title: str) -> str:
    """Return what a system is called where there is little room, and its whole name where that does not hold it.

    Examples
    --------
    >>> both_names("PVM", "Prototype vector machine"), both_names("Neighbours", "Nearest neighbours")
    ('PVM, Prototype vector machine', 'Nearest neighbours')
    """
    return title if short.lower() in title.lower() else f"{short}, {title}"


def by_system_words(needed: TimeEstimate) -> str:
    """Say how long each system takes, the slowest first, so that one may be left out.

    Examples
    --------
    >>> from proset.compare import TimeEstimate, SystemTime
    >>> times = (SystemTime("knn", "kNN", 4.0, True, ""), SystemTime("pvm", "PVM", 200.0, True, ""))
    >>> by_system_words(TimeEstimate(ComparePlan(("knn", "pvm")), 10, times, 120.0, None, 0.0))
    'By system: PVM about 3 min, kNN about 3 s.'
    """
    times = sorted((one for one in needed.systems if one.possible), key=lambda one: -one.seconds)
    return f"By system: {', '.join(f'{one.title} {rough_words(one.seconds)}' for one in times)}." if times else ""


def smaller_label(needed: TimeEstimate) -> str:
    """Return what the button for the smaller version says.

    Examples
    --------
    >>> from proset.compare import TimeEstimate
    >>> smaller = ComparePlan(max_rows=5_000)
    >>> smaller_label(TimeEstimate(ComparePlan(tuned=True), 9_000, (), 120.0, smaller, 4.0))
    'Compare with 5,000 rows and quick settings (about 4 s)'
    """
    smaller = needed.smaller
    if smaller is None:
        return ""
    less = [] if smaller.max_rows is None else [f"{smaller.max_rows:,} rows"]
    less += ["quick settings"] if needed.plan.tuned and not smaller.tuned else []
    # The same words for the time as in the sentence beside it.
    return f"Compare with {' and '.join(less)} (about {seconds_words(needed.smaller_seconds)})"
