"""Slopes of single prototypes (R2, ours), found once all batches are.

A comparable need not be adjusted everywhere by the same amounts: what a square metre adds in one district it does not
in another. With r_nj the share that prototype j has in the density of row n, and e_nj what it misses of the target of
row n with the slopes of its batch, the deviation gamma_j of its own slopes from these minimises

    sum_n c_n r_nj (e_nj - gamma_j (x_n - x_j))^2 / h_j^2 + sum_d (gamma_jd / s_d)^2,

a linear system for each prototype; shares follow from the new slopes, and so on. That is the algorithm of expectation
and maximisation for the log-likelihood of all batches together with a normal prior on gamma: each step raises it. The
c_n are the importances of the rows, which sum to as many rows as they are worth; no row is looked at by itself.

Found batch by batch they are no good: a first batch, beside which there is nothing yet, takes up by slopes of its own
what later ones would say better, and far out its answers go astray (docs/decisions.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.candidates import subsample
from proset.engine.density_part import Density
from proset.engine.density_sets import DensityBatch, DensityManager
from proset.engine.fitting import TrainingData, class_weights
from proset.engine.kernels.similarity import single_threaded_blas
from proset.engine.mixtures.mixture import HEIGHT
from proset.engine.objective.density_problem import FADE
from proset.engine.set_manager import FloatArray
from proset.engine.votes import FEWEST_ROWS, MOST_ENTRIES

SLOPE_STREAM = 3  # of a fit's seed, apart from those of its batches, of its refinement and of joined fits
N_STEPS = 6  # three leave a quarter of the gain of one fit, eight change little
MOST_FEATURES = 64  # of a batch, the heaviest, in which slopes may be a prototype's own
_HEARD = 1e-3  # share times importance below which a row says nothing to a prototype


@dataclass(frozen=True, eq=False)
class BatchSlopes:
    """Prototypes of one batch beside training rows.

    Attributes
    ----------
    rows : ndarray of shape (n, d)
        The rows, in the features whose slopes may be a prototype's own.
    prototypes : ndarray of shape (J, d)
        The prototypes in these features.
    impacts : ndarray of shape (n, J)
        Similarity times prototype weight; 0 where a row meets itself.
    missed : ndarray of shape (n, J)
        Targets of the rows less what the prototypes say with the slopes of the batch, standardised.
    spreads : ndarray of shape (J,)
        Spreads h_j.
    freedom : ndarray of shape (d,)
        Standard deviations s_d of the prior.
    """

    rows: FloatArray
    prototypes: FloatArray
    impacts: FloatArray
    missed: FloatArray
    spreads: FloatArray
    freedom: FloatArray

    def votes(self, gamma: FloatArray) -> FloatArray:
        """Return what each prototype adds to the numerator of each row with deviations gamma (J, d): (n, J)."""
        own = np.einsum("jd,jd->j", self.prototypes, gamma)
        off = (self.missed - np.einsum("nd,jd->nj", self.rows, gamma) + own) / self.spreads
        found: FloatArray = self.impacts * (HEIGHT * np.exp(-0.5 * off * off) / self.spreads)
        return found

    def step(self, shares: FloatArray) -> FloatArray:
        """Return the deviations that are best for shares times importance, shape (n, J)."""
        n_prototypes, d = self.prototypes.shape
        matrices, goals = np.empty((n_prototypes, d, d)), np.empty((n_prototypes, d))
        for j in range(n_prototypes):
            heard = np.flatnonzero(shares[:, j] > _HEARD)
            apart = (self.rows[heard] - self.prototypes[j]) * self.freedom
            weighted = apart * (shares[heard, j] / self.spreads[j] ** 2)[:, None]
            matrices[j] = np.einsum("nd,ne->de", weighted, apart)
            goals[j] = np.einsum("nd,n->d", weighted, self.missed[heard, j])
        return self.freedom * solved(matrices, goals)


@dataclass(frozen=True, eq=False)
class SlopeProblem:
    """Slopes of all prototypes of a model, everything else being fixed.

    Attributes
    ----------
    batches : tuple of BatchSlopes
        Those that hold prototypes.
    alone : ndarray of shape (n,)
        Marginal density of each target without its row.
    importance : ndarray of shape (n,)
        Factors c_n of the rows.
    """

    batches: tuple[BatchSlopes, ...]
    alone: FloatArray
    importance: FloatArray

    def start(self) -> list[FloatArray]:
        """Return no deviations."""
        return [np.zeros(one.prototypes.shape) for one in self.batches]

    def objective(self, gammas: list[FloatArray]) -> float:
        """Return what of minus the log-likelihood depends on the deviations, with minus the logarithm of the prior."""
        prior = sum(
            float(np.square(gamma / one.freedom).sum()) for one, gamma in zip(self.batches, gammas, strict=True)
        )
        votes = [one.votes(gamma) for one, gamma in zip(self.batches, gammas, strict=True)]
        return 0.5 * prior - float(np.einsum("n,n->", self.importance, np.log(self._sums(votes))))

    def step(self, gammas: list[FloatArray]) -> list[FloatArray]:
        """Return the deviations after one step more."""
        votes = [one.votes(gamma) for one, gamma in zip(self.batches, gammas, strict=True)]
        factor = (self.importance / self._sums(votes))[:, None]
        return [one.step(own * factor) for one, own in zip(self.batches, votes, strict=True)]

    def _sums(self, votes: list[FloatArray]) -> FloatArray:
        """Return the numerators of (R1)."""
        found: FloatArray = self.alone + sum(own.sum(axis=1) for own in votes)
        return found


def with_own_slopes(
    manager: DensityManager, data: TrainingData, freedom: float, rng: np.random.Generator, n_steps: int = N_STEPS
) -> DensityManager:
    """Return a model whose prototypes have slopes of their own.

    Parameters
    ----------
    data : TrainingData
        What the model was grown on.
    freedom : float
        Standard deviation of the prior, in standard deviations of the target per unit of a feature; 0 takes own slopes
        away. In a feature that the kernel hardly looks at it is less, so that far away nothing is adjusted by much.
    rng : numpy.random.Generator
        Draws the rows where there are more than memory is for.

    Examples
    --------
    >>> from proset.engine.regressor import RegressorModel
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> model = RegressorModel(n_iter=1, random_state=0).fit(X, np.square(X[:, 0]))
    >>> slopes = model.set_manager_.batches[0].total_slopes[:, 0]
    >>> bool(slopes[:20].mean() + 0.3 < slopes[-20:].mean())  # the steeper, the farther to the right
    True
    """
    if not freedom or not manager.get_num_prototypes():
        return manager.with_slopes([None] * manager.num_batches)
    with single_threaded_blas():
        problem = slope_problem(manager, data, freedom, rng)
    gammas = problem.start()
    for _ in range(n_steps):
        gammas = problem.step(gammas)
    found = iter(zip(manager.density_batches, gammas, strict=True))
    return manager.with_slopes([None if one is None else _wide(*next(found)) for one in manager.batches])


def slope_problem(
    manager: DensityManager, data: TrainingData, freedom: float, rng: np.random.Generator
) -> SlopeProblem:
    """Put prototypes beside the training rows, or as many of these as memory is for."""
    part = data.part
    assert isinstance(part, Density)  # it makes these managers
    n_rows = max(MOST_ENTRIES // manager.get_num_prototypes(), FEWEST_ROWS)
    rows = subsample(data.target, n_rows, 1, data.steering.keys(data.target.shape[0], rng))
    batches = tuple(
        _beside(batch, data.X[rows], part.values[rows], data.index[rows], freedom) for batch in manager.density_batches
    )
    return SlopeProblem(batches, part.alone[rows], effective(class_weights(data, rows)))


def effective(importance: FloatArray) -> FloatArray:
    """Scale importances so that their sum is the number of equally important rows that they are worth.

    Examples
    --------
    >>> effective(np.array([2.0, 2.0, 0.0])).tolist()
    [1.0, 1.0, 0.0]
    """
    importance = np.ldexp(importance, -np.frexp(importance.max())[1])  # exact: squares of any weights can be held
    scaled: FloatArray = importance * (importance.sum() / np.square(importance).sum())
    return scaled


def solved(matrices: FloatArray, goals: FloatArray) -> FloatArray:
    """Solve (A + I) z = b for each prototype by Cholesky's factors, all at once.

    No library of linear algebra does it, whose last digits may hang on its threads.

    Parameters
    ----------
    matrices : ndarray of shape (J, d, d)
        Symmetric, without a negative eigenvalue.
    goals : ndarray of shape (J, d)
        Right-hand sides.

    Examples
    --------
    >>> solved(np.array([[[1.0, 1.0], [1.0, 2.0]]]), np.array([[3.0, 4.0]])).round(12).tolist()
    [[1.0, 1.0]]
    """
    d = goals.shape[1]
    factor, z = matrices + np.eye(d), goals.copy()
    for i in range(d):
        factor[:, i:, i] -= np.einsum("jak,jk->ja", factor[:, i:, :i], factor[:, i, :i])
        factor[:, i:, i] /= np.sqrt(factor[:, i, i])[:, None]
        z[:, i] = (z[:, i] - np.einsum("jk,jk->j", factor[:, i, :i], z[:, :i])) / factor[:, i, i]
    for i in range(d - 1, -1, -1):
        below = np.einsum("jk,jk->j", factor[:, i + 1 :, i], z[:, i + 1 :])
        z[:, i] = (z[:, i] - below) / factor[:, i, i]
    return z


def _beside(
    batch: DensityBatch, X: NDArray[np.floating], values: FloatArray, index: NDArray[np.int64], freedom: float
) -> BatchSlopes:
    """Put the prototypes of a batch beside some rows."""
    chosen, middle = heaviest(batch), batch.prototypes.mean(axis=0)
    return BatchSlopes(
        rows=(np.asarray(X[:, batch.active_features], dtype=np.float64) - middle)[:, chosen],
        prototypes=(batch.prototypes - middle)[:, chosen],
        impacts=batch.impacts_on(X, index),
        missed=values[:, None] - batch.with_slopes(None).centers(X),
        spreads=batch.spreads,
        freedom=np.minimum(freedom, batch.feature_weights.astype(np.float64)[chosen] / FADE),
    )


def heaviest(batch: DensityBatch) -> NDArray[np.int64]:
    """Return the places of the features whose slopes may be a prototype's own, ascending."""
    order = np.argsort(-batch.feature_weights, kind="stable")[:MOST_FEATURES]
    return np.sort(order).astype(np.int64)


def _wide(batch: DensityBatch, gamma: FloatArray) -> FloatArray:
    """Return deviations in all active features of a batch."""
    wide = np.zeros(batch.prototypes.shape)
    wide[:, heaviest(batch)] = gamma
    return wide
