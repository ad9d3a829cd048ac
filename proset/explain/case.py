"""One case explained: the estimate, what it is made of, and the prototypes it resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.data.target import target_labels
from proset.errors import StudyError
from proset.evidence.familiarity import familiarity_quantile
from proset.explain import words
from proset.explain.neighbours import ImageTile, find_neighbours, row_names
from proset.scoring import row_notes

if TYPE_CHECKING:
    from proset.data.design import Encoded
    from proset.study import Study

N_NEIGHBOURS = 5
NEW = "new"


@dataclass(frozen=True, eq=False)
class CaseReport:
    """Everything that can be said about one estimate.

    Attributes
    ----------
    row : int or None
        Row id in the study's table; None for a row that is not in it.
    name : str
        The identifier's value, or "row 17".
    part : {"train", "held_out", "unlabelled", "new"}
        Where the case comes from.
    actual : str or None
        Class in the table, if there is one.
    predicted : str
        Class with the highest estimate.
    probabilities : Series
        Estimated probabilities, index class, summing to one.
    familiarity, quantile : float
        Total impact of the prototypes, at least 0, and the share of held-out rows that are at most as familiar.
    words : tuple of str
        The case in sentences: the estimate, what drives it, how familiar it is, what had to be assumed.
    report : DataFrame
        The explanation report of figure 4.5: the case, the marginals by class, the prototypes by descending impact.
        ``sample`` holds row ids of the table.
    total_check : float
        Largest difference between an estimate and the sum of its contributions; rounding only.
    neighbours, neighbour_similarity, neighbour_facts, neighbour_extras : DataFrame
        The case and its most influential prototypes side by side: see :class:`proset.explain.neighbours.Neighbours`.
    images : tuple of ImageTile
        The same rows as pictures; empty for a table without a grid.
    classes : tuple of str
        All classes of the study in their order.
    """

    row: int | None
    name: str
    part: str
    actual: str | None
    predicted: str
    probabilities: pd.Series
    familiarity: float
    quantile: float
    words: tuple[str, ...]
    report: pd.DataFrame
    total_check: float
    neighbours: pd.DataFrame
    neighbour_similarity: pd.DataFrame
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
        """Impact of one batch's prototypes on this case, as :func:`proset.plots.batch_map.plot_batch_map` takes it.

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


def explain_case(study: Study, row: int, *, k: int = N_NEIGHBOURS) -> CaseReport:
    """Explain the estimate for one row of the study's table.

    Parameters
    ----------
    study : Study
        A fitted study.
    row : int
        Row id; :meth:`Study.row_of` finds it from a text.
    k : int, default 5
        Number of prototypes to put beside the case.

    Returns
    -------
    CaseReport
        The explanation.

    Raises
    ------
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> case = explain_case(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")), 17)
    >>> case.name, len(case.neighbours), case.total_check < 1e-9
    ('row 17', 6, True)
    """
    encoded = study.encode([row])
    actual = study.labels.loc[row]
    return _explain(
        study,
        study.table.frame.loc[[row]],
        encoded,
        row=row,
        part=str(study.predictions["part"].loc[row]),
        actual=None if pd.isna(actual) else str(actual),
        k=k,
    )


def explain_frame(study: Study, frame: pd.DataFrame, *, k: int = N_NEIGHBOURS) -> CaseReport:
    """Explain the estimate for a row that is not in the study's table.

    Parameters
    ----------
    study : Study
        A fitted study.
    frame : DataFrame
        One row that holds at least the columns the model was fitted on. A class in the target column is compared with
        the estimate if the model knows it.
    k : int, default 5
        Number of prototypes to put beside the case.

    Returns
    -------
    CaseReport
        The explanation; ``row`` is None and ``part`` is "new".

    Raises
    ------
    StudyError
        If the frame does not hold exactly one row.
    DesignError
        If the frame lacks a column.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> table = load_sample("iris_2f")
    >>> case = explain_frame(fit_study(table, sample_roles("iris_2f")), table.frame.iloc[[0]])
    >>> case.part, case.row
    ('new', None)
    """
    if len(frame) != 1:
        raise StudyError(f"One row can be explained at a time, but {len(frame):,} were given.", hint="Choose one row.")
    encoded = study.design.transform(frame)
    return _explain(study, frame, encoded, row=None, part=NEW, actual=_known_class(study, frame), k=k)


def _explain(
    study: Study, frame: pd.DataFrame, encoded: Encoded, *, row: int | None, part: str, actual: str | None, k: int
) -> CaseReport:
    """Explain one encoded row, in the table or not."""
    name = row_names(study, frame)[0]
    report = _report(study, encoded, name=name, row=row, actual=actual)
    n_classes = len(study.classes)
    shares = [f"p class {label}" for label in study.classes]
    numbers = report[shares].to_numpy(dtype=np.float64)
    probabilities = pd.Series(numbers[0], index=pd.Index(study.classes, dtype="str"), name="probability")
    predicted = study.classes[int(np.argmax(numbers[0]))]
    familiarity = float(study.model.familiarity(encoded.X)[0])
    quantile = float(familiarity_quantile([familiarity], study.reference)[0])
    prototypes = report.iloc[1 + n_classes :]
    found = find_neighbours(study, frame, prototypes, row=row, actual=actual, k=k)
    sentences = [
        words.estimate_sentence(part, actual=actual, probabilities=probabilities),
        words.evidence_sentence(
            prototypes, predicted=predicted, marginal_share=float(numbers[1 : 1 + n_classes].sum())
        ),
        words.familiarity_sentence(quantile),
    ]
    note = str(row_notes(study.design, encoded, frame).iloc[0])
    if note:
        sentences.append(f"Something had to be assumed about this row: {note}.")
    return CaseReport(
        row=row,
        name=name,
        part=part,
        actual=actual,
        predicted=predicted,
        probabilities=probabilities,
        familiarity=familiarity,
        quantile=quantile,
        words=tuple(sentences),
        report=report,
        total_check=float(np.abs(numbers[1:].sum(axis=0) - numbers[0]).max()),
        neighbours=found.values,
        neighbour_similarity=found.similarity,
        neighbour_facts=found.facts,
        neighbour_extras=found.extras,
        images=found.images,
        classes=study.classes,
    )


def _report(study: Study, encoded: Encoded, *, name: str, row: int | None, actual: str | None) -> pd.DataFrame:
    """Figure 4.5 with the table's row ids and names in place of positions in the training data."""
    train = study.split.train

    def prototype_names(positions: np.ndarray) -> list[str]:
        """Names of training rows."""
        return row_names(study, study.table.frame.loc[train[positions]])

    report = study.model.explain(
        encoded.X,
        actual,
        familiarity=study.reference,
        sample_name=name,
        feature_names=[column.name for column in study.design.columns],
        sample_names=prototype_names,
        to_original=study.design.to_original,
    )
    sample = report["sample"].to_numpy(dtype=np.float64, na_value=np.nan)
    known = ~np.isnan(sample)
    rows = pd.array(np.zeros(len(sample)), dtype="Int64")
    rows[known] = train[sample[known].astype(np.int64)]
    rows[~known] = pd.NA
    if row is not None:
        rows[0] = row
    return report.assign(sample=rows)


def _known_class(study: Study, frame: pd.DataFrame) -> str | None:
    """Class of a new row, if it has one that the model knows."""
    target = study.roles.target
    if target is None or target not in frame.columns:
        return None
    label = target_labels(frame, study.roles).iloc[0]
    return str(label) if pd.notna(label) and str(label) in study.classes else None
