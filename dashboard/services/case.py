"""What the Case page says about one case: the headline, and the sum that makes the estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from dashboard.services.cases import CaseRef, Source
from proset.common.errors import StudyError
from proset.common.words import percent
from proset.explain.case_standing import standing
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from proset.study import Study

_PART_WORDS = {"train": "training row", "held_out": "held-out row", "unlabelled": "row without a target"}
_CLASS_COLUMN = "p class {}"


@dataclass(frozen=True)
class Headline:
    """One case in a few words.

    Attributes
    ----------
    name : str
        Such as ``"Row 17"``, with the identifier's value where the table has one.
    part : str
        What the row was used for, in words.
    predicted : str
        The class that the decision rule says.
    confidence : float
        Its probability, in [0, 1].
    actual : str or None
        The class in the table; None if it is missing.
    correct : bool or None
        Whether the two agree; None without an actual class, or if a person decides.
    left : bool
        Whether the rule leaves the case to a person.
    quantile : float
        Familiarity: share of the held-out rows that are at most as familiar, in [0, 1].
    familiarity : str
        Whether prototypes speak for it and a known case is near, as a phrase.
    """

    name: str
    part: str
    predicted: str
    confidence: float
    actual: str | None
    correct: bool | None
    left: bool
    quantile: float
    familiarity: str


def headline(study: Study, case: CaseRef, judged: pd.DataFrame) -> Headline:
    """Sum up one case.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : CaseRef
        A row of its table.
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.

    Returns
    -------
    Headline
        Ready to be shown.

    Raises
    ------
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> lines = headline(study, CaseRef.in_table(1), study.judged())
    >>> lines.name, lines.actual, 0.0 <= lines.confidence <= 1.0
    ('Row 1', 'setosa', True)
    """
    if case.source is not Source.TABLE or case.row not in judged.index:
        raise StudyError(f"The table has no {case.label.lower()}.", hint="Choose another case.")
    line = judged.loc[[case.row]].to_dict("records")[0]
    return Headline(
        name=case_name(study, case.row),
        part=_part_words(str(line["part"]), labelled=not pd.isna(line["actual"])),
        predicted=str(line["predicted"]),
        confidence=float(line["confidence"]),
        actual=None if pd.isna(line["actual"]) else str(line["actual"]),
        correct=None if pd.isna(line["correct"]) else bool(line["correct"]),
        left=bool(line["left"]),
        quantile=float(line["quantile"]),
        familiarity=standing(study, [case.row]).words(case.row).short,
    )


def _part_words(part: str, *, labelled: bool) -> str:
    """Say what a row was used for; one with a class may be set aside because its time is missing."""
    return "row set aside" if part == "unlabelled" and labelled else _PART_WORDS[part]


def case_name(study: Study, row: int) -> str:
    """Name a row by its id and, where the table has an identifier, by that.

    Parameters
    ----------
    study : Study
        A fitted study.
    row : int
        Row id.

    Returns
    -------
    str
        Such as ``"Row 17 (patient A-3)"``.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> case_name(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 3)
    'Row 3'
    """
    column = study.roles.identifier
    if column is None:
        return f"Row {row}"
    value = identifier_text(study.table.frame[column]).loc[row]
    return f"Row {row}" if pd.isna(value) else f"Row {row} ({column} {value})"


@dataclass(frozen=True)
class Addition:
    """How the contributions to one class add up.

    Attributes
    ----------
    label : str
        The class.
    terms : tuple of (str, float)
        Who contributes and how much, largest prototype first, rounded; "others" takes up what rounding leaves, so that
        the numbers add up to the rounded total exactly.
    total : float
        The estimated probability of the class, rounded to the same digits.
    estimate : float
        The same, not rounded.
    gap : float
        Difference between the sum of all contributions and the estimate before rounding; 0 up to float accuracy.
    digits : int
        Digits after the decimal point.
    """

    label: str
    terms: tuple[tuple[str, float], ...]
    total: float
    estimate: float
    gap: float
    digits: int

    @property
    def words(self) -> str:
        """The sum as one line, such as ``"2.0 % (baseline) + 97.1 % (row 4) = 99.1 %"``."""
        decimals = max(0, self.digits - 2)
        least = f"under {100 * 10.0**-self.digits:.{decimals}f} %"
        parts = [f"{f'{100 * value:.{decimals}f} %' if value else least} ({name})" for name, value in self.terms]
        return f"{' + '.join(parts)} = {percent(self.estimate)}"


def addition(report: pd.DataFrame, label: str, *, shown: int = 4, digits: int = 3) -> Addition:
    """Break the probability of one class down into a line that can be added up by hand.

    Parameters
    ----------
    report : DataFrame
        The report of figure 4.5: first row the case, then the marginals, then prototypes by descending impact.
    label : str
        The class.
    shown : int
        Number of prototypes named; the others are taken together.
    digits : int
        Digits after the decimal point.

    Returns
    -------
    Addition
        Baseline, the largest contributions, and the rest.

    Examples
    --------
    >>> report = pd.DataFrame({
    ...     "batch": [None, None, 1, 1], "sample name": ["case", "marginal", "row 8", "row 3"],
    ...     "p class a": [0.8, 0.2, 0.35, 0.25]})
    >>> addition(report, "a").words
    '20.0 % (baseline) + 35.0 % (row 8) + 25.0 % (row 3) = 80.0 %'
    """
    shares = report[_CLASS_COLUMN.format(label)].to_numpy(dtype=np.float64)
    # Only prototypes have a batch; the case itself and the marginals have none.
    is_prototype = report["batch"].notna().to_numpy()
    total, baseline = float(shares[0]), float(shares[1:][~is_prototype[1:]].sum())
    own = report.loc[is_prototype & (shares > 0)].assign(share=shares[is_prototype & (shares > 0)])
    own = own.sort_values("share", ascending=False, kind="stable")
    terms = [("baseline", baseline)]
    top = own.head(shown)
    terms += [(str(name), float(share)) for name, share in zip(top["sample name"], top["share"], strict=True)]
    if (others := len(own) - shown) > 0:
        terms.append((f"{others} other{'s' if others > 1 else ''}", float(own["share"][shown:].sum())))
    rounded_total = round(total, digits)
    values = [value for _, value in terms]
    rounded = [round(value, digits) for value in values[:-1]]
    rest = round(rounded_total - sum(rounded), digits)
    if others <= 0 and len(own) > 2 and round(rest - round(values[-1], digits), digits):
        # Two prototypes become "others" and take up the rounding, so that every number named is the table's.
        return addition(report, label, shown=len(own) - 2, digits=digits)
    # Without others, or with too few of them to take it up, the rounding is spread over all terms.
    rounded = [*rounded, rest] if others > 0 and rest >= 0 else round_to_total(values, rounded_total, digits=digits)
    return Addition(
        label=label,
        terms=tuple((name, value) for (name, _), value in zip(terms, rounded, strict=True)),
        total=rounded_total,
        estimate=total,
        gap=abs(float(shares[1:].sum()) - total),
        digits=digits,
    )


def round_to_total(values: list[float], total: float, *, digits: int) -> list[float]:
    """Round numbers so that they add up to a rounded total (largest remainders go up).

    Parameters
    ----------
    values : list of float
        Not negative; their sum is `total` up to rounding.
    total : float
        The sum to reach, itself rounded to `digits`.
    digits : int
        Digits after the decimal point.

    Returns
    -------
    list of float
        In the order of `values`; each differs from its value by less than one unit of the last digit.

    Examples
    --------
    >>> round_to_total([1 / 3, 1 / 3, 1 / 3], 1.0, digits=2)
    [0.34, 0.33, 0.33]
    """
    unit = 10.0**digits
    scaled = np.asarray(values, dtype=np.float64) * unit
    floors = np.floor(scaled + 1e-9)
    missing = round(float(total * unit - floors.sum()))
    up = np.argsort(floors - scaled, kind="stable")[: max(missing, 0)]
    floors[up] += 1
    return [float(round(value / unit, digits)) for value in floors]
