"""Progress of a comparison, in shares of the time that it takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

FOLD, SIZES, FINAL, DRIFT = "fold", "sizes", "final", "drift"
USUAL: Mapping[str, float] = MappingProxyType({FOLD: 1.0, SIZES: 3.0, FINAL: 1.2, DRIFT: 0.7})
"""Assumed work of a piece, in fits to a fold, before one of its kind has been seen."""


@dataclass(frozen=True)
class SoFar:
    """Scores of one system while the others are still at work.

    Attributes
    ----------
    title : str
        The system.
    loss : float
        Mean log-loss, or CRPS of a number, over the folds that are done; nan if there are none.
    n_folds : int
        How many are.
    failed : str
        What went wrong, in words; empty if nothing did.
    """

    title: str
    loss: float
    n_folds: int
    failed: str


@dataclass(frozen=True)
class CompareProgress:
    """Progress of a comparison.

    Attributes
    ----------
    system : str
        Title of the system at work.
    step : str
        What it does, such as ``"fold 2 of 5"``.
    done, total : int
        Pieces of work.
    share : float
        Share of the time, as far as can be told, in [0, 1]; never falls.
    so_far : tuple of SoFar
        How the systems fare on the folds that are done.
    """

    system: str
    step: str
    done: int
    total: int
    share: float
    so_far: tuple[SoFar, ...]


@dataclass(frozen=True)
class Piece:
    """A piece of work: which system does what; `number` counts folds from 0."""

    key: str
    kind: str
    number: int = 0


@dataclass
class Meter:
    """Turns the seconds that pieces have taken into the share of the work that is done.

    Attributes
    ----------
    pieces : sequence of Piece
        All of the work.
    prior : mapping of str to float
        Seconds that a fold of a system was thought to take before the start, by key; empty without an estimate.

    Examples
    --------
    >>> meter = Meter([Piece("a", FOLD, 0), Piece("a", FOLD, 1), Piece("b", FOLD, 0), Piece("b", FOLD, 1)])
    >>> meter.took(Piece("a", FOLD, 0), 1.0)
    >>> meter.took(Piece("b", FOLD, 0), 3.0)
    >>> meter.share
    0.5
    """

    pieces: Sequence[Piece]
    prior: Mapping[str, float] = field(default_factory=dict)
    seconds: dict[Piece, float] = field(default_factory=dict)
    share: float = 0.0

    def took(self, piece: Piece, seconds: float) -> None:
        """Note how long a piece has taken."""
        self.seconds[piece] = seconds
        spent = sum(self.seconds.values())
        left = sum(self._expected(piece) for piece in self.pieces if piece not in self.seconds)
        self.share = max(self.share, min(1.0, spent / (spent + left))) if spent + left > 0.0 else self.share

    def _expected(self, piece: Piece) -> float:
        """Return how long a piece may take: as one of its kind, else by what its system or the others have taken."""
        alike = self._mean(lambda other: (other.key, other.kind) == (piece.key, piece.kind))
        if alike is not None:
            return alike
        own = self._mean(lambda other: other.key == piece.key and other.kind == FOLD)
        if own is None and piece.key in self.prior:
            own = self.prior[piece.key] * self._slower()
        if own is None:
            own = self._mean(lambda other: other.kind == FOLD)
        return USUAL[piece.kind] * (1.0 if own is None else own)

    def _slower(self) -> float:
        """Return how much longer folds have taken than was thought, all systems together."""
        folds = {piece: s for piece, s in self.seconds.items() if piece.kind == FOLD and piece.key in self.prior}
        thought = sum(self.prior[piece.key] for piece in folds)
        return sum(folds.values()) / thought if thought > 0.0 else 1.0

    def _mean(self, which: Callable[[Piece], bool]) -> float | None:
        """Return the mean time of some pieces that are done; None if there are none."""
        found = [seconds for piece, seconds in self.seconds.items() if which(piece)]
        return float(np.mean(found)) if found else None


def prior_of(seconds: Mapping[str, float], pieces: Sequence[Piece]) -> dict[str, float]:
    """Share out the seconds that each system was thought to take among its pieces; return those of a fold.

    Examples
    --------
    >>> prior_of({"a": 10.0}, [Piece("a", FOLD, 0), Piece("a", FOLD, 1), Piece("a", SIZES)])
    {'a': 2.0}
    """
    found = {}
    for key, whole in seconds.items():
        units = sum(USUAL[piece.kind] for piece in pieces if piece.key == key)
        if units > 0.0 and np.isfinite(whole):
            found[key] = whole / units
    return found
