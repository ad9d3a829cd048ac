"""One system that answers with a number at work: it is fitted and measured piece by piece."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from proset.compare.at_work import TIMED, AtWork, BenchRows, Matrix
from proset.compare.numbers.levels import NUMBER_MEASURES, FloatArray, number_scores
from proset.compare.numbers.number_contenders import inner_model
from proset.compare.numbers.number_ground import NumberGround
from proset.compare.numbers.number_result import NumberSystemResult
from proset.study.new_rows import used_columns


@dataclass(eq=False)
class NumberBench(AtWork[NumberGround]):
    """Collects what one system does that answers with a number; see :class:`proset.compare.at_work.AtWork`."""

    n_measures: ClassVar[int] = len(NUMBER_MEASURES)

    def do_fold(self, number: int, rows: BenchRows) -> Any:
        """Fit to a fold and measure; return the model, None if that failed."""
        with self.in_words(f"fold {number + 1} of {len(self.scores)}"):
            sources = partial(self.ground.sources, self.ground.folds[number])
            model = self.fit(rows.X, rows.labels, rows.weight, rows.known, sources)
            self.scores[number] = number_scores(*self._said(model, rows.X_test), rows.actual)
            return model
        return None

    def do_final(self, X: Matrix, X_measured: Matrix) -> None:
        """Fit to all rows and measure."""
        with self.in_words("all training rows"):
            began = time.perf_counter()
            model = self.fit(X, self.ground.target, self.ground.weight, self.ground.known)
            fit_seconds = time.perf_counter() - began
            quantiles, means = self._said(model, X_measured)
            some = X_measured[np.arange(TIMED) % len(X_measured)]  # a few rows would count what every call costs
            began = time.perf_counter()
            self.contender.asked(model, some)
            predict_seconds = time.perf_counter() - began
            self.model = model
            self.final = {
                "quantiles": quantiles,
                "means": means,
                "held_out_scores": number_scores(quantiles, means, self.ground.actual),
                "fit_seconds": fit_seconds,
                "predict_seconds": predict_seconds,
                "settings": self.contender.settings_words(model),
                **self._made_of(model),
            }

    def _said(self, model: Any, X: Matrix) -> tuple[FloatArray, FloatArray]:
        """Return the quantiles and the mean for each row."""
        quantiles = np.asarray(self.contender.asked(model, X), dtype=np.float64)
        means = np.asarray(model.predict(X), dtype=np.float64)
        if not (np.isfinite(quantiles).all() and np.isfinite(means).all()):
            raise ValueError("Its answers are not finite.")
        return quantiles, means

    def _made_of(self, model: Any) -> dict[str, Any]:
        """Return the number of prototypes and of columns of the table, where it has such."""
        found = inner_model(model)
        if found is None:
            return {}
        used = used_columns(self.ground.study.design, found)
        return {"n_prototypes": len(found.export()), "n_features": len(used)}

    def number_result(self) -> NumberSystemResult:
        """Put everything together."""
        found = self.final
        return NumberSystemResult(
            **self.facts(),
            quantiles=found.get("quantiles", np.zeros((0, 19))),
            means=found.get("means", np.zeros(0)),
            n_prototypes=found.get("n_prototypes"),
            n_features=found.get("n_features"),
        )
