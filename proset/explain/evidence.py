"""All evidence on one case: computed when it is asked for, and kept."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.frames import beside
from proset.common.lazy import lazy_property
from proset.explain.attribution.comparison import name_of
from proset.explain.attribution.familiarity_attribution import FamiliarityAttribution, attribute_familiarity
from proset.explain.attribution.interactions import ShapleyInteractions, shapley_interactions
from proset.explain.attribution.reference import choose_reference_point
from proset.explain.attribution.shapley import ShapValues, shap_values
from proset.explain.cases.case import CaseReport, explain_case
from proset.explain.cases.contradictions import Contradictions, contradictions
from proset.explain.cases.flip import smallest_flip
from proset.explain.cases.flips import SmallestFlip
from proset.explain.cases.near_cases import NearestCases, nearest_cases
from proset.explain.cases.places import ValuePlaces, value_places
from proset.explain.cases.value_range import ValueRange, value_ranges
from proset.explain.subject import Explained, Subject, point_of, study_of, subject_of
from proset.study import Study
from proset.study.case import Case
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.new_rows import stand_in

T = TypeVar("T")
EXACT_UP_TO, MAX_EVALUATIONS = 16, 50_000
"""Differing columns up to which SHAP values of one case are exact, and evaluations beyond: it is one case only."""


class Keep(Protocol):
    """Keeps a part of the evidence on a case beyond one :class:`Evidence`."""

    def __call__(self, name: str, compute: Callable[[], T], *depends: Hashable) -> T:
        """Return ``compute()``, or what it returned before for this name and what else the part depends on.

        That is the case, but for what is the same for all of them, the rule and the reference.
        """
        ...


def compute_now(name: str, compute: Callable[[], T], *depends: Hashable) -> T:
    """Keep nothing."""
    return compute()


class Evidence:
    """Everything that speaks for or against the estimate for one case, each part computed once, when it is asked for.

    Parameters
    ----------
    case : Case
        From :meth:`proset.study.Study.case` or :func:`proset.explain.as_case`. A model's case has to bring its known
        rows with their classes.
    reference : ReferencePoint, array-like of shape (D,), int, callable, or None
        A point that the case is compared with, or a function that returns it when it is needed; None for the one that
        algorithm 4.2 chooses among the training rows.
    keep : callable or None
        Keeps parts beyond this object, so that another one for the same case has them; None keeps them here only.

    Attributes
    ----------
    report : CaseReport
        Estimate, prototypes and sums.
    nearest : NearestCases
        The nearest known cases of each class.
    contradictions : Contradictions
        What speaks against the estimate outside of the model.
    places : ValuePlaces
        Each value's place in the distribution of each class.
    ranges : mapping of str to ValueRange
        Values that each feature takes.
    flip : SmallestFlip
        The smallest single change that changes what is said.
    reference : object
        The point that the case is compared with.
    shap : ShapValues
        Of this case alone, against the reference.
    interactions : ShapleyInteractions
        Pairs of features that work together in the votes for this case alone, against the reference.
    familiarity : FamiliarityAttribution
        Features that make the case more or less familiar than the reference.
    cells : DataFrame
        Index: the features in use; columns ``here`` and ``reference``: original values of both.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = Evidence(fit_sample("iris_2f").case(71))
    >>> frame = found.shap_frame()
    >>> bool(np.allclose(frame.iloc[:-1, 1:].sum(), frame.iloc[-1, 1:].astype(float)))
    True
    """

    def __init__(
        self, case: Case, *, rule: DecisionRule = MOST_PROBABLE, reference: Any = None, keep: Keep = compute_now
    ) -> None:
        self.case, self.rule, self._reference, self._keep = case, rule, reference, keep
        self._of: Explained = case.source

    @property
    def study(self) -> Study:
        """The study whose case it is; for what only a study has.

        Raises
        ------
        TypeError
            If it is the case of a model alone.
        """
        return study_of(self._of, "What a report or a page says of a case")

    @lazy_property
    def report(self) -> CaseReport:
        """Estimate, prototypes and sums."""
        return self._keep("report", lambda: explain_case(self._of, self.case, rule=self.rule), self.case, self.rule)

    @lazy_property
    def nearest(self) -> NearestCases:
        """The nearest known cases of each class."""
        return self._keep("nearest cases", lambda: nearest_cases(self._of, self.case), self.case)

    @lazy_property
    def contradictions(self) -> Contradictions:
        """Contradictions of the estimate outside of the model."""

        def find() -> Contradictions:
            return contradictions(self._of, self.case, rule=self.rule)

        return self._keep("contradictions", find, self.case, self.rule)

    @lazy_property
    def places(self) -> ValuePlaces:
        """Each value's place in the distribution of each class."""
        return self._keep("value places", lambda: value_places(self._of, self.case), self.case)

    @lazy_property
    def ranges(self) -> Mapping[str, ValueRange]:
        """Values that each feature takes."""
        known = self.case.known
        return self._keep("value ranges", lambda: value_ranges(self._of, known=None if known is None else known.X))

    @lazy_property
    def flip(self) -> SmallestFlip:
        """The smallest single change that changes what is said."""

        def search() -> SmallestFlip:
            return smallest_flip(self._of, self.case, rule=self.rule, ranges=self.ranges)

        return self._keep("flip", search, self.case, self.rule)

    @lazy_property
    def reference(self) -> Any:
        """The point that the case is compared with."""
        if self._reference is not None:
            return self._reference() if callable(self._reference) else self._reference
        rows = None if self.case.known is None else self.case.known.X
        return self._keep("reference point", lambda: choose_reference_point(self._of, rows))

    @lazy_property
    def shap(self) -> ShapValues:
        """SHAP values of this case alone, against the reference."""

        def attribute() -> ShapValues:
            return shap_values(
                self._of, self.case, self.reference, exact_up_to=EXACT_UP_TO, max_evaluations=MAX_EVALUATIONS
            )

        return self._keep("SHAP", attribute, self.case, *self._compared)

    @lazy_property
    def interactions(self) -> ShapleyInteractions:
        """Pairs of features that work together in the votes for this case alone, against the reference."""

        def attribute() -> ShapleyInteractions:
            return shapley_interactions(self._of, self.case, self.reference)

        return self._keep("interactions", attribute, self.case, *self._compared)

    @lazy_property
    def familiarity(self) -> FamiliarityAttribution:
        """Features that make the case more or less familiar than the reference."""

        def attribute() -> FamiliarityAttribution:
            return attribute_familiarity(self._of, self.case, self.reference)

        return self._keep("familiarity", attribute, self.case, *self._compared)

    @lazy_property
    def cells(self) -> pd.DataFrame:
        """Original values of the case and of the reference in the features in use."""
        subject, row = subject_of(self._of), name_of(self.reference)
        names = [name for name in self.case.cells if name in subject.by_weight]
        if subject.study is not None and row is not None:
            there = subject.study.table.frame.loc[row, names].tolist()
        else:
            point = point_of(self._of, self.reference)
            there = [_value(subject, name, point) for name in names]
        index = pd.Index(names, name="column", dtype="str")
        here = [self.case.cells[name] for name in names]
        return pd.DataFrame({"here": here, "reference": there}, index=index, dtype=object)

    def shap_frame(self) -> pd.DataFrame:
        """Return the SHAP values of the columns in use, those that count most first.

        Returns
        -------
        DataFrame
            Columns ``column``, then one per class: what the column adds to its probability, compared with the
            reference. The first line is the reference's estimate, the last one that of the case: the sum of all others.
        """
        found, order = self.shap, _order(np.abs(self.shap.values[0]).max(axis=1, initial=0.0))
        lines = np.vstack([found.base_values, found.values[0][order], found.estimates[0]])
        own = pd.DataFrame({"column": self._names("estimate", order)})
        return beside(own, pd.DataFrame(lines, columns=list(found.classes)), word="class")

    def familiarity_frame(self) -> pd.DataFrame:
        """Return what each column adds to the familiarity, compared with the reference, like :meth:`shap_frame`."""
        found, order = self.familiarity, _order(np.abs(self.familiarity.values[0]))
        adds = [found.base, *found.values[0][order].tolist(), float(found.familiarity[0])]
        return pd.DataFrame({"column": self._names("familiarity", order), "adds": adds})

    def _names(self, what: str, order: NDArray[np.intp]) -> pd.Series:
        """Return the names of the lines: the reference, the features, the case."""
        start = "estimate for" if what == "estimate" else "familiarity of"
        row, features = name_of(self.reference), [subject_of(self._of).features[j] for j in order]
        reference = "the reference" if row is None else f"the reference, row {row}"
        return pd.Series([f"{start} {reference}", *features, f"{start} the case"], dtype="str")

    @property
    def _compared(self) -> tuple[Hashable, ...]:
        """Key that tells the reference from others."""
        row = name_of(self.reference)
        return (row,) if row is not None else tuple(point_of(self._of, self.reference).tolist())


def _order(sizes: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the places of what is not zero, the largest first."""
    used = np.flatnonzero(sizes)
    return used[np.argsort(-sizes[used], kind="stable")]


def _value(subject: Subject, name: str, point: NDArray[np.float64]) -> Any:
    """Return the original value of a feature at a point of the matrix."""
    if subject.study is None:
        return float(point[subject.features.index(name)])
    return stand_in(subject.study.design, name, point)
