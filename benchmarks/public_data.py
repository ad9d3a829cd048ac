"""Public tables that some benchmarks measure: where they are looked for, and what to do where they are not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VARIABLE = "PROSET_BENCHMARK_DATA"
PLACES = (ROOT / "benchmarks" / "data", ROOT.parent / "shared" / "data")


def data_folder() -> Path:
    """Return the folder with the tables: the one that the variable names, else the first usual one that is there."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else next((place for place in PLACES if place.is_dir()), PLACES[0])


def how_to_get(files: Sequence[str], folder: Path, source: str) -> str:
    """Say which files are missing, where they come from and where they go.

    Parameters
    ----------
    files : sequence of str
        Their names.
    folder : Path
        Where they were looked for.
    source : str
        The public collection that has them, and the form that is read.

    Examples
    --------
    >>> print(how_to_get(["wine.csv.gz"], Path("data"), "UCI Machine Learning Repository"))
    Not in data: wine.csv.gz.
    Source: UCI Machine Learning Repository; nothing here fetches it.
    Put the files there, or name another folder: PROSET_BENCHMARK_DATA=FOLDER.
    """
    return (
        f"Not in {folder}: {', '.join(files)}.\nSource: {source}; nothing here fetches it.\n"
        f"Put the files there, or name another folder: {VARIABLE}=FOLDER."
    )


TABLES = "UCI Machine Learning Repository or OpenML, as gzip CSV with one header row and the class in a column 'target'"
USPS = "the zip code digits (USPS) of 'The Elements of Statistical Learning', columns p000 to p255 and 'target'"
