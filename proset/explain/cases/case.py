"""One case explained: the estimate, what it is made of, and the prototypes it resembles."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.words import percent
from proset.engine.evidence.contributions import Contributions
from proset.engine.evidence.tables import Labels, class_column, explain_table
from proset.explain import words
from proset.explain.cases.estimate import CaseEstimate, estimate_of
from proset.explain.cases.known_rows import known_facts, known_rows, stated_otherwise
from proset.explain.cases.neighbours import ImageTile, find_neighbours
from proset.explain.familiar.case_standing import Standing, standing
from proset.explain.phrases import StandingWords
from proset.explain.subject import Explained, Subject, as_case, subject_of
from proset.study.case import Case
from proset.study.decision import MOST_PROBABLE, DecisionRule

N_NEIGHBOURS = 5


@dataclass(frozen=True, eq=False)
class CaseReport(CaseEstimate):
    """Everything that can be said about one estimate, the estimate itself included.

    Attributes
    ----------
    row : int or None
        Row id in the study's table; None for a row that is not in it.
    name : str
        The identifier's value, or "row 17".
    part : {"train", "held_out", "unlabelled", "new"}
        Where the case comes from.
    actual : str or None
        The class that it counts as, if there is one: that of the table, or the one that people gave it.
    words : tuple of str
        The case in sentences: the estimate, what drives it, whether prototypes speak for it and known cases are near,
        what had to be assumed.
    where : Standing
        Whether prototypes speak for it and known cases are near, in numbers; its only row is the case.
    standing : StandingWords
        The same in words.
    report : DataFrame
        The explanation report of figure 4.5: the case, the marginals by class, the prototypes by descending impact.
        ``sample`` holds row ids of the table, or positions among a model's training rows.
    shares_decide : bool
        Whether the class shares of the training rows put the same class first whatever all prototypes say.
    total_check : float
        Largest difference between an estimate and the sum of its contributions; rounding only.
    neighbours, neighbour_similarity, neighbour_assumed, neighbour_facts, neighbour_extras : DataFrame
        The case and its most influential prototypes side by side: see
        :class:`proset.explain.cases.neighbours.Neighbours`.
    images : tuple of ImageTile
        The same rows as pictures; empty for a table without a grid.
    """

    row: int | None
    name: str
    part: str
    actual: str | None
    words: tuple[str, ...]
    where: Standing
    standing: StandingWords
    report: pd.DataFrame
    shares_decide: bool
    total_check: float
    neighbours: pd.DataFrame
    neighbour_similarity: pd.DataFrame
    neighbour_assumed: pd.DataFrame
    neighbour_facts: pd.DataFrame
    neighbour_extras: pd.DataFrame
    images: tuple[ImageTile, ...]
    classes: tuple[str, ...]

    @property
    def prototypes(self) -> pd.DataFrame:
        """The rows of the report that stand for prototypes, by descending impact."""
        return self.report.iloc[1 + len(self.classes) :]

    @property
    def marginals(self) -> pd.DataFrame:
        """The rows of the report that stand for the class shares of the training rows."""
        return self.report.iloc[1 : 1 + len(self.classes)]

    def impacts(self, batch: int = 1) -> pd.Series:
        """Return the impact of one batch's prototypes, as :func:`proset.plots.batch_map.plot_batch_map` takes it.

        Parameters
        ----------
        batch : int, default 1
            Number of the batch, from 1.

        Returns
        -------
        Series
            Index: table row ids of the prototypes; values at least 0.
        """
        mine = self.prototypes[self.prototypes["batch"] == batch]
        return pd.Series(mine["impact"].to_numpy(), index=mine["sample"].astype("int64"), name="impact")


def explain_case(
    explained: Explained,
    case: Any,
    *,
    n_prototypes: int = N_NEIGHBOURS,
    rule: DecisionRule = MOST_PROBABLE,
    known: ArrayLike | None = None,
) -> CaseReport:
    """Explain the estimate for one case.

    Parameters
    ----------
    case : Case, int, DataFrame, or array-like of shape (D,)
        As :func:`proset.explain.as_case` takes it. A new row's class in the target column is compared with the estimate
        if the model knows it.
    n_prototypes : int, default 5
        Number of prototypes to put beside the case.
    known : array-like of shape (n, D) or None
        Beside a model: what it was fitted to.

    Raises
    ------
    ValueError
        If a model gets no known rows.
    StudyError
        If the table has no such row, or a frame does not hold exactly one.
    DesignError
        If a new row lacks a column that the model uses.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> case = explain_case(study, 17)
    >>> case.name, len(case.neighbours), case.total_check < 1e-9
    ('row 17', 6, True)
    >>> new = explain_case(study, study.table.frame.iloc[[0]])
    >>> new.part, new.row
    ('new', None)
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known)
    where = standing_of(subject, case)
    estimate, parts = estimate_of(subject, case, rule)
    part, actual = known_facts(subject, case)
    report = _report(subject, case, parts, f"familiarity {percent(estimate.quantile)}", actual)
    numbers = report[list(map(class_column, subject.classes))].to_numpy(dtype=np.float64)
    said = where.words(where.novelty.index[0])
    found = find_neighbours(
        subject, case, report.iloc[1 + len(subject.classes) :], actual=actual, n_prototypes=n_prototypes
    )
    return CaseReport(
        **vars(estimate),
        row=case.row,
        name=case.name,
        part=part,
        actual=actual,
        words=(
            *_sentences(subject, case, estimate, (part, actual), report, numbers),
            *said.sentences,
            *([f"Something had to be assumed about this row: {estimate.note}."] if estimate.note else []),
        ),
        where=where,
        standing=said,
        report=report,
        shares_decide=_shares_decide(numbers, len(subject.classes)),
        total_check=float(np.abs(numbers[1:].sum(axis=0) - numbers[0]).max()),
        neighbours=found.values,
        neighbour_similarity=found.similarity,
        neighbour_assumed=found.assumed,
        neighbour_facts=found.facts,
        neighbour_extras=found.extras,
        images=found.images,
        classes=subject.classes,
    )


