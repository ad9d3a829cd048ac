"""From table columns to the matrix that a model is fitted on, and back to the user's words and units."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.checked_json import StateReader
from proset.common.errors import DesignError
from proset.common.words import count_words, shown
from proset.data.encoders import Encoder, MatrixColumn
from proset.data.frame_needs import require_columns, row_ids
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.quantities import DateEncoder, NumberEncoder
from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.value_evidence import ValueEvidence, learn_evidence, most_said

__all__ = ["Design", "Encoded", "MatrixColumn"]


@dataclass(frozen=True, eq=False)
class Encoded:
    """Rows of a table as a matrix.

    Attributes
    ----------
    X : ndarray of float32, shape (n, D), C order
        Finite; columns as in :attr:`Design.columns`.
    rows : ndarray of int64, shape (n,)
        Row ids.
    imputed : DataFrame of bool, index row, columns table columns
        True where a missing or infinite cell was filled in.
    unseen : DataFrame of bool, index row, columns table columns
        True where a category does not occur in the training rows.
    """

    X: NDArray[np.float32]
    rows: NDArray[np.int64]
    imputed: pd.DataFrame
    unseen: pd.DataFrame


class Design:
    """The way between table columns and matrix columns, learned from training rows.

    Numbers are scaled (:class:`~proset.data.scales.Scale`), dates count days on the standard scale, categories become
    indicators. Columns that do not vary among the training rows are left out (:attr:`dropped`). With
    ``Scale.EVIDENCE``, what the values of a column say of the classes follows its own matrix columns
    (:class:`~proset.data.value_evidence.ValueEvidence`).

    Parameters
    ----------
    roles : Roles
        What each column is for; only features become matrix columns.
    scale : Scale, default=Scale.STANDARD
        How numbers (not dates) are scaled.

    Attributes
    ----------
    roles : Roles
        As given.
    columns : tuple of MatrixColumn
        What each matrix column means; empty before :meth:`fit`.
    dropped : tuple of str
        Features that hold a single value in the training rows.

    Examples
    --------
    >>> frame = pd.DataFrame({"height": [1.5, 1.7, 1.9], "sick": ["yes", "no", "yes"]}).rename_axis("row")
    >>> design = Design(Roles({"height": Role.NUMERIC, "sick": Role.BOOLEAN})).fit(frame)
    >>> [column.name for column in design.columns]
    ['height', 'sick']
    >>> encoded = design.transform(frame)
    >>> design.to_original(0, encoded.X[:, 0]), design.to_original(1, encoded.X[:, 1])
    ([1.5, 1.7, 1.9], ['yes', 'no', 'yes'])
    >>> ranked = Design(Roles({"height": Role.NUMERIC}), Scale.QUANTILE).fit(frame.assign(height=[1.5, 1.7, 99.0]))
    >>> ranked.transform(frame.assign(height=[1.5, 1.7, 99.0])).X[:, 0].astype(float).round(2).tolist()
    [-1.22, 0.0, 1.22]
    """

    def __init__(self, roles: Roles, scale: Scale = Scale.STANDARD) -> None:
        self.roles, self._scale = roles, scale
        self.columns: tuple[MatrixColumn, ...] = ()
        self.dropped: tuple[str, ...] = ()
        self._encoders: tuple[Encoder, ...] = ()
        self._evidence: dict[str, ValueEvidence] = {}

    @property
    def sources(self) -> tuple[str, ...]:
        """Table columns that the matrix is made of; new data has to have them."""
        return tuple(encoder.source for encoder in self._encoders)

    @property
    def evidence(self) -> Mapping[str, ValueEvidence]:
        """Evidence of the values of table columns, by column; empty on any other scale."""
        return MappingProxyType(self._evidence)

    def fit(self, frame: pd.DataFrame, target: NDArray[np.str_] | None = None) -> Design:
        """Learn from the training rows.

        Parameters
        ----------
        frame : DataFrame
            Training rows only; has every feature as a column.
        target : str array of shape (n,) or None
            Classes of these rows; only ``Scale.EVIDENCE`` looks at them.

        Raises
        ------
        ValueError
            If the scale needs classes and there are none.
        DesignError
            If a column is not there or does not fit its role, or if no feature varies.
        """
        features = self.roles.features
        require_columns(frame, features)
        fitted = {name: _fit_encoder(frame[name], self.roles.by_column[name], self._scale) for name in features}
        encoders = tuple(encoder for encoder in fitted.values() if encoder is not None)
        if not encoders:
            raise DesignError(
                f"No feature varies among the {count_words(len(frame), 'training row')}, so nothing can be learned.",
                hint="Choose more features, or use more rows.",
            )
        evidence = self._learn_evidence(encoders, frame, target) if self._scale is Scale.EVIDENCE else {}
        self._settle(encoders, tuple(name for name, encoder in fitted.items() if encoder is None), evidence)
        return self

    def _learn_evidence(
        self, encoders: tuple[Encoder, ...], frame: pd.DataFrame, target: NDArray[np.str_] | None
    ) -> dict[str, ValueEvidence]:
        """Learn what the values of each column say of the classes; of the columns that say most."""
        if target is None:
            raise ValueError("Scale.EVIDENCE needs the classes of the training rows: pass them as 'target'.")
        own = {encoder.source: _single(encoder.encode(frame[encoder.source]).values) for encoder in encoders}
        return most_said(learn_evidence(own, target))

    def _settle(
        self, encoders: tuple[Encoder, ...], dropped: tuple[str, ...], evidence: dict[str, ValueEvidence]
    ) -> None:
        """Take over encoders and name their matrix columns."""
        self._encoders, self._evidence = encoders, evidence
        self.dropped = dropped
        columns = (_with_evidence(encoder.columns, evidence.get(encoder.source)) for encoder in encoders)
        self.columns = _unique_names([column for part in columns for column in part])

    @property
    def column_sources(self) -> tuple[str, ...]:
        """Table column behind each matrix column."""
        return tuple(column.source for column in self.columns)

    def own_columns(self, source: str) -> list[int]:
        """Return the matrix columns that hold the values of a table column, without those of their evidence."""
        return [j for j, item in enumerate(self.columns) if item.source == source and item.evidence_for is None]

    def beside(self, source: str, own: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return all matrix columns of a table column, given those that hold its values.

        Parameters
        ----------
        source : str
            The table column.
        own : float64 array of shape (n, w)
            Its own columns: a number or date, or indicators.

        Returns
        -------
        float64 array of shape (n, w + c)
            In single precision, as scoring has them: the same, and the evidence of the values behind them, if any.
        """
        own = _single(own)
        evidence = self._evidence.get(source)
        return own if evidence is None else np.hstack([own, _single(evidence.values(own))])

    def transform(self, frame: pd.DataFrame, *, only: Collection[str] | None = None) -> Encoded:
        """Turn rows into a matrix.

        Parameters
        ----------
        frame : DataFrame
            Any rows whose index holds whole row numbers; the order of columns does not matter and further columns
            are ignored. Works on any part of a table, so large files can be passed in pieces.
        only : collection of str or None
            Table columns to read, such as those that a model uses; None means all. Others may be missing or hold
            anything: their matrix columns are 0, and nothing of them counts as filled in or never seen.

        Returns
        -------
        Encoded
            Finite values, row ids and which cells were filled in or never seen.

        Raises
        ------
        DesignError
            If the design is not fitted, columns are not there, or a cell does not fit its column's role.
        """
        if not self._encoders:
            raise DesignError("The design is not fitted yet.", hint="Call fit with the training rows first.")
        read = self.sources if only is None else tuple(name for name in self.sources if name in only)
        require_columns(frame, read)
        X = np.zeros((len(frame), len(self.columns)), dtype=np.float32)
        imputed = np.zeros((len(frame), len(self._encoders)), dtype=bool)
        unseen = np.zeros_like(imputed)
        start = 0
        for i, encoder in enumerate(self._encoders):
            evidence = self._evidence.get(encoder.source)
            stop = start + len(encoder.columns) + (0 if evidence is None else len(evidence.classes))
            if encoder.source in read:
                block = encoder.encode(frame[encoder.source])
                X[:, start:stop] = block.values if evidence is None else self.beside(encoder.source, block.values)
                imputed[:, i] = block.imputed
                unseen[:, i] = block.unseen
            start = stop
        rows = row_ids(frame)
        index = pd.Index(rows, name="row")
        columns = list(self.sources)
        return Encoded(X, rows, pd.DataFrame(imputed, index, columns), pd.DataFrame(unseen, index, columns))

    def to_original(self, j: int, values: Sequence[float] | NDArray[Any]) -> list[Any]:
        """Say matrix values in the user's words and units.

        Parameters
        ----------
        j : int
            Matrix column.
        values : array-like of float, shape (n,)
            Values of that column.

        Returns
        -------
        list
            Length n. Numbers as int or float, rounded to the decimals of the training rows (as far as float32 carries
            them); dates as ISO text; a column with two levels as the level's word; an indicator as "yes" or "no".
            "unknown" stands for a level never seen, None for NaN. A weight of evidence as a number of two decimals.
        """
        if not 0 <= j < len(self.columns):
            raise DesignError(
                f"There is no matrix column {j}.", hint=f"Columns count from 0 to {len(self.columns) - 1}."
            )
        column, numbers = self.columns[j], np.asarray(values, dtype=np.float64)
        if column.evidence_for is not None:
            weights = np.round(column.to_table(numbers), 2) + 0.0
            return [None if np.isnan(weight) else weight for weight in weights.tolist()]
        return self.encoder(column.source).decode(numbers)

    def encoder(self, source: str) -> Encoder:
        """Return what was learned about a table column.

        Raises
        ------
        DesignError
            If the matrix has no part that is made of it.
        """
        for encoder in self._encoders:
            if encoder.source == source:
                return encoder
        raise DesignError(f"The model has learned nothing about a column '{shown(source)}'.", column=source)

    def to_state(self) -> dict[str, Any]:
        """Return everything learned as plain JSON types for :meth:`from_state`; floats are exact."""
        return {
            "roles": self.roles.to_dict(),
            "encoders": [encoder.to_state() for encoder in self._encoders],
            "dropped": list(self.dropped),
        } | ({"evidence": {name: found.to_state() for name, found in self._evidence.items()}} if self._evidence else {})

    @classmethod
    def from_state(cls, state: object) -> Design:
        """Rebuild a fitted design, trusting nothing.

        Parameters
        ----------
        state : object
            What :meth:`to_state` returned, read back from a file; the design transforms exactly as the saved one.

        Raises
        ------
        StorageError
            If a field is missing, unknown, of the wrong type or impossible; the message names it.
        """
        reader = StateReader(state, "design")
        design = cls(Roles.from_dict(reader.take("roles"), where="design.roles"))
        dropped = reader.texts("dropped")
        saved = reader.take("encoders")
        evidence = reader.take("evidence") if "evidence" in reader else {}
        reader.close()
        if not isinstance(saved, list) or not saved:
            raise reader.refuse("encoders", "has to be a list that is not empty")
        encoders = tuple(_encoder_from_state(entry, f"design.encoders[{i}]") for i, entry in enumerate(saved))
        sources = [encoder.source for encoder in encoders]
        if sorted([*sources, *dropped]) != sorted(design.roles.features):
            raise reader.refuse("encoders", "does not cover the features that 'design.roles' names")
        for i, encoder in enumerate(encoders):
            if encoder.columns[0].role is not design.roles.by_column[encoder.source]:
                raise reader.refuse(f"encoders[{i}].kind", "does not fit the column's role")
        design._settle(encoders, dropped, _evidence_from_state(evidence, encoders, reader))
        return design


