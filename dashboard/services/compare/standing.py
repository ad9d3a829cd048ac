"""Standing of the systems of a comparison that is under way."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from proset.common.words import measure


@dataclass(frozen=True)
class SystemStanding:
    """Standing of one system.

    Attributes
    ----------
    title : str
        Its name.
    folds : int
        Folds that it has done.
    loss : float or None
        Mean log-loss, or CRPS of a number, over these folds.
    failed : str
        Why it cannot go on; empty if it can.
    """

    title: str
    folds: int
    loss: float | None
    failed: str


def standing_frame(standings: tuple[SystemStanding, ...], loss: str = "Log-loss") -> pd.DataFrame:
    """Return how systems stand, as people read it; `loss` is the name of the measure.

    Examples
    --------
    >>> lines = standing_frame((SystemStanding("proset", 2, 0.25, ""), SystemStanding("SMP", 0, None, "no room")))
    >>> lines["Log-loss so far"].tolist(), lines["Folds done"].tolist()
    (['0.250', 'failed'], [2, 0])
    """
    return pd.DataFrame(
        {
            "System": [line.title for line in standings],
            "Folds done": [line.folds for line in standings],
            f"{loss} so far": [_loss_words(line) for line in standings],
        }
    )


def _loss_words(line: SystemStanding) -> str:
    """Write the mean so far."""
    if line.failed:
        return "failed"
    return "" if line.loss is None else measure(line.loss)
