"""The prototypes of a cover as a prototype set model, which brings its probabilities, familiarity and export with it.

The rule of the nearest prototype is the limit of that model for one batch with equal weights, as the bandwidth becomes
small and the weight so large that the marginal probabilities fade.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.errors import ProsetError
from proset.companions.protocol import FloatArray, IntArray, NoPrototypeWarning
from proset.companions.pvm.fitted import FittedPVM
from proset.companions.pvm.metrics import is_euclidean
from proset.companions.pvm.preparing import cut_folds
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import Batch, SetManager

_SEED = 0
WIDEST, HEAVIEST = np.log(1e3), np.log(1e6)  # bandwidths beside the typical distance, and weights, that are looked at


def as_proset(model: FittedPVM, bandwidth: float, weight: float) -> ClassifierModel:
    """Return a prototype set model with the prototypes of a cover.

    Parameters
    ----------
    model : FittedPVM
        A PVMClassifier, fitted with the Euclidean distance, without ranks; its prototypes are rows.
    bandwidth : float
        h, in standardised units if the cover was found in those: feature weights are 1 / h of them.
    weight : float
        c, the same for all prototypes.

    Returns
    -------
    ClassifierModel
        Fitted: it takes rows in the units that the cover was fitted to.

    Raises
    ------
    ProsetError
        If the cover uses another distance, or prototypes that are no rows.

    Examples
    --------
    >>> from proset.companions.pvm import PVMClassifier
    >>> X, y = np.array([[0.0], [0.1], [0.2], [5.0], [5.1]]), ["a", "a", "a", "b", "b"]
    >>> cover = PVMClassifier(eps=0.5, temperature=1.0).fit(X, y)
    >>> as_proset(cover, bandwidth=0.3, weight=9.0).predict_proba([[0.1], [5.0]]).round(2).tolist()
    [[0.96, 0.04], [0.06, 0.94]]
    """
    check_is_fitted(model)
    if not is_euclidean(model.metric) or model.rank:
        hint = "Fit with metric='euclidean' and rank=False."
        raise ProsetError("A prototype set model knows the Euclidean distance only.", hint=hint)
    if (model.prototype_rows_ < 0).any():
        hint = "Fit without Z and augment."
        raise ProsetError("Some of the prototypes are no rows, and a prototype set model has none of those.", hint=hint)
    for name, value in (("bandwidth", bandwidth), ("weight", weight)):
        if not (np.isfinite(value) and value > 0.0):
            raise ProsetError(f"{name} is {value!r}.", hint="It has to be a number above 0.")
    made = ClassifierModel(n_iter=1)
    made.classes_ = model.classes_
    made.label_encoder_ = LabelEncoder().fit(model.classes_)
    made.n_features_in_ = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        made.feature_names_in_ = model.feature_names_in_
    made.batch_results_, made.seed_, made.weight_factor_ = (), _SEED, 1.0
    made.set_manager_ = SetManager(model.class_shares_, model.n_features_in_, (_batch(model, bandwidth, weight),))
    return made


def _batch(model: FittedPVM, bandwidth: float, weight: float) -> Batch | None:
    """Return the prototypes as a batch; None without any."""
    if not len(model.label_codes_):
        return None
    return Batch(
        active_features=np.arange(model.n_features_in_, dtype=np.int64),
        feature_weights=(1.0 / (bandwidth * model.spread_)).astype(np.float32),
        prototypes=np.ascontiguousarray(model.prototypes_, dtype=np.float64),
        target=model.label_codes_.astype(np.int64),
        weights=np.full(len(model.label_codes_), weight, dtype=np.float32),
        sample_index=model.prototype_rows_.astype(np.int64),
    )


def tuned_as_proset(model: FittedPVM, X: ArrayLike, y: ArrayLike, *, n_folds: int = 5) -> ClassifierModel:
    """Return a prototype set model with the bandwidth and weight of the lowest log-loss on rows left out.

    Parameters
    ----------
    model : FittedPVM
        As for :func:`as_proset`.
    X, y : array-like of shape (n, D) and (n,)
        The rows that it was fitted to.
    n_folds : int, default=5
        Covers with the radius of the model are found for so many parts of the rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from proset.companions.pvm import PVMClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> cover = PVMClassifier(eps=1.0, temperature=1.0).fit(X, y)
    >>> float(tuned_as_proset(cover, X, y).score(X, y)) > -0.2
    True
    """
    rows, labels = validate_data(model, X, y, dtype=np.float64, reset=False)
    target = np.searchsorted(model.classes_, labels)
    if (target >= len(model.classes_)).any() or (model.classes_[target] != labels).any():
        raise ProsetError("y has classes that the cover does not know.", hint="Pass the rows that it was fitted to.")
    parts = _left_out(model, rows, target.astype(np.int64), n_folds)
    if not parts:
        return as_proset(model, model.eps_, 1.0)
    distances = np.concatenate([d.min(axis=1) for d, _, _ in parts])
    typical = np.log(max(float(np.median(distances)), 1e-6 * model.eps_))
    bounds = [(typical - WIDEST, typical + WIDEST), (-WIDEST, HEAVIEST)]

    def loss(values: FloatArray) -> float:
        return _log_loss(parts, model.class_shares_, float(values[0]), float(values[1]))

    starts = [(typical + shift, weight) for shift in (-1.0, 0.0, 1.0) for weight in (0.0, 3.0)]
    start = np.array(min(starts, key=lambda pair: loss(np.array(pair))))
    found = minimize(loss, start, method="Nelder-Mead", bounds=bounds, options={"xatol": 1e-2, "fatol": 1e-6})
    return as_proset(model, float(np.exp(found.x[0])), float(np.exp(found.x[1])))


def _left_out(
    model: FittedPVM, X: FloatArray, target: IntArray, n_folds: int
) -> list[tuple[FloatArray, IntArray, IntArray]]:
    """Return distances of rows left out to the prototypes of the rest, classes of those, and the rows' classes."""
    parts = []
    plain: Any = clone(model).set_params(eps=model.eps_, temperature=1.0, random_state=_SEED)
    for fold in cut_folds(target, n_folds, np.random.RandomState(_SEED)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoPrototypeWarning)
            cover = clone(plain).fit(X[fold.train], target[fold.train])
        if len(cover.prototypes_):
            codes = cover.classes_[cover.label_codes_]
            parts.append((cover.distance(X[fold.test], cover.prototypes_), codes, target[fold.test]))
    return parts


def _log_loss(
    parts: list[tuple[FloatArray, IntArray, IntArray]], shares: FloatArray, log_bandwidth: float, log_weight: float
) -> float:
    """Mean log-loss of (p0 + c sum G) / (1 + c sum G), in logarithms so that no similarity is lost."""
    total, count = 0.0, 0
    for distances, codes, truth in parts:
        exponents = log_weight - 0.5 * (distances / np.exp(log_bandwidth)) ** 2
        own = np.where(codes[None, :] == truth[:, None], exponents, -np.inf)
        every = logsumexp(np.column_stack([np.zeros(len(truth)), exponents]), axis=1)
        total -= float((logsumexp(np.column_stack([np.log(shares[truth]), own]), axis=1) - every).sum())
        count += len(truth)
    return total / count
