"""Steps that add one batch to a model: candidates, problem, solver, clean-up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import partial
from itertools import count

import numpy as np
from numpy.typing import NDArray

from proset.engine.candidates import smallest_class_size, split_candidates, subsample, with_required
from proset.engine.kernels.units import bounded
from proset.engine.merging import merge_equivalent
from proset.engine.objective import make_objective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import OVERHEAD_PER_PAIR, BatchProblem
from proset.engine.scaling import solver_units
from proset.engine.set_manager import Batch, FloatArray, IntArray, SetManager
from proset.engine.solver import SolverResult, minimize_nonnegative
from proset.engine.steering import NOT_STEERED, Steering
from proset.engine.target_part import CLASS_INDICATOR, TargetPart
from proset.engine.working_set import WorkingSet

LONG = 5e7  # on two cores two fits side by side take as long as one after the other at half of it, .7 of that at twice
HUGE = 1e10  # beyond, threads inside of an evaluation do as well, and each fit holds rows of its own


def are_long(part: TargetPart | type[TargetPart], n_rows: int, num_candidates: int, n_features: int) -> bool:
    """Tell whether evaluations take so long that fits on threads of their own do not wait for one another.

    Not if they are so large that it would cost more memory than time.

    Examples
    --------
    >>> [are_long(CLASS_INDICATOR, n_rows, 1_000, 20) for n_rows in (1_000, 4_000, 1_000_000)]
    [False, True, False]
    """
    return LONG < part.cost * n_rows * min(num_candidates, n_rows) * (n_features + OVERHEAD_PER_PAIR) < HUGE


@dataclass(frozen=True)
class BatchSettings:
    """Everything that governs the fit of one batch; the names are those of ``ClassifierModel``."""

    lambda_v: float
    lambda_w: float
    alpha_v: float
    alpha_w: float
    num_candidates: int
    max_fraction: float
    max_samples: int | None
    solver_factr: float
    backend: str = "compiled"
    max_prototypes: int | None = None

    @classmethod
    def of(cls, source: object) -> BatchSettings:
        """Take the settings from attributes of the same names, those of a ``ClassifierModel`` or ``FitSettings``."""
        return cls(**{field.name: getattr(source, field.name) for field in fields(cls)})

    def penalties(self, factors: FloatArray | None = None) -> dict[str, ElasticNet]:
        """Return the penalties of a problem by name; `factors` are those of the features."""
        return {
            "penalty_v": ElasticNet(self.lambda_v, self.alpha_v, factors),
            "penalty_w": ElasticNet(self.lambda_w, self.alpha_w),
        }


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Checked training data.

    Attributes
    ----------
    X : ndarray of shape (n, D)
        Features, finite.
    target : ndarray of int64, shape (n,)
        Classes 0 to K - 1; where the target is a number, the part of its range that a sample is from.
    weight : ndarray of float64, shape (n,)
        Sample weights, positive.
    index : ndarray of int64, shape (n,)
        Row of each sample in what the caller passed; samples of weight zero are gone.
    steering : Steering
        Samples that may or have to be candidates, and factors on the feature penalty.
    part : TargetPart
        All in which a class and a number as target differ.
    """

    X: NDArray[np.floating]
    target: IntArray
    weight: FloatArray
    index: IntArray
    steering: Steering = NOT_STEERED
    part: TargetPart = CLASS_INDICATOR


@dataclass(frozen=True, eq=False)
class BatchDraw:
    """The rows that take part in one batch.

    Attributes
    ----------
    problem : BatchProblem
        What is minimised.
    rows : ndarray of int64
        Training rows behind the rows of the problem.
    columns : ndarray of int64 or None
        Features behind those of the problem; None for all.
    """

    problem: BatchProblem
    rows: IntArray
    columns: IntArray | None = None

    def with_penalties(self, settings: BatchSettings) -> BatchDraw:
        """Return the same candidates and reference rows under other penalties."""
        problem = self.problem.with_penalties(settings.penalties(self.problem.penalty_v.factors))
        return BatchDraw(problem, self.rows, self.columns)


