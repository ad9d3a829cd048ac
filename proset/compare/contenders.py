"""The systems as a comparison takes them: how each is made for a study, and what is said of it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from proset.companions.systems import SYSTEMS as REGISTRY
from proset.companions.systems import System
from proset.compare.plan import SYSTEMS, ComparePlan
from proset.study.study import Study

Maker = Callable[[], Any]
PROSET = "proset"
SEARCHED = (
    "Its settings were chosen on folds of the same training rows, so its measures over the folds flatter it a"
    " little; those on held-out rows do not."
)


UNGUIDED = (
    "Fitted here as all systems are, without what people have asked of prototypes, candidates and columns, so it is not"
    " the model that the other pages show."
)


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
    note : str
        What has to be known of its measures; empty if nothing has.
    asked : callable
        Asks a fitted model for its answers to rows.
    """

    key: str
    title: str
    about: str
    make: Maker
    settings_words: Callable[[Any], str]
    uses_weights: bool = False
    missing: str = ""
    note: str = ""
    asked: Callable[[Any, Any], Any] = lambda model, X: model.predict_proba(X)


def contenders_of(plan: ComparePlan, study: Study) -> tuple[Contender, ...]:
    """Return the systems of a plan; without tuning, proset takes the settings of the study.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> [contender.key for contender in contenders_of(ComparePlan(("proset", "knn")), study)]
    ['proset', 'knn']
    """
    return tuple(_contender(REGISTRY[key], plan, study) for key in plan.systems)


def prepare_systems(systems: Sequence[str] = SYSTEMS) -> None:
    """Load and compile what systems spend their time on, by tiny fits; the first time on a machine takes a minute.

    Parameters
    ----------
    systems : sequence of str
        Keys; those that cannot run here are passed over.

    Examples
    --------
    >>> prepare_systems(("knn",))
    """
    X, y = np.linspace(-1.0, 1.0, 24)[:, np.newaxis] * [1.0, 0.5], np.tile(["a", "b", "b", "a"], 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for key in systems:
            if not REGISTRY[key].missing():
                REGISTRY[key].make().fit(X, y).predict_proba(X)


def _contender(system: System, plan: ComparePlan, study: Study) -> Contender:
    """Return one system."""
    # The matrix of a study is scaled already; so an untuned proset is the very model that the other pages show.
    own = system.key == PROSET and not plan.tuned
    notes = [SEARCHED] if own and study.search is not None else []
    if system.key == PROSET and study.guidance.steers:
        notes.append(UNGUIDED)
    params = study.settings.for_model | {"standardize": False} if own else {}
    drawn = {} if own else {"random_state": plan.random_state}
    return Contender(
        key=system.key,
        title=system.title,
        about=system.about,
        make=partial(system.make, tuned=plan.tuned, **drawn, **params),
        settings_words=system.settings_words,
        uses_weights=system.uses_weights,
        missing=system.missing(),
        note=" ".join(notes),
    )
