"""Allowed values of the parameters of a ``PVMClassifier``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from proset.common.allowed import SEED, SWITCH, Allowed, OneOf, Rules, check_values
from proset.common.errors import ProsetError
from proset.companions.pvm.metrics import PRECOMPUTED, check_metric

SOLVERS = ("greedy", "lp", "milp")
_COUNT = Allowed(1, whole=True)
RULES: Rules = MappingProxyType(
    {
        "eps": Allowed(0.0, ends=False, named=("cv",)),
        "temperature": Allowed(0.0, ends=False, named=("cv",)),
        "lam": Allowed(0.0, none=True),
        "n_rounds": Allowed(1, whole=True),
        "cv": Allowed(2, whole=True),
        "time_limit": Allowed(0.0, ends=False, none=True),
        "solver": OneOf(SOLVERS),
        "rank": SWITCH,
        "one_se": SWITCH,
        "standardize": SWITCH,
        "prune": SWITCH,
        "random_state": SEED,
    }
)


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
    proset.common.errors.ProsetError: eps is 0.0; it has to be 'cv', or a number above 0.
    """
    check_values(values, RULES)
    check_metric(values.get("metric", "euclidean"))
    check_radii(values.get("eps_grid", 25))
    _check_augment(values.get("augment"), values.get("metric"))


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
    return ProsetError(f"{name} is {value!r}; it has to be {allowed}.")
