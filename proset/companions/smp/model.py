"""The sparse multi-prototype classifier with scikit-learn manners."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from proset.companions.shared import fitted_at_once
from proset.companions.smp.base import SMPBase
from proset.companions.smp.settings import check_settings


class SMPClassifier(SMPBase):
    r"""Classifier with a few sparse prototypes per class, the closest in inner product wins.

    Parameters
    ----------
    n_prototypes : int, default=2
        Prototypes per class, p, before any of them fuse; a class with fewer distinct rows has fewer.
    lam : float, default=1e-2
        Penalty on the differences of the prototypes of a class; larger means that more of them fuse.
    mu : float, default=1e-3
        Penalty on the coordinates; larger means fewer features.
    eta : float, default=1.0
        Share of the squares in that penalty: mu times (\|W\|_1 + eta / 2 \|W\|_F^2).
    loss : {"softmax", "max"}, default="softmax"
        Whether a row competes with all prototypes of other classes in a softmax, (4) of the paper, or only with the
        strongest, (2), which is not smooth: then the best iterate is kept.
    step : {"tight", "paper"} or float, default="tight"
        Length of the steps: from the norm of the features, as in the paper, or a number.
    max_iter : int, default=1000
        Largest number of iterations T. The paper takes 200.
    tol : float, default=1e-4
        When to stop, see `stopping`.
    fit_intercept : bool, default=False
        Add a constant to each prototype that is not penalised; without it, features should have mean zero.
    fusion_graph : {"complete", "knn"}, default="complete"
        Which prototypes of a class are drawn together: all, or those that start near each other.
    init : {"kmeans", "kmeans++"}, default="kmeans"
        How clusters of each class are found, whose centres the prototypes start from: from splits along the longest
        axes, which needs no luck, or the best of ten draws.
    stopping : {"gap", "change"}, default="gap"
        Stop when the gap between the objective and a lower bound is at most `tol` times the objective, or when the
        relative change of the prototypes is at most `tol`. With an intercept, ``mu=0`` or ``loss="max"`` there is no
        useful gap, and it is the change.
    solver : {"auto", "accelerated", "chambolle-pock"}, default="auto"
        Chambolle and Pock's iteration, as in the paper, or proximal gradient steps with momentum, which need far fewer
        passes over the rows but a smooth loss. ``"auto"`` takes the latter where it can.
    standardize : bool, default=False
        Whether to centre and scale the features to unit scale; prototypes have their coordinates in these units.
    random_state : int, RandomState instance or None, default=None
        Draws the starts of ``init="kmeans++"``; nothing else is random.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    coef_ : ndarray or, after :meth:`sparsify`, sparse array, of shape (N, D)
        Prototypes, by class.
    intercept_ : ndarray of shape (N,)
        Zeros without `fit_intercept`. If no prototype has a coordinate, logarithms of the class shares.
    prototype_labels_ : ndarray of shape (N,)
        Class of each prototype.
    assignment_ : ndarray of int64, shape (n,)
        The prototype that each training row belongs to; -1 for rows of weight 0.
    mean_, scale_ : ndarray of shape (D,)
        What the features are centred and scaled by; zeros and ones without `standardize`.
    n_distinct_ : int
        Prototypes that differ within their class.
    nnz_ : int
        Coordinates that are not zero, over all prototypes.
    objective_history_ : ndarray of shape (records,)
        The objective (6) before the first iteration, after each, or each tenth of the accelerated ones, and after the
        last.
    gap_ : float
        Upper bound of what the objective is above its optimum; nan with an intercept or ``mu=0``.
    n_iter_ : int
        Iterations done.
    stop_ : str
        Why the iteration ended.
    L_f_ : float
        Bound of how fast the gradient of the loss changes.
    step_sizes_ : tuple of float
        Steps tau and sigma.
    n_features_in_ : int
        Number of features D.
    feature_names_in_ : ndarray of str, shape (D,)
        Names of the features, if `X` had string column names.

    Notes
    -----
    Garg, Xiao and Dekel, "Sparse multi-prototype classification". The score of a class is the largest inner product
    with one of its prototypes. Features should have mean zero and unit scale: put a ``StandardScaler`` in front, or
    use `standardize`.

    Every method takes a feature matrix `X` of finite numbers, array-like of shape (n, D), with the columns of the fit;
    columns of scores are ordered as `classes_`. A fit that is refused or fails leaves the object as it was.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_wine(return_X_y=True)
    >>> model = SMPClassifier(lam=0.1, mu=0.01).fit(scale(X), y)
    >>> model.predict(scale(X)[[0, 60, 160]])
    array([0, 1, 2])
    >>> round(model.score(scale(X), y), 2)
    0.99
    """

    def __init__(
        self,
        n_prototypes: int = 2,
        lam: float = 1e-2,
        mu: float = 1e-3,
        eta: float = 1.0,
        loss: str = "softmax",
        step: str | float = "tight",
        max_iter: int = 1000,
        tol: float = 1e-4,
        fit_intercept: bool = False,
        fusion_graph: str = "complete",
        init: str = "kmeans",
        stopping: str = "gap",
        solver: str = "auto",
        standardize: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.lam = lam
        self.mu = mu
        self.eta = eta
        self.loss = loss
        self.step = step
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.fusion_graph = fusion_graph
        self.init = init
        self.stopping = stopping
        self.solver = solver
        self.standardize = standardize
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit prototypes to training data.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features of mean zero and unit scale.
        y : array-like of shape (n,)
            Class labels, two different ones at least.
        sample_weight : array-like of shape (n,) or None
            Weight of each row in the loss, not negative; rows of weight 0 are left out.

        Returns
        -------
        SMPClassifier
            Itself.

        Raises
        ------
        ValueError
            For an impossible parameter, missing or infinite values, fewer than two classes.

        Warns
        -----
        ConvergenceWarning
            If the limit of iterations was reached.
        UnscaledFeaturesWarning
            If features are far from mean zero and unit scale, naming them.
        NoPrototypeWarning
            If the penalty left no coordinate of any prototype.
        """
        check_settings(self.get_params(deep=False))
        return fitted_at_once(self, lambda draft: draft._learn(X, y, sample_weight))

    def _learn(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        """Fit this object, which nobody else has seen."""
        rows, kept = self._check_rows(X, y, sample_weight)
        fitted = self._solve(rows, self.get_params(deep=False))
        self._take(fitted, kept)
        self._warn(fitted, centred=not self.fit_intercept)
