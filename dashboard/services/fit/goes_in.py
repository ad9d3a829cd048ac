"""Rows and columns that a fit starts from, in words, before there is a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from proset.common.words import count_words, listed
from proset.data.number_split import split_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from proset.data.roles import Roles
    from proset.data.split import SplitSettings
    from proset.data.table import Table
    from proset.data.unit_guess import UnitGuess

_NAMED, _NAMED_OUT = 8, 3


def rows_words(table: Table, roles: Roles, split: SplitSettings) -> str:
    """Say how many rows are learned from and how many judge the model.

    Raises
    ------
    ProsetError
        If the rows cannot be divided.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.data.split import SplitSettings
    >>> rows_words(load_sample("iris_2f"), sample_roles("iris_2f"), SplitSettings())
    '105 training rows; 45 rows are held out and judge the model (30 % of each class, drawn at random, seed 0).'
    """
    parts = split_table(table.frame, roles, split)
    n_held_out, n_without = len(parts.held_out), len(parts.unlabelled)
    said = f"{count_words(len(parts.train), 'training row')}; {count_words(n_held_out, 'row')}"
    said += " is held out and judges" if n_held_out == 1 else " are held out and judge"
    said += f" the model ({split.words_for(number=roles.number)})."
    if n_without:
        said += f" {count_words(n_without, 'row')} without a target {'is' if n_without == 1 else 'are'} set aside."
    return said


def columns_words(table: Table, roles: Roles) -> str:
    """Say which columns the model may use, and which it does without.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> columns_words(load_sample("iris_2f"), sample_roles("iris_2f"))
    "2 columns may be used: 'sepal length (cm)', 'sepal width (cm)'."
    """
    used = roles.features
    others = [name for name in table.frame.columns if name not in used and name != roles.target]
    said = f"{count_words(len(used), 'column')} may be used: {listed(used, most=_NAMED)}."
    return f"{said} Not used: {listed(others, most=_NAMED_OUT)}." if others else said


def unread_words(roles: Roles, guesses: Iterable[UnitGuess]) -> str:
    r"""Say which columns of numbers the model does without because a unit makes them text; empty where there is none.

    Examples
    --------
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.data.table import read_table
    >>> from proset.data.unit_guess import guess_units
    >>> lines = [f"{9.5 + k} EUR,{k % 2}" for k in range(60)]
    >>> table = read_table("\n".join(["price,sold", *lines]).encode())
    >>> unread_words(guess_roles(table, target="sold").roles, guess_units(table))
    "The model does not see the numbers of 'price': a unit stands beside them, which makes them text."
    """
    used = {*roles.features, roles.target}
    names = dict.fromkeys(guess.unit.column for guess in guesses if guess.unit.column not in used)
    if not names:
        return ""
    named = listed(names, most=_NAMED_OUT)
    return f"The model does not see the numbers of {named}: a unit stands beside them, which makes them text."
