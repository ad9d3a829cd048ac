"""Checked training data of both reference models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_X_y

from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.training_checks import refuse_missing_labels
from proset.engine.weights import check_sample_weight


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Checked training data.

    Attributes
    ----------
    X : ndarray of float64, shape (n, D)
        Features, finite.
    target : ndarray of int64, shape (n,)
        Positions in `classes`.
    weight : ndarray of float64, shape (n,)
        Sample weights, positive.
    classes : ndarray of shape (K,)
        Class labels, sorted.
    """

    X: FloatArray
    target: IntArray
    weight: FloatArray
    classes: NDArray[Any]

    def shares(self, rows: IntArray) -> FloatArray:
        """Return the weighted share of each class among some rows, shape (K,)."""
        total = np.bincount(self.target[rows], weights=self.weight[rows], minlength=len(self.classes))
        return total / total.sum()


def check_training_rows(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, n_folds: int) -> TrainingRows:
    """Check what a caller passed, once; rows of weight zero are left out.

    Raises
    ------
    ValueError
        For missing or infinite values, all weights zero, a single class, or a class with fewer rows than folds.
    """
    refuse_missing_labels(y)
    features, labels = check_X_y(X, y, dtype=np.float64)
    check_classification_targets(labels)
    weight = check_sample_weight(sample_weight, features.shape[0])
    kept = weight > 0.0
    if not kept.any():
        raise ProsetError(
            "All sample weights are zero.", hint="Give at least the rows to learn from a positive weight."
        )
    classes, target = np.unique(labels[kept], return_inverse=True)
    counts = np.bincount(target)
    if len(classes) < 2:
        raise ProsetError(f"All rows have the class '{classes[0]}'.", hint="Give rows of at least two classes.")
    if counts.min() < n_folds:
        rare = classes[counts.argmin()]
        hint = f"Each class needs a row in each of the {n_folds} folds: use fewer folds or leave the class out."
        raise ProsetError(f"Class '{rare}' has {count_words(int(counts.min()), 'row')}.", hint=hint)
    return TrainingRows(features[kept], target.astype(np.int64), weight[kept], classes)
