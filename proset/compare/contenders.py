"""The systems as a comparison takes them: how each is made for a study, and what is said of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from proset.companions.protocol import PrototypeModel
from proset.companions.systems import SYSTEMS as REGISTRY
from proset.companions.systems import System
from proset.compare.plan import ComparePlan
from proset.study.settings import FitSettings

Maker = Callable[[], Any]
PROSET = "proset"


@dataclass(frozen=True, eq=False)
class Contender:
    """A system that takes part.

    Attributes
    ----------
    key, title, about : str
        Its name in a program and in words, and a sentence that says what it is.
    make : callable
        Returns the estimator, not yet fitted.
    settings_words : callable
        Says what a fitted model uses, in words.
    uses_weights : bool
        Whether it can learn with sample weights.
    missing : str
        Why it cannot run here; empty if it can.
    """

    key: str
    title: str
    about: str
    make: Maker
    settings_words: Callable[[PrototypeModel], str]
    uses_weights: bool = False
    missing: str = ""


def contenders_of(plan: ComparePlan, settings: FitSettings) -> tuple[Contender, ...]:
    """Return the systems of a plan; without tuning, proset takes the settings of the study.

    Examples
    --------
    >>> [contender.key for contender in contenders_of(ComparePlan(("proset", "knn")), FitSettings())]
    ['proset', 'knn']
    """
    return tuple(_contender(REGISTRY[key], plan, settings) for key in plan.systems)


def _contender(system: System, plan: ComparePlan, settings: FitSettings) -> Contender:
    """Return one system."""
    # The matrix of a study is scaled already; so an untuned proset is the very model that the other pages show.
    own = system.key == PROSET and not plan.tuned
    params = asdict(settings) | {"standardize": False} if own else {}
    seed = {} if own else {"seed": plan.seed}
    return Contender(
        key=system.key,
        title=system.title,
        about=system.about,
        make=partial(system.make, tuned=plan.tuned, **seed, **params),
        settings_words=system.settings_words,
        uses_weights=system.uses_weights,
        missing=system.missing(),
    )
