"""Answers of a fitted regressor: distributions, and all that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_array

from proset.engine.density_reports import DensityReportsMixin
from proset.engine.kernels.threads import Tell, limited, n_threads, say_nothing, side_by_side
from proset.engine.mixtures.distribution import Kind, PredictedDistribution, checked_levels
from proset.engine.mixtures.mixture import FloatArray
from proset.engine.training_checks import counted_weight

MOST_COMPONENTS = 1 << 21  # of all cases that are answered at once: some 100 MiB


class DensityAnswersMixin(DensityReportsMixin):
    """Adds ``predict`` and its kin to a fitted regressor; every method takes a feature matrix as ``fit`` does."""

    def predict_distribution(self, X: ArrayLike) -> PredictedDistribution:
        """State the distribution (R1) of each sample.

        Returns
        -------
        PredictedDistribution
            Mean, quantiles, density, intervals and scores of all samples. It holds two numbers per sample and
            component: for very many samples ask in parts, as the other methods do by themselves.
        """
        features = self._check_features(X)
        with limited(self.n_jobs):
            return self._distribution(features)

    def _distribution(self, features: NDArray[np.floating]) -> PredictedDistribution:
        """State the distributions of checked rows."""
        return PredictedDistribution(self.set_manager_.mixture(features), self.units_)

    def staged_predict_distribution(self, X: ArrayLike) -> Iterator[PredictedDistribution]:
        """State the distributions (R1) with 0, 1, ..., B batches.

        Yields
        ------
        PredictedDistribution
            The last one is that of :meth:`predict_distribution`.
        """
        features, manager = self._check_features(X), self.set_manager_
        for n_batches in range(manager.num_batches + 1):
            with limited(self.n_jobs):
                mixture = manager.with_batches(manager.batches[:n_batches]).mixture(features)
            yield PredictedDistribution(mixture, self.units_)

    def _in_parts(self, X: ArrayLike, answer: Callable[[PredictedDistribution, slice], FloatArray]) -> FloatArray:
        """Collect answers for as many rows at a time as memory is for, on the threads there are."""
        return self._of_checked(self._check_features(X), answer)

    def _of_checked(
        self, features: NDArray[np.floating], answer: Callable[[PredictedDistribution, slice], FloatArray]
    ) -> FloatArray:
        """Collect answers for checked rows."""
        n_components = self.set_manager_.get_num_prototypes() + self.set_manager_.marginal.centers.shape[0]

        def answered(part: slice, tell: Tell) -> FloatArray:
            return answer(self._distribution(features[part]), part)

        with limited(self.n_jobs):
            step = max(1, MOST_COMPONENTS // (n_components * n_threads()))
            works = [partial(answered, slice(first, first + step)) for first in range(0, features.shape[0], step)]
            return np.concatenate(list(side_by_side(works, say_nothing)))

    def predict(self, X: ArrayLike) -> FloatArray:
        """Predict the mean of each sample's distribution.

        Returns
        -------
        ndarray of shape (n,)
            In units of the target.
        """
        return self._in_parts(X, lambda found, _: found.mean)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> FloatArray:
        """Predict quantiles, which cannot cross.

        Parameters
        ----------
        X
            As for :meth:`fit`.
        q : float or array-like of shape (m,)
            Levels in (0, 1).

        Returns
        -------
        ndarray of shape (n,) for a number, else (n, m)
            In units of the target.

        Raises
        ------
        ValueError
            If a level is not in (0, 1).
        """
        levels = checked_levels(q)
        if levels.ndim > 1:
            raise ValueError("q has to be a number or a list of numbers.")
        return self._in_parts(X, lambda found, _: found.quantile(levels))

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9, kind: Kind = "central") -> FloatArray:
        """Predict intervals that hold the target with probability `coverage`, if the model is right.

        Parameters
        ----------
        X
            As for :meth:`fit`.
        coverage : float, default=0.9
            In (0, 1).
        kind : {"central", "shortest"}, default="central"
            See :meth:`PredictedDistribution.interval`.

        Returns
        -------
        ndarray of shape (n, 2)
            Lower and upper ends in units of the target.
        """
        return self._in_parts(X, lambda found, _: found.interval(coverage, kind))

    def familiarity(self, X: ArrayLike) -> FloatArray:
        """Measure how much the prototypes have to say about each sample (4.5).

        Returns
        -------
        ndarray of shape (n,)
            Total impact of all prototypes, at least 0; 0 far away from the training data.
        """
        features = self._check_features(X)
        with limited(self.n_jobs):
            return self.set_manager_.familiarity(features)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood per sample: **not** the coefficient of determination R^2.

        A distribution is scored, as ``ClassifierModel.score`` does; scikit-learn's ``r2_score`` of :meth:`predict` is
        there for whoever wants the other.

        Parameters
        ----------
        X, y, sample_weight
            As for :meth:`fit`.

        Returns
        -------
        float
            In nats per unit of the target; larger is better. In other units it is another number: with y in metres it
            is less by log(1000) than with y in kilometres. Its negative is the mean log score.
        """
        target = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y").ravel()
        features = self._check_features(X)
        if target.shape[0] != features.shape[0]:
            raise ValueError(f"y has {target.shape[0]} entries, but X {features.shape[0]} rows.")
        scores = self._of_checked(features, lambda found, part: found.log_score(target[part]))
        return -float(np.average(scores, weights=counted_weight(sample_weight, target.shape[0])))
