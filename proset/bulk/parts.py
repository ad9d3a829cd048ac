"""The files of a partitioned table, and the files their scores go to."""

from __future__ import annotations

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from proset.bulk.sinks import ENDINGS
from proset.common.errors import ProsetError

_TABLE_ENDING = re.compile(r"\.(?:csv|tsv|txt|parquet|pq|xlsx|xls|ods)(?:\.gz)?$|\.gz$", re.IGNORECASE)


@dataclass(frozen=True)
class FilePart:
    """One file of a partitioned table.

    Attributes
    ----------
    name : str
        The path below the folder that all parts share, with forward slashes.
    source, output : Path
        Absolute paths of the file and of its scores.
    """

    name: str
    source: Path
    output: Path


def is_partitioned(source: str | Path) -> bool:
    """Return whether a source stands for several files: a folder, or a pattern that is not itself a file.

    Examples
    --------
    >>> is_partitioned("data/*.csv"), is_partitioned("data.csv"), is_partitioned(".")
    (True, False, True)
    """
    path = Path(source)
    return path.is_dir() or (glob.has_magic(str(source)) and not path.is_file())


def find_parts(source: str | Path, output: str | Path, *, ending: str = ".parquet") -> tuple[FilePart, ...]:
    """Find the files of a partitioned table and decide where their scores go.

    Parameters
    ----------
    source : str or Path
        A file, a folder (with all its folders), or a pattern such as ``data/*.parquet``; ``**`` stands for any folders.
        Names that begin with ``_`` or ``.`` are left out, as other programs do.
    output : str or Path
        The folder for the scores. They keep the folders and names of the parts, except for the ending.
    ending : str
        One of ``.parquet``, ``.csv``, ``.csv.gz``.

    Returns
    -------
    tuple of FilePart
        At least one, in the order of their names.

    Raises
    ------
    ProsetError
        If there is no such file, two parts would get one output, or the output folder holds parts.

    Examples
    --------
    >>> find_parts("no such folder/*.csv", "out")
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: No file matches 'no such folder/*.csv'. Check the path and the spelling.
    """
    if ending not in ENDINGS:
        raise ProsetError(f"Parts cannot be written as '{ending}'.", hint=f"Use one of {', '.join(ENDINGS)}.")
    target = Path(output).resolve()
    if (target.exists() and not target.is_dir()) or target.name.endswith(ENDINGS):
        raise ProsetError(f"'{output}' names a file.", hint="The scores of parts go to a folder: name one.")
    base, files = _files_of(Path(source))
    if not files:
        raise ProsetError(f"No file matches '{source}'.", hint="Check the path and the spelling.")
    names = sorted((file.relative_to(base).as_posix(), file) for file in files)
    parts = tuple(FilePart(name, file, target / (_TABLE_ENDING.sub("", name) + ending)) for name, file in names)
    _check_outputs(parts, target)
    return parts


def _files_of(path: Path) -> tuple[Path, list[Path]]:
    """Return the folder that all parts share, and the files."""
    if path.is_file():
        return path.resolve().parent, [path.resolve()]
    if path.is_dir():
        base, pattern = path.resolve(), "**/*"
    else:
        plain = tuple(takewhile(lambda step: not glob.has_magic(step), path.parts))
        base, pattern = Path(*plain).resolve(), str(Path(*path.parts[len(plain) :]))
    found = (Path(name) for name in glob.iglob(pattern, root_dir=base, recursive=True))
    hidden = re.compile(r"(?:^|/)[_.]")
    return base, [base / name for name in found if not hidden.search(name.as_posix()) and (base / name).is_file()]


def _check_outputs(parts: Iterable[FilePart], target: Path) -> None:
    """Refuse outputs that would meet, and parts that lie where the outputs go."""
    taken: dict[Path, str] = {}
    for part in parts:
        if part.source.is_relative_to(target):
            raise ProsetError(
                f"'{part.source}' lies in the output folder '{target}'.", hint="Choose an output folder of its own."
            )
        if part.output in taken:
            raise ProsetError(
                f"'{taken[part.output]}' and '{part.name}' would both be scored to '{part.output.name}'.",
                hint="Score them separately.",
            )
        taken[part.output] = part.name
