"""A study whatever its target is: one table, what its columns mean, the split, and the fitted model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from proset.common.errors import StudyError
from proset.common.lazy import lazy_property
from proset.common.notebook import Displayed
from proset.common.words import count_words, shown
from proset.data.derived_rows import with_derived
from proset.data.design import Design, Encoded
from proset.data.missing_words import mask_missing, without_units
from proset.data.roles import Roles
from proset.data.split import Split
from proset.data.split_columns import group_codes
from proset.data.table import Table
from proset.engine.evidence.known_cases import batch_kernels
from proset.engine.evidence.nearness import Nearness
from proset.study.case import SHORT, Case, counts_rows, row_names
from proset.study.find_row import find_row, row_ids
from proset.study.guidance import Guidance
from proset.study.identity import content_id
from proset.study.new_rows import used_columns
from proset.study.recipe import Recipe
from proset.study.settings import FitSettings

TRAIN, HELD_OUT, UNLABELLED = "train", "held_out", "unlabelled"


@dataclass(frozen=True)
class Provenance:
    """Origin of a study.

    Attributes
    ----------
    proset_version : str
        Version of this program that fitted the model.
    versions : mapping of str to str
        Versions of Python and of the libraries that numbers depend on.
    created : str
        When, ISO 8601 in UTC.
    fit_seconds : float
        Time from the table to the metrics.
    seed : int
        The seed of the fit; the split keeps its own.
    fingerprint : str
        Hash of the table's content.
    machine : mapping of str to str
        Processor, libraries of linear algebra and numbers of threads; empty where a file says nothing of them. Another
        processor may give other last digits, numbers of threads give the same.
    """

    proset_version: str
    versions: Mapping[str, str]
    created: str
    fit_seconds: float
    seed: int
    fingerprint: str
    machine: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class StudyBase(Displayed):
    """Everything about one fitted model that does not depend on what its target is.

    Rows are always named by the row ids of the table (its index), never by positions.

    Attributes
    ----------
    table : Table
        The table as it was read.
    roles : Roles
        What each column is for.
    split : Split
        Row ids for training, held out, and without a value of the target.
    settings : FitSettings
        How the model was fitted.
    design : Design
        The way between table and matrix, fitted on the training rows.
    model : ClassifierModel or RegressorModel
        The fitted model.
    provenance : Provenance
        Versions, time, seed, fingerprint.
    reference : float array
        Familiarity of the held-out rows in ascending order, less a billionth: quantiles refer to it, and a held-out row
        has to tie with itself although matrix products of another size round differently.
    search : JointRecord, SearchRecord, NumberRecord or None
        The search that chose penalties and number of batches; None if they were stated.
    guidance : Guidance
        What people have said about rows and columns, obeyed by the fit. Rows that are left out are `unlabelled` in the
        split.
    """

    table: Table
    roles: Roles
    split: Split
    settings: FitSettings
    design: Design
    model: Any
    provenance: Provenance
    reference: np.ndarray
    search: Any = None
    guidance: Guidance = field(default_factory=Guidance)

    def _described(self, worth: str) -> str:
        """Return what stands for it in two lines; `worth` is its quality on the held-out rows."""
        kept = count_words(len(self.prototypes), "prototype")
        used = f"{len(self.used_columns):,} of {count_words(len(self.roles.features), 'feature')}"
        rows, out = count_words(len(self.split.train), "training row"), len(self.split.held_out)
        what = f"'{shown(self.roles.target or 'nothing')}' of '{shown(self.table.name)}' by {used} and {kept}"
        return f"{type(self).__name__}: {what}\n  {rows}, {out:,} held out{f': {worth}' if out else ''}"

    @property
    def prototypes(self) -> pd.DataFrame:
        """One row per prototype: ``batch``, ``row`` (id of its row of the table), ``weight`` and what its kind has."""
        raise NotImplementedError

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the model knows; none of a number."""
        return ()

    @property
    def table_labels(self) -> pd.Series:
        """Target of every row as the table states it, as text, index row; missing where the target is missing."""
        raise NotImplementedError

    def is_label(self, text: str) -> bool:
        """Tell whether a text is a target that a row can be learned with: a class of the model, or any number."""
        raise NotImplementedError

    def tables(self) -> dict[str, pd.DataFrame]:
        """Return what a notebook shows where it cannot draw: by heading, the weights of features and prototypes."""
        return {"Feature weights by batch": self.feature_weights, "Prototypes": self.prototypes}

    @lazy_property
    def recipe(self) -> Recipe:
        """Choices of a person for it; those that a search made stand in the settings as it found them."""
        plan = self.search.plan if self.search else None
        return Recipe(self.roles, self.split.settings, self.settings, plan, self.guidance)

    @lazy_property
    def id(self) -> str:
        """Hash of model, recipe and table: the same after saving and loading, and whenever the same is fitted again."""
        return content_id(self.recipe, self.model.set_manager_, self.table.fingerprint)

    @lazy_property
    def _encoded(self) -> Encoded:
        """The whole table as a matrix."""
        return self.design.transform(self.table.frame)

    def encode(self, rows: Iterable[int] | None = None) -> Encoded:
        """Return rows of the table as the matrix that the model sees.

        Parameters
        ----------
        rows : iterable of int or None
            Row ids; None for all.

        Returns
        -------
        Encoded
            In the order of `rows`.

        Raises
        ------
        StudyError
            If these are no row ids, or the table has no such row.
        """
        if rows is None:
            return self._encoded
        wanted = row_ids(rows)
        where = self.table.frame.index.get_indexer(pd.Index(wanted))
        if (where < 0).any():
            raise StudyError(
                f"The table has no row {wanted[where < 0][0]}.",
                hint=f"Row ids go from {self.table.frame.index.min()} to {self.table.frame.index.max()}.",
            )
        whole = self._encoded
        return Encoded(whole.X[where], whole.rows[where], whole.imputed.iloc[where], whole.unseen.iloc[where])

    def case(self, case: int | pd.DataFrame, *, name: str | None = None) -> Case:
        """Return one case, as everything that explains one case takes it.

        Parameters
        ----------
        case : int or DataFrame
            A row id of the table; or one row of new data or an edited copy, with at least :attr:`used_columns`.
        name : str or None
            What to call it; None for its identifier or row number.

        Raises
        ------
        StudyError
            If the table has no such row, or the frame does not hold exactly one.
        DesignError
            If the frame lacks a column that the model uses, or a cell does not fit its column.
        """
        if isinstance(case, pd.DataFrame):
            if len(case) != 1:
                given = f"One row can be explained at a time, but {len(case):,} were given."
                raise StudyError(given, hint="Choose one row.")
            row, frame = None, self.prepared(case)
            encoded = self.design.transform(frame, only=self.used_columns)
        elif isinstance(case, (int, np.integer)):
            row, encoded = int(case), self.encode([int(case)])
            frame = self.table.frame.loc[[row]]
        else:
            given = f"A case is a row id or a DataFrame of one row, not a {type(case).__name__}."
            raise StudyError(given, hint="Study.row_of finds the row id that a text stands for.")
        return Case(self, row, frame, encoded, self.names_of(frame)[0] if name is None else name)

    @lazy_property
    def identifier(self) -> str | None:
        """The column whose values name rows; None as well where it only counts them: they have that number already."""
        named = self.roles.identifier
        return None if named is None or counts_rows(self.table.frame[named]) else named

    def names_of(self, frame: pd.DataFrame) -> list[str]:
        """Return the names of rows of the table, or of new ones: the identifier, else the row number."""
        named = self.roles.identifier
        if named in frame.columns and self.identifier is None and counts_rows(frame[named]):
            named = None
        return row_names(frame, named)

    def short_name(self, name: str, row: int) -> str:
        """Return the name of a row where there is little room: of a bare identifier, the number of the row."""
        identifier = self.roles.identifier
        if identifier is None or not name.startswith(f"{shown(identifier, SHORT)} "):
            return name
        return f"row {row}{''.join(name.partition(', batch ')[1:])}"

    @lazy_property
    def _parts(self) -> pd.Series:
        """Part of each row."""
        index = self.table.frame.index
        codes = np.zeros(len(index), dtype=np.int64)
        codes[index.get_indexer(pd.Index(self.split.train))] = 1
        codes[index.get_indexer(pd.Index(self.split.held_out))] = 2
        return pd.Series(np.array([UNLABELLED, TRAIN, HELD_OUT], dtype=object)[codes], index=index, dtype="str")

    @lazy_property
    def feature_weights(self) -> pd.DataFrame:
        """Weights of the active matrix columns: index ``feature``, one column per batch, largest first; 0 = unused."""
        weights, features = self.model.set_manager_.get_feature_weights()
        names = np.asarray([column.name for column in self.design.columns], dtype=object)
        return pd.DataFrame(
            weights.T,
            index=pd.Index(names[features], dtype="str", name="feature"),
            columns=range(1, len(weights) + 1),
        )

    @lazy_property
    def used_columns(self) -> tuple[str, ...]:
        """The table columns that the estimates depend on, in the order of the table: all that new rows have to have."""
        used = used_columns(self.design, self.model)
        return tuple(name for name in self.table.frame.columns if name in used)

    def groups_of(self, rows: Iterable[int]) -> np.ndarray | None:
        """Return the number of the group of each of some rows; None unless the split keeps groups together."""
        column = self.split.settings.groups
        return None if column is None else group_codes(self.table.frame.loc[pd.Index(rows), column])

    def groups_in(self, frame: pd.DataFrame) -> np.ndarray | None:
        """Return the same of new rows; None as well where they do not say whose they are."""
        column = self.split.settings.groups
        said = column is not None and list(frame.columns).count(column) == 1
        return group_codes(frame[column]) if said else None

    @lazy_property
    def naming_columns(self) -> tuple[str, ...]:
        """The columns that say whose a row is: the identifier, and what keeps rows together in the split."""
        named = dict.fromkeys((self.identifier, self.split.settings.groups))
        return tuple(name for name in named if name is not None)

    def row_of(self, text: str) -> int:
        """Return the row id that a text stands for: a row number or a value of the identifier column.

        Parameters
        ----------
        text : str
            Such as ``"12"``; ``"row 12"`` and ``"id 12"`` say which of the two is meant.

        Returns
        -------
        int
            A row id of the table.

        Raises
        ------
        StudyError
            If no row or more than one row fits; the message names them.
        """
        return find_row(self.table.frame, text, identifier=self.roles.identifier)

    def prepared(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return new rows as the table was prepared: no unit or word that means missing, columns made of others."""
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(f"New rows are a DataFrame with the columns of the table, not a {type(frame).__name__}.")
        dialect = self.table.dialect
        frame = mask_missing(without_units(frame, dialect.units, dialect.decimal or "."), dialect.missing)
        return with_derived(frame, self.table.derived, used=self.used_columns)

    @lazy_property
    def nearness(self) -> Nearness:
        """Nearness to the training rows, as quantiles of that of the held-out rows."""
        train, held_out = self.encode(self.split.train).X, self.encode(self.split.held_out).X
        kernels = batch_kernels(self.model.set_manager_)
        # The design has scaled the columns: numbers by their spread, levels not at all.
        return Nearness(train, held_out, kernels, np.ones(train.shape[1]))
