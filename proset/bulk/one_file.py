"""Scores of a whole file, read, scored and written in pieces, so that its size does not matter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from proset.bulk.sinks import open_sink
from proset.common.errors import ProsetError
from proset.common.frames import free_names
from proset.data.chunks import read_chunks
from proset.data.reading.dialect import Dialect
from proset.explain.familiar.novel import Novelty, novelty
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

CELLS_AT_ONCE = 500_000
"""Cells of the input that are in memory at once; decides how many rows make a piece."""

_NOVELTY = {"nearest": "nearest_row", "nearest_all": "nearest_row_all"}
FEWEST_ROWS, MOST_ROWS = 500, 20_000


@dataclass(frozen=True)
class FileOptions:
    """Options for reading a file and writing its scores.

    Attributes
    ----------
    dialect : Dialect
        How the files are written that are read, as far as known.
    neutral : bool
        Whether text in a CSV that a spreadsheet would run as a formula is made harmless.
    novelty : bool
        Whether scores say how near the nearest known case is, too.
    """

    dialect: Dialect = field(default_factory=Dialect)
    neutral: bool = True
    novelty: bool = field(default=False, repr=False)  # folders of scores are known by what is written without it


AS_FOUND = FileOptions()
"""Nothing is said about the files."""


def score_file(
    study: AnyStudy,
    source: Path,
    output: str,
    options: FileOptions = AS_FOUND,
    *,
    protected: Sequence[Path] = (),
    on_rows: Callable[[int], None] | None = None,
) -> int:
    r"""Score every row of a file and write the result, completely or not at all.

    Parameters
    ----------
    source : Path
        CSV, TSV, Excel or Parquet file.
    output : str
        Path that ends in .csv, .csv.gz or .parquet, or "-" for CSV on stdout.
    options : FileOptions
        How to read and to write.
    protected : sequence of Path
        Files beside `source` that must not be written over.
    on_rows : callable or None
        Called with the number of rows of each piece when it is written.

    Returns
    -------
    int
        Rows written, at least 1.

    Raises
    ------
    ProsetError
        If the file cannot be read or does not fit the model, or the output has no known ending.

    Examples
    --------
    >>> import tempfile
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     new, scored = Path(folder) / "new.csv", Path(folder) / "scored.csv"
    ...     _ = new.write_text("sepal length (cm),sepal width (cm)\n5.1,3.6\n7.1,3.0\n")
    ...     rows = score_file(study, new, str(scored))
    ...     rows, pd.read_csv(scored)["class"].tolist()
    (2, ['setosa', 'virginica'])
    """
    size = min(MOST_ROWS, max(FEWEST_ROWS, CELLS_AT_ONCE // max(1, len(study.table.frame.columns))))
    written = 0
    with open_sink(output, neutral=options.neutral, inputs=(source, *protected)) as sink:
        for frame in read_chunks(source, options.dialect, chunk_rows=size, known=study.table.dialect):
            scores = output_rows(study, frame, near=novelty(study, frame) if options.novelty else None)
            sink.write(scores)
            written += len(scores)
            if on_rows is not None:
                on_rows(len(scores))
        if written == 0:
            raise ProsetError(f"'{source.name}' holds no row to score.", hint="It has a header only.")
    return written


def output_rows(study: AnyStudy, frame: pd.DataFrame, *, near: Novelty | None = None) -> pd.DataFrame:
    """Return the scores of some rows as they are written: row number and identifier in front.

    Parameters
    ----------
    frame : DataFrame
        New rows; the index holds row numbers.
    near : Novelty or None
        From :func:`proset.explain.novelty`, to add how near the nearest known case is: ``nearest_row`` (its row in the
        table of the model), ``similarity`` and ``novelty_quantile`` in the model's metric, the same three with ``_all``
        in the metric of all features.

    Returns
    -------
    DataFrame
        Columns ``row``, the identifier if the rows have it (with "(identifier)" behind its name if that is taken), and
        those of :meth:`proset.study.Study.score`, or :meth:`proset.study.NumberStudy.score`, with ``quantile`` called
        ``familiarity_quantile``.
    """
    scores = study.score(frame).rename(columns={"quantile": "familiarity_quantile"})
    if near is not None:
        columns = near.to_frame().rename(columns=_NOVELTY)
        for place, (name, values) in enumerate(columns.items(), start=scores.columns.get_loc("note")):  # type: ignore[arg-type]
            scores.insert(place, str(name), values.to_numpy())
    identifier = study.roles.identifier
    if identifier is not None and identifier in frame.columns:
        name = free_names([identifier], ["row", *scores.columns], word="identifier")[0]
        scores.insert(0, name, identifier_text(frame[identifier]))
    scores.insert(0, "row", scores.index)
    return scores
