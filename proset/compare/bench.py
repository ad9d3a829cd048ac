"""One system that answers with classes at work: it is fitted and measured piece by piece."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.companions.protocol import Offer
from proset.compare.at_work import TIMED, AtWork, BenchRows, Matrix
from proset.compare.features import column_shares, prototype_rows
from proset.compare.ground import CompareGround
from proset.compare.measures import MEASURES, FloatArray, IntArray, in_order, ordered_probabilities, scores_of
from proset.compare.result import PATH_COLUMNS, PATH_KINDS, SystemResult, empty_path
from proset.engine.metrics import log_loss


@dataclass(eq=False)
class Bench(AtWork[CompareGround]):
    """Collects what one system does that answers with classes; see :class:`proset.compare.at_work.AtWork`."""

    n_measures: ClassVar[int] = len(MEASURES)
    paths: list[pd.DataFrame] = field(default_factory=list)

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
            some = X_measured[np.arange(TIMED) % len(X_measured)]  # a few rows would count what every call costs
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
        size = model.complexity()
        self.final["size_bytes"] = size.bytes
        self.final["shares"] = column_shares(model, self.ground.study)
        if model.offers(Offer.FEATURE_WEIGHTS):
            self.final["n_matrix_columns"] = len(model.active_features())
        if model.offers(Offer.PROTOTYPES):
            self.final["prototype_rows"] = self.ground.rows[prototype_rows(model, X)]
            self.final["n_prototypes"] = size.n_prototypes

    def result(self) -> SystemResult:
        """Put everything together."""
        study, found = self.ground.study, self.final
        model = self.model
        nothing = np.full(len(study.roles.features), np.nan)
        shares: FloatArray = found.get("shares", nothing)
        return SystemResult(
            **self.facts(),
            uses_weights=self.contender.uses_weights,
            offers=() if model is None else tuple(offer.value for offer in Offer if model.offers(offer)),
            probabilities=found.get("probabilities", np.zeros((0, len(study.classes)))),
            n_prototypes=found.get("n_prototypes"),
            prototype_rows=found.get("prototype_rows"),
            n_features=None if np.isnan(shares).any() else int((shares > 0.0).sum()),
            n_matrix_columns=found.get("n_matrix_columns"),
            size_bytes=found.get("size_bytes", 0),
            shares=shares,
            path=pd.concat(self.paths, ignore_index=True) if self.paths else empty_path(),
            model=model,
        )