def _sentences(
    subject: Subject,
    case: Case,
    estimate: CaseEstimate,
    facts: tuple[str, str | None],
    report: pd.DataFrame,
    numbers: NDArray[np.float64],
) -> tuple[str, ...]:
    """Say what is estimated, what settles it, and which prototype the case is itself."""
    part, actual = facts
    said = words.estimate_sentence(
        part,
        actual=actual,
        probabilities=estimate.probabilities,
        predicted=estimate.predicted,
        left=estimate.left,
        stated=stated_otherwise(subject, case),
    )
    # What the prototypes settle is which class comes first, whatever the rule makes of it.
    first, leading = 1 + len(subject.classes), int(np.argmax(numbers[0]))
    prototypes = report.iloc[first:]
    dominant = prototypes["dominant set"].eq(1).fillna(False).to_numpy(dtype=bool)
    settled = words.evidence_sentence(
        prototypes,
        first=subject.classes[leading],
        share=float(numbers[0, leading]),
        least=float(numbers[1:first, leading].sum() + numbers[first:][dominant, leading].sum()),
        shares_decide=_shares_decide(numbers, len(subject.classes)),
    )
    return said, settled, *words.self_sentence(prototypes, case.row)


def _shares_decide(numbers: NDArray[np.float64], n_classes: int) -> bool:
    """Tell whether the class that comes first would do so even if all prototypes spoke for another class."""
    shares, prototypes = numbers[1 : 1 + n_classes].sum(axis=0), numbers[1 + n_classes :].sum()
    leading = int(np.argmax(numbers[0]))
    return bool(shares[leading] > np.delete(shares, leading).max(initial=0.0) + prototypes)


def standing_of(subject: Subject, case: Case) -> Standing:
    """Return whether prototypes speak for a case and known cases are near it, in numbers."""
    if subject.study is not None:
        return standing(subject.study, case.frame if case.row is None else [case.row])
    known = known_rows(subject, case).X
    return standing(case.source, case.frame if isinstance(known, pd.DataFrame) else case.x[None], known=known)


def _report(subject: Subject, case: Case, parts: Contributions, familiarity: str, actual: str | None) -> pd.DataFrame:
    """Return figure 4.5; of a study with the table's row ids and names in place of positions in the training data."""
    study = subject.study
    train = None if study is None else study.split.train
    to_original: Callable[[int, Any], Any] = (lambda _, values: values) if study is None else study.design.to_original

    def prototype_names(positions: np.ndarray) -> list[str]:
        """Name training rows."""
        if study is None:
            return [f"row {position}" for position in positions]
        return study.names_of(study.table.frame.loc[study.split.train[positions]])

    report = explain_table(
        subject.manager,
        Labels(subject.classes, subject.columns, to_original, prototype_names),
        parts,
        sample_name=f"{case.name}, prediction '{subject.classes[int(np.argmax(parts.probabilities))]}', {familiarity}",
        target=actual,
        features=True,
    )
    sample = report["sample"].to_numpy(dtype=np.float64, na_value=np.nan)
    known = ~np.isnan(sample)
    rows = pd.array([case.row, *[None] * (len(sample) - 1)], dtype="Int64")
    rows[known] = sample[known].astype(np.int64) if train is None else train[sample[known].astype(np.int64)]
    return report.assign(sample=rows)
