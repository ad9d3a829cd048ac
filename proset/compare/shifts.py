"""Rows that are shifted on purpose: one half by a column, or a class that is left out."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression

from proset.common.errors import ProsetError, StudyError
from proset.common.words import shown
from proset.compare.ground import CompareGround, drawn
from proset.compare.measures import FloatArray, IntArray
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.engine.candidates import smallest_class_size
from proset.engine.metrics import log_loss
from proset.selection.inner_folds import GroupsAndTimes, NoFoldsError, inner_folds

MOST_ROWS, MOST_COLUMNS = 3_000, 40
"""Rows and columns that are looked at to choose a shift: a draw of the rows, and the first columns."""
_TOO_FEW_GROUPS = "The rows have too few groups to learn from some and measure on others, before and after a shift."

Matrix = NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Shift:
    """Rows to learn from, rows alike, and rows that are shifted, as matrices.

    Attributes
    ----------
    column : str
        The column by which rows were halved; the matrices lack it. Empty where a class was left out.
    left_out : str
        The class that is not learned from; empty where rows were halved.
    X, labels, codes, weight
        What is learned from, with classes as texts and as positions.
    X_usual, usual, X_shifted, shifted
        What is measured on, with classes as positions.
    known : GroupsAndTimes
        Of the rows that are learned from.
    """

    column: str
    left_out: str
    X: Matrix
    labels: NDArray[np.str_]
    codes: IntArray
    weight: FloatArray
    X_usual: Matrix
    usual: IntArray
    X_shifted: Matrix
    shifted: IntArray
    known: GroupsAndTimes = field(default_factory=GroupsAndTimes)


def choose_shift(ground: CompareGround, column: str | None = None) -> Shift:
    """Shift the rows of a comparison by the column whose halves differ most.

    For each column of numbers or dates, rows are ordered by it and halved, and a logistic regression learns from a part
    of the lower half without that column; the column is taken for which its log-loss on the upper half exceeds that on
    the rest of the lower half most. With groups, no group that is learned from is measured on. Where every column would
    take a class away from the lower half, the smallest of three or more classes is left out instead.

    Parameters
    ----------
    ground : CompareGround
        The rows.
    column : str or None
        The column, if it is not to be chosen.

    Returns
    -------
    Shift
        Which part of the usual rows is learned from is drawn with the seed of the split.

    Raises
    ------
    StudyError
        If neither is possible.

    Examples
    --------
    >>> from proset.compare.ground import ground_of
    >>> from proset.compare.plan import ComparePlan
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> shift = choose_shift(ground_of(study, ComparePlan(("proset",))))
    >>> shift.column, shift.left_out, len(shift.labels), len(shift.usual), len(shift.shifted)
    ('', 'setosa', 36, 34, 35)
    """
    if column is not None:
        return _halved(ground, column)
    looked_at = some_rows(ground, drawn(ground.target, MOST_ROWS, 0))
    harms: dict[str, float] = {}
    for name in _columns(ground.study.roles):
        try:
            harms[name] = _harm(_halved(looked_at, name))
        except (ProsetError, ValueError):
            continue
    if harms:
        return _halved(ground, max(harms, key=lambda name: harms[name]))
    if len(ground.study.classes) > 2:
        return _without_class(ground)
    raise StudyError(_why_none(ground))


def _why_none(ground: CompareGround) -> str:
    """Say why rows of two classes cannot be halved by any column."""
    if not _columns(ground.study.roles):
        return "There is no column of numbers or dates by which rows could be halved."
    if len(set(ground.study.design.column_sources)) < 2:
        return "Systems are not shown the column by which rows are halved, and there is no other to learn from."
    groups = "" if ground.known.groups is None else ", in enough groups to learn from some and measure on others"
    return f"No column of numbers or dates leaves enough rows of every class in its lower half{groups}."


def some_rows(ground: CompareGround, kept: IntArray) -> CompareGround:
    """Return a ground of some of the rows, without folds."""
    return replace(
        ground,
        rows=ground.rows[kept],
        target=ground.target[kept],
        weight=ground.weight[kept],
        folds=(),
        known=ground.known.at(kept),
    )


def _columns(roles: Roles) -> list[str]:
    """Return the columns that can be halved."""
    return [name for name in roles.features if roles.by_column[name] in (Role.NUMERIC, Role.DATE)][:MOST_COLUMNS]


def _halved(ground: CompareGround, name: str) -> Shift:
    """Halve rows at the median of a column; rows of one value are on one side, those without a value on none."""
    position = _positions(ground, name)
    known = np.sort(position[np.isfinite(position)])
    if not len(known):
        raise StudyError(f"Column '{shown(name)}' cannot be halved.", column=name)
    border = known[len(known) // 2]
    lower, upper = np.flatnonzero(position < border), np.flatnonzero(position >= border)
    parts = _parts(ground, lower, upper)
    _check_classes(ground, parts[0], range(len(ground.study.classes)), name)
    rest = {column: ground.study.roles.by_column[column] for column in ground.study.roles.features if column != name}
    return _shift(ground, Roles(rest), parts, column=name)


def _without_class(ground: CompareGround) -> Shift:
    """Leave out the smallest class."""
    counts = np.bincount(ground.target, minlength=len(ground.study.classes))
    code = int(np.argmin(counts))
    others, own = np.flatnonzero(ground.target != code), np.flatnonzero(ground.target == code)
    parts = _parts(ground, others, own)
    _check_classes(ground, parts[0], [k for k in range(len(counts)) if k != code], ground.study.classes[code])
    roles = {column: ground.study.roles.by_column[column] for column in ground.study.roles.features}
    return _shift(ground, Roles(roles), parts, left_out=ground.study.classes[code])


def _shift(
    ground: CompareGround,
    roles: Roles,
    parts: tuple[IntArray, IntArray, IntArray],
    *,
    column: str = "",
    left_out: str = "",
) -> Shift:
    """Make matrices of the three parts; the design is learned from the first alone."""
    learned, usual, shifted = parts
    frame = ground.study.table.frame.loc[ground.rows]
    design = Design(roles, ground.study.settings.scale).fit(frame.iloc[learned], ground.labels[learned])
    X, X_usual, X_shifted = (design.transform(frame.iloc[part]).X for part in parts)
    return Shift(
        column=column,
        left_out=left_out,
        X=X,
        labels=ground.labels[learned],
        codes=ground.target[learned],
        weight=ground.weight[learned],
        X_usual=X_usual,
        usual=ground.target[usual],
        X_shifted=X_shifted,
        shifted=ground.target[shifted],
        known=ground.known.at(learned),
    )


def _positions(ground: CompareGround, name: str) -> FloatArray:
    """Return where rows lie along a column of numbers or dates; nan without a value."""
    design = ground.study.design
    columns = design.own_columns(name)
    if len(columns) != 1:
        raise StudyError(f"Column '{shown(name)}' cannot be halved.", column=name)
    frame = ground.study.table.frame.loc[ground.rows]
    encoded = design.transform(frame, only=[name])
    positions: FloatArray = encoded.X[:, columns[0]].astype(np.float64)
    return np.where(encoded.imputed[name].to_numpy(dtype=bool), np.nan, positions)


def _parts(ground: CompareGround, rows: IntArray, shifted: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """Return which of some rows are learned from, the rest of them, and the shifted rows.

    With groups, nothing is measured on a group that was learned from: its rows would be familiar on either side.
    """
    groups = ground.known.groups
    if groups is None or not len(rows):
        learned = _half_of(ground, rows)
        return learned, np.setdiff1d(rows, learned), shifted
    codes = np.unique(ground.target[rows], return_inverse=True)[1].astype(np.int64)
    try:
        half = inner_folds(codes, 2, ground.study.split.settings.seed, GroupsAndTimes(groups=groups[rows]))[0]
    except NoFoldsError as error:
        raise StudyError(_TOO_FEW_GROUPS) from error
    learned, strange = rows[half.train], shifted[~np.isin(groups[shifted], groups[rows[half.train]])]
    if not len(strange):
        raise StudyError(_TOO_FEW_GROUPS)
    return learned, rows[half.test], strange


def _half_of(ground: CompareGround, rows: IntArray) -> IntArray:
    """Return the half of some rows that is learned from, drawn class by class."""
    rng = np.random.default_rng(ground.study.split.settings.seed)
    parts = [np.zeros(0, dtype=np.int64)]
    for code in np.unique(ground.target[rows]):
        own = rng.permutation(rows[ground.target[rows] == code])
        parts.append(own[: math.ceil(len(own) / 2)])
    return np.sort(np.concatenate(parts)).astype(np.int64)


def _check_classes(ground: CompareGround, learned: IntArray, wanted: range | list[int], name: str) -> None:
    """Refuse rows to learn from that lack a class."""
    counts = np.bincount(ground.target[learned], minlength=len(ground.study.classes))
    if min(counts[code] for code in wanted) < smallest_class_size(ground.study.settings.max_fraction):
        raise StudyError(f"The rows left by '{shown(name)}' have too few of a class.")


def _harm(shift: Shift) -> float:
    """Return how much larger the log-loss of a logistic regression is on the shifted rows."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = LogisticRegression(max_iter=200).fit(shift.X, shift.codes)
    usual, shifted = (model.predict_proba(X) for X in (shift.X_usual, shift.X_shifted))
    return loss_of(shifted, shift.shifted) - loss_of(usual, shift.usual)


def loss_of(probabilities: FloatArray, actual: IntArray) -> float:
    """Return the log-loss of estimates whose columns are the positions of the classes."""
    return float(log_loss(probabilities[np.arange(len(actual)), actual]))
