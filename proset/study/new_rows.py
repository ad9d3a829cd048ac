"""Estimates for rows that the model was not fitted on, with a note on whatever had to be assumed."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.data.cells import read_words
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.study.decision import MOST_PROBABLE

if TYPE_CHECKING:
    from proset.data.design import Design, Encoded
    from proset.engine.model import ClassifierModel

PROBABILITY_PREFIX = "probability_"
NOTE_SEPARATOR = "; "
_NOTHING, _NOTHING_USED = "no value is known", "no value that the model looks at is known"
_LONGEST_WORD = 60


def estimate(model: ClassifierModel, matrix: np.ndarray, reference: np.ndarray) -> pd.DataFrame:
    """Return class, confidence, familiarity and its quantile for encoded rows.

    Parameters
    ----------
    model : ClassifierModel
        A fitted model with K classes.
    matrix : float32 array of shape (n, D)
        Encoded rows.
    reference : float array
        Familiarity of the rows that quantiles refer to.

    Returns
    -------
    DataFrame
        K columns named ``probability_`` and the class, then ``class``, ``confidence`` (the highest probability),
        ``familiarity`` (0 or more) and ``quantile`` (in [0, 1]); index 0 to n - 1.
    """
    probabilities, familiarity = model.predict_with_familiarity(matrix)
    names = np.asarray([str(name) for name in model.classes_], dtype=object)
    table = pd.DataFrame(probabilities, columns=[PROBABILITY_PREFIX + name for name in names])
    best = MOST_PROBABLE.choose(probabilities)
    table["class"] = pd.Series(names[best], dtype="str")
    table["confidence"] = probabilities[np.arange(len(best)), best]
    table["familiarity"] = familiarity
    table["quantile"] = familiarity_quantile(familiarity, reference)
    return table


def score_frame(design: Design, model: ClassifierModel, frame: pd.DataFrame, *, reference: np.ndarray) -> pd.DataFrame:
    """Return estimates for the rows of a frame, see :meth:`proset.study.Study.score`."""
    used = used_columns(design, model)
    encoded = design.transform(frame, only=used)
    scores = estimate(model, encoded.X, reference)
    probabilities = [name for name in scores.columns if name.startswith(PROBABILITY_PREFIX)]
    scores = scores[["class", *probabilities, "familiarity", "quantile"]]
    scores.index = frame.index
    scores["note"] = row_notes(design, encoded, frame, only=used)
    return scores


def used_columns(design: Design, model: ClassifierModel) -> frozenset[str]:
    """Return the table columns that a model's estimates depend on.

    Parameters
    ----------
    design : Design
        The design that the model was fitted with.
    model : ClassifierModel
        A fitted model.

    Returns
    -------
    frozenset of str
        Columns with a positive weight in any batch.
    """
    return frozenset(design.columns[j].source for j in model.set_manager_.get_active_features())


def row_notes(
    design: Design, encoded: Encoded, frame: pd.DataFrame, *, only: Collection[str] | None = None
) -> pd.Series:
    """Return what had to be assumed about each row, in words; empty where nothing was.

    Parameters
    ----------
    design : Design
        The design that encoded the rows.
    encoded : Encoded
        The encoded rows.
    frame : DataFrame
        The same rows as they came.
    only : collection of str or None
        Speak of these columns only, such as :func:`used_columns`; None means all.

    Returns
    -------
    Series of str
        Index of `frame`.
    """
    notes = np.full(len(frame), "", dtype=object)
    columns = [name for name in encoded.unseen.columns if only is None or name in only]
    if len(columns) > 1 and set(columns) <= set(frame.columns):  # of one column its own words say so
        blank = frame[columns].isna().all(axis=1).to_numpy()
        _append(notes, blank, [_NOTHING if only is None else _NOTHING_USED] * int(blank.sum()))
    for column in columns:
        hit = encoded.unseen[column].to_numpy()
        if hit.any():
            words = read_words(frame[column][hit]).to_numpy(dtype=object)
            _append(notes, hit, [f"{column} '{word[:_LONGEST_WORD]}' was not seen in training" for word in words])
    for column in columns:
        hit = encoded.imputed[column].to_numpy()
        if hit.any():
            # A cell that was filled in and yet holds a number is infinite.
            absent = read_words(frame[column][hit]).isna().to_numpy()
            used = stand_in(design, column, encoded.X[np.flatnonzero(hit)[0]])
            _append(notes, hit, [f"{column} {'missing' if gone else 'infinite'}: {used} used" for gone in absent])
    return pd.Series(notes, index=frame.index, dtype="str", name="note")


def stand_in(design: Design, column: str, encoded_row: np.ndarray) -> str:
    """Return what a row of the matrix holds in a column of the table, in the user's words."""
    own = design.own_columns(column)
    if len(own) == 1:
        return str(design.to_original(own[0], encoded_row[own])[0])
    return next((str(design.columns[j].level) for j in own if encoded_row[j] > 0.0), "no level")


def _append(notes: np.ndarray, where: np.ndarray, texts: list[str]) -> None:
    """Add one text to the notes of each marked row."""
    notes[where] = [f"{old}{NOTE_SEPARATOR}{new}" if old else new for old, new in zip(notes[where], texts, strict=True)]
