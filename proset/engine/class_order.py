"""Models with their classes in another order, otherwise the same."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from sklearn.preprocessing import LabelEncoder

from proset.engine.model import ClassifierModel
from proset.engine.set_manager import SetManager


def encoder_of(classes: Sequence[str]) -> LabelEncoder:
    """Return an encoder that numbers classes as they stand, not by alphabet.

    Examples
    --------
    >>> encoder_of(["low", "high"]).transform(["high", "low"]).tolist()
    [1, 0]
    """
    encoder = LabelEncoder()
    encoder.classes_ = np.array(list(classes))
    return encoder


def in_class_order(model: ClassifierModel, classes: Sequence[str]) -> ClassifierModel:
    """Return a fitted model whose estimates have their columns in the order of `classes`.

    A model sorts its classes as scikit-learn does. People read "low, middle, high", so everything that is shown goes by
    the order of ``classes_``, and that order is set here, once, after the fit. Estimates stay what they are.

    Parameters
    ----------
    model : ClassifierModel
        Fitted to labels that are texts; left as it is.
    classes : sequence of str
        All of its classes, each one once.

    Returns
    -------
    ClassifierModel
        `model` itself where it has this order already.

    Raises
    ------
    ValueError
        If `classes` are not those of the model.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2], [1.3]])
    >>> model = ClassifierModel(n_iter=0, random_state=0).fit(X, ["low"] * 3 + ["high"] * 4)
    >>> in_class_order(model, ["low", "high"]).predict_proba(X[:1]).round(2).tolist()
    [[0.43, 0.57]]
    """
    former = [str(name) for name in model.classes_]
    if list(classes) == former:
        return model
    if sorted(classes) != sorted(former):
        raise ValueError(f"The classes of the model are {former}, not {list(classes)}.")
    ordered = copy.copy(model)
    taken = np.array([former.index(name) for name in classes], dtype=np.int64)
    manager, place = model.set_manager_, np.argsort(taken)
    ordered.label_encoder_ = encoder_of(classes)
    ordered.classes_ = ordered.label_encoder_.classes_
    ordered.set_manager_ = SetManager(
        manager.marginals[taken],
        manager.num_features,
        tuple(None if batch is None else replace(batch, target=place[batch.target]) for batch in manager.batches),
    )
    return ordered
