"""The prototype set regressor with scikit-learn manners."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import validate_data

from proset.engine.candidates import smallest_class_size
from proset.engine.density_answers import DensityAnswersMixin
from proset.engine.density_part import Density, DensitySettings
from proset.engine.density_sets import DensityManager
from proset.engine.fit_progress import FitProgress
from proset.engine.fitting import TrainingData
from proset.engine.growth import Streams, marginal_model
from proset.engine.mixtures.units import TargetUnits
from proset.engine.own_slopes import SLOPE_STREAM, with_own_slopes
from proset.engine.regressor_checks import center_and_scale, check_same_units, check_sizes, units_of
from proset.engine.training_checks import check_joined, counted_weight


class RegressorModel(DensityAnswersMixin, RegressorMixin, BaseEstimator):
    """Regressor made of a few weighted training samples, which states a distribution.

    Each prototype says: "cases like me have my target, adjusted by so much per unit of each feature, give or take my
    spread". The distribution of a case is the mixture of what the prototypes say, each weighted by its similarity, and
    of the distribution of all training targets, which alone is left far from everything.

    Parameters
    ----------
    n_iter : int, default=4
        Number of batches B added by :meth:`fit`, at least 0. With 0 the model predicts the marginal distribution.
    lambda_v : float, default=1e-3
        Penalty on the feature weights; larger means smoother and fewer features. Useful range 1e-6 to 1e-1.
    lambda_w : float, default=1e-6
        Penalty on the prototype weights. Useful range 1e-9 to 1e-4.
    lambda_beta : float, default=1e-3
        Penalty on the slopes; larger means flatter around each prototype. Useful range 1e-6 to 1e-1.
    lambda_h : float, default=1e-2
        Penalty on how far the logarithm of a prototype's spread is from that of its batch. Useful range 1e-3 to 10.
    bend_target : bool, default=False
        Fit on bent targets: long tails are drawn in by an inverse hyperbolic sine, whose center and width the training
        targets say. What prototypes add is then a share of what is there already, as with a logarithm; all answers stay
        in units of the target.
    own_slopes : float, default=0.4
        Standard deviation by which the slopes of a prototype may differ from those of its batch, in standard deviations
        of the target per unit of a feature: a prior, which many similar samples outvote. They are found after the last
        batch; 0 leaves all prototypes of a batch alike. Useful range 0.1 to 1.
    min_spread : float, default=0.1
        No prototype's spread is less, in standard deviations of the target, nor less than half the smallest gap
        between two targets. It keeps a fit from buying likelihood with needles. Useful range 0.02 to 0.3.
    alpha_v, alpha_w, alpha_beta : float, default=0.95
        Share of each penalty that is the **L2** term, in [0, 1] (the reverse of glmnet's alpha).
    num_candidates : int, default=100
        Candidates M for prototypes drawn per batch. Many let a fit pick those that agree with the samples that score
        them by chance: on tables of some hundred to some thousand rows 100 led to better models than 1,000.
    max_fraction : float, default=0.5
        Largest share eta of the samples of one bin that may become candidates, in (0, 1). A bin is a third of the range
        of the target, and whether the model so far explains a sample better than the median marginal density.
    max_samples : int or None, default=None
        Use at most that many samples per batch, drawn without replacement and stratified by third. None uses all.
    solver_factr : float, default=1e9
        Tolerance (2.16) of L-BFGS-B in units of the machine precision; less takes longer and is no better.
    backend : {"compiled", "numpy"}, default="compiled"
        What evaluates the objective: code that numba compiles, or matrix products of numpy (these also, with a
        warning, where "compiled" is asked for without numba).
    random_state : int, RandomState instance or None, default=None
        Draws the candidates. An int gives the same model at every call.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most; -1 and None take all that this process may use, -2 all but one. The
        results do not depend on it.
    weight_factor : float, default=1.0
        What all prototype weights are multiplied with after the last batch, in (0, 1]. Less than one draws answers
        toward the marginal distribution, the more the fewer prototypes are near.
    spread_factor : float, default=1.0
        What all spreads are multiplied with after the last batch, in (0, 1]. The likelihood of the training samples
        fears surprises more than it likes short intervals, so that folds often prefer a little less than 1.
    n_joined : int, default=1
        Fits whose votes are averaged, each on candidates of its own: one model of so many times `n_iter` batches. It is
        less a matter of chance than one fit, and larger.
    correction : float, default=0.0
        After the last batch, solve for all prototype weights together, with so large a share of the targets in the aim,
        in [0, 1]; the rest is what the model says, see :func:`proset.engine.refining.refine`. With 0 nothing is done.
        On steep surfaces with many rows 1 takes errors down by up to a sixth, on small noisy tables it overfits.
    thinning : float, default=0.0
        Share of what the model knows that may then be given up for fewer prototypes, in [0, 1). Useful values are 0.001
        to 0.02.
    max_prototypes : int or None, default=None
        Prototypes that may be left, at least 1, whatever that gives up. None does not bind.

    Attributes
    ----------
    target_mean_, target_scale_ : float
        Mean and standard deviation of the training targets, 1 in place of 0 for the latter.
    units_ : TargetUnits
        The way from targets to what the fit works on and back: targets, or bent ones, with their mean and standard
        deviation taken out.
    set_manager_ : DensityManager
        The fitted batches; where fits are joined, the first batch of each, then the second of each, and so on.
    weight_factor_, spread_factor_ : float
        Both factors of the last fit; a warm start takes them back before it goes on.
    batch_results_, refinement_, n_joined_, seed_, n_features_in_, feature_names_in_, active_features_
        As of ``ClassifierModel``.

    Notes
    -----
    The report leaves the regressor to a later release; the model is

        p(y | x) = [p0(y) + sum_j w_j G_u(x - x_j) k((y - m_j(x)) / h_j) / h_j] / [1 + sum_j w_j G_u(x - x_j)]      (R1)
        m_j(x) = y_j + beta_j (x - x_j)                                                                             (R2)

    with the kernel (2.3), the standard normal density k, the marginal density p0, and for each prototype a spread h_j
    and slopes beta_j, which are those of its batch and what it adds to them; section 2.1 of the report is the fit.
    Features should have unit scale (remark 2.4): put a ``StandardScaler`` in front. Every method takes a feature matrix
    `X` of finite numbers, array-like of shape (n, D), with the columns of the fit. A fit that is refused, aborted or
    fails leaves the object as it was.

    Examples
    --------
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> y = 100.0 + 10.0 * X[:, 0] + np.random.default_rng(0).normal(size=200)
    >>> model = RegressorModel(random_state=0).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).round()
    array([100., 110.])
    >>> model.predict_quantiles([[1.0]], [0.05, 0.5, 0.95]).round().tolist()
    [[108.0, 110.0, 112.0]]
    """

    set_manager_: DensityManager
    target_mean_: float
    target_scale_: float
    units_: TargetUnits
    spread_factor_: float
    _fault = "say nothing about the target"

    def __init__(
        self,
        n_iter: int = 4,
        lambda_v: float = 1e-3,
        lambda_w: float = 1e-6,
        lambda_beta: float = 1e-3,
        lambda_h: float = 1e-2,
        min_spread: float = 0.1,
        alpha_v: float = 0.95,
        alpha_w: float = 0.95,
        alpha_beta: float = 0.95,
        num_candidates: int = 100,
        max_fraction: float = 0.5,
        max_samples: int | None = None,
        solver_factr: float = 1e9,
        backend: str = "compiled",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        weight_factor: float = 1.0,
        n_joined: int = 1,
        spread_factor: float = 1.0,
        correction: float = 0.0,
        thinning: float = 0.0,
        max_prototypes: int | None = None,
        own_slopes: float = 0.4,
        bend_target: bool = False,
    ) -> None:
        self.n_iter = n_iter
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.lambda_beta = lambda_beta
        self.lambda_h = lambda_h
        self.min_spread = min_spread
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.alpha_beta = alpha_beta
        self.num_candidates = num_candidates
        self.max_fraction = max_fraction
        self.max_samples = max_samples
        self.solver_factr = solver_factr
        self.backend = backend
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.weight_factor = weight_factor
        self.n_joined = n_joined
        self.spread_factor = spread_factor
        self.correction = correction
        self.thinning = thinning
        self.max_prototypes = max_prototypes
        self.own_slopes = own_slopes
        self.bend_target = bend_target

    def __sklearn_tags__(self) -> Tags:
        """Say that `score` is no coefficient of determination, which is what the tag means."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        warm_start: bool = False,
        *,
        progress: Callable[[FitProgress], None] | None = None,
        candidate_mask: ArrayLike | None = None,
        required_candidates: ArrayLike | None = None,
        feature_penalty: ArrayLike | None = None,
        sample_places: ArrayLike | None = None,
    ) -> Self:
        """Fit `n_iter` batches to training data.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features of unit scale.
        y : array-like of shape (n,)
            Targets, finite, in any unit; at least three with the default `max_fraction`.
        sample_weight : array-like of shape (n,) or None
            As for ``ClassifierModel.fit``.
        warm_start : bool, default=False
            Add `n_iter` batches to the model fitted before, on the same features and targets.
        progress : callable or None
            As for ``ClassifierModel.fit``; the counts of a batch go on through its second stage, in which prototypes
            get their own spreads.
        candidate_mask, required_candidates, feature_penalty, sample_places
            As for ``ClassifierModel.fit``; the penalty of a feature is also that of its slope.

        Returns
        -------
        RegressorModel
            Itself.

        Raises
        ------
        ValueError
            For an impossible parameter or argument, missing or infinite values, too few samples, or a warm start on
            targets of another mean or standard deviation.

        Warns
        -----
        ConvergenceWarning
            If the solver stopped before it converged, saying why.
        NoActiveFeatureWarning
            If no feature has a weight in the end, naming the columns that are not of unit scale.
        """
        if self.backend == "tensorflow":
            raise ValueError("RegressorModel has no backend 'tensorflow': use 'compiled' or 'numpy'.")
        asked = (candidate_mask, required_candidates, feature_penalty, sample_places)
        self._fit_model(X, y, sample_weight, warm_start, progress, asked)
        return self

    def _settings(self) -> DensitySettings:
        return DensitySettings.of(self)

    def _finish(self, data: TrainingData) -> None:
        """Give prototypes slopes of their own."""
        rng = Streams(self.seed_, (SLOPE_STREAM,)).of_batch(0)
        self.set_manager_ = with_own_slopes(self.set_manager_, data, self.own_slopes, rng)

    def _take_back_finish(self) -> None:
        self.set_manager_ = self.set_manager_.with_slopes([None] * self.set_manager_.num_batches)

    def _take_back_factors(self) -> None:
        super()._take_back_factors()
        self.set_manager_ = self.set_manager_.narrowed(1.0 / getattr(self, "spread_factor_", 1.0))

    def _apply_factors(self) -> None:
        super()._apply_factors()
        self.set_manager_, self.spread_factor_ = self.set_manager_.narrowed(self.spread_factor), self.spread_factor

    def _check_training_data(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingData:
        """Check everything that enters `fit`, and set what a model without batches has, unless there is a model."""
        continued = hasattr(self, "set_manager_")
        features, target = validate_data(
            self, X, y, dtype=[np.float64, np.float32], y_numeric=True, reset=not continued
        )
        target = target.astype(np.float64)
        weight = counted_weight(sample_weight, features.shape[0])
        index = np.flatnonzero(weight > 0.0)
        if index.shape[0] < weight.shape[0]:
            features, target, weight = features[index], target[index], weight[index]
        smallest = smallest_class_size(self.max_fraction)
        mean, scale = center_and_scale(target, weight)
        if continued:
            check_same_units((self.target_mean_, self.target_scale_), (mean, scale))
        units = self.units_ if continued else units_of(target, weight, (mean, scale), bend=self.bend_target)
        part = Density(units.inward(target), weight, index, self.min_spread)
        parts = part.parts(smallest)
        check_sizes(parts, smallest, self.max_samples, self.max_fraction)
        data = TrainingData(features, parts, weight, index, part=part)
        if not continued:
            self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            self.target_mean_, self.target_scale_, self.units_ = mean, scale, units
            start = marginal_model(data)
            assert isinstance(start, DensityManager)  # the part of a number makes these
            self.set_manager_, self.batch_results_ = start, ()
        elif self.set_manager_.num_batches:
            check_joined(self.n_joined, getattr(self, "n_joined_", 1))
        self.n_joined_ = self.n_joined
        return data
