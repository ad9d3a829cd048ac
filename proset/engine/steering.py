"""Steering of a fit beyond the report: which samples may or have to be candidates, their draw, feature penalties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from proset.engine.set_manager import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Steering:
    """Requests to a fit beside data and settings; by default nothing, which changes no bit.

    Attributes
    ----------
    allowed : ndarray of bool, shape (n,), or None
        Samples that may be candidates, and so prototypes; None for all.
    required : ndarray of bool, shape (n,), or None
        Samples that are always among the candidates of the first batch; None for none.
    penalty : ndarray of float64, shape (D,), or None
        Factor of each feature on its penalty in (2.8), at least 0; with infinity it never has a weight. None for 1.
    places : ndarray of int64, shape (n,), or None
        Positions of the samples among those there were before others were left out; None where none were.

    Examples
    --------
    >>> asked = Steering.of([True, True, False], [1], [2.0, np.inf], None, n_samples=3, n_features=2)
    >>> asked.required.tolist(), asked.columns.tolist(), asked.factors.tolist()
    ([False, True, False], [0], [2.0])
    """

    allowed: BoolArray | None = None
    required: BoolArray | None = None
    penalty: FloatArray | None = None
    places: IntArray | None = None

    @classmethod
    def of(
        cls,
        candidate_mask: ArrayLike | None,
        required_candidates: ArrayLike | None,
        feature_penalty: ArrayLike | None,
        sample_places: ArrayLike | None,
        *,
        n_samples: int,
        n_features: int,
    ) -> Self:
        """Check what a caller passed.

        Raises
        ------
        ValueError
            Naming the argument, and what it has to be.
        """
        allowed = None if candidate_mask is None else _mask(candidate_mask, n_samples)
        required = None if required_candidates is None else _required(required_candidates, n_samples)
        if allowed is not None and required is not None and (required & ~allowed).any():
            first = int(np.flatnonzero(required & ~allowed)[0])
            raise ValueError(f"required_candidates names sample {first}, which candidate_mask forbids.")
        penalty = None if feature_penalty is None else _penalty(feature_penalty, n_features)
        places = None if sample_places is None else _places(sample_places, n_samples)
        return cls(allowed, required, penalty, places)

    def at(self, rows: IntArray) -> Steering:
        """Return the same for some samples only, given by position."""
        allowed = None if self.allowed is None else self.allowed[rows]
        required = None if self.required is None else self.required[rows]
        places = None if self.places is None else self.places[rows]
        return Steering(allowed, required, self.penalty, places)

    def keys(self, n_samples: int, rng: np.random.Generator) -> FloatArray:
        """Draw a random number for each sample: the same ones whatever others have been left out."""
        if self.places is None:
            return rng.random(n_samples)
        return rng.random(int(self.places.max()) + 1)[self.places]

    def arguments(self) -> dict[str, Any]:
        """Return it as the arguments of ``ClassifierModel.fit``; none that ask for nothing.

        Examples
        --------
        >>> Steering(required=np.array([False, True])).arguments()
        {'required_candidates': array([1])}
        """
        positions = None if self.required is None else np.flatnonzero(self.required)
        asked = {
            "candidate_mask": self.allowed,
            "required_candidates": positions,
            "feature_penalty": self.penalty,
            "sample_places": self.places,
        }
        return {name: value for name, value in asked.items() if value is not None}

    @property
    def columns(self) -> IntArray | None:
        """Features that may have a weight, ascending; None for all."""
        if self.penalty is None or np.isfinite(self.penalty).all():
            return None
        return np.flatnonzero(np.isfinite(self.penalty))

    @property
    def factors(self) -> FloatArray | None:
        """Factors of the features that may have a weight; None where all are 1."""
        if self.penalty is None:
            return None
        finite = self.penalty[np.isfinite(self.penalty)]
        return None if (finite == 1.0).all() else finite


NOT_STEERED = Steering()
_MOST_PLACES = 100_000_000  # random numbers are drawn for all of them


def _mask(given: ArrayLike, n_samples: int) -> BoolArray:
    """Check a mask of samples."""
    mask = np.asarray(given)
    if mask.dtype != np.bool_ or mask.shape != (n_samples,):
        raise ValueError(
            f"candidate_mask has to hold True or False for each of the {n_samples:,} samples; it has type"
            f" {mask.dtype} and shape {mask.shape}."
        )
    if not mask.any():
        raise ValueError("candidate_mask is False everywhere: one sample at least has to be a possible prototype.")
    return mask


def _required(given: ArrayLike, n_samples: int) -> BoolArray:
    """Check positions of samples, and return them as a mask."""
    positions = np.asarray(given)
    positions = positions.astype(np.int64) if positions.size == 0 else positions
    if positions.ndim != 1 or not np.issubdtype(positions.dtype, np.integer):
        raise ValueError(
            f"required_candidates has to hold positions of samples; it has type {positions.dtype} and shape"
            f" {positions.shape}."
        )
    outside = positions[(positions < 0) | (positions >= n_samples)]
    if outside.size:
        raise ValueError(
            f"required_candidates names sample {outside[0]}; samples are numbered from 0 to {n_samples - 1:,}."
        )
    mask = np.zeros(n_samples, dtype=bool)
    mask[positions] = True
    return mask


def _places(given: ArrayLike, n_samples: int) -> IntArray:
    """Check positions of the samples in a larger set."""
    places = np.asarray(given)
    if places.shape != (n_samples,) or not np.issubdtype(places.dtype, np.integer):
        raise ValueError(
            f"sample_places has to hold a whole number for each of the {n_samples:,} samples; it has type"
            f" {places.dtype} and shape {places.shape}."
        )
    if places.min() < 0 or places.max() >= _MOST_PLACES:
        raise ValueError(f"sample_places has to lie between 0 and {_MOST_PLACES - 1:,}.")
    if np.unique(places).shape[0] < n_samples:
        raise ValueError("sample_places holds a place twice.")
    return places.astype(np.int64)


def _penalty(given: ArrayLike, n_features: int) -> FloatArray:
    """Check factors on the feature penalty."""
    try:
        factors = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError("feature_penalty has to hold a number for each feature.") from error
    if factors.shape != (n_features,):
        raise ValueError(
            f"feature_penalty has to hold a factor for each of the {n_features:,} features; its shape is"
            f" {factors.shape}."
        )
    odd = np.flatnonzero(~(factors >= 0.0))  # nan as well
    if odd.size:
        raise ValueError(f"feature_penalty is {factors[odd[0]]:g} for feature {odd[0]}; it has to be 0 or more.")
    if not np.isfinite(factors).any():
        raise ValueError("feature_penalty is infinite for every feature: one at least has to be usable.")
    return factors
