"""A slice: rows of a study for which all of some conditions hold, with a name."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.checked_json import StateReader, parse_json, sound
from proset.common.errors import StorageError, StudyError
from proset.common.words import count_words
from proset.explain.slices.conditions import BETWEEN, Condition, ConditionKind
from proset.explain.slices.ground import any_study_of, every_row
from proset.study.any_study import AnyStudy
from proset.study.decision import MOST_PROBABLE, DecisionRule

MOST_CONDITIONS = 10
LONGEST_NAME = 80
FEWEST_ROWS = 5
"""Rows below which nothing is said of what is usual in a slice."""
_WHERE = "A slice"


@dataclass(frozen=True)
class Slice:
    """Rows for which all conditions hold.

    Attributes
    ----------
    conditions : tuple of Condition
        From 1 to 10.
    name : str
        At most 80 characters on one line; the conditions in words where it is empty.

    Raises
    ------
    StudyError
        If there are no conditions or too many, or the name is too long.

    Examples
    --------
    >>> young = Slice((Condition.between("age", high=30), Condition.levels("site", ["Kiel", "Bonn"])))
    >>> young.words
    "'age' below 30 and 'site' is 'Kiel' or 'Bonn'"
    >>> Slice.from_json(young.named("young").to_json()).title
    'young'
    """

    conditions: tuple[Condition, ...]
    name: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "conditions", _merged(self.conditions))
        object.__setattr__(self, "name", " ".join(sound(self.name).split()))
        if not 0 < len(self.conditions) <= MOST_CONDITIONS:
            raise StudyError(
                f"A slice has {count_words(len(self.conditions), 'condition')}.",
                hint=f"Give it from 1 to {MOST_CONDITIONS}.",
            )
        if len(self.name) > LONGEST_NAME:
            raise StudyError(
                f"The name of a slice has {len(self.name):,} characters.", hint=f"Take at most {LONGEST_NAME}."
            )

    @property
    def words(self) -> str:
        """The conditions in words."""
        return " and ".join(condition.words for condition in self.conditions)

    @property
    def title(self) -> str:
        """The name, or the conditions in words."""
        return self.name or self.words

    @property
    def of_estimate(self) -> bool:
        """Tell whether a condition speaks of what the model says of a row, or of whether that is right."""
        said = (ConditionKind.ESTIMATE, ConditionKind.MEDIAN, ConditionKind.RESULT)
        return any(each.kind in said for each in self.conditions)

    def named(self, name: str) -> Slice:
        """Return the same rows under a name."""
        return replace(self, name=name)

    def holds(self, study: AnyStudy, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Tell for each row of the table whether it belongs to the slice.

        Parameters
        ----------
        judged : DataFrame
            From :func:`proset.explain.slices.ground.every_row`: says what is wrong, familiar, and held out.

        Raises
        ------
        StudyError
            If the table has no such column, or the model says nothing of the kind.
        """
        found: NDArray[np.bool_] = np.logical_and.reduce([each.holds(study, judged) for each in self.conditions])
        return found

    def rows(self, study: AnyStudy, judged: pd.DataFrame) -> NDArray[np.int64]:
        """Return the row ids of the slice in table order; raises as :meth:`holds` does."""
        found: NDArray[np.int64] = judged.index.to_numpy(dtype=np.int64)[self.holds(study, judged)]
        return found

    def to_state(self) -> dict[str, Any]:
        """Return JSON types."""
        return {"name": self.name, "conditions": [condition.to_state() for condition in self.conditions]}

    def to_json(self) -> str:
        """Return the slice as JSON."""
        return json.dumps(self.to_state())

    @classmethod
    def from_state(cls, state: object) -> Slice:
        """Return the slice of which :meth:`to_state` made JSON types.

        Raises
        ------
        StorageError
            If a field is damaged, unknown, or out of its range; the message names it.
        """
        reader = StateReader(state, "slice")
        name, given = reader.text("name"), reader.take("conditions")
        if not isinstance(given, list) or len(given) > 2 * MOST_CONDITIONS:
            raise reader.refuse("conditions", f"has to be a list of at most {MOST_CONDITIONS} conditions")
        reader.close()
        try:
            return cls(tuple(Condition.from_state(each, f"conditions[{i}]") for i, each in enumerate(given)), name)
        except StudyError as error:
            raise StorageError(f"{_WHERE} cannot be read: {error}") from error

    @classmethod
    def from_json(cls, text: str | bytes) -> Slice:
        """Return the slice that :meth:`to_json` wrote; raises as :meth:`from_state` does."""
        return cls.from_state(parse_json(text, _WHERE))


def slice_rows(study: AnyStudy, chosen: Slice, *, rule: DecisionRule = MOST_PROBABLE) -> NDArray[np.int64]:
    """Return the row ids of a slice of a study in table order.

    Parameters
    ----------
    rule : DecisionRule
        Says what is wrong, where the slice asks for it.

    Raises
    ------
    StudyError
        If the table has no such column, or the model says nothing of the kind.
    TypeError
        If a model is given instead of a study.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> len(slice_rows(study, Slice((Condition.between("sepal length (cm)", high=5.0),))))
    22
    """
    study = any_study_of(study, "slice_rows")
    return chosen.rows(study, every_row(study, rule))


def _merged(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    """Make one range of two of the same column, and leave out what is said twice."""
    found: list[Condition] = []
    for new in dict.fromkeys(conditions):
        same = [old for old in found if _fits(old, new)]
        if same:
            low = new.low if same[0].low is None else same[0].low
            high = new.high if same[0].high is None else same[0].high
            found[found.index(same[0])] = replace(same[0], low=low, high=high)
        else:
            found.append(new)
    return tuple(found)


def _fits(old: Condition, new: Condition) -> bool:
    """Tell whether two conditions are the lower and the upper end of one range."""
    if old.kind not in BETWEEN or (new.kind, new.name) != (old.kind, old.name):
        return False
    return (old.low is None) != (new.low is None) and (old.high is None) != (new.high is None)
