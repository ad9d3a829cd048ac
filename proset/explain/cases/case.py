"""One case explained: the estimate, what it is made of, and the prototypes it resembles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.words import percent
from proset.data.target import target_labels
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.evidence.tables import class_column
from proset.explain import words
from proset.explain.cases.neighbours import ImageTile, find_neighbours, row_names
from proset.explain.cases.one_case import one_row
from proset.explain.familiar.case_standing import standing
from proset.explain.phrases import StandingWords
from proset.study.decision import MOST_PROBABLE, DecisionRule
from proset.study.new_rows import row_notes

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
        Class that the decision rule says.
    left : bool
        Whether the rule leaves the case to a person.
    probabilities : Series
        Estimated probabilities, index class, summing to one.
    familiarity, quantile : float
        Total impact of the prototypes, at least 0, and the share of held-out rows that are at most as familiar.
    words : tuple of str
        The case in sentences: the estimate, what drives it, whether prototypes speak for it and known cases are near,
        what had to be assumed.
    standing : StandingWords
        Whether prototypes speak for it and known cases are near.
    report : DataFrame
        The explanation report of figure 4.5: the case, the marginals by class, the prototypes by descending impact.
        ``sample`` holds row ids of the table.
    total_check : float
        Largest difference between an estimate and the sum of its contributions; rounding only.
    neighbours, neighbour_similarity, neighbour_assumed, neighbour_facts, neighbour_extras : DataFrame
        The case and its most influential prototypes side by side: see
        :class:`proset.explain.cases.neighbours.Neighbours`.
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
    left: bool
    probabilities: pd.Series
    familiarity: float
    quantile: float
    words: tuple[str, ...]
    standing: StandingWords
    report: pd.DataFrame
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


@dataclass(frozen=True, eq=False)
class _Case:
    """One row with what is known of it before it is explained."""

    frame: pd.DataFrame
    name: str
    encoded: Encoded
    row: int | None
    part: str
    actual: str | None
    familiarity: float
    quantile: float


def explain_case(study: Study, row: int, *, k: int = N_NEIGHBOURS, rule: DecisionRule = MOST_PROBABLE) -> CaseReport:
    """Explain the estimate for one row of the study's table.

    Parameters
    ----------
    row : int
        Row id; :meth:`Study.row_of` finds it from a text.
    k : int, default 5
        Number of prototypes to put beside the case.
    rule : DecisionRule
        How the case is decided.

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
    known = study.predictions.loc[[row]].to_dict("records")[0]
    case = _Case(
        frame=study.table.frame.loc[[row]],
        name=row_names(study, study.table.frame.loc[[row]])[0],
        encoded=encoded,
        row=row,
        part=str(known["part"]),
        actual=None if pd.isna(known["actual"]) else str(known["actual"]),
        # Taken from the study, not computed anew: a row evaluated alone differs in the last digit, which is enough to
        # fall behind itself among the held-out rows.
        familiarity=float(known["familiarity"]),
        quantile=float(known["quantile"]),
    )
    return _explain(study, case, k=k, rule=rule)


