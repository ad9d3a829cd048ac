"""A second opinion on rows: trees, which know no distance between rows, and have not seen those that they judge."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.engine.set_manager import FloatArray
from proset.study import Study

N_TREES = 50
MOST_ROWS = 2_000
"""Rows that a tree draws at most: a large table shall not keep a page waiting."""
_N_CASES = 40.0  # that all trees together stand for beside one case with the shares of the classes


def said_by_trees(study: Study, rows: NDArray[np.int64]) -> FloatArray:
    """Estimate probabilities of the classes with extremely randomised trees, in the columns that hold values.

    The trees learn what the model of the study has learned, each a draw of its rows. Rows that were learned are judged
    by the trees that have not drawn them.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Row ids.

    Returns
    -------
    ndarray of shape (n, K)
        Above zero.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> said = said_by_trees(study, study.split.held_out)
    >>> study.classes[said[0].argmax()] == study.labels.loc[study.split.held_out[0]]
    True
    """
    from sklearn.ensemble import ExtraTreesClassifier  # a second to import, and only a review needs it

    train = study.split.train
    learned = pd.Index(train).get_indexer(pd.Index(rows))
    is_new = learned < 0
    codes = pd.Index(study.classes).get_indexer(pd.Index(study.labels.loc[pd.Index(train)]))
    trees = ExtraTreesClassifier(
        N_TREES, bootstrap=True, max_samples=min(len(train), MOST_ROWS), oob_score=not is_new.all(), random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a row of a tiny table may have been drawn by every tree
        trees.fit(_values(study, train), codes)
    found = np.empty((len(rows), len(trees.classes_)))
    if is_new.any():
        found[is_new] = trees.predict_proba(_values(study, rows[is_new]))
    if not is_new.all():
        found[~is_new] = np.nan_to_num(trees.oob_decision_function_)[learned[~is_new]]
    shares: FloatArray = np.tile(study.model.set_manager_.marginals, (len(rows), 1))
    shares[:, trees.classes_] += _N_CASES * found
    return shares / shares.sum(axis=1, keepdims=True)


def _values(study: Study, rows: NDArray[np.int64]) -> FloatArray:
    """Return the columns of the matrix that hold values, without those that say what values tell of the classes."""
    design = study.design
    columns = [j for source in dict.fromkeys(design.column_sources) for j in design.own_columns(source)]
    return study.encode(rows).X[:, columns].astype(np.float64)
