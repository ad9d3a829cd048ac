"""SHAP values: how the estimate at a case differs from that at a reference, feature by feature."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import shown
from proset.engine.evidence.factors import KernelFactors
from proset.engine.evidence.shapley import MOST_EXACT, exact_costs_less, exact_values, sampled_values
from proset.engine.kernels.similarity import single_threaded_blas
from proset.explain.attribution.comparison import compare, place_of
from proset.explain.plain_values import AllPlain, plain_label, plain_value
from proset.explain.subject import Cases, Explained

if TYPE_CHECKING:
    from shap import Explanation

ALWAYS_EXACT = 12
"""Features that differ between case and reference, up to which SHAP values are exact unless something else is asked
for; with more, they are exact where that costs no more than drawing permutations."""
MAX_EVALUATIONS = 10_000


@dataclass(frozen=True, eq=False)
class ShapSteps(Displayed):
    """The way from the reference's estimate to that of one case, for one class or between two.

    Attributes
    ----------
    index : object
        The case.
    label : str
        The class.
    against : str or None
        The class whose probability is taken off; None if there is none.
    values : Series
        SHAP values in the order of the features; they sum to `estimate` less `base`.
    standard_error : Series
        Of the values; 0 where they are exact.
    base, estimate : float
        Probability, or difference of two, at the reference and at the case.
    exact : bool
        Whether the values are exact.
    """

    index: Any
    label: str
    against: str | None
    values: pd.Series
    standard_error: pd.Series
    base: float
    estimate: float
    exact: bool

    @property
    def ordered(self) -> pd.Series:
        """The values that are not zero, by descending size."""
        own = self.values[self.values != 0.0]
        return own.iloc[np.argsort(-own.abs().to_numpy(), kind="stable")]

    def to_frame(self) -> pd.DataFrame:
        """Return one line per feature by descending size: SHAP value and standard error."""
        frame = pd.DataFrame({"SHAP value": self.values, "standard error": self.standard_error})
        return frame.iloc[np.argsort(-self.values.abs().to_numpy(), kind="stable")]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return {
            "index": plain_label(self.index),
            "class": self.label,
            "against": self.against,
            "base": self.base,
            "estimate": self.estimate,
            "values": {str(name): float(value) for name, value in self.values.items()},
            "standard_error": {str(name): plain_value(value) for name, value in self.standard_error.items()},
            "exact": self.exact,
        }


@dataclass(frozen=True, eq=False)
class ShapValues(AllPlain, Displayed):
    """SHAP values of cases against one reference.

    Attributes
    ----------
    values : float64 array of shape (n, D, K)
        What each feature adds to each class probability: summed over features, `estimates` less `base_values`. The
        features of a study are the columns of its table; features that the model does not use have zeros.
    standard_error : float64 array of shape (n, D, K)
        Of the values over the permutations drawn; 0 where values are exact.
    base_values : float64 array of shape (K,)
        Estimate at the reference.
    estimates : float64 array of shape (n, K)
        Estimates at the cases.
    features, classes : tuple of str
        The D features and the K classes.
    index : Index of length n
        The cases.
    reference : object
        Row id, label or position of the reference; None for a point given by its values.
    exact : bool array of shape (n,)
        Whether all coalitions of features were evaluated.
    evaluations : int64 array of shape (n,)
        Masked evaluations of the model behind the values.
    cells : DataFrame or None
        The cases: index `index`, columns `features`; beside a study as its table has them, None for cases that it has
        not.
    """

    values: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    base_values: NDArray[np.float64]
    estimates: NDArray[np.float64]
    features: tuple[str, ...]
    classes: tuple[str, ...]
    index: pd.Index
    reference: Any
    exact: NDArray[np.bool_]
    evaluations: NDArray[np.int64]
    cells: pd.DataFrame | None

    @property
    def gap(self) -> float:
        """Largest distance between the sum of the values and the difference of the estimates; rounding only."""
        return float(np.abs(self.values.sum(axis=1) + self.base_values - self.estimates).max(initial=0.0))

    def to_shap(self) -> Explanation:
        """Return the values as the shap package holds them, for its own figures.

        Returns
        -------
        shap.Explanation
            Values and standard errors of shape (n, D, K), base values of shape (n, K), names of features and classes,
            and the cases, by which figures are coloured, if they are known.

        Raises
        ------
        ImportError
            If the package is not installed: it is the extra ``shap``.
        """
        from shap import Explanation

        return Explanation(
            self.values,
            base_values=np.tile(self.base_values, (len(self.values), 1)),
            data=None if self.cells is None else _as_numbers(self.cells),
            display_data=None if self.cells is None else self.cells.to_numpy(dtype=object),
            error_std=self.standard_error,
            feature_names=list(self.features),
            output_names=list(self.classes),
        )

    def between(self, label: object, against: object) -> pd.DataFrame:
        """Return what speaks for one class and against another, feature by feature.

        Parameters
        ----------
        label, against : object
            Two classes.

        Returns
        -------
        DataFrame of shape (n, D)
            Values for the first class less those for the second: positive is for the first. Index: cases.
        """
        first, other = (place_of(self.classes, name) for name in (label, against))
        difference = self.values[:, :, first] - self.values[:, :, other]
        return pd.DataFrame(difference, index=self.index, columns=list(self.features))

    def steps(self, case: object, label: object, against: object | None = None) -> ShapSteps:
        """Return one case for one class, or for one class against another.

        Parameters
        ----------
        case : object
            From :attr:`index`.
        label : object
            The class.
        against : object, optional
            Another class, whose values are taken off.

        Raises
        ------
        ValueError
            If there is no such case or class.
        """
        places = np.flatnonzero(self.index == case)
        if not len(places):
            raise ValueError(f"The case '{shown(case)}' is not among those whose SHAP values are here.")
        i, sign = int(places[0]), np.zeros(len(self.classes))
        sign[place_of(self.classes, label)] = 1.0
        if against is not None:
            sign[place_of(self.classes, against)] -= 1.0
        names = list(self.features)
        # Errors of two classes are not independent; their sum is what the error of the difference is at most.
        error = self.standard_error[i] @ np.abs(sign)
        return ShapSteps(
            index=case,
            label=str(label),
            against=None if against is None else str(against),
            values=pd.Series(self.values[i] @ sign, index=names, name="SHAP value"),
            standard_error=pd.Series(error, index=names, name="standard error"),
            base=float(self.base_values @ sign),
            estimate=float(self.estimates[i] @ sign),
            exact=bool(self.exact[i]),
        )

    def importance(self) -> pd.DataFrame:
        """Return the mean absolute value by feature and class, the most important feature first (figure 4.9)."""
        mean = np.abs(self.values).mean(axis=0) if len(self.values) else np.zeros(self.values.shape[1:])
        return importance_frame(mean, self.features, self.classes)

    def to_frame(self) -> pd.DataFrame:
        """Return one line per case and feature: ``feature`` and one column per class; index the cases.

        Where values are sampled, one column per class follows with their standard errors.
        """
        n, n_features = self.values.shape[:2]
        parts, columns = [self.values], list(self.classes)
        if not self.exact.all():
            parts.append(self.standard_error)
            columns += [f"standard error, {label}" for label in self.classes]
        cells = np.concatenate(parts, axis=2).reshape(n * n_features, len(columns))
        frame = pd.DataFrame(cells, index=self.index.repeat(n_features), columns=columns)
        names = pd.Series(np.tile(np.array(self.features, dtype=object), n), index=frame.index, name="feature")
        return pd.concat([names, frame], axis=1)


def importance_frame(mean: NDArray[np.float64], features: Sequence[str], classes: Sequence[str]) -> pd.DataFrame:
    """Return means, shape (D, K), by feature and class, the most important feature first."""
    frame = pd.DataFrame(mean, index=pd.Index(features, name="feature"), columns=list(classes))
    return frame.iloc[np.argsort(-mean.sum(axis=1), kind="stable")]


def shap_values(
    explained: Explained,
    cases: Cases | None = None,
    reference: Any = None,
    *,
    exact_up_to: int | None = None,
    max_evaluations: int = MAX_EVALUATIONS,
    random_state: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> ShapValues:
    """Attribute the difference between the estimates at cases and at a reference to the features.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model; row ids beside a study, None for its training rows. Cases that are not in the table of
        a study may also come as an array of two dimensions, rows of its matrix.
    reference : ReferencePoint, ClassMedoid, array-like of shape (D,), int, or None
        What cases are compared with: a point, its row of the matrix, a row id beside a study, or None for the point
        that :func:`~proset.explain.attribution.reference.choose_reference_point` finds in a study.
    exact_up_to : int or None, default None
        Up to that many features that differ between case and reference, 20 at most, all their coalitions are
        evaluated; with more, permutations are drawn. None decides by cost: up to 12 are always exact, more are where
        that takes no more multiplications and additions than `max_evaluations` along permutations would.
    max_evaluations : int, default 10,000
        Bound on the masked evaluations per case where permutations are drawn.
    random_state : int, default 0
        Draws the permutations. A case gets the same values whatever cases stand beside it.
    progress : callable, optional
        Called with the number of cases done and of all cases, every few cases.

    Raises
    ------
    ValueError
        If a model gets no reference, or a setting is out of bounds.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> model = ClassifierModel().fit(X, list("aaabbb"))
    >>> found = shap_values(model, X[:2], reference=X[5])
    >>> found.values.shape, found.gap < 1e-9, found.exact.tolist()
    ((2, 1, 2), True, [True, True])
    """
    if exact_up_to is not None and not 0 <= exact_up_to <= MOST_EXACT:
        raise ValueError(f"exact_up_to has to be a whole number from 0 to {MOST_EXACT}, not {exact_up_to}.")
    if max_evaluations < 1:
        raise ValueError(f"max_evaluations has to be at least 1, not {max_evaluations}.")
    comparison = compare(explained, cases, reference)
    subject, factors, X = comparison.subject, comparison.factors, comparison.matrix.X
    values = np.zeros((len(X), len(subject.features), len(subject.classes)))
    error = np.zeros_like(values)
    exact, evaluations = np.ones(len(X), dtype=bool), np.ones(len(X), dtype=np.int64)
    done = 0
    with single_threaded_blas():
        for game in comparison.games():
            rows, players = game.rows, game.players
            exact[rows] = all_coalitions = _all_coalitions(len(players), factors, exact_up_to, max_evaluations)
            if all_coalitions:
                found = exact_values(game, factors.target, factors.marginals)
            else:
                found = sampled_values(
                    game, factors.target, factors.marginals, max_evaluations=max_evaluations, seed=random_state
                )
            values[rows[:, None], players] = found.values
            error[rows[:, None], players] = found.standard_error
            evaluations[rows] = found.evaluations
            done += len(rows)
            if progress is not None:
                progress(done, len(X))
    return ShapValues(
        values=values,
        standard_error=error,
        base_values=subject.manager.probabilities(comparison.point[None])[0],
        estimates=subject.manager.probabilities(X),
        features=subject.features,
        classes=subject.classes,
        index=comparison.matrix.index,
        reference=comparison.name,
        exact=exact,
        evaluations=evaluations,
        cells=comparison.cells,
    )


def _as_numbers(cells: pd.DataFrame) -> NDArray[np.float64]:
    """Return cells as the numbers that figures are coloured by: of what is none, its place in the order of values."""
    numbers = np.full(cells.shape, np.nan)
    for j, (_, column) in enumerate(cells.items()):
        if pd.api.types.is_numeric_dtype(column):
            numbers[:, j] = column.to_numpy(dtype=np.float64, na_value=np.nan)
        else:
            places = pd.factorize(column, sort=True)[0]
            numbers[places >= 0, j] = places[places >= 0]
    return numbers


def _all_coalitions(n_players: int, factors: KernelFactors, exact_up_to: int | None, max_evaluations: int) -> bool:
    """Tell whether all coalitions of so many features are evaluated, or permutations are drawn."""
    if exact_up_to is not None:
        return n_players <= exact_up_to
    size = len(factors.target), len(factors.marginals)
    return n_players <= ALWAYS_EXACT or exact_costs_less(n_players, *size, max_evaluations)
