"""Errors that a person can cause and put right.

Every error that comes from input (a file, a column, a setting, a saved study) is a :class:`ProsetError`. Its text says
what is wrong and what to do, so that the command line and the pages can show it as it is.
"""

from __future__ import annotations


class ProsetError(ValueError):
    """Something in the input is wrong and the text says what to do about it.

    Parameters
    ----------
    message : str
        What is wrong, naming the column, row, field or limit.
    column : str or None
        The column concerned, if it is one.
    hint : str or None
        The way out, as a full sentence.

    Examples
    --------
    >>> error = ProsetError("Column 'age' is empty.", column="age", hint="Give it the role 'extra'.")
    >>> str(error)
    "Column 'age' is empty. Give it the role 'extra'."
    >>> error.column
    'age'
    """

    def __init__(self, message: str, *, column: str | None = None, hint: str | None = None) -> None:
        self.message = message
        self.column = column
        self.hint = hint
        super().__init__(f"{message} {hint}" if hint else message)


class TableError(ProsetError):
    """A file cannot be read as a table; `option` names what a person has to say about it, such as "delimiter"."""

    def __init__(
        self, message: str, *, column: str | None = None, hint: str | None = None, option: str | None = None
    ) -> None:
        super().__init__(message, column=column, hint=hint)
        self.option = option


class RoleError(ProsetError):
    """The column roles do not describe a classification problem."""


class DesignError(ProsetError):
    """Rows do not fit the columns that a model was fitted on."""


class StudyError(ProsetError):
    """A study cannot be fitted, or has no such row."""


class OtherSearchError(StudyError):
    """The search to go on from was begun with another plan, or with other data or settings."""


class StorageError(ProsetError):
    """A saved study is damaged, foreign, newer than this program, or unsafe."""
