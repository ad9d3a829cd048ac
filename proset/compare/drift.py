"""A shift that is made on purpose, and how well each system notices it."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from proset.common.errors import ProsetError, StudyError
from proset.companions.protocol import Offer
from proset.compare.bench import Bench, Matrix
from proset.compare.ground import Ground, drawn
from proset.compare.measures import FloatArray, IntArray, ordered_probabilities
from proset.compare.result import Drift
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.engine.candidates import smallest_class_size
from proset.engine.metrics import log_loss

MOST_ROWS, MOST_COLUMNS = 3_000, 40
"""Rows and columns that are looked at to choose the shift; a stated draw beyond, and the first columns."""

COLUMNS = ("title", "indicator", "auc_shifted", "auc_wrong", "n_wrong", "log_loss_usual", "log_loss_shifted", "failed")
KINDS = {name: "str" if name in ("title", "indicator", "failed") else "float64" for name in COLUMNS}
INDICATORS = {
    "proset": "unfamiliarity: the total impact of all prototypes, reversed",
    "pvm": "distance to the nearest prototype",
    "smp": "angle to the nearest prototype",
    "gbmap": "difference between the estimate and that of the 5 nearest rows",
    "knn": "distance to the nearest rows",
}
"""What tells a system that a row is unlike others."""


@dataclass(frozen=True, eq=False)
class Halves:
    """The rows of a shifted split as matrices that lack the column they were split by.

    Attributes
    ----------
    feature : str
        The column.
    X, labels, codes, weight
        What is learned from: a part of the lower half, with its classes as texts and as positions.
    X_usual, usual, X_shifted, shifted
        The rest of the lower half and the upper half, with their classes as positions.
    """

    feature: str
    X: Matrix
    labels: NDArray[np.str_]
    codes: IntArray
    weight: FloatArray
    X_usual: Matrix
    usual: IntArray
    X_shifted: Matrix
    shifted: IntArray


def halves_of(ground: Ground, feature: str | None = None) -> Halves:
    """Halve the rows of a comparison by the column whose halves differ most.

    For each column of numbers or dates, rows are ordered by it and halved; a logistic regression learns from one part
    of the lower half without that column. The column is taken for which its log-loss on the upper half exceeds that
    on the rest of the lower half most. Which part is which is drawn with the seed of the split.

    Parameters
    ----------
    ground : Ground
        The rows.
    feature : str or None
        The column, if it is not to be chosen.

    Returns
    -------
    Halves

    Raises
    ------
    StudyError
        If no column can be halved so that every class is left to learn from.

    Examples
    --------
    >>> from proset.compare.ground import ground_of
    >>> from proset.compare.plan import ComparePlan
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("cancer"), sample_roles("cancer"))
    >>> halves = halves_of(ground_of(study, ComparePlan(("proset",))))
    >>> halves.feature in study.roles.features, len(halves.shifted) > len(halves.usual)
    (True, True)
    """
    roles = ground.study.roles
    names = [feature] if feature is not None else _columns(roles)
    best: tuple[float, str] | None = None
    looked = replace_rows(ground, drawn(ground.target, MOST_ROWS, 0))
    for name in names:
        try:
            harm = _harm(_halve(looked, name))
        except (ProsetError, ValueError):
            continue
        if best is None or harm > best[0]:
            best = (harm, name)
    if best is None:
        raise StudyError(
            "No column could be halved so that every class has rows to learn from in its lower half.",
            hint="A column of numbers or dates is needed, and another feature beside it.",
        )
    return _halve(ground, best[1])


def replace_rows(ground: Ground, kept: IntArray) -> Ground:
    """Return a ground of some of the rows, without folds."""
    return replace(
        ground, rows=ground.rows[kept], target=ground.target[kept], weight=ground.weight[kept], folds=()
    )


def drift_line(bench: Bench, halves: Halves) -> tuple[Any, ...]:
    """Fit a system to the halves and measure how well it notices the shift; a line of :attr:`Drift.frame`."""
    contender, classes = bench.contender, bench.ground.study.classes
    line: dict[str, Any] = dict.fromkeys(COLUMNS, math.nan) | {"title": contender.title, "indicator": "", "failed": ""}
    with bench.in_words("shifted rows"):
        model = bench.fit(halves.X, halves.labels, halves.weight)
        usual, shifted = (ordered_probabilities(model, X, classes) for X in (halves.X_usual, halves.X_shifted))
        actual = np.concatenate([halves.usual, halves.shifted])
        wrong = np.concatenate([usual, shifted]).argmax(axis=1) != actual
        line |= {
            "n_wrong": int(wrong.sum()),
            "log_loss_usual": _loss(usual, halves.usual),
            "log_loss_shifted": _loss(shifted, halves.shifted),
        }
        if model.offers(Offer.FAMILIARITY):
            strange = -model.familiarity(np.concatenate([halves.X_usual, halves.X_shifted])).raw
            is_shifted = np.arange(len(actual)) >= len(halves.usual)
            line |= {
                "indicator": INDICATORS.get(contender.key, "unfamiliarity"),
                "auc_shifted": area(strange, is_shifted),
                "auc_wrong": area(strange, wrong),
            }
    line["failed"] = bench.problems.get("shifted rows", "")
    return tuple(line[name] for name in COLUMNS)


def drift_of(halves: Halves, lines: dict[str, tuple[Any, ...]]) -> Drift:
    """Put the lines of all systems together."""
    frame = pd.DataFrame.from_dict(lines, orient="index", columns=list(COLUMNS)).rename_axis("key")
    return Drift(
        feature=halves.feature,
        reason="",
        n_fitted=len(halves.labels),
        n_usual=len(halves.usual),
        n_shifted=len(halves.shifted),
        frame=frame.astype(KINDS),
    )


def no_drift(reason: str) -> Drift:
    """Return what stands where no shift could be made."""
    frame = pd.DataFrame({name: [] for name in COLUMNS}, index=pd.Index([], dtype="str", name="key")).astype(KINDS)
    return Drift("", reason, 0, 0, 0, frame)


def area(values: FloatArray, positive: NDArray[np.bool_]) -> float:
    """Return how well values rank positive rows above the others, in [0, 1]; nan if there are none of one kind.

    Examples
    --------
    >>> area(np.array([1.0, 2.0, 3.0]), np.array([False, True, True]))
    1.0
    """
    n, m = int(positive.sum()), int((~positive).sum())
    if not n or not m:
        return math.nan
    order = np.sort(values[~positive])
    left, right = (np.searchsorted(order, values[positive], side=side).sum() for side in ("left", "right"))
    return float((left + right) / (2.0 * n * m))


def _columns(roles: Roles) -> list[str]:
    """Return the columns that can be halved."""
    return [name for name in roles.features if roles.by_column[name] in (Role.NUMERIC, Role.DATE)][:MOST_COLUMNS]


def _halve(ground: Ground, name: str) -> Halves:
    """Split rows by a column and make matrices without it."""
    study = ground.study
    frame = study.table.frame.loc[ground.rows]
    position = _positions(study.design, frame, name)
    order = np.argsort(position, kind="stable")
    half = len(order) // 2
    border = position[order[half]]
    lower = np.flatnonzero(position < border)  # rows of one value are on one side
    shifted = np.flatnonzero(position >= border)
    rng = np.random.default_rng(study.split.settings.seed)
    chosen = _learned(ground.target, lower, rng)
    usual = np.setdiff1d(lower, chosen)
    smallest = smallest_class_size(study.settings.max_fraction)
    if not len(usual) or np.bincount(ground.target[chosen], minlength=len(study.classes)).min(initial=0) < smallest:
        raise StudyError(f"The lower half by '{name}' lacks a class.")
    rest = {column: role for column, role in study.roles.by_column.items() if column in study.roles.features}
    rest.pop(name)
    design = Design(Roles(rest)).fit(frame.iloc[chosen])
    X, X_usual, X_shifted = (design.transform(frame.iloc[rows]).X for rows in (chosen, usual, shifted))
    return Halves(
        name,
        X,
        ground.labels[chosen],
        ground.target[chosen],
        ground.weight[chosen],
        X_usual,
        ground.target[usual],
        X_shifted,
        ground.target[shifted],
    )


def _positions(design: Design, frame: pd.DataFrame, name: str) -> FloatArray:
    """Return where rows lie along a column of numbers or dates; what is missing lies in the middle."""
    columns = [j for j, column in enumerate(design.columns) if column.source == name]
    if len(columns) != 1:
        raise StudyError(f"Column '{name}' cannot be halved.")
    values: FloatArray = design.transform(frame, only=[name]).X[:, columns[0]].astype(np.float64)
    return values


def _learned(target: IntArray, lower: IntArray, rng: np.random.Generator) -> IntArray:
    """Return the half of some rows that is learned from, drawn class by class."""
    parts = []
    for code in np.unique(target[lower]):
        own = rng.permutation(lower[target[lower] == code])
        parts.append(own[: math.ceil(len(own) / 2)])
    return np.sort(np.concatenate(parts)) if parts else lower


def _harm(halves: Halves) -> float:
    """Return how much larger the log-loss of a logistic regression is on the shifted rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(max_iter=200).fit(halves.X, halves.codes)
    usual, shifted = (model.predict_proba(X) for X in (halves.X_usual, halves.X_shifted))
    return _loss(shifted, halves.shifted) - _loss(usual, halves.usual)


def _loss(probabilities: FloatArray, actual: IntArray) -> float:
    """Return the log-loss."""
    return float(log_loss(probabilities[np.arange(len(actual)), actual]))
