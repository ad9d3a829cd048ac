"""Familiarity (4.5) of groups of cases: as a p-value, and as densities (figure 4.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StudyError
from proset.common.frames import free_names
from proset.common.notebook import Displayed
from proset.engine.evidence.familiarity import familiarity_quantile, quantile_reference
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Cases, Explained, matrix_of
from proset.explain.value_bins import NO_VALUE, OTHERS, on_a_scale, study_column, value_bins
from proset.study import Study
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.find_row import row_ids

CLASS, CORRECT, PART = "class", "correct", "part"
PART_NAMES: Mapping[str, str] = {"train": "training", "held_out": "held out", "unlabelled": "without a target"}
ALL_CASES = "all cases"
MOST_GROUPS = 8
_GRID = 200
_TAIL = 0.98
_MOST_FOR_DENSITY = 2_000


@dataclass(frozen=True, eq=False)
class Familiarity(Displayed):
    """Familiarity of cases by group.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Familiarity, at least 0.
    quantile : ndarray of shape (n,)
        Share of the reference cases that are at most as familiar: a p-value for "the case lies inside the model's area
        of competence".
    group : ndarray of str, shape (n,)
        The group of each case.
    groups : tuple of str
        All groups in their order, none empty.
    by : str
        What the groups are, such as "class".
    """

    index: pd.Index
    values: NDArray[np.float64]
    quantile: NDArray[np.float64]
    group: NDArray[np.str_]
    groups: tuple[str, ...]
    by: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row per case: ``familiarity``, ``quantile``, ``group``."""
        columns = {"familiarity": self.values, "quantile": self.quantile, "group": self.group}
        return pd.DataFrame(columns, index=self.index).astype({"group": "str"})

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        columns = plain_columns(self.to_frame())
        return {"index": self.index.tolist(), **columns, "groups": list(self.groups), "by": self.by}

    def summary(self) -> pd.DataFrame:
        """Return one row per group: ``cases``, ``median``, ``median quantile``, ``below 5 %`` (share of its cases)."""
        frame = self.to_frame().groupby("group")
        found = pd.DataFrame(
            {
                "cases": frame.size(),
                "median": frame["familiarity"].median(),
                "median quantile": frame["quantile"].median(),
                "below 5 %": frame["quantile"].agg(lambda own: float((own < 0.05).mean())),
            }
        )
        return found.reindex(pd.Index(self.groups, name="group"))

    def density(self) -> pd.DataFrame:
        """Return kernel densities as figure 4.4 draws them: ``group``, ``familiarity``, ``density``.

        The right tails are left out, and what a smooth curve would put below zero is put back above it.
        """
        highest = float(np.quantile(self.values, _TAIL)) if len(self.values) else 0.0
        grid = np.linspace(0.0, highest or 1.0, _GRID)
        parts = [
            pd.DataFrame(
                {"group": name, "familiarity": grid, "density": _density(self.values[self.group == name], grid)}
            )
            for name in self.groups
        ]
        return (
            pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["group", "familiarity", "density"])
        )


def familiarity(
    explained: Explained,
    cases: Cases | None = None,
    *,
    groups: str | ArrayLike | None = CLASS,
    held_out: ArrayLike | None = None,
    rule: DecisionRule = MOST_PROBABLE,
) -> Familiarity:
    """Measure the familiarity of groups of cases.

    Parameters
    ----------
    cases : array-like of shape (n, D), row ids or None
        Beside a model: a matrix. Beside a study: row ids; None for the held-out rows (the training rows if none were
        held out), or for every row if they are grouped by part.
    groups : str, array-like of shape (n,) or None
        Beside a study: "class", "correct", "part", or a column of the table; many numbers or dates come in
        ranges. Or a label for each case, which is all that a model alone takes. None for one group.
    held_out : array-like of shape (m, D) or None
        Beside a model: what quantiles refer to; None for the cases themselves. A study knows its held-out rows.
    rule : DecisionRule
        Says what is correct.

    Raises
    ------
    StudyError
        If the table has no such column or row.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = familiarity(fit_sample("iris_2f"), groups="correct")
    >>> found.groups, found.summary()["cases"].tolist()
    (('correct', 'wrong'), [39, 6])
    """
    if isinstance(explained, Study):
        return _of_study(explained, cases, groups, rule)
    matrix = matrix_of(explained, cases)
    manager = explained.set_manager_  # asks for no names
    values = manager.familiarity(matrix.X)
    others = values if held_out is None else manager.familiarity(matrix_of(explained, held_out).X)
    if isinstance(groups, str) and groups != CLASS:
        raise ValueError(f"groups is the text '{groups}', which names a column of a study: pass one group per row.")
    labels = np.full(len(values), ALL_CASES) if groups is None or isinstance(groups, str) else np.asarray(groups)
    if labels.shape != (len(values),):
        raise ValueError(f"groups has the shape {labels.shape}, but there are {len(values):,} rows.")
    quantile = familiarity_quantile(values, quantile_reference(others))
    return _grouped(matrix.index, values, quantile, pd.Series(np.asarray(labels)), "group")


