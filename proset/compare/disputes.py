"""Rows on which systems disagree, and the share of rows on which any two say the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import count_words, percent
from proset.compare.measures import FloatArray

if TYPE_CHECKING:
    from proset.compare.result import Comparison
    from proset.study import Study


@dataclass(frozen=True, eq=False)
class Disagreements(Displayed):
    """Measured rows of which systems say different classes.

    Attributes
    ----------
    rows : DataFrame
        Index ``row``; ``actual``, ``n_answers`` (different classes that are said, at least 2), ``n_wrong`` (systems
        that are wrong), ``gap`` (largest total variation distance between the estimates of two systems, in [0, 1]);
        then for each system (key) ``KEY_says``, ``KEY_probability`` (of what it says) and ``KEY_correct``. The most
        disputed first: by number of answers, then by gap.
    agreement : DataFrame
        Keys by keys: share of the measured rows of which both say the same, in [0, 1].
    titles : Series of str
        Index ``key``.
    n_rows : int
        Measured rows in all.
    n_all_wrong : int
        Measured rows that every system gets wrong, whether they agree or not.
    which : str
        What the measured rows are.
    """

    rows: pd.DataFrame
    agreement: pd.DataFrame
    titles: pd.Series
    n_rows: int
    n_all_wrong: int
    which: str

    @property
    def words(self) -> tuple[str, ...]:
        """Sentences on the disagreement."""
        systems = count_words(len(self.agreement), "system")
        if len(self.agreement) < 2:
            return ("There are not two systems with a model, so there is nobody to disagree.",)
        if not self.n_rows:
            return (f"There are no {self.which}, so there is nothing to disagree about.",)
        of_all = f"{len(self.rows):,} of {self.n_rows:,} {self.which} ({percent(len(self.rows) / self.n_rows)})"
        first = f"The {systems} do not all say the same of {of_all}."
        if self.rows.empty:
            first = f"The {systems} say the same of each of the {self.n_rows:,} {self.which}."
        if not self.n_all_wrong:
            return first, "There is no row that all of them are wrong about."
        return first, f"All of them are wrong about {count_words(self.n_all_wrong, 'row')}."

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`rows` with the row ids as a column and titles in the names of columns."""
        names = {
            f"{key}_{what}": f"{title}: {words}"
            for key, title in self.titles.items()
            for what, words in (("says", "says"), ("probability", "probability"), ("correct", "correct"))
        }
        return self.rows.rename(columns=names).reset_index()


def disagreements(study: Study, comparison: Comparison, cases: Iterable[int] | None = None) -> Disagreements:
    """List the measured rows of which systems say different classes.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids; only these of the measured rows count. None for all of them.

    Raises
    ------
    StudyError
        If the comparison is of another study.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> disagreements(study, found).agreement.round(2).to_numpy().tolist()
    [[1.0, 0.84], [0.84, 1.0]]
    """
    check_same(study, comparison)
    fitted = comparison.fitted
    names = np.asarray(comparison.classes, dtype=object)
    inside = comparison.measured_among(cases)
    measured = comparison.measured[inside]
    actual = study.labels.reindex(measured).to_numpy(dtype=object).astype(str)
    keys = [entry.key for entry in fitted]
    if not fitted:
        return _nothing(comparison)
    estimates = np.stack([entry.probabilities[inside] for entry in fitted])
    said = estimates.argmax(axis=2)
    wrong = names[said].astype(str) != actual
    frame = pd.DataFrame(
        {
            "actual": pd.array(actual, dtype="str"),
            "n_answers": [len(set(column)) for column in said.T.tolist()],
            "n_wrong": wrong.sum(axis=0),
            "gap": _gap(estimates),
        },
        index=pd.Index(measured, name="row"),
    )
    for i, key in enumerate(keys):
        frame[f"{key}_says"] = pd.array(names[said[i]], dtype="str")
        frame[f"{key}_probability"] = estimates[i].max(axis=1)
        frame[f"{key}_correct"] = ~wrong[i]
    disputed = frame[frame["n_answers"] > 1].sort_values(["n_answers", "gap"], ascending=False, kind="stable")
    same = (said[:, np.newaxis] == said[np.newaxis]).sum(axis=2) / max(1, len(actual))
    return Disagreements(
        rows=disputed,
        agreement=pd.DataFrame(same, index=pd.Index(keys, name="key"), columns=keys),
        titles=pd.Series({entry.key: entry.title for entry in fitted}, dtype="str").rename_axis("key"),
        n_rows=len(actual),
        n_all_wrong=int(wrong.all(axis=0).sum()),
        which=comparison.which if cases is None else f"picked {comparison.which}",
    )


def check_same(study: Study, comparison: Comparison) -> None:
    """Refuse a comparison of another study."""
    if study.id != comparison.study_id:
        raise StudyError("The comparison is of another model.", hint="Compare again with this one.")


def _gap(estimates: FloatArray) -> FloatArray:
    """Return, for each row, the largest total variation distance between two systems' estimates; shape (m,)."""
    widest = np.zeros(estimates.shape[1])
    for i in range(len(estimates)):
        for other in estimates[i + 1 :]:
            widest = np.maximum(widest, 0.5 * np.abs(estimates[i] - other).sum(axis=1))
    return widest


def _nothing(comparison: Comparison) -> Disagreements:
    """Return what stands where no system has a model."""
    rows = pd.DataFrame({"actual": pd.array([], dtype="str"), "n_answers": [], "n_wrong": [], "gap": []})
    titles = pd.Series([], dtype="str").rename_axis("key")
    count = len(comparison.measured)
    return Disagreements(rows.rename_axis("row"), pd.DataFrame(), titles, count, 0, comparison.which)
