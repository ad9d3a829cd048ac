"""A Study: one table, what its columns mean, the split, the fitted model and how good it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.lazy import lazy_property
from proset.common.words import measure
from proset.data.target import target_labels
from proset.engine.metrics import Metrics
from proset.engine.model import ClassifierModel
from proset.selection.either import ClassRecord
from proset.study.base import HELD_OUT, TRAIN, UNLABELLED, Provenance, StudyBase
from proset.study.case import KnownRows
from proset.study.decision import MOST_PROBABLE, DecisionRule, judge
from proset.study.left_out import LeftOut
from proset.study.new_rows import PROBABILITY_PREFIX, estimate, score_frame

__all__ = ["HELD_OUT", "TRAIN", "UNLABELLED", "Provenance", "Study"]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Study(StudyBase):
    """Everything about one fitted model of classes; made by :func:`fit_study`, kept by :mod:`proset.storage`.

    Attributes
    ----------
    metrics : Metrics
        Quality on the held-out rows.
    left_out : LeftOut or None
        What repeated cross-validation says with its settings, on which the verdict rests where few rows are held out;
        from :func:`proset.study.repeats.with_repeats`, None if that was not done.
    """

    model: ClassifierModel
    metrics: Metrics
    search: ClassRecord | None = None
    left_out: LeftOut | None = None

    def __repr__(self) -> str:
        own, naive = measure(self.metrics.log_loss), measure(self.metrics.naive_log_loss)
        return self._described(f"log-loss {own} (class shares {naive})")

    @lazy_property
    def classes(self) -> tuple[str, ...]:
        """The classes that the model knows, in the order of its probabilities."""
        return tuple(str(name) for name in self.model.classes_)

    @lazy_property
    def labels(self) -> pd.Series:
        """The class of every row as text, as the model takes it; missing where it takes none.

        A training row that guidance relabels has its new class here, which the model has learned, and right and wrong
        refer to it; a row that guidance leaves out has none. All others, the held-out ones among them, have their class
        in the table, see :attr:`table_labels`.
        """
        return self.guidance.labels(self.table_labels)

    @lazy_property
    def table_labels(self) -> pd.Series:
        """The class of every row as the table states it; missing where the target is missing."""
        return target_labels(self.table.frame, self.roles)

    def is_label(self, text: str) -> bool:
        """Tell whether a text is a class of the model."""
        return text in self.classes

    @lazy_property
    def learned(self) -> KnownRows:
        """The training rows as the model sees them, with their classes."""
        train = self.split.train
        return KnownRows(self.encode(train).X, self.labels.loc[pd.Index(train)].to_numpy(dtype=str), train)

    @lazy_property
    def _estimates(self) -> pd.DataFrame:
        """Estimates for the whole table; index row."""
        return estimate(self.model, self._encoded.X, self.reference).set_axis(self.table.frame.index, axis=0)

    @lazy_property
    def predictions(self) -> pd.DataFrame:
        """Estimates and decisions for each row of the table if the most probable class is said.

        Index ``row``; columns ``part`` ("train", "held_out" or "unlabelled"), ``actual``, ``predicted``, ``correct``
        (missing without an actual class), ``confidence`` (the highest probability), ``familiarity`` and ``quantile``
        (share of held-out rows that are at most as familiar).
        """
        return self.judged().drop(columns=["wrong", "left"])

    def judged(self, rule: DecisionRule = MOST_PROBABLE) -> pd.DataFrame:
        """Return what a decision rule makes of each row of the table; nothing else says predicted, correct or wrong.

        Returns
        -------
        DataFrame
            Index ``row``; columns ``part``, ``actual``, ``predicted``, ``correct`` (missing without an actual class and
            for cases left to a person), ``wrong``, ``left`` (to a person), ``confidence`` (the probability of what is
            predicted), ``familiarity`` and ``quantile``.

        Raises
        ------
        StudyError
            If the rule is made for another number of classes.
        """
        quantile = self._estimates["quantile"]
        said = judge(rule, probabilities=self.probabilities, quantile=quantile, actual=self.labels)
        said.insert(0, "part", self._parts)
        positions = pd.Index(self.classes).get_indexer(pd.Index(said["predicted"]))
        said["confidence"] = self.probabilities.to_numpy()[np.arange(len(said)), positions]
        return said.join(self._estimates[["familiarity", "quantile"]])

    @lazy_property
    def probabilities(self) -> pd.DataFrame:
        """Estimated probabilities of every row of the table: index ``row``, one column per class."""
        columns = [PROBABILITY_PREFIX + name for name in self.classes]
        return self._estimates[columns].set_axis(pd.Index(self.classes, dtype="str"), axis=1)

    @lazy_property
    def prototypes(self) -> pd.DataFrame:
        """One row per prototype: ``batch`` (1..B), ``row`` (id of its row of the table), ``class`` and ``weight``.

        Ordered by batch, then by descending weight. Rows with equal values share one prototype; ``row`` is the first.
        """
        parts = []
        for number, batch in enumerate(self.model.set_manager_.batches, start=1):
            if batch is None:
                continue
            part = pd.DataFrame({"row": self.split.train[batch.sample_index], "weight": batch.weights})
            part.insert(0, "batch", number)
            part.insert(2, "class", np.asarray(self.classes, dtype=object)[batch.target])
            parts.append(part.sort_values("weight", ascending=False, kind="stable"))
        if not parts:
            return pd.DataFrame({"batch": [], "row": [], "class": [], "weight": []}).astype(
                {"batch": "int64", "row": "int64", "class": "str", "weight": "float64"}
            )
        return pd.concat(parts, ignore_index=True).astype({"class": "str", "weight": "float64"})

    def score(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return estimates for new rows; a large table can be given in pieces.

        Parameters
        ----------
        frame : DataFrame of shape (n, any)
            Holds at least :attr:`used_columns`; others may be missing or hold anything.

        Returns
        -------
        DataFrame
            Index of `frame`; columns ``class``, ``probability_`` and the class (K columns that sum to one),
            ``familiarity`` (0 or more), ``quantile`` (in [0, 1], relative to the held-out rows) and ``note`` (what had
            to be assumed in a column that the model uses, such as "age missing: 54 used"; empty if nothing).

        Raises
        ------
        DesignError
            If columns that the model uses are missing, or hold something else than in training.
        """
        return score_frame(self.design, self.model, self.prepared(frame), reference=self.reference)
