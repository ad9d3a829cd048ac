"""Terms of an estimate that matter, the same ones in the sum and in the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.words import count_words, percent
from proset.engine.evidence.tables import class_column
from proset.explain.words import prototype_names

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport

MOST_TERMS, NEARLY_ALL = 12, 0.99
"""The ledger names prototypes until they have this share of all that prototypes add, and no more than so many."""
LITTLE = 0.05
"""Share of an estimate that two prototypes may add at most where they go unnamed for the sake of rounding."""
CLASS_SHARES = "class shares"
_CASE_COLUMNS = ["sample name", "target", "prototype weight", "similarity", "impact", "dominant set"]


@dataclass(frozen=True, eq=False)
class Ledger:
    """The estimate as a sum, in a line and in a table.

    Attributes
    ----------
    sum : Addition
        What adds up to the probability of the class that is said.
    frame : DataFrame
        One line for the case, one for the class shares, one for each prototype that matters, and one for all others:
        sample name, target, prototype weight, similarity, impact, dominant set (bool), and per class what it adds,
        the class that is said first, then the actual one, then by probability. Below the first line, each class column
        adds up to the first line.
    left : int
        Prototypes that the last line stands for; 0 if there is no such line.
    printed : tuple of str
        What each line adds to the class that is said, rounded as in the sum, so that it adds up as it is written.
    """

    sum: Addition
    frame: pd.DataFrame
    left: int
    printed: tuple[str, ...]


def ledger(report: CaseReport, *, most: int = MOST_TERMS) -> Ledger:
    """Write the estimate as a sum that stops where nearly all of it is named.

    Parameters
    ----------
    report : CaseReport
        From :func:`proset.explain.cases.case.explain_case`.
    most : int, default 12
        Prototypes named at most.

    Returns
    -------
    Ledger
        The prototypes of the class that is said are the same in the sum and in the table.

    Examples
    --------
    >>> from proset.explain.cases.case import explain_case
    >>> from proset.study import fit_sample
    >>> found = ledger(explain_case(fit_sample("iris_2f"), 71))
    >>> column = found.frame.columns[6]
    >>> bool(abs(found.frame[column].iloc[1:].sum() - found.frame[column].iloc[0]) < 1e-9)
    True
    """
    prototypes, said = report.prototypes, report.prototypes["target"].astype(str).to_numpy() == report.predicted
    impact = prototypes["impact"].to_numpy(dtype=np.float64)
    reached = np.cumsum(impact)
    # A prototype is named if those before it do not yet have nearly all.
    needed = np.append(0.0, reached[:-1]) < NEARLY_ALL * reached[-1] if len(impact) else np.zeros(0, dtype=bool)
    named = needed & (np.arange(len(impact)) < most)
    added = addition(report.report, report.predicted, shown=int((named & said).sum()))
    # The sum may name one or two fewer, for its rounding.
    named &= ~said | (np.cumsum(said) <= added.named)
    return Ledger(added, _ledger_frame(report, named), int((~named).sum()), _printed(added, said[named], named))


def _ledger_frame(report: CaseReport, named: np.ndarray) -> pd.DataFrame:
    """Return the lines of the table."""
    by_estimate = report.probabilities.sort_values(ascending=False, kind="stable").index
    first = [report.predicted, *([report.actual] if report.actual in report.classes else [])]
    columns = [class_column(name) for name in dict.fromkeys([*first, *by_estimate])]
    prototypes = report.prototypes.assign(**{"sample name": prototype_names(report.prototypes)})
    lines = [report.report.iloc[[0]], _together(report.marginals, columns, CLASS_SHARES), prototypes[named]]
    if not named.all():
        count = int((~named).sum())
        label = f"the other {count_words(count, 'prototype')}" if named.any() else count_words(count, "prototype")
        lines.append(_together(prototypes[~named], columns, label))
    frame = pd.concat([part[_CASE_COLUMNS + columns].astype(object) for part in lines], ignore_index=True)
    numbers = ["prototype weight", "similarity", "impact", *columns]
    frame[numbers] = frame[numbers].astype(float)
    frame.loc[0, ["sample name", "target"]] = ["this case: the estimate", report.predicted]
    frame["dominant set"] = [i > 1 and mark is not pd.NA and mark == 1 for i, mark in enumerate(frame["dominant set"])]
    return frame


def _printed(added: Addition, said: np.ndarray, named: np.ndarray) -> tuple[str, ...]:
    """Write what each line of the table adds to the class that is said; `named` are prototypes with a line."""
    base, *terms = added.written
    of_class = iter(terms)
    lines = [percent(added.estimate), base, *(next(of_class) if mine else percent(0.0) for mine in said)]
    if not named.all():
        lines.append(next(of_class, percent(0.0)))
    return tuple(lines)


def _together(lines: pd.DataFrame, columns: list[str], label: str) -> pd.DataFrame:
    """Return one line for several: what they add, and their impact."""
    sums = lines[["impact", *columns]].sum()
    line: dict[str, object] = {"sample name": label, **{str(name): value for name, value in sums.items()}}
    return pd.DataFrame([line]).reindex(columns=[*_CASE_COLUMNS, *columns])


@dataclass(frozen=True)
class Addition:
    """Sum of the contributions to one class.

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
    has_others : bool
        Whether the last term stands for several prototypes.
    """

    label: str
    terms: tuple[tuple[str, float], ...]
    total: float
    estimate: float
    gap: float
    digits: int
    has_others: bool = False

    @property
    def named(self) -> int:
        """Number of prototypes that the sum names."""
        return sum(name != CLASS_SHARES for name, _ in self.terms) - self.has_others

    @property
    def written(self) -> tuple[str, ...]:
        """The terms in per cent, in their order."""
        decimals = max(0, self.digits - 2)
        least = f"under {100 * 10.0**-self.digits:.{decimals}f} %"
        return tuple(f"{100 * value:.{decimals}f} %" if value else least for _, value in self.terms)

    @property
    def words(self) -> str:
        """The sum as one line, such as ``"2.0 % (class shares) + 97.1 % (row 4) = 99.1 %"``."""
        parts = [f"{value} ({name})" for value, (name, _) in zip(self.written, self.terms, strict=True)]
        return f"{' + '.join(parts)} = {percent(self.estimate)}"


def addition(report: pd.DataFrame, label: str, *, shown: int = 4, digits: int = 3) -> Addition:
    """Break the probability of one class down into a line that can be added up by hand.

    Parameters
    ----------
    report : DataFrame
        The report of figure 4.5: first row the case, then the marginals, then prototypes by descending impact.
    shown : int
        Number of prototypes named; the others are taken together.

    Examples
    --------
    >>> report = pd.DataFrame({
    ...     "batch": [None, None, 1, 2], "sample name": ["case", "marginal", "row 8", "row 3"],
    ...     "p class a": [0.8, 0.2, 0.35, 0.25]})
    >>> addition(report, "a").words
    '20.0 % (class shares) + 35.0 % (row 8) + 25.0 % (row 3) = 80.0 %'
    """
    shares = report[class_column(label)].to_numpy(dtype=np.float64)
    # Only prototypes have a batch; the case itself and the marginals have none.
    is_prototype = report["batch"].notna().to_numpy()
    total, of_shares = float(shares[0]), float(shares[1:][~is_prototype[1:]].sum())
    own = pd.DataFrame({"name": prototype_names(report[is_prototype]), "share": shares[is_prototype]})
    own = own[own["share"] > 0].sort_values("share", ascending=False, kind="stable")
    terms = [(CLASS_SHARES, of_shares)]
    terms += [(str(name), float(share)) for name, share in own.head(shown).itertuples(index=False)]
    if (others := len(own) - shown) > 0:
        terms.append((f"{others} other{'s' if others > 1 else ''}", float(own["share"][shown:].sum())))
    rounded_total = round(total, digits)
    values = [value for _, value in terms]
    rounded = [round(value, digits) for value in values[:-1]]
    rest = round(rounded_total - sum(rounded), digits)
    little = len(own) > 2 and float(own["share"].iloc[-2:].sum()) < LITTLE * total
    if others <= 0 and little and round(rest - round(values[-1], digits), digits):
        # Two that add little become "others" and take up the rounding, so that every number named is the table's.
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
        has_others=others > 0,
    )


def round_to_total(values: list[float], total: float, *, digits: int) -> list[float]:
    """Round numbers so that they add up to a rounded total (largest remainders go up).

    Parameters
    ----------
    values : list of float
        Not negative; their sum is `total` up to rounding.
    total : float
        The sum to reach, itself rounded to `digits`.

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
