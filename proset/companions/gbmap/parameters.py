"""What the parameters of the estimators may be."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from proset.companions.gbmap.boosting import Settings
from proset.engine.parameters import Allowed

REFITS = ("depth", "width")
PRECISIONS = ("double", "single")
NUMBERS: Mapping[str, Allowed] = MappingProxyType(
    {
        "n_boosts": Allowed(0, whole=True),
        "beta": Allowed(0.0, ends=False),
        "ridge": Allowed(0.0),
        "lasso": Allowed(0.0),
        "max_iter": Allowed(1, whole=True),
        "tol": Allowed(0.0),
        "n_init": Allowed(1, whole=True),
        "min_gain": Allowed(0.0, 1.0),
        "validation_fraction": Allowed(0.0, 1.0, ends=False),
        "n_iter_no_change": Allowed(1, whole=True),
        "max_reference": Allowed(1, whole=True, none=True),
    }
)
_SEED = Allowed(0, 2**32 - 1, whole=True, none=True)
_WORDS = MappingProxyType({"refit": REFITS, "precision": PRECISIONS})


def check_parameters(values: Mapping[str, Any]) -> None:
    """Refuse the first parameter with an impossible value, saying what it may be.

    Examples
    --------
    >>> check_parameters({"beta": 0.0})
    Traceback (most recent call last):
        ...
    ValueError: beta is 0.0; it has to be a number above 0.
    """
    for name, allowed in NUMBERS.items():
        if name in values and not allowed.holds(values[name]):
            raise ValueError(f"{name} is {values[name]!r}; it has to be {allowed.words()}.")
    for name, words in _WORDS.items():
        if name in values and values[name] not in words:
            raise ValueError(f"{name} is {values[name]!r}; it has to be one of {', '.join(map(repr, words))}.")
    seed = values.get("random_state")
    if not isinstance(seed, np.random.RandomState) and not _SEED.holds(seed):
        raise ValueError(f"random_state is {seed!r}; it has to be {_SEED.words()}, or a RandomState.")


def settings_of(values: Mapping[str, Any]) -> Settings:
    """Turn checked parameters into settings.

    Examples
    --------
    >>> from proset.companions.gbmap import GBMapRegressor
    >>> settings_of(GBMapRegressor(refit="width").get_params()).whole_fits
    False
    """
    return Settings(
        n_boosts=int(values["n_boosts"]),
        beta=float(values["beta"]),
        ridge=float(values["ridge"]),
        lasso=float(values["lasso"]),
        max_iter=int(values["max_iter"]),
        tol=float(values["tol"]),
        n_init=int(values["n_init"]),
        whole_fits=values["refit"] == "depth",
        fit_intercept=bool(values["fit_intercept"]),
        min_gain=float(values["min_gain"]),
        patience=int(values["n_iter_no_change"]),
        dtype="float64" if values["precision"] == "double" else "float32",
    )
