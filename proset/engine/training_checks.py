"""Checks before a fit beyond those of scikit-learn: labels, weights, sizes of classes, marginal probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from proset.common.words import count_words
from proset.engine.candidates import check_class_counts, check_max_samples, smallest_class_size
from proset.engine.fitting import BatchSettings
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.weights import check_sample_weight

SAME_MARGINALS = 1e-9  # relative difference that rounding may make


def refuse_missing_labels(y: Any) -> None:
    """Refuse a target in which a label is missing: None, NaN or NA among words, which nothing could put in order.

    Raises
    ------
    ValueError
        Naming the first sample without a label.

    Examples
    --------
    >>> refuse_missing_labels(["a", None, "b"])
    Traceback (most recent call last):
        ...
    ValueError: Unknown label type: y contains None, first at position 1. Leave such rows out, or name their class.
    """
    labels = np.asarray(y)
    if labels.dtype == object and labels.ndim:
        missing = np.flatnonzero(pd.isna(labels).reshape(len(labels), -1).any(axis=1))
        if missing.size:
            raise ValueError(
                f"Unknown label type: y contains {labels[missing[0]]}, first at position {missing[0]}. "
                "Leave such rows out, or name their class."
            )


def check_features_and_labels(
    estimator: Any, X: ArrayLike, y: ArrayLike, **options: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Check features as ``validate_data`` does with these options, and that the target holds a class for each row."""
    refuse_missing_labels(y)
    features, labels = validate_data(estimator, X, y, **options)
    check_classification_targets(labels)
    return features, labels


def counted_weight(sample_weight: ArrayLike | None, n_samples: int) -> FloatArray:
    """Return the multiplicity of each sample, shape (n,), and refuse weights that are all zero.

    Examples
    --------
    >>> counted_weight([1, 0, 2], 3).tolist()
    [1.0, 0.0, 2.0]
    """
    weight = check_sample_weight(sample_weight, n_samples)
    if not weight.any():
        raise ValueError("All sample weights are zero: one sample at least has to count.")
    return weight


def check_several_classes(classes: Sequence[Any] | NDArray[Any]) -> None:
    """Refuse a target of one class only.

    Raises
    ------
    ValueError
        Naming the class.

    Examples
    --------
    >>> check_several_classes(["a", "b"])
    """
    if len(classes) < 2:
        raise ValueError(f"Classifier can't train when only one class is present: '{classes[0]}'.")


def check_class_sizes(target: IntArray, classes: Sequence[Any] | NDArray[Any], settings: BatchSettings) -> None:
    """Refuse too few classes, samples of a class, candidates, or places for samples.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each sample, 0 to K - 1.
    classes : sequence of shape (K,)
        Their names, for messages.

    Raises
    ------
    ValueError
        Saying what is too small, and what is needed.

    Examples
    --------
    >>> check_class_sizes(np.repeat([0, 1], 3), ["a", "b"], BatchSettings(1e-3, 1e-8, 0.95, 0.95, 9, 0.5, None, 1e7))
    """
    n_classes = len(classes)
    check_several_classes(classes)
    check_class_counts(np.bincount(target, minlength=n_classes), settings.max_fraction, np.asarray(classes))
    smallest = smallest_class_size(settings.max_fraction)
    check_max_samples(target.shape[0], n_classes, settings.max_samples, smallest)
    if settings.num_candidates < 2 * n_classes:
        needed = f"use at least {2 * n_classes}"
        raise ValueError(f"num_candidates={settings.num_candidates} is too small for {n_classes} classes: {needed}.")


def check_marginals(known: FloatArray, found: FloatArray, classes: Sequence[Any] | NDArray[Any]) -> None:
    """Refuse to go on with a model in which the classes have other shares, because the model keeps those.

    Parameters
    ----------
    known, found : ndarray of shape (K,)
        Marginal probabilities (2.2) of the model, and of the samples and weights to go on with.
    classes : sequence of shape (K,)
        Names of the classes, for the message.

    Raises
    ------
    ValueError
        Naming the class that differs most.

    Examples
    --------
    >>> check_marginals(np.array([0.5, 0.5]), np.array([0.5, 0.5]), ["a", "b"])
    """
    if not np.allclose(found, known, rtol=SAME_MARGINALS, atol=0.0):
        k = int(np.argmax(np.abs(found - known)))
        raise ValueError(
            "A warm start keeps the marginal probabilities of the model, but these samples and weights have others: "
            f"class '{classes[k]}' has {known[k]:.4g} in the model and {found[k]:.4g} here. Pass the samples and "
            "weights of the first fit, or fit from the start with warm_start=False."
        )


def check_joined(asked: int, known: int) -> None:
    """Refuse to go on with a model of other joined fits: nobody could tell which batches belong to one fit.

    Raises
    ------
    ValueError
        Saying both numbers.

    Examples
    --------
    >>> check_joined(4, 4)
    """
    if asked != known:
        raise ValueError(
            f"n_joined is {asked}, but the model that the warm start goes on with joins {count_words(known, 'fit')}. "
            f"Set n_joined={known}, or fit from the start with warm_start=False."
        )
