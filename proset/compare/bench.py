"""One system at work: it is fitted and measured piece by piece, and what goes wrong is kept in words."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from proset.common.errors import ProsetError
from proset.common.words import shown
from proset.companions.protocol import NotOfferedError, Offer
from proset.compare.contenders import Contender
from proset.compare.features import column_shares, prototype_rows
from proset.compare.ground import CompareGround
from proset.compare.measures import FloatArray, IntArray, in_order, ordered_probabilities, scores_of
from proset.compare.progress import SoFar
from proset.compare.result import PATH_COLUMNS, PATH_KINDS, SystemResult, empty_path, no_scores
from proset.engine.metrics import log_loss
from proset.selection.inner_folds import GroupsAndTimes, NoFoldsError, known_words

_LONGEST = 300
_MOST_NOTES = 3
_ROW_BY_ROW = "row by row"
_TIMED = 1_000
"""Rows whose estimates are timed."""
_KNOWN = frozenset({"UnscaledFeaturesWarning"})  # numbers are scaled by the design, levels are 0 and 1 on purpose
Matrix = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class BenchRows:
    """Rows to learn from and rows to measure on, as matrices."""

    X: Matrix
    labels: NDArray[np.str_]
    weight: FloatArray
    known: GroupsAndTimes
    X_test: Matrix
    actual: IntArray


@dataclass(eq=False)
class Bench:
    """Collects what one system does.

    Attributes
    ----------
    contender : Contender
        The system.
    ground : CompareGround
        The rows.
    weighted : bool
        Whether weights were given.
    """

    contender: Contender
    ground: CompareGround
    weighted: bool = False
    scores: FloatArray = field(init=False)
    problems: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)
    paths: list[pd.DataFrame] = field(default_factory=list)
    model: Any = None
    final: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scores = no_scores(len(self.ground.folds))
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

    @property
    def so_far(self) -> SoFar:
        """Scores on the folds that are done."""
        done = np.isfinite(self.scores[:, 0])
        loss = float(self.scores[done, 0].mean()) if done.any() else float("nan")
        return SoFar(self.contender.title, loss, int(done.sum()), self.failed)

    def fit(self, X: Matrix, labels: NDArray[np.str_], weight: FloatArray, known: GroupsAndTimes) -> Any:
        """Return a new model, fitted; folds by which it chooses its settings respect groups and times."""
        model = self.contender.make()
        given = {"sample_weight": weight} if self.weighted and self.contender.uses_weights else {}
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
        with self.in_words(f"fold {number + 1} of {len(self.scores)}"):
            model = self.fit(rows.X, rows.labels, rows.weight, rows.known)
            estimates = ordered_probabilities(model, rows.X_test, self.ground.study.classes)
            self.scores[number] = scores_of(rows.actual, estimates)
            return model
        return None

    def do_sizes(self, number: int, rows: BenchRows, model: Any) -> None:
        """Measure other sizes on a fold."""
        if model is None or not model.offers(Offer.PATH):
            return
        with self.in_words("error against size"):
            weight = {"sample_weight": rows.weight} if self.weighted and self.contender.uses_weights else {}
            points = model.path(rows.X, rows.labels, rows.X_test, **weight)
            self.paths.append(self._path_frame(number, points, model.classes_, rows.actual))

    def _path_frame(self, number: int, points: Any, labels: NDArray[Any], actual: IntArray) -> pd.DataFrame:
        """Return the log-loss of each point of a path on the rows that a fold leaves out."""
        lines = []
        for step, point in enumerate(points):
            estimates = in_order(point.probabilities, labels, self.ground.study.classes)
            loss = float(log_loss(estimates[np.arange(len(actual)), actual]))
            prototypes = np.nan if point.n_prototypes is None else point.n_prototypes
            lines.append((number, step, point.knob, point.value, point.own, prototypes, point.n_features, loss))
        return pd.DataFrame(lines, columns=list(PATH_COLUMNS)).astype(PATH_KINDS)

    def do_final(self, X: Matrix, X_measured: Matrix) -> None:
        """Fit to all rows and measure."""
        with self.in_words("all training rows"):
            began = time.perf_counter()
            model = self.fit(X, self.ground.labels, self.ground.weight, self.ground.known)
            fit_seconds = time.perf_counter() - began
            estimates = ordered_probabilities(model, X_measured, self.ground.study.classes)
            some = X_measured[np.arange(_TIMED) % len(X_measured)]  # a few rows would count what every call costs
            began = time.perf_counter()
            model.predict_proba(some)
            predict_seconds = time.perf_counter() - began
            self.model = model
            self.final = {
                "probabilities": estimates,
                "held_out_scores": scores_of(self.ground.actual, estimates),
                "fit_seconds": fit_seconds,
                "predict_seconds": predict_seconds,
            }
        if self.model is not None:
            with self.in_words("what the model rests on"):
                self._describe(self.model, X)

    def _describe(self, model: Any, X: Matrix) -> None:
        """Note what a model is made of; an estimate counts even if this fails."""
        self.final["settings"] = self.contender.settings_words(model)
        self.final["size_bytes"] = model.complexity().bytes
        self.final["shares"] = column_shares(model, self.ground.study)
        if model.offers(Offer.FEATURE_WEIGHTS):
            self.final["n_matrix_columns"] = len(model.active_features())
        if model.offers(Offer.PROTOTYPES):
            self.final["prototype_rows"] = self.ground.rows[prototype_rows(model, X)]

    def result(self) -> SystemResult:
        """Put everything together."""
        study, found = self.ground.study, self.final
        model = self.model
        prototypes, nothing = found.get("prototype_rows"), np.full(len(study.roles.features), np.nan)
        shares: FloatArray = found.get("shares", nothing)
        return SystemResult(
            key=self.contender.key,
            title=self.contender.title,
            about=self.contender.about,
            failed=self.failed,
            notes=tuple(self.notes.values())[:_MOST_NOTES],
            settings=found.get("settings", ""),
            uses_weights=self.contender.uses_weights,
            offers=() if model is None else tuple(offer.value for offer in Offer if model.offers(offer)),
            fold_scores=self.scores,
            held_out_scores=found.get("held_out_scores", np.full(4, np.nan)),
            probabilities=found.get("probabilities", np.zeros((0, len(study.classes)))),
            n_prototypes=None if prototypes is None else len(prototypes),
            prototype_rows=prototypes,
            n_features=None if np.isnan(shares).any() else int((shares > 0.0).sum()),
            n_matrix_columns=found.get("n_matrix_columns"),
            fit_seconds=found.get("fit_seconds", float("nan")),
            predict_seconds=found.get("predict_seconds", float("nan")),
            size_bytes=found.get("size_bytes", 0),
            shares=shares,
            path=pd.concat(self.paths, ignore_index=True) if self.paths else empty_path(),
            model=model,
        )

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
