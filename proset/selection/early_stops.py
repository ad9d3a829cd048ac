"""Fits of a search whose solver did not converge: counted where they come in, said once at the end."""

from __future__ import annotations

import warnings
from collections import Counter

from sklearn.exceptions import ConvergenceWarning

from proset.common.words import count_words
from proset.selection.tasks import Score

MOST_NAMED = 5  # pairs of penalties that a message lists

Penalties = tuple[float, float]


class EarlyStops:
    """Counts the fits of one run of a search, and those that stopped before they converged.

    Examples
    --------
    >>> stops = EarlyStops()
    >>> stops.add(Score(0, 0, 0.5, 2, 9, converged=False, reason="the limit on iterations was reached"), (1e-6, 1e-8))
    >>> stops.add(Score(1, 0, 0.4, 2, 9, converged=True, reason="the objective no longer changes"), (1e-3, 1e-8))
    >>> print(stops.words())
    The solver stopped early in 1 of 2 fits of the search: the limit on iterations was reached (1 fit). It happened with lambda_v=1e-06, lambda_w=1e-08 (1 fit). A score from such a fit may be worse than its penalties deserve. Check the scale of the features, or let the range of lambda_v begin higher.
    """  # noqa: E501  # one message is one line

    def __init__(self) -> None:
        self.n_fits = 0
        self._reasons: Counter[str] = Counter()
        self._penalties: Counter[Penalties] = Counter()

    def add(self, score: Score, penalties: Penalties) -> None:
        """Count a score; one of a model without batches is no fit."""
        self.n_fits += bool(score.reason)
        if not score.converged:
            self._reasons[score.reason] += 1
            self._penalties[penalties] += 1

    def words(self) -> str:
        """Say how many fits stopped early, why, and with which penalties; empty if all converged."""
        if not self._reasons:
            return ""
        reasons = "; ".join(f"{reason} ({count_words(count, 'fit')})" for reason, count in self._reasons.most_common())
        common = self._penalties.most_common(MOST_NAMED)
        pairs = [f"lambda_v={v:.3g}, lambda_w={w:.3g} ({count_words(count, 'fit')})" for (v, w), count in common]
        if len(self._penalties) > MOST_NAMED:
            pairs.append(f"and {len(self._penalties) - MOST_NAMED} more pairs")
        return (
            f"The solver stopped early in {self._reasons.total()} of {count_words(self.n_fits, 'fit')} of the search: "
            f"{reasons}. It happened with {'; '.join(pairs)}. "
            "A score from such a fit may be worse than its penalties deserve. "
            "Check the scale of the features, or let the range of lambda_v begin higher."
        )

    def warn(self, stacklevel: int = 2) -> None:
        """Warn if a fit stopped early; `stacklevel` counts from the caller."""
        if self._reasons:
            warnings.warn(self.words(), ConvergenceWarning, stacklevel=stacklevel + 1)
