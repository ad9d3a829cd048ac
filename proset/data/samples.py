"""Reading the tables that come with the project."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.roles import Roles
from proset.data.sample_list import SAMPLES, Sample
from proset.data.split import SplitSettings
from proset.data.table import Table, read_table

__all__ = ["SAMPLES", "Sample", "load_sample", "sample_roles", "sample_split"]

_PACKAGE = Path(__file__).resolve().parents[1]
# A wheel carries the tables inside the package, a clone beside it.
_FOLDERS = (_PACKAGE / "sample_data", _PACKAGE.parent / "sample_data")


def load_sample(name: str) -> Table:
    """Read a bundled table.

    Parameters
    ----------
    name : str
        A key of :data:`SAMPLES`.

    Returns
    -------
    Table
        The table, with its image grid where it has one.

    Raises
    ------
    TableError
        If there is no such sample, or its file is missing from this installation.

    Examples
    --------
    >>> table = load_sample("penguins")
    >>> table.frame.shape
    (344, 15)
    >>> load_sample("digits").grid.height
    8
    """
    sample = _sample(name)
    path = next((folder / sample.file for folder in _FOLDERS if (folder / sample.file).is_file()), None)
    if path is None:
        raise TableError(
            f"The bundled table {sample.file} is not part of this installation.",
            hint="Install from a wheel or work in a clone, or read a file of your own with read_table.",
        )
    table = read_table(path, name=sample.file, encoding="utf-8", delimiter=",", decimal=".", header=True)
    return dataclasses.replace(table, grid=sample.grid)


def sample_roles(name: str) -> Roles:
    """Column roles of a bundled table.

    Parameters
    ----------
    name : str
        A key of :data:`SAMPLES`.

    Raises
    ------
    TableError
        If there is no such sample.

    Examples
    --------
    >>> sample_roles("penguins").target
    'species'
    """
    sample = _sample(name)
    return Roles(sample.roles, number=sample.number)


def sample_split(name: str) -> SplitSettings:
    """Split of a bundled table: the latest rows are held out where it says when each was.

    Parameters
    ----------
    name : str
        A key of :data:`SAMPLES`.

    Raises
    ------
    TableError
        If there is no such sample.

    Examples
    --------
    >>> sample_split("cars").time, sample_split("penguins").by_time
    ('model year', False)
    """
    return SplitSettings(time=_sample(name).time)


def _sample(name: str) -> Sample:
    """Return the sample of that name, or refuse with the names there are."""
    try:
        return SAMPLES[name]
    except KeyError:
        raise TableError(
            f"There is no bundled table '{shown(name)}'.", hint=f"Choose one of: {', '.join(SAMPLES)}."
        ) from None
