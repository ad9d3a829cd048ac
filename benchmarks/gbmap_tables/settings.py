"""What is drawn in the searches, and how much of it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

SPLITS = 5
FOLDS = 5
LENGTHS = tuple(range(2, 151))  # the paper's range of m; all of them are one fit, stage by stage
NEIGHBOUR_LENGTHS = (2, 4, 8, 16, 32, 50)
NEIGHBOURS = 10
MOST_TREES = 400
KNN_ROWS = 10_000
ASKED_ROWS = 1_000  # held-out rows of a fold that neighbours are searched for


@dataclass(frozen=True)
class Draw:
    """One setting of gbmap; its length m is found along the stages of the fit."""

    beta: float
    ridge: float
    max_iter: int

    def parameters(self) -> dict[str, Any]:
        """Keywords of the estimators."""
        return asdict(self)


def draws(n: int, seed: int) -> list[Draw]:
    """Draw settings from the paper's ranges.

    Examples
    --------
    >>> len(draws(3, 0)), draws(2, 0) == draws(3, 0)[:2]
    (3, True)
    """
    rng = np.random.default_rng([seed, 1])
    return [
        Draw(float(rng.uniform(1.0, 20.0)), float(rng.uniform(0.0, 1e-2)), int(rng.choice([200, 400])))
        for _ in range(n)
    ]


def tree_draws(n: int, seed: int) -> list[dict[str, float]]:
    """Draw settings of XGBoost; the paper does not state its ranges, and the number of trees is found along the fit."""
    rng = np.random.default_rng([seed, 2])
    return [
        {
            "max_depth": int(rng.integers(2, 9)),
            "learning_rate": float(np.exp(rng.uniform(np.log(0.02), np.log(0.3)))),
            "subsample": float(rng.uniform(0.5, 1.0)),
            "colsample_bytree": float(rng.uniform(0.5, 1.0)),
            "reg_lambda": float(np.exp(rng.uniform(np.log(0.1), np.log(10.0)))),
        }
        for _ in range(n)
    ]


@dataclass(frozen=True)
class Effort:
    """How many settings are drawn for gbmap, for neighbours in its embedding (of these), and for XGBoost.

    A fit gives all lengths m, or numbers of trees, at once; the paper drew 100 settings with one length each.
    """

    mapping: int
    neighbours: int
    trees: int


def effort(rows: int) -> Effort:
    """Say how much a set gets: less where rows make a fit long.

    Examples
    --------
    >>> effort(392).mapping, effort(8_192).mapping, effort(20_640).mapping
    (16, 6, 3)
    """
    if rows <= 2_000:
        return Effort(16, 8, 10)
    return Effort(6, 3, 4) if rows <= 10_000 else Effort(3, 2, 3)
