"""Weights of evidence of the values of a case, each alone, where the model looks at them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from proset.common.words import in_a_row, number
from proset.explain.subject import Subject

Spoken = tuple[str, float]
"""The class for which a value speaks most, and its weight of evidence."""
LEAST = 0.05
"""Weight below which a value says next to nothing: odds change by less than 5 %."""
_MOST = 3


def spoken(subject: Subject, X: NDArray[np.float64], name: str) -> list[Spoken | None]:
    """Return for each row of the matrix what its value of a column says; None where the model does not look at it.

    Examples
    --------
    >>> from proset.explain.subject import subject_of
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> spoken(subject_of(study), study.encode([1]).X, "sepal length (cm)")
    [None]
    """
    i = subject.features.index(name)
    evidence = None if subject.study is None else subject.study.design.evidence.get(name)
    behind = np.setdiff1d(subject.groups[i], subject.own[i])
    if evidence is None or not np.isin(subject.manager.get_active_features(), behind).any():
        return [None] * len(X)
    weights = evidence.of_each(evidence.weights_of(X[:, subject.own[i]].astype(np.float64)), subject.classes)
    best = weights.argmax(axis=1)
    return [(subject.classes[k], float(weights[row, k])) for row, k in enumerate(best.tolist())]


def spoken_words(said: Spoken | None) -> str:
    """Return what a value says in words; empty where the model does not look at it.

    Examples
    --------
    >>> spoken_words(("good", 1.234)), spoken_words(("good", 0.01)), spoken_words(None)
    ("says 1.23 for 'good'", 'says next to nothing alone', '')
    """
    if said is None:
        return ""
    return f"says {number(round(said[1], 2))} for '{said[0]}'" if said[1] >= LEAST else "says next to nothing alone"


def spoken_sentence(columns: Sequence[tuple[str, str, Spoken | None]]) -> str:
    """Say for which classes the values of a case speak, the loudest first; empty where the model does not look.

    Parameters
    ----------
    columns : sequence of (column, value, what it says)

    Examples
    --------
    >>> spoken_sentence([("age", "33", ("good", 0.2)), ("job", "none", ("bad", 1.5)), ("size", "2", ("good", 0.9))])
    "Looked at alone, job none speaks for 'bad' (1.5); size 2 (0.9) and age 33 (0.2) speak for 'good'."
    """
    loud = [(name, value, said) for name, value, said in columns if said is not None and said[1] >= LEAST]
    if not loud:
        return ""
    loud.sort(key=lambda entry: -entry[2][1])
    parts = []
    for label in dict.fromkeys(said[0] for _, _, said in loud):
        mine = [(f"{name} {value}", number(round(said[1], 2))) for name, value, said in loud if said[0] == label]
        if len(mine) == 1:
            ((what, weight),) = mine
            parts.append(f"{what} speaks for '{label}' ({weight})")
        else:
            parts.append(f"{in_a_row([f'{what} ({weight})' for what, weight in mine[:_MOST]])} speak for '{label}'")
    return f"Looked at alone, {'; '.join(parts)}."
