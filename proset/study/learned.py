"""Rows that a model was made from, in words: all of them, those of each batch, those held out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proset.common.words import count_words, shown
from proset.study.any_study import AnyStudy
from proset.study.guidance import GuidanceKind
from proset.study.number_study import NumberStudy


def learned_words(study: AnyStudy) -> str:
    """Say which rows a model was learned from, and which were held out and how.

    Returns
    -------
    str
        Two to five sentences.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import FitSettings, fit_study
    >>> settings = FitSettings(num_candidates=20, max_samples=60)
    >>> print(learned_words(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=settings)))
    Learned from 60 rows, drawn from 105 training rows. Held out: 30 % of each class, drawn at random, seed 0: 45 rows.
    """
    split = study.split
    sentences = [_learned(study), *_joined(study)]
    which = split.settings.words_for(number=isinstance(study, NumberStudy))
    sentences += [f"Held out: {which}: {count_words(len(split.held_out), 'row')}."]
    asked = np.isin(split.unlabelled, study.guidance.rows_of(GuidanceKind.LEAVE_OUT))
    aside = split.unlabelled[~asked]
    if len(aside):
        sentences.append(f"Set aside: {count_words(len(aside), 'row')} without {_lacking(study, aside)}.")
    if study.guidance:
        sentences.append(f"As people have asked: {study.guidance.words(study.roles.stated)}.")
    return " ".join(sentences)


def _learned(study: AnyStudy) -> str:
    """Say what the batches learned from; what everybody is told, which is counted in all training rows, is no batch."""
    training = count_words(len(study.split.train), "training row")
    most, batches = study.settings.max_samples, len(study.model.batch_results_)
    if batches == 0:
        told = "numbers" if isinstance(study, NumberStudy) else "class shares"
        return f"States the {told} of {training}, without any batch."
    if most is None or most >= len(study.split.train):
        return f"Learned from {training}."
    rows = count_words(most, "row")
    if batches == 1:
        return f"Learned from {rows}, drawn from {training}."
    return f"Each of the {batches} batches learned from {rows}, drawn anew from {training}."


def _joined(study: AnyStudy) -> list[str]:
    """Say that votes are joined, and which batches belong together."""
    joined, each = study.settings.n_joined, study.settings.n_iter
    if joined == 1 or not each:
        return []
    first = f"batches 1 to {joined} are the first of each" + (", and so on" if each > 1 else "")
    return [f"The votes of {joined} fits, each with candidates of its own, are joined: {first}."]


def _lacking(study: AnyStudy, aside: NDArray[np.int64]) -> str:
    """Say what rows that are set aside lack."""
    time = study.split.settings.time
    values, what = (study.targets, "a number") if isinstance(study, NumberStudy) else (study.labels, "a class")
    known = values.reindex(aside).notna()
    if not known.any():
        return what
    return "a time" if known.all() else f"{what} or a time ('{shown(time)}')"
