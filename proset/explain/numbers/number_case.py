"""One case of a model of a number, whether it comes as a row of a matrix or of a study's table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from proset.common.errors import RoleError
from proset.data.number_target import target_numbers
from proset.engine.mixtures.distribution import PredictedDistribution
from proset.engine.model import ClassifierModel
from proset.engine.regressor import RegressorModel
from proset.explain.plain_values import plain_cells
from proset.explain.subject import in_order_of
from proset.study import NumberStudy, Study
from proset.study.case import Case

NumberExplained = RegressorModel | NumberStudy
"""First parameter of explanations of a number."""


@dataclass(frozen=True, eq=False)
class NumberCase:
    """One case with the names of what goes in.

    Attributes
    ----------
    model : RegressorModel
        Fitted.
    x : ndarray of shape (D,)
        The case as the model sees it.
    rows : DataFrame or ndarray of shape (1, D)
        The same as the model takes it.
    features : tuple of str
        Columns of a study's table, else those of the matrix.
    groups : tuple of int64 arrays
        Columns of the matrix that each feature stands in.
    name : str
        What it is called.
    study : NumberStudy or None
        Where it comes from, or None for a model alone.
    case : Case or None
        The same as a case of the study.
    """

    model: RegressorModel
    x: NDArray[np.float64]
    rows: Any
    features: tuple[str, ...]
    groups: tuple[NDArray[np.int64], ...]
    name: str
    study: NumberStudy | None = None
    case: Case | None = None

    @property
    def used(self) -> list[str]:
        """Features that the model looks at, in their order."""
        active = set(self.model.set_manager_.get_active_features().tolist())
        pairs = zip(self.features, self.groups, strict=True)
        return [name for name, group in pairs if active.intersection(group.tolist())]

    @property
    def distribution(self) -> PredictedDistribution:
        """Answer of the model for it."""
        return self.model.predict_distribution(self.rows)

    @property
    def prototypes(self) -> NDArray[np.float64]:
        """Values of all prototypes, batch after batch, missing in features that their batch does not use, (P, D)."""
        parts = [np.zeros((0, len(self.x)))]
        for batch in self.model.set_manager_.density_batches:
            own = np.full((len(batch), len(self.x)), np.nan)
            own[:, batch.active_features] = batch.prototypes
            parts.append(own)
        return np.vstack(parts)

    @property
    def adjustments(self) -> pd.DataFrame:
        """Adjustments of what each prototype says of the case, batch after batch, one column per feature."""
        parts = [np.zeros((0, len(self.x)))]
        for batch in self.model.set_manager_.density_batches:
            own, used = np.zeros((len(batch), len(self.x))), batch.active_features
            own[:, used] = batch.total_slopes * (self.x[used] - batch.prototypes)
            # On a bent target columns multiply: each has its share of the whole, along the straight way to the case.
            parts.append(own * self.model.units_.secants(batch.values, own.sum(axis=1))[:, None])
        every = np.vstack(parts)
        grouped = [every[:, group].sum(axis=1) for group in self.groups]
        return pd.DataFrame(np.stack(grouped, axis=1), columns=list(self.features))

    def samples(self, places: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str]]:
        """Return the row ids of training rows, or their positions beside a model, and what they are called."""
        if self.study is None:
            return places, [f"row {place}" for place in places]
        rows = self.study.split.train[places]
        return rows, self.study.names_of(self.study.table.frame.loc[rows])

    def cells(self, places: NDArray[np.int64], prototypes: NDArray[np.float64]) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the plain values of the case, one line, and of training rows, in the features in use.

        Parameters
        ----------
        places : ndarray of int64, shape (n,)
            Positions among the training rows.
        prototypes : ndarray of shape (n, D)
            The same rows, for a model alone, which has no table.
        """
        used = self.used
        if self.study is None or self.case is None:
            columns = [int(self.groups[self.features.index(name)][0]) for name in used]
            one = pd.DataFrame(self.x[None, columns], columns=used, dtype=object)
            return one, pd.DataFrame(prototypes[:, columns], columns=used, dtype=object)
        frame = self.study.table.frame.loc[self.study.split.train[places]]
        return plain_cells(self.study.design, self.case.frame, used), plain_cells(self.study.design, frame, used)

    def known_number(self) -> float | None:
        """Return the number that the case has in its own row; None without one, or where that is no number."""
        if self.study is None or self.case is None:
            return None
        target = self.study.roles.target
        if self.case.row is not None:
            value = float(self.study.table_targets.loc[self.case.row])
        elif target in self.case.frame.columns:
            try:
                value = float(target_numbers(self.case.frame, self.study.roles).iloc[0])
            except RoleError:
                return None
        else:
            return None
        return value if np.isfinite(value) else None


def number_case(explained: NumberExplained, case: Any, *, name: str | None = None) -> NumberCase:
    """Return one case in the one shape that what explains a number takes.

    Parameters
    ----------
    explained : RegressorModel or NumberStudy
        Says how `case` is meant.
    case : Case, int, DataFrame, or array-like of shape (D,) or (1, D)
        A case as it is; a row id or a frame of one row beside a study; a row of the matrix beside a model.
    name : str or None
        What to call it; None for its identifier or row number, or "case" beside a model.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    ValueError
        If it is not one row, or the case belongs to another model.
    StudyError
        If the table has no such row.
    TypeError
        If what is explained is no model of a number.

    Examples
    --------
    >>> model = RegressorModel(n_iter=0).fit(np.arange(30.0)[:, None], np.arange(30.0))
    >>> number_case(model, [3.0]).features, number_case(model, [3.0]).name
    (('x0',), 'case')
    """
    if isinstance(explained, NumberStudy):
        return _of_study(explained, case, name)
    if not isinstance(explained, RegressorModel):
        wanted = "A RegressorModel or a NumberStudy"
        way_out = " Of classes, take explain.explain_case." if isinstance(explained, (Study, ClassifierModel)) else ""
        raise TypeError(f"{wanted} is explained here, not a {type(explained).__name__}.{way_out}")
    check_is_fitted(explained)
    # A frame keeps the names of its columns, which the model compares with its own.
    named = getattr(explained, "feature_names_in_", None)
    if named is not None and isinstance(case, pd.Series):
        case = pd.DataFrame([in_order_of(case, list(named)).to_numpy()], columns=named)
    rows = case if isinstance(case, pd.DataFrame) else np.atleast_2d(np.asarray(case, dtype=np.float64))
    if len(rows) != 1:
        raise ValueError(f"One case is explained, but {len(rows):,} rows were given.")
    x = np.asarray(rows, dtype=np.float64).reshape(-1)
    names = getattr(explained, "feature_names_in_", [f"x{j}" for j in range(len(x))])
    groups = tuple(np.array([j]) for j in range(len(x)))
    return NumberCase(explained, x, rows, tuple(str(one) for one in names), groups, name or "case")


def _of_study(study: NumberStudy, case: Any, name: str | None) -> NumberCase:
    """Return a case of a study: its features are the columns of the table."""
    if isinstance(case, Case):
        if case.source is not study:
            raise ValueError("The case belongs to another model: make it anew for this one.")
    else:
        case = study.case(case)
    features = study.roles.features
    sources = np.array(study.design.column_sources, dtype=object)
    groups = tuple(np.flatnonzero(sources == one).astype(np.int64) for one in features)
    return NumberCase(study.model, case.x, case.encoded.X, features, groups, name or case.name, study, case)
