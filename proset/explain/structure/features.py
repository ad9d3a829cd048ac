"""Weight of each feature in each batch, and the features that a model does without."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd

from proset.common.notebook import Displayed
from proset.common.words import count_words, shown
from proset.data.table import ImageGrid
from proset.explain.number_subject import NumberSubject, number_subject
from proset.explain.subject import Explained, Subject, subject_of
from proset.study.number_study import NumberStudy

_MOST_NAMED = 40


class Dropped(StrEnum):
    """Why a feature has no weight."""

    SINGLE_VALUE = "single value"
    UNUSED = "not used"


@dataclass(frozen=True, eq=False)
class FeatureWeights(Displayed):
    """The weights of all features, the pieces of one category together.

    The weight of a number is how far one standard deviation moves a case in the metric of a batch. Of a category it is
    how far its two heaviest levels lie apart, so that both can be compared; with two levels, that is the
    weight itself. Where the model looks at what values say (evidence), the weight of that counts if it is heavier.

    Attributes
    ----------
    weights : DataFrame
        Index ``feature``: features in use, the heaviest first; columns: numbers of the batches from 1. 0 where a batch
        does not use the feature.
    pieces : DataFrame
        Index (``feature``, ``piece``): the matrix columns in use, in the same order of features, the heaviest piece of
        each first; the same columns.
    dropped : DataFrame
        Index ``feature``: features without a weight, in their order; columns ``why`` and ``words``, a sentence.
    grid : ImageGrid or None
        How the features form a picture, if they do.
    """

    weights: pd.DataFrame
    pieces: pd.DataFrame
    dropped: pd.DataFrame
    grid: ImageGrid | None = None

    @property
    def grouped(self) -> tuple[str, ...]:
        """Features that stand in the model by their levels, one or more of which are in use."""
        return tuple(dict.fromkeys(str(feature) for feature, piece in self.pieces.index if feature != piece))

    @property
    def total(self) -> pd.Series:
        """The largest weight of each feature in any batch, the heaviest first."""
        return self.weights.max(axis=1).rename("weight") if self.weights.shape[1] else pd.Series(dtype=np.float64)

    @property
    def dropped_words(self) -> tuple[str, ...]:
        """Which features have no weight, one sentence for each reason; empty if every feature is used."""
        why = self.dropped["why"]
        unused = self.dropped.index[why == Dropped.UNUSED.value].tolist()
        single = self.dropped.index[why == Dropped.SINGLE_VALUE.value].tolist()
        said = []
        if unused:
            said.append(f"The model does without {count_words(len(unused), 'feature')}: {named(unused)}.")
        if len(single) == 1:
            said.append(str(self.dropped.loc[single[0], "words"]))
        elif single:
            said.append(f"{count_words(len(single), 'feature')} do not vary among the training rows: {named(single)}.")
        return tuple(said)

    def to_frame(self) -> pd.DataFrame:
        """Return one line for each feature and each piece of those that have several.

        Returns
        -------
        DataFrame
            Columns ``feature``, ``piece`` (a level; empty for the feature as a whole), ``weight in batch 1`` and so on,
            ``why`` (empty for features in use).
        """
        lines: list[dict[str, Any]] = []
        names = [f"weight in batch {number}" for number in self.weights.columns]
        several = set(self.grouped)
        for feature, values in self.weights.iterrows():
            lines.append({"feature": feature, "piece": "", **dict(zip(names, values, strict=True)), "why": ""})
            if feature in several:
                for piece, each in self.pieces.loc[feature].iterrows():
                    lines.append({"feature": feature, "piece": piece, **dict(zip(names, each, strict=True)), "why": ""})
        zeros = dict.fromkeys(names, 0.0)
        lines += [{"feature": name, "piece": "", **zeros, "why": why} for name, why in self.dropped["why"].items()]
        return pd.DataFrame(lines, columns=["feature", "piece", *names, "why"])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "weights": {str(name): values.tolist() for name, values in self.weights.iterrows()},
            "pieces": [
                {"feature": str(feature), "piece": str(piece), "weights": values.tolist()}
                for (feature, piece), values in zip(self.pieces.index, self.pieces.to_numpy(), strict=True)
            ],
            "dropped": {str(name): str(why) for name, why in self.dropped["why"].items()},
        }


def named(names: Iterable[object]) -> str:
    """List columns in a sentence; of very many the first ones.

    Examples
    --------
    >>> named(["age", "sex"])
    'age, sex'
    """
    every = list(names)
    more = f" and {len(every) - _MOST_NAMED:,} more" if len(every) > _MOST_NAMED else ""
    return ", ".join(shown(name) for name in every[:_MOST_NAMED]) + more


def feature_weights(explained: Explained | NumberStudy) -> FeatureWeights:
    """Return what a model looks at, batch by batch, and what it does without.

    Parameters
    ----------
    explained : ClassifierModel, Study or NumberStudy
        The features of a study are the columns of its table.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = feature_weights(fit_sample("wine"))
    >>> found.weights.index[0], len(found.weights) + len(found.dropped)
    ('flavanoids', 13)
    """
    subject = number_subject(explained) if isinstance(explained, NumberStudy) else subject_of(explained)
    pieces = _pieces(subject)
    grouped = _of_features(subject, pieces) if len(pieces) else pieces.droplevel("piece")
    order = _heaviest_first(grouped)
    weights = grouped.loc[order]
    if len(pieces):
        within = [pieces.loc[[name]].pipe(lambda part: part.loc[_heaviest_first(part)]) for name in order]
        pieces = pd.concat(within)
    grid = None if subject.study is None else subject.study.table.grid
    return FeatureWeights(weights, pieces, _dropped(subject, set(order)), grid)


def _pieces(subject: Subject | NumberSubject) -> pd.DataFrame:
    """Return the weights of the matrix columns in use, by feature in the order of the table."""
    weights, columns = subject.manager.get_feature_weights()
    owner = {j: name for name, group in zip(subject.features, subject.groups, strict=True) for j in group.tolist()}
    index = pd.MultiIndex.from_tuples(
        [(owner[j], subject.columns[j]) for j in columns.tolist()], names=["feature", "piece"]
    )
    numbers = range(1, len(weights) + 1)
    return pd.DataFrame(weights.T.reshape(len(columns), len(weights)), index=index, columns=numbers)


def _of_features(subject: Subject | NumberSubject, pieces: pd.DataFrame) -> pd.DataFrame:
    """Return the weight of each feature: that of its values, or that of what they say where it is heavier."""
    own = {subject.columns[j] for group in subject.own for j in group.tolist()}
    of_values = pieces.index.get_level_values("piece").isin(own)
    parts = (
        pieces[of_values].groupby(level="feature", sort=False).agg(_apart),
        pieces[~of_values].groupby(level="feature", sort=False).max(),
    )
    names = dict.fromkeys(pieces.index.get_level_values("feature"))
    return pd.concat(parts).groupby(level=0, sort=False).max().reindex(list(names)).rename_axis("feature")


def _apart(values: pd.Series) -> float:
    """Return how far the two heaviest levels of a category lie apart; the weight itself of a single column."""
    return float(np.sqrt(np.square(np.sort(values.to_numpy(dtype=np.float64))[-2:]).sum()))


def _heaviest_first(weights: pd.DataFrame) -> list[Any]:
    """Return the labels by descending weight in any batch; equal ones stay in their order."""
    return weights.max(axis=1).sort_values(ascending=False, kind="stable").index.tolist()


def _dropped(subject: Subject | NumberSubject, used: set[str]) -> pd.DataFrame:
    """Return the features without weight, and why."""
    lines = []
    for name, group in zip(subject.features, subject.groups, strict=True):
        if name in used:
            continue
        if len(group):
            lines.append((name, Dropped.UNUSED.value, f"The model does without '{shown(name)}'."))
        else:
            lines.append((name, Dropped.SINGLE_VALUE.value, _single_words(subject, name)))
    index = pd.Index([line[0] for line in lines], dtype="str", name="feature")
    columns = {"why": [line[1] for line in lines], "words": [line[2] for line in lines]}
    return pd.DataFrame(columns, index=index, dtype="str")


def _single_words(subject: Subject | NumberSubject, name: str) -> str:
    """Say what a column without variation holds in the training rows."""
    study = subject.study
    known = None if study is None else study.table.frame.loc[study.split.train, name].dropna()
    if known is None or len(known.unique()) != 1:
        return f"'{shown(name)}' does not vary enough among the training rows to learn from."
    missing = study is not None and len(known) < len(study.split.train)
    more = " wherever it is not missing" if missing else ""
    return f"'{shown(name)}' holds '{shown(known.iloc[0], 30)}' in every training row{more}."
