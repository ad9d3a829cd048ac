"""A case of a model of a number with other values: the answer before and after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import listed
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.cases.edited import changed_values, edited_case, holds
from proset.explain.cases.value_range import ValueRange, column_range
from proset.explain.number_subject import number_subject
from proset.explain.numbers.answers import NumberAnswer, number_answer
from proset.explain.numbers.contrasts import signed, to_width
from proset.explain.numbers.known_rows import number_study_of
from proset.study import NumberStudy
from proset.study.case import Case
from proset.study.new_rows import row_notes


@dataclass(frozen=True, eq=False)
class NumberWhatIf(Displayed):
    """A case as it is, and with other values.

    Attributes
    ----------
    changes : mapping of str to (object, object)
        By column: the value as it is, and the other one. Columns whose value stays are left out.
    before, after : NumberAnswer
        For the case as it is, and with the other values.
    quantiles : (float, float)
        Share of the held-out rows that are at most as familiar as either, in [0, 1].
    note : str
        What had to be assumed about the changed case; empty if nothing.
    case : Case
        The changed case.
    """

    changes: Mapping[str, tuple[Any, Any]]
    before: NumberAnswer
    after: NumberAnswer
    quantiles: tuple[float, float]
    note: str
    case: Case

    @property
    def frame(self) -> pd.DataFrame:
        """The changed case as one row of original values."""
        return self.case.frame

    @property
    def words(self) -> str:
        """The change of the answer in a sentence."""
        after, width = self.after, self.after.width
        said = (
            f"About {to_width(after.median, width)}, {100 * after.coverage:g} % between {to_width(after.lower, width)}"
            f" and {to_width(after.upper, width)}"
        )
        moved = after.median - self.before.median
        return f"{said}: {signed(moved)} beside the case as it is." if self.changes else f"{said}."

    def to_frame(self) -> pd.DataFrame:
        """Return the answers side by side: columns ``before`` and ``after``."""
        names = ["median", "mean", "lower", "upper", "familiarity"]
        return pd.DataFrame({"before": [getattr(self.before, name) for name in names],
                             "after": [getattr(self.after, name) for name in names]}, index=names)  # fmt: skip


def number_what_if(explained: NumberStudy, case: Any, changes: Mapping[str, Any]) -> NumberWhatIf:
    r"""Ask a model of a number about a case with other values.

    Parameters
    ----------
    explained : NumberStudy
        Knows the columns of its table.
    case : Case, int or DataFrame
        A case, a row id, or a row as a frame.
    changes : mapping of str to object
        New values by column; None stands for a missing one. The days between two dates follow their dates.

    Raises
    ------
    StudyError
        If the case has no such column, or the table no such row.
    DesignError
        If a value does not fit its column.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = number_what_if(study, 11, {"weight (pounds)": 2000})
    >>> found.changes["weight (pounds)"][1], bool(found.after.median > found.before.median + 5.0)
    (2000.0, True)
    """
    own = case if isinstance(case, Case) else number_study_of(explained, "number_what_if").case(case)
    unknown = [name for name in changes if name not in own.frame.columns]
    if unknown:
        known = listed(explained.used_columns, most=10) or "none"
        raise StudyError(f"The case has no column {listed(unknown)}.", hint=f"The model uses {known}.")
    new = {name: value for name, value in changes.items() if not holds(own, name, value)}
    made = edited_case(own, {**new, **_no_number(explained, own)}) if new else own
    stated = number_answer(explained, own, n_shown=0)
    after = number_answer(explained, made, stated.stated if made is own else None, n_shown=0)
    shares = familiarity_quantile([stated.familiarity, after.familiarity], explained.reference)
    used = explained.used_columns
    return NumberWhatIf(
        changes=changed_values(own, made, new),
        before=stated,
        after=after,
        quantiles=(float(shares[0]), float(shares[1])),
        note=str(row_notes(explained.design, made.encoded, made.frame, only=used).iloc[0]),
        case=made,
    )


def _no_number(explained: NumberStudy, case: Case) -> dict[str, None]:
    """Return the change that takes the number away: nobody knows that of a case with other values."""
    target = str(explained.roles.target)
    return {target: None} if target in case.frame.columns else {}


def number_ranges(explained: NumberStudy) -> dict[str, ValueRange]:
    r"""Return the values of every column that a model of a number uses, by descending weight.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> number_ranges(study)["weight (pounds)"].high
    5140.0
    """
    used = number_subject(number_study_of(explained, "number_ranges")).used
    return {name: column_range(explained, name) for name in used}
