"""Allowed values of the parameters of a ``ClassifierModel``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proset.common.allowed import JOBS, SEED, SWITCH, Allowed, OneOf, Rules, check_values
from proset.common.errors import ParameterError
from proset.engine.objective import BACKENDS

SMALLEST_FACTOR = 1e-3
"""Of all prototype weights; less would leave nothing of a model."""

LARGEST_THINNING = 0.9
"""Of what a model knows; more would leave next to nothing of it."""

SMALLEST_SPREAD = 1e-6
"""Of a prototype, in standard deviations of the target."""

MOST_JOINED = 100
"""Fits that may be joined."""

BEFORE_OF_NUMBER: Mapping[str, Any] = MappingProxyType({"own_slopes": 0.0, "bend_target": False})
"""Parameters of a model of a number that came later, as what was saved before has them; so valued, they stay unsaid."""

RULES: Rules = MappingProxyType(
    {
        "n_iter": Allowed(0, whole=True),
        "lambda_v": Allowed(0.0),
        "lambda_w": Allowed(0.0),
        "lambda_beta": Allowed(0.0),
        "lambda_h": Allowed(0.0),
        "own_slopes": Allowed(0.0),
        "bend_target": SWITCH,
        "min_spread": Allowed(SMALLEST_SPREAD, 1.0),
        "spread_factor": Allowed(SMALLEST_FACTOR, 1.0),
        "alpha_v": Allowed(0.0, 1.0),
        "alpha_w": Allowed(0.0, 1.0),
        "alpha_beta": Allowed(0.0, 1.0),
        "num_candidates": Allowed(1, whole=True),
        "max_fraction": Allowed(0.0, 1.0, ends=False),
        "max_samples": Allowed(1, whole=True, none=True),
        "solver_factr": Allowed(0.0, ends=False),
        "weight_factor": Allowed(SMALLEST_FACTOR, 1.0),
        "correction": Allowed(0.0, 1.0),
        "thinning": Allowed(0.0, LARGEST_THINNING),
        "max_prototypes": Allowed(1, whole=True, none=True),
        "n_joined": Allowed(1, MOST_JOINED, whole=True),
        "backend": OneOf(BACKENDS),
        "random_state": SEED,
        "n_jobs": JOBS,
    }
)


def check_parameters(values: Mapping[str, Any]) -> None:
    """Check the parameters of a model, those that are there.

    Parameters
    ----------
    values : mapping of str to object
        As ``get_params()`` returns them.

    Raises
    ------
    ParameterError
        A ValueError naming the first parameter with an impossible value, and what it may be.

    Examples
    --------
    >>> check_parameters({"n_iter": 2, "backend": "numpy"})
    >>> check_parameters({"alpha_v": 1.5})
    Traceback (most recent call last):
        ...
    proset.common.errors.ParameterError: alpha_v is 1.5; it has to be a number from 0 to 1.
    """
    check_values(values, RULES, ParameterError)