def _fit_encoder(series: pd.Series, role: Role, scale: Scale) -> Encoder | None:
    """Learn the encoder of one feature; None where it does not vary."""
    if role is Role.NUMERIC:
        return NumberEncoder.fit(series, scale)
    if role is Role.DATE:
        return DateEncoder.fit(series)
    return LevelEncoder.fit(series, role)


def _encoder_from_state(entry: object, where: str) -> Encoder:
    """Rebuild one encoder."""
    reader = StateReader(entry, where)
    kinds: dict[str, type[NumberEncoder] | type[DateEncoder] | type[LevelEncoder]] = {
        kind.kind: kind for kind in (NumberEncoder, DateEncoder, LevelEncoder)
    }
    encoder = kinds[reader.text("kind", choices=tuple(kinds))].from_state(reader)
    reader.close()
    return encoder


def _evidence_from_state(saved: object, encoders: tuple[Encoder, ...], reader: StateReader) -> dict[str, ValueEvidence]:
    """Rebuild what values say of the classes."""
    widths = {encoder.source: len(encoder.columns) for encoder in encoders}
    if not isinstance(saved, dict) or not set(saved) <= set(widths):
        raise reader.refuse("evidence", "has to name columns that have an encoder")
    return {
        name: ValueEvidence.from_state(state, f"design.evidence[{shown(name)}]", width=widths[name])
        for name, state in saved.items()
    }


def _with_evidence(own: tuple[MatrixColumn, ...], evidence: ValueEvidence | None) -> tuple[MatrixColumn, ...]:
    """Return the columns of the values, and behind them those of their evidence."""
    if evidence is None:
        return own
    source, role = own[0].source, own[0].role
    return own + tuple(
        MatrixColumn(f"{source}: evidence for {name}", source, role, None, 0.0, spread, evidence_for=name)
        for name, spread in zip(evidence.classes, evidence.spreads, strict=True)
    )


def _single(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return values with no more digits than the matrix holds."""
    return values.astype(np.float32).astype(np.float64)


def _unique_names(columns: Sequence[MatrixColumn]) -> tuple[MatrixColumn, ...]:
    """Give names that would occur twice a number: a column may be called "island = Biscoe" like an indicator."""
    taken: set[str] = set()
    named = []
    for column in columns:
        name, count = column.name, 2
        while name in taken:
            name, count = f"{column.name} ({count})", count + 1
        taken.add(name)
        named.append(replace(column, name=name))
    return tuple(named)
