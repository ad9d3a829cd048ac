"""A system at work: its fits, and what goes wrong with them in words."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from proset.common.errors import ProsetError
from proset.common.words import shown
from proset.companions.protocol import NotOfferedError
from proset.compare.contenders import Contender
from proset.compare.measures import FloatArray, IntArray
from proset.compare.progress import SoFar
from proset.selection.folds import Fold
from proset.selection.inner_folds import GroupsAndTimes, NoFoldsError, known_words

_LONGEST = 300
_MOST_NOTES = 3
_ROW_BY_ROW = "row by row"
TIMED = 1_000
"""Rows whose estimates are timed."""
_KNOWN = frozenset({"UnscaledFeaturesWarning"})  # numbers are scaled by the design, levels are 0 and 1 on purpose
Matrix = NDArray[np.floating]


class AnyGround(Protocol):
    """Rows and folds, whatever systems answer."""

    @property
    def study(self) -> Any:
        """The model and its table."""
        ...

    @property
    def rows(self) -> IntArray:
        """Ids of the rows that are learned from."""
        ...

    @property
    def measured(self) -> IntArray:
        """Ids of the rows that final models are measured on."""
        ...

    @property
    def folds(self) -> tuple[Fold, ...]:
        """Positions among `rows`."""
        ...

    @property
    def target(self) -> NDArray[Any]:
        """Classes or numbers, for measures."""
        ...

    @property
    def labels(self) -> NDArray[Any]:
        """Classes or numbers, as systems learn them."""
        ...

    @property
    def weight(self) -> FloatArray:
        """Sample weights."""
        ...

    @property
    def known(self) -> GroupsAndTimes:
        """Groups and times that folds within a fit have to respect."""
        ...

    def matrices(self, fold: Fold) -> tuple[Matrix, Matrix]:
        """Return the matrices of one fold."""
        ...


GroundT = TypeVar("GroundT", bound=AnyGround)


@dataclass(frozen=True, eq=False)
class BenchRows:
    """Rows to learn from and rows to measure on, as matrices."""

    X: Matrix
    labels: NDArray[Any]
    weight: FloatArray
    known: GroupsAndTimes
    X_test: Matrix
    actual: NDArray[Any]


@dataclass(eq=False)
class AtWork(Generic[GroundT]):
    """Collects what one system does.

    Attributes
    ----------
    contender : Contender
        The system.
    ground : CompareGround or NumberGround
        The rows.
    weighted : bool
        Whether weights were given.
    """

    contender: Contender
    ground: GroundT
    weighted: bool = False
    scores: FloatArray = field(init=False)
    n_measures: ClassVar[int]
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    model: Any = None
    final: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scores = np.full((len(self.ground.folds), self.n_measures), np.nan)
        if self.contender.note:
            self.notes[""] = self.contender.note

    @property
    def failed(self) -> str:
        """Message of an error, in words."""
        if self.contender.missing:
            return self.contender.missing
        if len(set(self.problems.values())) == 1 and len(self.problems) > 1:
            return next(iter(self.problems.values()))
        return " ".join(f"{step[0].upper()}{step[1:]}: {words}" for step, words in self.problems.items())

    def facts(self) -> dict[str, Any]:
        """Return what a result states whatever systems answer, by the fields of ``SystemFacts``."""
        return {
            "key": self.contender.key,
            "title": self.contender.title,
            "about": self.contender.about,
            "failed": self.failed,
            "notes": tuple(self.notes.values())[:_MOST_NOTES],
            "settings": self.final.get("settings", ""),
            "fold_scores": self.scores,
            "held_out_scores": self.final.get("held_out_scores", np.full(self.n_measures, np.nan)),
            "fit_seconds": self.final.get("fit_seconds", float("nan")),
            "predict_seconds": self.final.get("predict_seconds", float("nan")),
        }

    @property
    def so_far(self) -> SoFar:
        """Scores on the folds that are done."""
        done = np.isfinite(self.scores[:, 0])
        loss = float(self.scores[done, 0].mean()) if done.any() else float("nan")
        return SoFar(self.contender.title, loss, int(done.sum()), self.failed)

    def fit(
        self,
        X: Matrix,
        labels: NDArray[Any],
        weight: FloatArray,
        known: GroupsAndTimes,
        sources: Callable[[], Sequence[str]] | None = None,
    ) -> Any:
        """Return a new model, fitted; folds by which it chooses its settings respect groups and times.

        `sources` names the column of the table that each column of the matrix comes from, for whom it matters.
        """
        model = self.contender.make()
        given: dict[str, Any] = {"sample_weight": weight} if self.weighted and self.contender.uses_weights else {}
        if sources is not None and has_fit_parameter(model, "sources"):
            given["sources"] = sources()
        if known and has_fit_parameter(model, "groups"):
            try:
                return model.fit(X, labels, **given, groups=known.groups, times=known.times)
            except NoFoldsError:
                self.notes[_ROW_BY_ROW] = (
                    f"{known_words(known)} leave too few folds within at least one of its fits: it chose its settings"
                    " there on rows drawn without regard to them."
                )
        return model.fit(X, labels, **given)

    def do_fold(self, number: int, rows: BenchRows) -> Any:
        """Fit to a fold and measure; return the model, None if that failed."""
        raise NotImplementedError

    def do_sizes(self, number: int, rows: BenchRows, model: Any) -> None:
        """Measure other sizes on a fold, for systems that have them."""

    def do_final(self, X: Matrix, X_measured: Matrix) -> None:
        """Fit to all rows and measure."""
        raise NotImplementedError

    @contextmanager
    def in_words(self, step: str) -> Iterator[None]:
        """Keep warnings and what goes wrong; nothing that one system does ends the others."""
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                yield
            except NotOfferedError:
                pass  # what a system does not have is no failure
            except Exception as error:  # whatever a system stumbles over is its own result
                self.problems[step] = problem_words(error)
        for entry in heard:
            kind = entry.category.__name__
            if issubclass(entry.category, UserWarning) and kind not in _KNOWN:
                self.notes.setdefault(kind, note_words(entry.message, entry.category))  # once: folds differ by a number


def note_words(message: object, category: type[Warning]) -> str:
    """Say what a fit warned of; of one that ended early, why, but not which parameter to raise.

    Examples
    --------
    >>> note_words("Stopped after 10 iterations: the limit. Raise max_iter.", ConvergenceWarning)
    'At least one of its fits ended early. Stopped after 10 iterations: the limit.'
    """
    text = shown(message, _LONGEST)
    if not issubclass(category, ConvergenceWarning):
        return text
    return f"At least one of its fits ended early. {text.split('. ')[0].rstrip('.')}."


def problem_words(error: Exception) -> str:
    """Say what went wrong; nothing that only a programmer would understand, if it can be helped.

    Examples
    --------
    >>> problem_words(ProsetError("A class has one row.", hint="Leave it out.")), problem_words(KeyError("a"))
    ('A class has one row. Leave it out.', "It ended unexpectedly (KeyError: 'a').")
    """
    if isinstance(error, ProsetError):
        return shown(error, _LONGEST)
    if isinstance(error, MemoryError):
        return "Memory did not suffice."
    text = shown(error, _LONGEST)
    if isinstance(error, (ValueError, ArithmeticError)) and text:
        return text if text.endswith(".") else f"{text}."
    return f"It ended unexpectedly ({type(error).__name__}: {text})."
