"""Rules of a joint search: the pairs of penalties that go on, and the model that is taken."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from proset.engine.set_manager import BoolArray, FloatArray
from proset.selection.rules import Rule, falls

PATIENCE = 2  # batches without progress that end a curve on the first folds
CLEARLY_WORSE = 2.0  # standard errors of the paired difference
LARGEST_JOINED = 2  # times the prototypes of a single fit, refined, that joined ones may have
GIVEN_AWAY = {
    Rule.SE: 0.02,
    Rule.SD: 0.05,
    Rule.BEST: 0.0,
}  # largest share of what the best gains over the class shares

Point = tuple[int, int]
"""Number of a pair of penalties, and number of batches."""


@dataclass(frozen=True, eq=False)
class Curve:
    """Measures of one pair: entry 0 is the model without batches.

    Attributes
    ----------
    log_loss : ndarray of shape (B + 1, F)
        By number of batches, on the folds that are done.
    size : ndarray of shape (B + 1,)
        How large the models are by their means over the folds, see :func:`model_size`.
    """

    log_loss: FloatArray
    size: FloatArray

    @property
    def mean(self) -> FloatArray:
        """Mean log-loss over the folds, shape (B + 1,), each averaged with its neighbours from 1 batch on.

        One point of a curve is as noisy as the folds are small, and its neighbours are nearly the same model.
        """
        raw = self.log_loss.mean(axis=1)
        inner = [raw[max(1, b - 1) : b + 2].mean() for b in range(1, raw.shape[0])]
        return np.array([raw[0], *inner])


@dataclass(frozen=True)
class JointPick:
    """Choice of the rule; each is a pair and a number of batches.

    Attributes
    ----------
    best : (int, int)
        Lowest mean log-loss.
    chosen : (int, int)
        The smallest model that gives away next to nothing, see :func:`pick`.
    sparsest : (int, int)
        The smallest model that is not worse than the best by more than chance would explain.
    """

    best: Point
    chosen: Point
    sparsest: Point


@dataclass(frozen=True)
class ChosenRefinement:
    """Refinement of the chosen model, and what it comes to over the folds.

    Attributes
    ----------
    correction, thinning : float
        Settings of the fit.
    log_loss, n_prototypes : float
        Means over the folds.
    """

    correction: float
    thinning: float
    log_loss: float
    n_prototypes: float

    @property
    def changes_anything(self) -> bool:
        """False for a model that is taken as it was grown."""
        return bool(self.correction or self.thinning)


@dataclass(frozen=True)
class JoinedModel(ChosenRefinement):
    """Several fits like the chosen model with their votes joined, refined, and what that comes to over the folds.

    Attributes
    ----------
    n_joined : int
        Fits whose votes are joined.
    n_features : float
        Mean over the folds.
    sd : float
        Standard deviation of its log-loss over the folds.
    below, error : float
        By how much its log-loss is below that of the chosen model, refined, on the same folds, and the standard error
        of that.
    """

    n_joined: int
    n_features: float
    sd: float
    below: float
    error: float

    @property
    def is_worse(self) -> bool:
        """True if its log-loss is clearly higher, as clearly as a pair of penalties has to be to end, see `not_worse`.

        Less than that says nothing against it: how good one fit is depends on the draw of its candidates, and that the
        mean of several depends less on it is known before any fold is looked at.
        """
        return self.below < -CLEARLY_WORSE * self.error


def go_on(curves: Mapping[int, Curve], sparseness: Sequence[float], n_keep: int) -> tuple[int, ...]:
    """Return the pairs with the lowest mean log-loss at their best number of batches.

    Examples
    --------
    >>> curves = {i: Curve(np.array([[0.7], [loss]]), np.array([0.0, 1.0])) for i, loss in enumerate((0.5, 0.3, 0.4))}
    >>> go_on(curves, (1.0, 2.0, 3.0), 2)
    (1, 2)
    """
    order = sorted(curves, key=lambda pair: (float(curves[pair].mean.min()), -sparseness[pair], pair))
    return tuple(order[:n_keep])


def not_worse(curves: Mapping[int, Curve]) -> tuple[int, ...]:
    """Return the pairs that are not clearly worse than the best, by paired differences over three folds or more.

    Examples
    --------
    >>> base = np.array([[0.70, 0.72, 0.71], [0.40, 0.42, 0.41]])
    >>> worse = base + np.array([[0.0], [0.1]]) + np.array([0.001, 0.0, -0.001])
    >>> not_worse({0: Curve(base, np.zeros(2)), 1: Curve(worse, np.zeros(2))})
    (0,)
    """
    ends = {pair: curve.log_loss[int(curve.mean.argmin())] for pair, curve in curves.items()}
    best = min(curves, key=lambda pair: float(curves[pair].mean.min()))
    kept = []
    for pair, end in ends.items():
        above = end - ends[best]
        if pair == best or above.mean() <= CLEARLY_WORSE * _standard_error(above):
            kept.append(pair)
    return tuple(kept)


def pick(curves: Mapping[int, Curve], rule: Rule) -> JointPick:
    """Trade size for log-loss.

    A model may be taken instead of the best one if its log-loss, a mean over the folds that is smoothed along the curve
    as all that are compared are, is not higher by more than the standard error of the paired difference over the folds
    (``Rule.SE``; ``Rule.SD``: its standard deviation), and if it gives away at most 2 % (5 %) of what the best gains
    over stating the class shares. Of those the smallest is taken. A best model that does not beat the class shares by
    more than a standard error is not taken: then there are no batches.

    Parameters
    ----------
    curves : mapping of int to Curve
        Pairs that were tried on all folds.
    rule : Rule
        The margin.

    Examples
    --------
    >>> losses = np.array([[0.70, 0.70, 0.70], [0.40, 0.42, 0.41], [0.399, 0.421, 0.41]])
    >>> found = pick({0: Curve(losses, np.array([0.0, 2.0, 3.0]))}, Rule.SE)
    >>> found.best, found.chosen
    ((0, 1), (0, 1))
    """
    means = {pair: curve.mean for pair, curve in curves.items()}
    first = next(iter(curves))
    alone = curves[first].log_loss[0]
    points = [(pair, b) for pair, mean in means.items() for b in range(1, mean.shape[0])]
    size = {point: float(curves[point[0]].size[point[1]]) for point in points}
    best = min(points, key=lambda point: (float(means[point[0]][point[1]]), size[point]))
    lowest, of_best = means[best[0]][best[1]], curves[best[0]].log_loss[best[1]]
    if not falls(alone, of_best):
        nothing = (first, 0)
        return JointPick(best, nothing, nothing)
    gain = float(alone.mean() - lowest)
    n_folds = of_best.shape[0]
    equivalent, taken = [best], [best]
    for pair, b in points:
        above = float(means[pair][b] - lowest)
        error = _standard_error(curves[pair].log_loss[b] - of_best)
        if above <= error:
            equivalent.append((pair, b))
        margin = error * (n_folds**0.5 if rule is Rule.SD else 1.0)
        if above <= min(margin, GIVEN_AWAY[rule] * gain):
            taken.append((pair, b))
    return JointPick(best, min(taken, key=size.__getitem__), min(equivalent, key=size.__getitem__))


def pick_refinement(losses: FloatArray, size: FloatArray, alone: float, rule: Rule, share: float = 0.5) -> int:
    """Choose a refinement: the smallest that gives away at most a share of what :func:`pick` may.

    Parameters
    ----------
    losses : ndarray of shape (V,)
        Mean log-loss over the folds by refinement.
    size : ndarray of shape (V,)
        Mean number of prototypes.
    alone : float
        Mean log-loss of the class shares.
    rule : Rule
        The margin.
    share : float
        Half where :func:`pick` has given away something before.

    Examples
    --------
    >>> losses, size = np.array([0.410, 0.355, 0.357, 0.385]), np.array([90.0, 80.0, 40.0, 20.0])
    >>> [pick_refinement(losses, size, 0.7, rule) for rule in (Rule.BEST, Rule.SE)]
    [1, 2]
    """
    best = int(np.lexsort((size, losses))[0])
    good = np.flatnonzero(losses - losses[best] <= share * GIVEN_AWAY[rule] * (alone - losses[best]))
    return int(good[np.lexsort((losses[good], size[good]))[0]]) if good.shape[0] else best


def pick_joined(losses: FloatArray, size: FloatArray, at_risk: BoolArray, most: float, alone: float, rule: Rule) -> int:
    """Choose a refinement of joined votes as :func:`pick_refinement` does, among those that are not too large.

    What joining gains does not depend on many more prototypes: thinning keeps what all fits say together, with about as
    many as one of them has. A correction fits the weights anew to the training rows, and so may give away what many
    draws of candidates have averaged out: there it has to be better by more than a standard error over the folds.

    Parameters
    ----------
    losses : ndarray of shape (V, F)
        Log-loss by refinement, on the folds.
    size, alone, rule
        As for :func:`pick_refinement`.
    at_risk : ndarray of bool, shape (V,)
        Corrections of many fits; the first entry is none.
    most : float
        Mean number of prototypes that they may have; where all have more, the smallest are taken.

    Examples
    --------
    >>> losses, size = np.array([[0.30, 0.30], [0.33, 0.35], [0.34, 0.36], [0.27, 0.32]]), np.array([400.0, 60, 50, 40])
    >>> at_risk = np.array([False, False, False, True])
    >>> [pick_joined(losses, size, at_risk, most, 0.7, Rule.SE) for most in (450.0, 70.0, 30.0)]
    [0, 1, 2]
    """
    means = losses.mean(axis=1)
    plain, other = np.flatnonzero(~at_risk), np.flatnonzero(at_risk)
    rows = plain
    if other.size and falls(losses[plain[means[plain].argmin()]], losses[other[means[other].argmin()]]):
        rows = np.arange(means.shape[0])
    rows = rows[size[rows] <= max(most, float(size[rows].min()))]
    return int(rows[pick_refinement(means[rows], size[rows], alone, rule)])


def model_size(n_features: FloatArray, n_prototypes: FloatArray) -> FloatArray:
    """Return how large models are, one number for both kinds of size: log(1 + features) + log(1 + prototypes).

    Examples
    --------
    >>> model_size(np.array([0.0, 3.0]), np.array([0.0, 9.0])).round(2).tolist()
    [0.0, 3.69]
    """
    size: FloatArray = np.log1p(n_features) + np.log1p(n_prototypes)
    return size


def _standard_error(values: FloatArray) -> float:
    """Return the standard error of a mean; 0 for a single value."""
    return float(values.std(ddof=1) / np.sqrt(values.shape[0])) if values.shape[0] > 1 else 0.0
