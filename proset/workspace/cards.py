"""One kept study in short: what a list of studies shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

from proset.common.words import count_words
from proset.study.number_metrics import NumberMetrics

if TYPE_CHECKING:
    from proset.data.table import Table
    from proset.study.any_study import AnyStudy


@dataclass(frozen=True)
class StudyFacts:
    """Facts about a table and its current model that a list shows without opening them.

    Attributes
    ----------
    data : str
        Name of the table.
    n_rows, n_columns : int
        Size of the table.
    target : str or None
        The column that is learned.
    model : str or None
        Id of the current model; None without one.
    n_prototypes : int or None
        Of the current model.
    n_held_out : int or None
        Rows that it was not fitted to.
    balanced_accuracy, log_loss : float or None
        Quality on these rows; None where there are none, and for a number.
    error, naive_error : float or None
        Mean absolute error on these rows of a model of a number, and of the answer for everybody.
    """

    data: str
    n_rows: int
    n_columns: int
    target: str | None = None
    model: str | None = None
    n_prototypes: int | None = None
    n_held_out: int | None = None
    balanced_accuracy: float | None = None
    log_loss: float | None = None
    error: float | None = None
    naive_error: float | None = None

    @property
    def table_words(self) -> str:
        """Size of the table and its target, in words."""
        size = f"{count_words(self.n_rows, 'row')}, {count_words(self.n_columns, 'column')}"
        return f"{size}, {f'target {self.target}' if self.target else 'no target yet'}"

    @classmethod
    def of(cls, table: Table, target: str | None, study: AnyStudy | None = None) -> StudyFacts:
        """Return the facts about a table and its current model, whose target counts; without one, that of the next."""
        facts = cls(table.name, *table.frame.shape, target=target)
        if study is None:
            return facts
        out = len(study.split.held_out)
        facts = replace(
            facts, target=study.roles.target, model=study.id, n_prototypes=len(study.prototypes), n_held_out=out
        )
        if isinstance(study.metrics, NumberMetrics):
            found = study.metrics
            return replace(facts, error=float(found.mae), naive_error=float(found.naive_mae)) if out else facts
        return replace(
            facts,
            balanced_accuracy=float(study.metrics.balanced_accuracy) if out else None,
            log_loss=float(study.metrics.log_loss) if out else None,
        )


@dataclass(frozen=True)
class Card:
    """One kept study in short.

    Attributes
    ----------
    id : str
        Names the study in its workspace, and in addresses.
    name : str
        What its person calls it.
    facts : StudyFacts
        About its table and its current model.
    n_models : int
        How many models are kept.
    unfinished : bool
        Whether work on it has not ended, and can go on.
    sample : str or None
        Name of the bundled data set that the table is.
    version : int
        Goes up with every change of what is chosen.
    created, touched : datetime
        When it was made, and changed last; UTC.
    deleted : datetime or None
        When it was deleted, as long as that can be undone.
    n_reviewed : int
        Rows of which somebody has said something that stands; those that were set aside do not count.
    """

    id: str
    name: str
    facts: StudyFacts
    n_models: int
    unfinished: bool
    sample: str | None
    version: int
    created: datetime
    touched: datetime
    deleted: datetime | None = None
    n_reviewed: int = 0


@dataclass(frozen=True, eq=False)
class KeptStudy:
    """One study as it is kept.

    Attributes
    ----------
    card : Card
        It in short.
    choices, view : str
        What is chosen for it, and what is looked at, as who keeps it writes them.
    models : tuple of str
        Ids of its models, oldest first.
    work : str or None
        Work that has not ended, as who keeps it writes it.
    """

    card: Card
    choices: str
    view: str
    models: tuple[str, ...]
    work: str | None
