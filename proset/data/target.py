"""The target column as class labels, and whether the classes can be told apart at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from proset.common.errors import RoleError
from proset.common.words import count_words, shown
from proset.data.cells import read_words
from proset.data.classes import TargetClasses
from proset.data.number_target import target_numbers, thirds
from proset.data.roles import Roles

#: A class needs this many rows. The report's condition (2.14) asks for three training rows per class at its default
#: fraction of candidates (one half), and up to half of the rows may be held out.
FEWEST_CLASS_ROWS = 6

_MOST_NAMED = 5


def target_labels(frame: pd.DataFrame, roles: Roles) -> pd.Series:
    """Read the target as class labels.

    Parameters
    ----------
    frame : DataFrame
        Has the target as a column; index row.
    roles : Roles
        Names the target.

    Returns
    -------
    Series of str
        Index row, name of the target. Whole numbers have no decimal point (``1.0`` reads "1"), truth values read
        "True" and "False", dates are in ISO form, blanks around text are removed; missing where the target is missing.
        Where the roles say how classes are made, these classes; missing also where a label is set aside. Where the
        target is a number, its third, for what compares a few kinds of rows.

    Raises
    ------
    RoleError
        If there is no target, the frame lacks it, or a cell that should hold a number does not.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> frame = pd.DataFrame({"x": [1, 2, 3], "sick": [1.0, 0.0, None]})
    >>> target_labels(frame, Roles({"x": Role.NUMERIC, "sick": Role.TARGET})).tolist()
    ['1', '0', nan]
    """
    if roles.target is None:
        raise RoleError("No column is the target.", hint="Give one column the role 'target'.")
    if roles.target not in frame.columns:
        raise RoleError(
            f"The data lacks the target column '{shown(roles.target)}'.",
            column=roles.target,
            hint="Add it, or choose another target.",
        )
    if roles.number:
        return thirds(target_numbers(frame, roles))
    classes = roles.classes
    return read_words(frame[roles.target]) if classes is None else classes.apply(frame[roles.target])


def class_order(roles: Roles, labels: Iterable[str]) -> tuple[str, ...]:
    """Put classes into the order in which pages, figures and tables show them.

    Parameters
    ----------
    roles : Roles
        Says how classes are made.
    labels : iterable of str
        Classes, each as often as it comes.

    Returns
    -------
    tuple of str
        Each class once: as stated, then ranges from low to high, then in their evident order if the roles say so,
        then by alphabet.

    Examples
    --------
    >>> class_order(Roles({}), ["b", "a", "b"])
    ('a', 'b')
    """
    return (roles.classes or TargetClasses()).sort(labels)


def with_evident_order(frame: pd.DataFrame, roles: Roles) -> Roles:
    """Return roles whose classes stand in their evident order where the alphabet puts them in another.

    Roles of former studies do not say so, and their classes keep their order.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> roles = with_evident_order(pd.DataFrame({"grade": [9, 10, 11]}), Roles({"grade": Role.TARGET}))
    >>> class_order(roles, ["10", "9", "11"])
    ('9', '10', '11')
    """
    made = roles.classes or TargetClasses()
    if roles.target is None or roles.number or made.cuts:
        return roles
    labels = target_labels(frame, roles).dropna().unique().tolist()
    ascending = replace(made, ascending=True)
    return roles if ascending.sort(labels) == made.sort(labels) else roles.with_classes(ascending)


def check_classes(labels: pd.Series, *, fewest: int = FEWEST_CLASS_ROWS) -> None:
    """Refuse labels that no classifier can be fitted to.

    Parameters
    ----------
    labels : Series of str
        Class labels, missing ones included; the name is the target's.
    fewest : int
        Rows that each class needs.

    Raises
    ------
    RoleError
        If no label is there, there is one class only, or a class has too few rows; names classes and counts.

    Examples
    --------
    >>> check_classes(pd.Series(["a"] * 6 + ["b"] * 6, name="kind"))
    >>> try:
    ...     check_classes(pd.Series(["a"] * 6 + ["b"], name="kind"))
    ... except RoleError as error:
    ...     print(error.message)
    Target 'kind': class 'b' has 1 row; every class needs at least 6.
    """
    target = str(labels.name)
    counts = labels.value_counts().sort_values(kind="stable")
    if counts.empty:
        raise RoleError(
            f"Target '{shown(target)}' is empty in every row.", column=target, hint="Choose another target."
        )
    if len(counts) == 1:
        raise RoleError(
            f"Target '{shown(target)}' has one class only: all {counts.iloc[0]:,} rows are '{shown(counts.index[0])}'.",
            column=target,
            hint="Add rows of another class, or choose another target.",
        )
    small = counts[counts < fewest]
    if len(small):
        named = ", ".join(
            f"class '{shown(label)}' has {count_words(n, 'row')}" for label, n in small.iloc[:_MOST_NAMED].items()
        )
        more = f" and {len(small) - _MOST_NAMED:,} more classes have too few" if len(small) > _MOST_NAMED else ""
        raise RoleError(
            f"Target '{shown(target)}': {named}{more}; every class needs at least {fewest}.",
            column=target,
            hint="Join these classes with others, set them aside, or add rows of them.",
        )
