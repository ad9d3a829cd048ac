"""Models by size: one setting varied, everything else as it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from numpy.typing import ArrayLike
from sklearn.base import clone

from proset.companions.protocol import Offer, PathPoint, PrototypeModel


class HasParameters(PrototypeModel, Protocol):
    """A model with constructor parameters that can be read and set."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters."""
        ...

    def set_params(self, **params: Any) -> Any:
        """Set parameters."""
        ...


def refit_path(
    model: HasParameters,
    knob: str,
    values: Sequence[float],
    X: ArrayLike,
    y: ArrayLike,
    X_test: ArrayLike,
    sample_weight: ArrayLike | None = None,
    *,
    own: float | None = None,
    words: str = "",
) -> tuple[PathPoint, ...]:
    """Fit a model anew for every value of one parameter.

    Parameters
    ----------
    model : PrototypeModel
        Left as it is.
    knob : str
        Name of the parameter.
    values : sequence of float
        What to set it to, beside its own value.
    X, y, X_test, sample_weight
        As for :meth:`~proset.companions.shared.PrototypeModelMixin.path`.
    own : float or None, default=None
        The model's own value. None: what a fitted model has under the parameter's name with an underscore behind, or
        else the parameter itself.
    words : str, default=""
        What the parameter is called in the points; "" for its name.
    """
    its = getattr(model, f"{knob}_", model.get_params()[knob]) if own is None else own
    points = []
    for value in with_own(values, its):
        fitted = clone(model).set_params(**{knob: value})
        fitted.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
        points.append(path_point(fitted, words or knob, value, X_test, value == its))
    return tuple(points)


def path_point(model: PrototypeModel, knob: str, value: float, X_test: ArrayLike, own: bool) -> PathPoint:
    """Measure a fitted model and estimate rows with it."""
    size = model.complexity()
    prototypes = size.n_prototypes if model.offers(Offer.PROTOTYPES) else None
    return PathPoint(knob, float(value), prototypes, size.n_active_features, model.predict_proba(X_test), bool(own))


def with_own(values: Sequence[float], own: object) -> list[float]:
    """Return values ascending, the model's own among them if it is a number.

    Examples
    --------
    >>> with_own((1, 10), 5), with_own((1, 10), "cv")
    ([1, 5, 10], [1, 10])
    """
    return sorted({*values, *([own] if isinstance(own, (int, float)) else [])})
