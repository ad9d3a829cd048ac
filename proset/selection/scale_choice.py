"""Round zero of a joint search: a scale of the numbers, chosen by what one pair of penalties makes of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from proset.data.scales import Scale
from proset.engine.set_manager import FloatArray
from proset.selection.tasks import CurveTask, Score, Tick

LAMBDA_V, LAMBDA_W = 3e-3, 2e-6  # about the middle of both ranges of a quick fit
MOST_BATCHES, MOST_ROWS = 4, 1_000
ERRORS, LEAST_SHARE = 1.5, 0.02


@dataclass(frozen=True)
class ChosenScale:
    """Scale that a search has taken, and what it was compared with.

    Attributes
    ----------
    scale : Scale
        What was taken.
    best : Scale
        The one with the lowest mean.
    loss : float
        Mean over the folds with the scale that was taken.
    standard : float
        The same with the standard scale.
    lower, error : float
        By how much the best is lower than the standard scale, and the standard error of this paired difference.
    measure : str
        What was measured: "log-loss", or "log score" where a number is estimated.
    """

    scale: Scale
    best: Scale
    loss: float
    standard: float
    lower: float
    error: float
    measure: str = "log-loss"

    @property
    def words(self) -> str:
        """Which scale was taken and why, in one or two sentences."""
        if self.best is Scale.STANDARD:
            return (
                f"Numbers are taken on their standard scale: no other one gave a lower {self.measure} over the folds."
            )
        by = f"{self.lower:.3f} ± {self.error:.3f} lower {self.measure} over the folds"
        other = "their weights of evidence" if self.best is Scale.EVIDENCE else f"the {self.best} one"
        if self.scale is Scale.STANDARD:
            return f"Numbers are taken on their standard scale: {other} gave {by}, which is not enough to give it up."
        if self.scale is Scale.EVIDENCE:
            return (
                "Beside each value the model sees what it says, alone, of the classes (its weight of evidence): with a"
                f" quick fit this gave {by} than values on the standard scale."
            )
        return f"Numbers are taken on a {self.scale} scale: with a quick fit it gave {by} than the standard scale."


@dataclass(frozen=True, eq=False)
class ScaleTask(CurveTask):
    """One scale on one fold; the one score is the lowest of its curve.

    Attributes
    ----------
    number : int
        Which of the plan's scales it is.
    """

    number: int = 0

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield the lowest score."""
        yield replace(min(super().scores(tick), key=lambda score: score.log_loss), row=self.number)


def choose_scale(
    scales: tuple[Scale, ...], losses: FloatArray, *, gain: float | None = None, measure: str = "log-loss"
) -> ChosenScale:
    """Take the scale with the lowest mean loss, unless the standard one is about as good.

    Another one has to be better by more than one and a half standard errors of the paired difference over the folds
    and by more than 2 % of the log-loss of the standard scale, or of what a model gains.

    Parameters
    ----------
    scales : tuple of Scale
        The standard one first.
    losses : ndarray of shape (S, F)
        Log-loss of each on each fold.
    gain : float or None
        By how much the mean loss of the standard scale is lower than that of a model without prototypes, where zero
        says nothing of losses; None takes its log-loss.
    measure : str
        Name of the loss.

    Examples
    --------
    >>> losses = np.array([[0.30, 0.32, 0.31], [0.25, 0.28, 0.26], [0.29, 0.33, 0.31]])
    >>> choose_scale((Scale.STANDARD, Scale.SQUASHED, Scale.QUANTILE), losses).scale
    <Scale.SQUASHED: 'squashed'>
    """
    means = losses.mean(axis=1)
    best = int(np.argmin(means))
    lower = losses[0] - losses[best]
    error = float(lower.std(ddof=1) / np.sqrt(len(lower)))
    clearly = lower.mean() > max(ERRORS * error, LEAST_SHARE * (means[0] if gain is None else gain))
    taken = best if clearly else 0
    loss, standard = float(means[taken]), float(means[0])
    return ChosenScale(scales[taken], scales[best], loss, standard, float(lower.mean()), error, measure)
