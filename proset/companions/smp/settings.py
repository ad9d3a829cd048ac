"""Allowed values of the parameters of an ``SMPClassifier``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proset.common.allowed import SEED, SWITCH, Allowed, OneOf, Rules, check_values
from proset.common.errors import ProsetError
from proset.companions.smp.problem import LOSSES

STEPS = ("tight", "paper")
RULES: Rules = MappingProxyType(
    {
        "n_prototypes": Allowed(1, whole=True),
        "lam": Allowed(0.0),
        "mu": Allowed(0.0),
        "eta": Allowed(0.0),
        "max_iter": Allowed(1, whole=True),
        "tol": Allowed(0.0),
        "loss": OneOf(tuple(LOSSES)),
        "solver": OneOf(("auto", "accelerated", "chambolle-pock")),
        "stopping": OneOf(("gap", "change")),
        "fusion_graph": OneOf(("complete", "knn")),
        "init": OneOf(("kmeans", "kmeans++")),
        "step": Allowed(0.0, ends=False, named=STEPS),
        "fit_intercept": SWITCH,
        "standardize": SWITCH,
        "random_state": SEED,
    }
)
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
    check_values(values, RULES)
    if values.get("loss") == "max" and values.get("solver") == "accelerated":
        hint = 'Use solver="auto" or "chambolle-pock".'
        raise ProsetError("solver is 'accelerated', which needs a smooth loss, but loss is 'max'.", hint=hint)


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