def explain_frame(
    study: Study,
    frame: pd.DataFrame,
    *,
    name: str | None = None,
    k: int = N_NEIGHBOURS,
    rule: DecisionRule = MOST_PROBABLE,
) -> CaseReport:
    """Explain the estimate for a row that is not in the study's table.

    Parameters
    ----------
    frame : DataFrame
        One row that holds at least the columns that the model uses. A class in the target column is compared with
        the estimate if the model knows it.
    name : str or None
        What to call it; None for its identifier or row number.
    k : int, default 5
        Number of prototypes to put beside the case.
    rule : DecisionRule
        How the case is decided.

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
    frame, encoded = one_row(study, frame)
    familiarity = float(study.model.familiarity(encoded.X)[0])
    case = _Case(
        frame=frame,
        name=row_names(study, frame)[0] if name is None else name,
        encoded=encoded,
        row=None,
        part=NEW,
        actual=_known_class(study, frame),
        familiarity=familiarity,
        quantile=float(familiarity_quantile([familiarity], study.reference)[0]),
    )
    return _explain(study, case, k=k, rule=rule)


def _explain(study: Study, case: _Case, *, k: int, rule: DecisionRule) -> CaseReport:
    """Explain one encoded row, in the table or not."""
    report = _report(study, case)
    first = 1 + len(study.classes)
    numbers = report[list(map(class_column, study.classes))].to_numpy(dtype=np.float64)
    probabilities = pd.Series(numbers[0], index=pd.Index(study.classes, dtype="str"), name="probability")
    predicted, left = study.classes[int(rule.choose(numbers[:1])[0])], bool(rule.leaves([case.quantile])[0])
    where = standing(study, case.frame if case.row is None else [case.row]).words(case.frame.index[0])
    found = find_neighbours(
        study, case.frame, case.encoded, report.iloc[first:], name=case.name, row=case.row, actual=case.actual, k=k
    )
    return CaseReport(
        row=case.row,
        name=case.name,
        part=case.part,
        actual=case.actual,
        predicted=predicted,
        left=left,
        probabilities=probabilities,
        familiarity=case.familiarity,
        quantile=case.quantile,
        words=(
            words.estimate_sentence(
                case.part, actual=case.actual, probabilities=probabilities, predicted=predicted, left=left
            ),
            # What the prototypes settle is which class comes first, whatever the rule makes of it.
            words.evidence_sentence(
                report.iloc[first:],
                first=study.classes[int(np.argmax(numbers[0]))],
                share=float(numbers[0].max()),
                marginal_share=float(numbers[1:first].sum()),
            ),
            *words.self_sentence(report.iloc[first:], case.row),
            *where.sentences,
            *_assumptions(study, case),
        ),
        standing=where,
        report=report,
        total_check=float(np.abs(numbers[1:].sum(axis=0) - numbers[0]).max()),
        neighbours=found.values,
        neighbour_similarity=found.similarity,
        neighbour_assumed=found.assumed,
        neighbour_facts=found.facts,
        neighbour_extras=found.extras,
        images=found.images,
        classes=study.classes,
    )


def _assumptions(study: Study, case: _Case) -> list[str]:
    """Return a sentence on values that were filled in or never seen, if there are any."""
    note = str(row_notes(study.design, case.encoded, case.frame, only=study.used_columns).iloc[0])
    return [f"Something had to be assumed about this row: {note}."] if note else []


def _report(study: Study, case: _Case) -> pd.DataFrame:
    """Return figure 4.5 with the table's row ids and names in place of positions in the training data."""
    train = study.split.train

    def prototype_names(positions: np.ndarray) -> list[str]:
        """Name training rows."""
        return row_names(study, study.table.frame.loc[train[positions]])

    report = study.model.explain(
        case.encoded.X,
        case.actual,
        sample_name=case.name,
        feature_names=[column.name for column in study.design.columns],
        sample_names=prototype_names,
        to_original=study.design.to_original,
    )
    report.loc[0, "sample name"] = f"{report['sample name'].iloc[0]}, familiarity {percent(case.quantile)}"
    sample = report["sample"].to_numpy(dtype=np.float64, na_value=np.nan)
    known = ~np.isnan(sample)
    rows = pd.array([case.row, *[None] * (len(sample) - 1)], dtype="Int64")
    rows[known] = train[sample[known].astype(np.int64)]
    return report.assign(sample=rows)


def _known_class(study: Study, frame: pd.DataFrame) -> str | None:
    """Return the class of a new row, if it has one that the model knows."""
    target = study.roles.target
    if target is None or target not in frame.columns:
        return None
    label = target_labels(frame, study.roles).iloc[0]
    return str(label) if pd.notna(label) and str(label) in study.classes else None
