"""What the parameters of a ``PVMClassifier`` may be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from proset.common.errors import ProsetError
from proset.companions.pvm.metrics import PRECOMPUTED, check_metric
from proset.engine.parameters import Allowed

SOLVERS = ("greedy", "lp", "milp")
_ABOVE_ZERO, _COUNT = Allowed(0.0, ends=False), Allowed(1, whole=True)
_SEED = Allowed(0, 2**32 - 1, whole=True, none=True)
_ALLOWED: Mapping[str, Allowed] = {
    "lam": Allowed(0.0, none=True),
    "n_rounds": Allowed(1, whole=True),
    "cv": Allowed(2, whole=True),
    "time_limit": Allowed(0.0, ends=False, none=True),
}
_FLAGS = ("rank", "one_se", "standardize", "prune")


class NoPrototypeWarning(UserWarning):
    """No ball is worth its cost: the model predicts the most frequent class."""


def check_parameters(values: Mapping[str, Any]) -> None:
    """Check the parameters of a classifier.

    Raises
    ------
    ProsetError
        Naming the first parameter with an impossible value, and what it may be.

    Examples
    --------
    >>> check_parameters({"eps": 0.5, "lam": None})
    >>> check_parameters({"eps": 0.0})
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: eps is 0.0. It has to be 'cv', or a number above 0.
    """
    for name, allowed in _ALLOWED.items():
        if name in values and not allowed.holds(values[name]):
            raise _refused(name, values[name], allowed.words())
    for name, word in (("eps", "cv"), ("temperature", "cv")):
        value = values.get(name, word)
        if not (isinstance(value, str) and value == word) and not _ABOVE_ZERO.holds(value):
            raise _refused(name, value, f"'{word}', or {_ABOVE_ZERO.words()}")
    if values.get("solver", "greedy") not in SOLVERS:
        raise _refused("solver", values["solver"], f"one of {', '.join(map(repr, SOLVERS))}")
    for name in _FLAGS:
        if not isinstance(values.get(name, False), (bool, np.bool_)):
            raise _refused(name, values[name], "True or False")
    check_metric(values.get("metric", "euclidean"))
    check_radii(values.get("eps_grid", 25))
    _check_augment(values.get("augment"), values.get("metric"))
    seed = values.get("random_state")
    if not isinstance(seed, np.random.RandomState) and not _SEED.holds(seed):
        raise _refused("random_state", seed, f"{_SEED.words()}, or a RandomState")


def check_radii(eps_grid: object) -> None:
    """Refuse an `eps_grid` that is neither a number of quantiles nor radii."""
    if np.ndim(eps_grid) == 0:  # type: ignore[arg-type]
        good = _COUNT.holds(eps_grid)
    else:
        radii = np.asarray(eps_grid)
        good = radii.ndim == 1 and len(radii) > 0 and np.issubdtype(radii.dtype, np.number)
        good = good and bool(np.isfinite(radii).all() and (radii > 0).all())
    if not good:
        raise _refused("eps_grid", eps_grid, "how many quantiles to try, or a list of radii above 0")


def _check_augment(augment: object, metric: object) -> None:
    """Refuse extra candidates that cannot be made."""
    if augment is None:
        return
    words = "None, or like {'kmeans': 10}, with 'by' as 'class' or 'all' if you like"
    if not isinstance(augment, Mapping) or not set(augment) <= {"kmeans", "by"} or "kmeans" not in augment:
        raise _refused("augment", augment, words)
    if not _COUNT.holds(augment["kmeans"]) or augment.get("by", "class") not in ("class", "all"):
        raise _refused("augment", augment, words)
    if isinstance(metric, str) and metric == PRECOMPUTED:
        hint = "Add their dissimilarities as columns of X, after those of the rows."
        raise ProsetError("Cluster centres cannot be made from precomputed dissimilarities.", hint=hint)


def _refused(name: str, value: object, allowed: str) -> ProsetError:
    """Say what a parameter may be."""
    return ProsetError(f"{name} is {value!r}.", hint=f"It has to be {allowed}.")
