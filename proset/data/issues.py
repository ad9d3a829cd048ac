"""Findings of reading and checking a table, in plain words."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Roles of a column."""

    TARGET = "target"
    IDENTIFIER = "identifier"
    NUMERIC = "numeric"
    CATEGORICAL = "categorical"
    BOOLEAN = "boolean"
    DATE = "date"
    TEXT = "text"
    EXTRA = "extra"


class Severity(StrEnum):
    """Weight of an issue: INFO to know, WARNING to look at, ERROR blocks fitting."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class Issue:
    """One finding about a table or one of its columns.

    Attributes
    ----------
    code : str
        Stable name of the kind of issue, such as ``"constant"``.
    message : str
        Plain words: what was found, how often, what was done or can be done.
    column : str or None
        The column concerned; None for the whole table.
    severity : Severity
        How much it matters.
    suggested_role : Role or None
        The role that would resolve the issue, if there is one.
    other : str or None
        A second column concerned.

    Examples
    --------
    >>> Issue("constant", "Every row holds 'x'.", column="unit", suggested_role=Role.EXTRA).severity
    <Severity.WARNING: 'warning'>
    """

    code: str
    message: str
    column: str | None = None
    severity: Severity = Severity.WARNING
    suggested_role: Role | None = None
    other: str | None = None
