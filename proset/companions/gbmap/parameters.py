"""Allowed values of the parameters of the estimators."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proset.common.allowed import JOBS, SEED, SWITCH, Allowed, OneOf, Rules, check_values
from proset.companions.gbmap.boosting import Settings

REFITS = ("depth", "width")
PRECISIONS = ("double", "single")
RULES: Rules = MappingProxyType(
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
        "refit": OneOf(REFITS),
        "precision": OneOf(PRECISIONS),
        "fit_intercept": SWITCH,
        "standardize": SWITCH,
        "early_stopping": SWITCH,
        "random_state": SEED,
        "n_jobs": JOBS,
    }
)


def check_parameters(values: Mapping[str, Any]) -> None:
    """Refuse the first parameter with an impossible value, saying what it may be.

    Examples
    --------
    >>> check_parameters({"beta": 0.0})
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: beta is 0.0; it has to be a number above 0.
    """
    check_values(values, RULES)


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