def draw_batch(manager: SetManager, data: TrainingData, settings: BatchSettings, rng: np.random.Generator) -> BatchDraw:
    """Choose the candidates and reference rows of the next batch (algorithm 2.1) and arrange them.

    A feature whose penalty is infinite is no part of the problem: the batch is as if it were not there.

    Parameters
    ----------
    manager : SetManager
        The model so far.
    settings : BatchSettings
        Hyperparameters. The draw does not depend on the penalties.
    rng : numpy.random.Generator
        The stream of this batch.
    """
    smallest = smallest_class_size(settings.max_fraction)
    steering, first = data.steering, manager.num_batches == 0
    keys = steering.keys(data.target.shape[0], rng)  # for both draws: what the first one takes lies in any order
    rows = subsample(data.target, settings.max_samples, smallest, keys)
    if first and steering.required is not None:
        rows = with_required(rows, data.target, steering.required, keys)
    X, target, columns = data.X[rows], data.target[rows], steering.columns
    prior, explained = data.part.before(manager, X, target, rows)
    split = split_candidates(
        target,
        explained,
        num_candidates=settings.num_candidates,
        max_fraction=settings.max_fraction,
        keys=keys[rows],
        steering=(steering if first else replace(steering, required=None)).at(rows),
    )
    problem = data.part.problem(
        X if columns is None else X[:, columns],
        target,
        class_weights(data, rows),
        prior,
        rows,
        candidates=split.candidates,
        reference=split.reference,
        penalties=settings.penalties(steering.factors),
        first=manager.get_num_prototypes() == 0,  # batches without prototypes leave only the marginals
    )
    return BatchDraw(problem, rows, columns)


def class_weights(data: TrainingData, rows: IntArray) -> FloatArray:
    """Weights of rows drawn, such that each class weighs what it does among all samples (section 2.1)."""
    if rows.shape[0] == data.target.shape[0]:
        return data.weight
    target, weight = data.target[rows], data.weight[rows]
    factor = np.bincount(data.target, weights=data.weight) / np.bincount(target, weights=weight)
    return weight * factor[target]


def solve_batch(
    problem: BatchProblem,
    settings: BatchSettings,
    *,
    start: FloatArray | None = None,
    on_evaluation: Callable[[int, float], None] | None = None,
) -> SolverResult:
    """Minimise the objective (2.8) of one batch.

    Parameters
    ----------
    problem : BatchProblem
        From :func:`draw_batch`.
    start : ndarray of shape (n_variables,) or None
        Feature weights, then prototype weights to start from; None for the report's starting point. A feature weight
        of zero stays zero, so a path over penalties has to go from the smallest ``lambda_v`` upwards.
    on_evaluation : callable or None
        Called with the number of evaluations and the latest objective; raising from it ends the fit.
    """
    units = solver_units(problem)
    # On a device, fewer candidates save less than moving the others there costs.
    if settings.backend == "tensorflow" or not problem.sets_aside:
        objective, settle = make_objective(problem, settings.backend), None
    else:
        make = partial(make_objective, backend=settings.backend)
        objective = WorkingSet(problem, make) if start is None else WorkingSet(problem, make, first_look=1)
        settle = objective.settle
    evaluations = count(1)

    def evaluate(scaled: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = objective(scaled * units)
        if on_evaluation is not None:
            on_evaluation(next(evaluations), value)
        return value, gradient * units

    result = minimize_nonnegative(
        evaluate,
        (problem.start() if start is None else start) / units,
        factr=settings.solver_factr,
        settle=None if settle is None else lambda scaled: settle(scaled * units),
    )
    return SolverResult(result.x * units, result.report)


def keep_prototypes(draw: BatchDraw, result: SolverResult, data: TrainingData) -> tuple[Batch | None, int]:
    """Turn positive weights into a batch, merging equivalent prototypes.

    Parameters
    ----------
    draw : BatchDraw
        What was minimised.
    result : SolverResult
        Where the minimum is.
    data : TrainingData
        The training data that the rows belong to.

    Returns
    -------
    batch : Batch or None
        The batch; None if no candidate kept a weight, or if not even the start had a finite objective.
    n_merged : int
        Prototypes that were merged into another.
    """
    problem, rows = draw.problem, draw.rows
    if not np.isfinite(result.report.objective):
        return None, 0
    v, w = (part.astype(np.float32) for part in (problem.kernel_weights(result.x), result.x[problem.n_shared :]))
    used = np.flatnonzero(v > 0.0)
    active = used if draw.columns is None else draw.columns[used]
    kept = np.flatnonzero(w > 0.0)
    if kept.shape[0] == 0:
        return None, 0
    kept = kept[np.argsort(problem.candidate_index[kept])]  # training order decides which duplicate lends its features
    index = rows[problem.candidate_index[kept]]
    features = np.asarray(data.X[np.ix_(index, active)], dtype=np.float64)
    # Where a feature weighs more than one, equal means equal to the kernel.
    with np.errstate(over="ignore"):
        scaled = bounded(features * np.maximum(v[used], 1.0))
    scaled = np.column_stack([scaled, problem.merge_columns(result.x, kept)])
    merged = merge_equivalent(scaled, problem.candidate_target[kept], w[kept].astype(np.float64))
    batch = Batch(
        active_features=active,
        feature_weights=v[used],
        prototypes=features[merged.first],
        target=problem.candidate_target[kept][merged.first],
        weights=merged.weights.astype(np.float32),
        sample_index=data.index[index[merged.first]],
    )
    return problem.as_batch(batch, result.x, kept[merged.first], used), kept.shape[0] - len(batch)
