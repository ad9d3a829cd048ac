"""Checks of a frame that a design is to read: its columns are there, each of them once, and its rows are numbered."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import DesignError
from proset.common.words import shown

_MOST_NAMED = 10


def _alike(absent: Sequence[str], there: Sequence[str]) -> str:
    """Name columns of the data that may be those that it lacks, under another name."""
    bare = {_bare(name): name for name in reversed(there)}
    pairs = []
    for name in absent[:_MOST_NAMED]:
        near = get_close_matches(_bare(name), bare, n=1, cutoff=0.75)
        pairs += [f"'{shown(bare[near[0]])}' may be '{shown(name)}'"] if near else []
    return f"{', '.join(pairs)}: rename {'it' if len(pairs) == 1 else 'them'}. " if pairs else ""


def _bare(name: str) -> str:
    """Return the letters and digits of a name, in lower case."""
    return "".join(filter(str.isalnum, name.casefold()))


def _way_out(n_absent: int, n_needed: int) -> str:
    """Say what to do about columns that are not there."""
    if n_absent == n_needed:
        return "Check that it is the right file, or fit a model without them."
    them, names = ("it", "name") if n_absent == 1 else ("them", "names")
    return f"Add {them} with the same {names} (empty cells are filled in), or fit a model without {them}."


def require_columns(frame: pd.DataFrame, names: Sequence[str]) -> None:
    """Refuse data that lacks a column or has it twice, naming all of them."""
    absent = [name for name in names if name not in frame.columns]
    if absent:
        some = f"{len(absent)} of the {len(names):,} columns" if len(names) > 1 else "the only column"
        raise DesignError(
            f"The data lacks {some} that the model needs: {_named(absent)}.",
            column=absent[0],
            hint=f"{_alike(absent, list(map(str, frame.columns)))}{_way_out(len(absent), len(names))}",
        )
    if not frame.columns.is_unique:
        twice = [name for name in dict.fromkeys(frame.columns[frame.columns.duplicated()]) if name in set(names)]
        if twice:
            raise DesignError(
                f"The data has several columns of the same name: {_named(twice)}.",
                column=twice[0],
                hint="Rename or remove all but one of them.",
            )


def _named(names: Sequence[str]) -> str:
    """Quote names, the first ten of them."""
    more = f" and {len(names) - _MOST_NAMED:,} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(f"'{shown(name)}'" for name in names[:_MOST_NAMED]) + more


def row_ids(frame: pd.DataFrame) -> NDArray[np.int64]:
    """Return the index as row ids."""
    if not pd.api.types.is_integer_dtype(frame.index.dtype):
        raise DesignError(
            "The rows are not numbered: their index holds something else than whole numbers.",
            hint="Call reset_index() on the frame first.",
        )
    return frame.index.to_numpy(dtype=np.int64)
