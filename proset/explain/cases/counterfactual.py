"""Counterfactuals: plausible cases with few other values of which the model says something else."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.common.lazy import lazy_property
from proset.engine.evidence.familiarity import familiarity_quantile, quantile_reference
from proset.engine.evidence.known_cases import KnownCases, batch_kernels
from proset.engine.kernels.similarity import FloatArray
from proset.explain.cases.counterfactual_checks import (
    check_columns,
    checked_count,
    checked_share,
    coupled_columns,
    wanted_classes,
    with_what_follows,
)
from proset.explain.cases.counterfactual_result import ColumnChange, Counterfactual, Counterfactuals, RealCase
from proset.explain.cases.counterfactual_search import (
    MOST_ALONE,
    MOST_VALUES,
    ChangeSearch,
    FoundChange,
    values_per_feature,
)
from proset.explain.cases.counterfactual_terms import Aim, KernelTerms
from proset.explain.cases.counterfactual_values import ValueChoice, value_choices, ways_of
from proset.explain.cases.edited import edited_case
from proset.explain.cases.known_rows import known_rows
from proset.explain.cases.value_range import ValueRange, value_ranges
from proset.explain.subject import Explained, Subject, as_case, subject_of
from proset.study.case import Case
from proset.study.decision import MOST_PROBABLE, DecisionRule

LEAST_FAMILIARITY = 0.2
"""Familiarity quantile of a plausible case, unless another is asked for."""
MOST_COLUMNS = 100
"""Columns that may change: the heaviest."""
_NEAREST = 8


def counterfactuals(
    explained: Explained,
    case: Any,
    *,
    to: str | None = None,
    locked: Collection[str] = (),
    may_only_rise: Collection[str] = (),
    may_only_fall: Collection[str] = (),
    least_familiarity: float | None = None,
    n_answers: int = 3,
    rule: DecisionRule = MOST_PROBABLE,
    known: ArrayLike | None = None,
    y: ArrayLike | None = None,
    ranges: Mapping[str, ValueRange] | None = None,
) -> Counterfactuals:
    """Find the fewest changes of a plausible kind that make the model say something else of a case.

    Every observed value of every column is tried (of more than 1,024, so many, evenly spread), then pairs of values (64
    of each column at most, fewer where there are many columns), then more columns at once: from the best pairs, and
    back from real cases that are an answer. Numbers end as near to the case's own as their precision and the answer
    allow.

    Parameters
    ----------
    explained : ClassifierModel or Study
        A fitted model or a study.
    to : str or None
        Class that is to be said; None for any other than now.
    locked : collection of str
        Columns that stay. Days between two dates stay with the second of them, hours with their times, and where other
        days or hours are counted from what would move; dates and times that the model uses beside what is counted from
        them stay.
    may_only_rise, may_only_fall : collection of str
        Numbers and dates that change one way only; what is in both, or missing in the case, stays.
    least_familiarity : float or None
        Familiarity quantile that the changed case has to have, in [0, 1]; by default 0.2, or that of the case itself
        where it is less. What `rule` leaves to a person is no answer.
    n_answers : int, default 3
        Answers wanted, at least 1.
    known, y : array-like of shape (m, D) and (m,), or None
        Beside a model: what it was fitted to, and the classes of these rows, without which no real case is named.
    ranges : mapping of str to ValueRange or None
        From :func:`proset.explain.value_ranges`, so that it is not found anew for each case.

    Returns
    -------
    Counterfactuals
        Without an answer where there is none under these locks; the same every time.

    Raises
    ------
    ValueError
        If a model gets no known rows.
    StudyError
        If there is no such row, class or column, if the class is said already, if a column without an order may only
        rise or fall, or if a number is out of its range.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = counterfactuals(study, 71)
    >>> found.predicted, found.found[0].predicted, len(found.found[0].changes), found.found[0].quantile >= 0.2
    ('versicolor', 'virginica', 1, True)
    >>> counterfactuals(study, 71, locked=study.used_columns).impossible
    True
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known, y=y)
    if ranges is None:
        ranges = value_ranges(explained, known=None if case.known is None else case.known.X)
    rows = _rows(subject, case, rule)
    now = int(rule.choose(subject.manager.probabilities(case.x[None]))[0])
    check_columns(subject, case, ranges, locked, may_only_rise, may_only_fall)
    wanted, n_answers = wanted_classes(subject, to, now), checked_count(n_answers)
    least = _usual_least(subject, case, rows) if least_familiarity is None else checked_share(least_familiarity)
    ask, enough = _Ask(subject, case, rule, ranges, rows, wanted), max(least, rule.leave_below)  # less is left
    features = [name for name in ranges if name in subject.by_weight][:MOST_COLUMNS]
    coupled = coupled_columns(subject, case, locked)
    rise, fall = (with_what_follows(subject, each) for each in (may_only_rise, may_only_fall))
    ways = ways_of(features, {*locked, *coupled}, rise, fall)
    choices = ask.choices(ways)
    found = ask.find(choices, enough, n_answers)
    bound = {*locked, *rise, *fall}
    held = tuple(name for name in features if name in bound or name in coupled)
    less_familiar = ask.find(choices, rule.leave_below, 1) if not found and least > rule.leave_below else []
    return Counterfactuals(
        predicted=subject.classes[now],
        to=tuple(subject.classes[k] for k in wanted),
        found=tuple(found),
        real=ask.real(),
        held=held,
        tied=tuple(name for name in held if name not in bound),
        unlock=ask.unlock(features, enough, held) if held and not found else (),
        unfamiliar=next(iter(less_familiar), None),
        searched=tuple(choice.scope.column for choice in choices),
        least_familiarity=enough,
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """Real cases: what they are, and what is said of them."""

    X: NDArray[np.floating]
    rows: NDArray[np.int64]
    said: NDArray[np.intp]
    shares: FloatArray
    familiarity: FloatArray
    actual: NDArray[np.object_] | None
    reference: FloatArray
    known: NDArray[np.floating]


def _rows(subject: Subject, case: Case, rule: DecisionRule) -> _Rows:
    """Return the rows of a study's table, or those that a model was fitted to, without the case itself."""
    learned = known_rows(subject, case)
    study = subject.study
    if study is None:
        X = np.asarray(learned.X, dtype=np.float64)
        shares, familiarity = subject.manager.evaluate(X)
        actual = None if learned.y is None else learned.y.astype(object)
        reference = quantile_reference(familiarity)
        return _Rows(X, learned.rows, rule.choose(shares), shares, familiarity, actual, reference, X)
    other = (study.table.frame.index != case.row) if case.row is not None else slice(None)
    shares = study.probabilities.to_numpy(dtype=np.float64)[other]
    facts = study.predictions[other] if case.row is not None else study.predictions
    return _Rows(
        study.encode().X[other],
        facts.index.to_numpy(dtype=np.int64),
        rule.choose(shares),
        shares,
        facts["familiarity"].to_numpy(dtype=np.float64),
        facts["actual"].to_numpy(dtype=object),
        study.reference,
        np.asarray(learned.X),
    )


@dataclass(frozen=True, eq=False)
class _Ask:
    """One case and the classes that are to be said of it."""

    subject: Subject
    case: Case
    rule: DecisionRule
    ranges: Mapping[str, ValueRange]
    rows: _Rows
    wanted: NDArray[np.int64]

    def choices(self, ways: Mapping[str, int]) -> list[ValueChoice]:
        """Return what may change, and the values to which it may."""
        n_prototypes = self.subject.manager.get_num_prototypes()
        most, alone = (values_per_feature(len(ways), n_prototypes, most) for most in (MOST_VALUES, MOST_ALONE))
        return value_choices(self.subject, self.case, self.ranges, ways, self.rows.known, most=most, most_alone=alone)

    def find(self, choices: list[ValueChoice], least: float, most: int) -> list[Counterfactual]:
        """Return the answers among these values."""
        if not choices:
            return []
        used = list(self.subject.by_weight)
        enough = _enough(self.rows.reference, least)
        aim = Aim(self.rule, self.wanted, np.asarray(self.subject.manager.marginals, dtype=np.float64), enough)
        search = ChangeSearch(self._terms, aim, choices, [used.index(choice.scope.column) for choice in choices])
        starts = np.flatnonzero(np.isin(self.rows.said, self.wanted) & (self.rows.familiarity >= enough))
        near = starts[np.argsort(self._distances(starts), kind="stable")[:_NEAREST]]
        return self._confirmed(choices, search.run(self.rows.X[near].astype(np.float64), most), enough)

    def unlock(self, features: Sequence[str], least: float, held: Sequence[str]) -> tuple[str, ...]:
        """Return those of the held columns that an answer changes where all may."""
        free = ways_of(features, coupled_columns(self.subject, self.case, ()), (), ())
        best = self.find(self.choices(free), least, 1)
        return tuple(change.column for one in best for change in one.changes if change.column in held)

    @lazy_property
    def _terms(self) -> KernelTerms:
        """Kernels of the case by the features that are used."""
        features, groups = self.subject.features, self.subject.groups
        return KernelTerms(
            self.subject.manager, self.case.x, [groups[features.index(name)] for name in self.subject.by_weight]
        )

    def _distances(self, rows: NDArray[np.int64]) -> FloatArray:
        """Return the squared distances of the case to some rows in the model's metric."""
        if not len(rows):
            return np.zeros(0)
        known = KnownCases(self.rows.X[rows], batch_kernels(self.subject.manager))
        result: FloatArray = known.distances(self.case.x)[0]
        return result

    def _confirmed(self, choices: list[ValueChoice], changes: list[FoundChange], enough: float) -> list[Counterfactual]:
        """Return what scoring itself says of the changed cases, as far as it is what was looked for."""
        if not changes:
            return []
        scopes = [choice.scope for choice in choices]
        cells = ({scopes[i].column: scopes[i].cell(value) for i, value in change.values} for change in changes)
        X = np.stack([edited_case(self.case, new).x for new in cells])
        shares, familiarity = self.subject.manager.evaluate(X)
        said = self.rule.choose(shares)
        quantile = familiarity_quantile(familiarity, self.rows.reference)
        return [
            Counterfactual(
                tuple(self._column_change(choices[place], value) for place, value in change.values),
                self.subject.classes[int(said[i])],
                float(shares[i, said[i]]),
                float(quantile[i]),
                change.size,
            )
            for i, change in enumerate(changes)
            if said[i] in self.wanted and familiarity[i] >= enough
        ]

    def _column_change(self, choice: ValueChoice, value: Any) -> ColumnChange:
        """Return a change in the words of the table."""
        scope, before = choice.scope, self.case.cells.get(choice.scope.column)
        after = scope.cell(value)
        return ColumnChange(scope.column, scope.plain(before), after, (scope.text(before), scope.text(after)))

    def real(self) -> RealCase | None:
        """Return the nearest real case of one of the classes of which that is said."""
        rows, classes = self.rows, self.subject.classes
        if rows.actual is None:
            return None
        names = np.asarray(classes, dtype=object)[rows.said]
        left = self.rule.leaves(familiarity_quantile(rows.familiarity, rows.reference))
        right = np.flatnonzero(np.isin(rows.said, self.wanted) & (rows.actual == names) & ~left)
        if not len(right):
            return None
        distances = self._distances(right)
        nearest = int(np.argmin(distances))
        place = int(right[nearest])
        row, study = int(rows.rows[place]), self.subject.study
        quantile = familiarity_quantile(rows.familiarity[[place]], rows.reference)
        used = list(self.subject.by_weight)
        if study is None:
            name = f"row {row}"
            values = {column: float(rows.X[place, j]) for column, (j, *_) in self.subject.by_weight.items()}
        else:
            frame = study.table.frame.loc[[row]]
            name, values = study.names_of(frame)[0], dict(zip(used, frame[used].iloc[0], strict=True))
        return RealCase(
            row,
            name,
            str(rows.actual[place]),
            float(rows.shares[place, rows.said[place]]),
            float(quantile[0]),
            float(np.exp(-0.5 * distances[nearest])),
            values,
        )


def _usual_least(subject: Subject, case: Case, rows: _Rows) -> float:
    """Return what is asked of an answer: no case has to become more familiar than it is, unless it is very much so."""
    own = familiarity_quantile(subject.manager.familiarity(case.x[None]), rows.reference)
    return min(LEAST_FAMILIARITY, float(own[0]))


def _enough(reference: FloatArray, least: float) -> float:
    """Return the familiarity at which a quantile is reached."""
    place = math.ceil(least * len(reference) - 1e-9)
    return float(np.sort(reference)[place - 1]) if place > 0 else 0.0
