"""Plan of a comparison, with its limits."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.common.words import listed
from proset.data.split import LARGEST_SEED

SYSTEMS = ("proset", "pvm", "smp", "gbmap", "knn", "xgboost")
"""Keys of all systems, in the order in which they are listed."""

FEWEST_FOLDS, MOST_FOLDS = 2, 20
FEWEST_ROWS, MOST_ROWS = 50, 10**9


@dataclass(frozen=True)
class ComparePlan:
    """Which systems are compared, and how.

    Attributes
    ----------
    systems : tuple of str
        Keys of the systems, each once, see :data:`SYSTEMS`.
    tuned : bool
        Whether every system chooses its settings by itself, by cross-validation within the rows that it learns from;
        these inner folds keep groups together and learn from earlier rows where the outer ones do, and where the rows
        of a fit do not suffice for that, its result has a note.
        Otherwise proset has the settings of the study, and the others their quick settings.
    n_folds : int
        Folds of the training rows, from 2 to 20, the same for all.
    random_state : int
        Draws folds, rows and what systems leave to chance.
    max_rows : int or None
        Training rows that systems learn from, if there are more: a draw of about that size, class by class, the same
        for all; a few rows more where shares are rounded up or a class would have fewer than six.
    sizes : bool
        Whether each system is also measured at other sizes than its own.
    drift : bool
        Whether each system is also fitted to one half of the rows and measured on the other.

    Raises
    ------
    StudyError
        If a value is outside its range; the message names it.

    Examples
    --------
    >>> ComparePlan(("proset", "knn"), n_folds=3).random_state
    0
    >>> ComparePlan(("proset", "svm"))
    Traceback (most recent call last):
        ...
    proset.common.errors.StudyError: There is no system 'svm'. Choose among proset, pvm, smp, gbmap, knn, xgboost.
    """

    systems: tuple[str, ...] = SYSTEMS
    tuned: bool = False
    n_folds: int = 5
    random_state: int = 0
    max_rows: int | None = None
    sizes: bool = True
    drift: bool = True

    def __post_init__(self) -> None:
        unknown = [key for key in self.systems if key not in SYSTEMS]
        if unknown:
            raise StudyError(f"There is no system {listed(unknown)}.", hint=f"Choose among {', '.join(SYSTEMS)}.")
        if not self.systems or len(set(self.systems)) < len(self.systems):
            raise StudyError("A comparison needs at least one system, each once.", hint=f"Such as {SYSTEMS[0]}.")
        _check_number("n_folds", self.n_folds, FEWEST_FOLDS, MOST_FOLDS)
        _check_number("random_state", self.random_state, 0, LARGEST_SEED)
        if self.max_rows is not None:
            _check_number("max_rows", self.max_rows, FEWEST_ROWS, MOST_ROWS)

    def to_state(self) -> dict[str, Any]:
        """Return plain JSON types for :meth:`from_state`."""
        state = {field.name: getattr(self, field.name) for field in fields(self)}
        return state | {"systems": list(self.systems)}

    @classmethod
    def from_state(cls, state: object, where: str = "plan") -> ComparePlan:
        """Rebuild a plan, trusting nothing.

        Raises
        ------
        StorageError
            If a field is missing, unknown or of the wrong type; the message names it.
        """
        reader = StateReader(state, where)
        values: dict[str, Any] = {
            "systems": reader.texts("systems"),
            "tuned": reader.flag("tuned"),
            "n_folds": reader.integer("n_folds", low=FEWEST_FOLDS, high=MOST_FOLDS),
            "random_state": reader.integer("random_state", low=0, high=LARGEST_SEED),
            "max_rows": reader.optional_integer("max_rows", low=FEWEST_ROWS, high=MOST_ROWS),
            "sizes": reader.flag("sizes"),
            "drift": reader.flag("drift"),
        }
        reader.close()
        try:
            return cls(**values)
        except StudyError as error:
            raise reader.refuse("systems", f"cannot be: {error.message.rstrip('.')}") from error


def _check_number(name: str, value: object, low: int, high: int) -> None:
    """Refuse what is not a whole number within its range."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        hint = f"Give a whole number from {low:,} to {high:,}."
        raise StudyError(f"{name} is {value!r}.", hint=hint, parameter=name)
