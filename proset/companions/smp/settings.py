"""What the parameters of an ``SMPClassifier`` may be."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from proset.common.errors import ProsetError
from proset.companions.smp.problem import LOSSES
from proset.engine.parameters import Allowed

STEPS = ("tight", "paper")
WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "loss": tuple(LOSSES),
        "solver": ("auto", "accelerated", "chambolle-pock"),
        "stopping": ("gap", "change"),
        "fusion_graph": ("complete", "knn"),
        "init": ("kmeans", "kmeans++"),
    }
)
NUMBERS: Mapping[str, Allowed] = MappingProxyType(
    {
        "n_prototypes": Allowed(1, whole=True),
        "lam": Allowed(0.0),
        "mu": Allowed(0.0),
        "eta": Allowed(0.0),
        "max_iter": Allowed(1, whole=True),
        "tol": Allowed(0.0),
    }
)
_STEP = Allowed(0.0, ends=False)
_SEED = Allowed(0, 2**32 - 1, whole=True, none=True)
LARGEST_GRAPH = 5_000_000
"""Numbers in the dual variables, pairs times features, up to which a fit begins (40 MB)."""


def check_settings(values: Mapping[str, Any]) -> None:
    """Check the parameters of a classifier, those that are there.

    Parameters
    ----------
    values : mapping of str to object
        As ``get_params()`` returns them.

    Raises
    ------
    ProsetError
        Naming the first parameter with an impossible value, and what it may be.

    Examples
    --------
    >>> check_settings({"lam": 0.1, "step": "tight"})
    >>> check_settings({"loss": "hinge"})
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: loss is 'hinge'; it has to be one of 'softmax', 'max'.
    """
    for name, allowed in NUMBERS.items():
        if name in values and not allowed.holds(values[name]):
            raise ProsetError(f"{name} is {values[name]!r}; it has to be {allowed.words()}.")
    for name, words in WORDS.items():
        if name in values and not (isinstance(values[name], str) and values[name] in words):
            raise ProsetError(f"{name} is {values[name]!r}; it has to be one of {_listed(words)}.")
    step = values.get("step", STEPS[0])
    if not (step in STEPS if isinstance(step, str) else _STEP.holds(step)):
        raise ProsetError(f"step is {step!r}; it has to be one of {_listed(STEPS)}, or {_STEP.words()}.")
    if values.get("loss") == "max" and values.get("solver") == "accelerated":
        hint = 'Use solver="auto" or "chambolle-pock".'
        raise ProsetError("solver is 'accelerated', which needs a smooth loss, but loss is 'max'.", hint=hint)
    for name in ("fit_intercept", "standardize"):
        if not isinstance(values.get(name, False), (bool, np.bool_)):
            raise ProsetError(f"{name} is {values[name]!r}; it has to be True or False.")
    seed = values.get("random_state")
    if not isinstance(seed, np.random.RandomState) and not _SEED.holds(seed):
        raise ProsetError(f"random_state is {seed!r}; it has to be {_SEED.words()}, or a RandomState.")


def check_graph_size(n_pairs: float, n_features: int) -> None:
    """Refuse a fusion graph whose dual variables would fill the memory.

    Examples
    --------
    >>> check_graph_size(1, 30)
    >>> check_graph_size(12_497_500, 30)
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: 12,497,500 pairs of prototypes with 30 features each are too many. Use fewer \
prototypes, or fusion_graph="knn".
    """
    if n_pairs * n_features > LARGEST_GRAPH:
        raise ProsetError(
            f"{n_pairs:,.0f} pairs of prototypes with {n_features:,} features each are too many.",
            hint='Use fewer prototypes, or fusion_graph="knn".',
        )


def _listed(words: tuple[str, ...]) -> str:
    """Quote some words."""
    return ", ".join(map(repr, words))