def _of_study(study: Study, cases: Cases | None, groups: str | ArrayLike | None, rule: DecisionRule) -> Familiarity:
    """Group rows of the table."""
    if cases is None:
        usual = study.split.measured
        rows = study.table.frame.index if isinstance(groups, str) and groups == PART else pd.Index(usual)
    else:
        rows = pd.Index(row_ids(cases))  # type: ignore[arg-type]
    study.encode(rows[:0] if cases is None else rows)  # refuses rows that the table does not have
    judged = study.judged(rule).loc[rows]
    if groups is None:
        labels, by = pd.Series(ALL_CASES, index=rows), ALL_CASES
    elif not isinstance(groups, str):
        labels, by = pd.Series(np.asarray(groups), index=rows), "group"
    else:
        labels, by = row_groups(study, judged, groups), groups
    order = {CLASS: study.classes, CORRECT: ("correct", "wrong"), PART: tuple(PART_NAMES.values())}.get(by, ())
    values, quantile = (judged[name].to_numpy(dtype=np.float64) for name in ("familiarity", "quantile"))
    return _grouped(rows.rename("row"), values, quantile, labels, by, order)


def row_groups(study: Study, judged: pd.DataFrame, groups: str) -> pd.Series:
    """Return the group of each row; what the words stand for comes before a column of that name."""
    if groups == CLASS:
        return judged["actual"]
    if groups == CORRECT:
        return judged["correct"].map({True: "correct", False: "wrong"})
    if groups == PART:
        return judged["part"].map(PART_NAMES)
    if groups not in study.table.frame.columns:
        raise StudyError(
            f"The table has no column '{groups}'.", column=groups, hint="Name a column, or class, correct or part."
        )
    values = study_column(study, groups).loc[judged.index]
    if on_a_scale(values) and values.nunique() > MOST_GROUPS:
        ranges = value_bins(values)
        return pd.Series(
            pd.Categorical.from_codes(ranges.codes, pd.Index(ranges.names, dtype=object), ordered=True),
            index=values.index,
        )
    return values


def _grouped(
    index: pd.Index,
    values: NDArray[np.float64],
    quantile: NDArray[np.float64],
    labels: pd.Series,
    by: str,
    order: tuple[str, ...] = (),
) -> Familiarity:
    """Put cases and the names of their groups together."""
    names, groups = named_groups(labels, order)
    return Familiarity(index, values, quantile, names, groups, by)


def named_groups(labels: pd.Series, order: tuple[str, ...] = ()) -> tuple[NDArray[np.str_], tuple[str, ...]]:
    """Name the groups: known ones in their order, others by size; the smallest of too many together.

    Returns
    -------
    names : ndarray of str, shape (n,)
        Of the group of each case.
    groups : tuple of str
        All of them in their order, none empty.

    Examples
    --------
    >>> named_groups(pd.Series(["b", "a", None, "b"]), ("a", "b"))[1]
    ('a', 'b', '(missing)')
    """
    missing = labels.isna().to_numpy()
    if isinstance(labels.dtype, pd.CategoricalDtype):  # ranges
        order = tuple(map(str, labels.cat.categories))
    else:
        words = labels.astype(object).astype(str).to_numpy(dtype=object)
        taken = [OTHERS, NO_VALUE]
        labels = pd.Series(words).replace(dict(zip(taken, free_names(taken, taken, word="value"), strict=True)))
    names = np.where(missing, NO_VALUE, labels.astype(object).astype(str).to_numpy(dtype=object)).astype(str)
    counts = pd.Series(names).value_counts()
    groups = [name for name in order if name in counts.index]
    groups += [str(name) for name in counts.index if name not in groups]
    if not order and len(groups) > MOST_GROUPS:
        kept = groups[: MOST_GROUPS - 1]
        names = np.where(np.isin(names, kept), names, OTHERS)
        groups = [*kept, OTHERS]
    return names, tuple(groups)


def _density(values: NDArray[np.float64], grid: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a Gaussian kernel density by Silverman's rule, reflected at zero."""
    if not len(values):
        return np.zeros(len(grid))
    some = values if len(values) <= _MOST_FOR_DENSITY else np.sort(values)[:: -(-len(values) // _MOST_FOR_DENSITY)]
    spread = min(some.std(), (np.quantile(some, 0.75) - np.quantile(some, 0.25)) / 1.34) or some.std()
    width = max(0.9 * spread * len(some) ** -0.2, (grid[1] - grid[0]))
    both = np.concatenate([some, -some])
    bells = np.exp(-0.5 * np.square((grid[:, None] - both) / width))
    result: NDArray[np.float64] = bells.sum(axis=1) / (len(some) * width * np.sqrt(2.0 * np.pi))
    return result
