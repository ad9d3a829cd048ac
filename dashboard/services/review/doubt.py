"""Doubts about the class or the number that the table states of a row."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.texts.review import LIKELY_WRONG, TREES
from proset.common.words import percent, shown


@dataclass(frozen=True)
class Doubt:
    """How far what the table states of a row is doubted.

    Attributes
    ----------
    reason : str
        A sentence where it is likely wrong, else empty.
    trees : float or None
        Probability of the class in the table by trees that have not seen the row; None of a number.
    """

    reason: str
    trees: float | None = None

    def facts(self, actual: str) -> list[dict[str, str]]:
        """Return it as facts beside the others.

        Examples
        --------
        >>> Doubt("", 0.97).facts("benign")[0]["text"]
        "trees give 'benign' 97.0 %"
        """
        if self.trees is None and not self.reason:
            return []
        said = LIKELY_WRONG if self.trees is None else f"trees give '{shown(actual)}' {percent(self.trees)}"
        explained = ([] if self.trees is None else [TREES]) + [self.reason] * bool(self.reason)
        return [{"tone": "warn" if self.reason else "plain", "text": said, "help": " ".join(explained)}]
