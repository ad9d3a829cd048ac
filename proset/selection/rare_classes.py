"""Classes with too few samples to supply prototypes: an estimator sets them aside and knows them by their shares."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from proset.common.words import count_words, listed
from proset.engine.candidates import smallest_class_size
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import BoolArray, FloatArray, SetManager
from proset.engine.weights import check_sample_weight
from proset.selection.matrices import take_rows


class RareClassWarning(UserWarning):
    """A class has too few samples to supply prototypes; it was set aside and is known by its share alone."""


@dataclass(frozen=True, eq=False)
class ClassesSetAside:
    """Which samples belong to classes that a fit could not learn, and what the target says of all classes.

    Attributes
    ----------
    kept : ndarray of bool, shape (n,)
        Samples of the other classes; all if nothing has to be set aside.
    classes : ndarray of shape (K,)
        All labels, sorted, those that were set aside included.
    marginals : ndarray of shape (K,)
        Their shares (2.2).
    """

    kept: BoolArray
    classes: NDArray[Any] = field(repr=False)
    marginals: FloatArray = field(repr=False)

    @classmethod
    def of(cls, y: ArrayLike, sample_weight: ArrayLike | None, max_fraction: float) -> Self:
        """Look for classes that do not satisfy condition (2.14); nothing is set aside unless two others are left.

        Parameters
        ----------
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample; samples of weight 0 do not count.
        max_fraction : float
            Largest share eta of a bin that may be drawn, in (0, 1).

        Raises
        ------
        ValueError
            If the target is no one-dimensional array of classes, or the weights are no weights.

        Examples
        --------
        >>> ClassesSetAside.of(list("aaabbbc"), None, 0.5).kept.tolist()
        [True, True, True, True, True, True, False]
        """
        labels = column_or_1d(y)
        check_classification_targets(labels)
        weight = check_sample_weight(sample_weight, labels.shape[0])
        counts = weight > 0.0
        classes, codes = np.unique(labels[counts], return_inverse=True)
        enough = np.bincount(codes) >= smallest_class_size(max_fraction)
        kept = np.ones(labels.shape[0], dtype=bool)
        if 2 <= enough.sum() < enough.shape[0]:
            kept[counts] = enough[codes]
        shares = np.bincount(codes, weights=weight[counts], minlength=classes.shape[0])
        return cls(kept, classes, shares / max(shares.sum(), np.finfo(float).tiny))

    def __bool__(self) -> bool:
        """Tell whether any class is set aside."""
        return not bool(self.kept.all())

    def words(self, y: ArrayLike, max_fraction: float) -> str:
        """Say which classes are set aside, and what becomes of them."""
        names = np.unique(np.asarray(y)[~self.kept])
        needed = count_words(smallest_class_size(max_fraction), "sample")
        return (
            f"A class needs {needed} to supply prototypes, and there are too few of {listed(names)}. No prototype "
            "speaks for such a class; where nothing is familiar it gets its share among all samples. Merge it with "
            "another one to have it learned."
        )

    def rest(self, values: Any) -> Any:
        """Return samples, labels or what else there is one of per sample, without those that are set aside."""
        if values is None:
            return None
        return take_rows(values if hasattr(values, "iloc") else np.asarray(values), np.flatnonzero(self.kept))

    def back_in(self, model: ClassifierModel) -> ClassifierModel:
        """Return a model of the other classes as one of all: with the shares of all, and the prototypes that it has.

        Positions of samples are those among all samples again.
        """
        if not self:
            return model
        fitted, manager = copy.copy(model), model.set_manager_
        codes, rows = np.searchsorted(self.classes, model.classes_), np.flatnonzero(self.kept)
        batches = tuple(
            batch and replace(batch, target=codes[batch.target], sample_index=rows[batch.sample_index])
            for batch in manager.batches
        )
        fitted.set_manager_ = SetManager(self.marginals, manager.num_features, batches)
        fitted.label_encoder_ = LabelEncoder().fit(self.classes)
        fitted.classes_ = fitted.label_encoder_.classes_
        return fitted
