"""Checks before the fit of a regressor, and the units that it works in."""

from __future__ import annotations

import numpy as np

from proset.common.errors import ProsetError
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.mixtures.units import BentUnits, TargetUnits

SAME_UNITS = 1e-9  # relative difference that rounding may make


def center_and_scale(target: FloatArray, weight: FloatArray) -> tuple[float, float]:
    """Return mean and standard deviation of targets, 1 in place of 0 for the latter.

    Examples
    --------
    >>> center_and_scale(np.array([1.0, 3.0]), np.ones(2)), center_and_scale(np.full(2, 0.1), np.ones(2))
    ((2.0, 1.0), (0.1, 1.0))
    """
    if target.min() == target.max():
        return float(target[0]), 1.0
    share = weight / weight.sum()
    largest = float(np.abs(target).max())  # so that squares exist
    middle = float(np.sum(share * (target / largest)))
    deviation = float(np.sqrt(np.sum(share * np.square(target / largest - middle))))
    return largest * middle, largest * deviation or 1.0


def units_of(target: FloatArray, weight: FloatArray, known: tuple[float, float], *, bend: bool) -> TargetUnits:
    """Return the units that a fit works in; `known` are mean and standard deviation, and equal targets have no bend.

    Examples
    --------
    >>> units_of(np.array([1.0, 3.0]), np.ones(2), (2.0, 1.0), bend=False)
    TargetUnits(location=2.0, scale=1.0)
    """
    return BentUnits.of(target, weight) if bend and target.min() < target.max() else TargetUnits(*known)


def check_same_units(known: tuple[float, float], found: tuple[float, float]) -> None:
    """Refuse to go on with a model on targets of another mean or standard deviation, because it keeps those.

    Raises
    ------
    ValueError
        Saying both.

    Examples
    --------
    >>> check_same_units((1.0, 2.0), (1.0, 2.0))
    """
    if max(abs(known[0] - found[0]), abs(known[1] - found[1])) > SAME_UNITS * known[1]:
        raise ValueError(
            "A warm start keeps the marginal distribution of the model, but these targets and weights have another:"
            f" mean and standard deviation are {known[0]:.6g} and {known[1]:.6g} in the model, {found[0]:.6g} and"
            f" {found[1]:.6g} here. Pass the samples and weights of the first fit, or fit from the start with"
            " warm_start=False."
        )


def check_sizes(parts: IntArray, smallest: int, max_samples: int | None, max_fraction: float) -> None:
    """Refuse too few samples, or too few places for them.

    Parameters
    ----------
    parts : ndarray of int64, shape (n,)
        Part of the range of the target that each sample is from.
    smallest : int
        Samples that supply candidates and reference points in every batch, by condition (2.14).
    max_samples : int or None
        Bound on the samples of a batch.
    max_fraction : float
        Largest share of a bin that may be drawn.

    Raises
    ------
    ValueError
        Saying how many are needed.

    Examples
    --------
    >>> check_sizes(np.zeros(3, np.int64), 3, None, 0.5)
    """
    n_samples, n_parts = parts.shape[0], int(parts.max()) + 1
    if n_samples < smallest:
        raise ValueError(
            f"A fit needs at least {smallest} samples when max_fraction={max_fraction:g}, so that there are both "
            f"candidates and reference points; here n_samples={n_samples}."
        )
    if max_samples is not None and n_samples > max_samples and max_samples < n_parts * smallest:
        raise ProsetError(
            f"max_samples={max_samples} is too small: every batch needs {smallest} samples of each of {n_parts} parts "
            "of the target's range.",
            hint=f"Use at least {n_parts * smallest}, or None for all samples.",
        )
