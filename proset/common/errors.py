"""Errors that a person can cause and put right.

Every error that comes from input (a file, a column, a setting, a saved study) is a :class:`ProsetError`. Its text says
what is wrong and what to do, so that the command line and the pages can show it as it is.
"""

from __future__ import annotations


class ParameterError(ValueError):
    """A parameter of an estimator has an impossible value, and the text says which it may have.

    Parameters
    ----------
    message : str
        What is wrong; begins with the name of the parameter.
    parameter : str
        The parameter.

    Examples
    --------
    >>> ParameterError("alpha_v is 2; it has to be a number from 0 to 1.", parameter="alpha_v").said_of("--alpha-v")
    '--alpha-v is 2; it has to be a number from 0 to 1.'
    """

    def __init__(self, message: str, *, parameter: str | None = None) -> None:
        self.parameter = parameter
        super().__init__(message)

    def said_of(self, name: str) -> str:
        """Return the message with another name of the parameter, such as that of an option."""
        return name + str(self).removeprefix(self.parameter or "")


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
    parameter : str or None
        The parameter whose value is impossible, if it is one.
    called : str or None
        How the message begins if not with the name of the parameter.

    Examples
    --------
    >>> error = ProsetError("Column 'age' is empty.", column="age", hint="Give it the role 'extra'.")
    >>> str(error)
    "Column 'age' is empty. Give it the role 'extra'."
    >>> error.column
    'age'
    """

    def __init__(
        self,
        message: str,
        *,
        column: str | None = None,
        hint: str | None = None,
        parameter: str | None = None,
        called: str | None = None,
    ) -> None:
        self.message = message
        self.column = column
        self.hint = hint
        self.parameter = parameter
        self.called = called or parameter
        super().__init__(f"{message} {hint}" if hint else message)

    def said_of(self, name: str) -> str:
        """Return the message, without the way out, with another name of the parameter, such as that of an option.

        Examples
        --------
        >>> ProsetError("n_folds is 1.", hint="Take 5.", parameter="n_folds").said_of("--folds")
        '--folds is 1.'
        """
        return name + self.message.removeprefix(self.called or "")


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
