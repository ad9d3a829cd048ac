"""Sinks for scored rows, chunk by chunk: CSV, compressed CSV, Parquet or stdout; complete or not at all."""

from __future__ import annotations

import gzip
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, TextIO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from proset.common.cells import write_csv
from proset.common.errors import ProsetError
from proset.common.files import is_stream, refuse_overwriting, replacing

ENDINGS = (".parquet", ".csv", ".csv.gz")
"""Of files that scores can be written to."""


class Sink(Protocol):
    """Target of scores, which come as frames one after the other."""

    def write(self, frame: pd.DataFrame) -> None:
        """Take one frame; all of them have the same columns."""
        ...


class CsvSink:
    """Write frames as one CSV table.

    Parameters
    ----------
    stream : text stream
        Where to write.
    neutral : bool
        Whether to put an apostrophe before text that a spreadsheet would run as a formula.
    """

    def __init__(self, stream: TextIO, *, neutral: bool) -> None:
        self._stream = stream
        self._neutral = neutral
        self._header = True

    def write(self, frame: pd.DataFrame) -> None:
        """Append the rows of a frame, the header before the first."""
        write_csv(frame, self._stream, header=self._header, neutral=self._neutral)
        self._header = False


class ParquetSink:
    """Write frames as the row groups of one Parquet file; the first frame sets the types."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: pq.ParquetWriter | None = None

    def write(self, frame: pd.DataFrame) -> None:
        """Append the rows of a frame."""
        texts = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name].dtype)]
        table = pa.Table.from_pandas(frame.astype(dict.fromkeys(texts, "str")), preserve_index=False)
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table.cast(self._writer.schema))

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def open_sink(output: str, *, neutral: bool, inputs: Sequence[Path] = ()) -> Iterator[Sink]:
    """Yield where to write; the file appears when everything is written, and not before.

    Parameters
    ----------
    output : str
        Path that ends in .csv, .csv.gz or .parquet, "-" for CSV on stdout, or a device or pipe, which gets CSV.
    neutral : bool
        Whether text in a CSV that looks like a formula is made harmless.
    inputs : sequence of Path
        Files that are being read; writing over one of them is refused.

    Yields
    ------
    Sink

    Raises
    ------
    ProsetError
        If the ending is another one, or the output is one of the inputs.
    """
    if output == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8")
        yield CsvSink(sys.stdout, neutral=neutral)
        return
    path, name = Path(output), output.lower()
    refuse_overwriting(path, inputs)
    if not name.endswith(ENDINGS) and not is_stream(path):
        raise ProsetError(f"'{output}' has no known ending.", hint="Use .csv, .csv.gz or .parquet, or '-' for stdout.")
    with ExitStack() as stack:
        draft = stack.enter_context(replacing(path))
        if name.endswith(".parquet"):
            sink = ParquetSink(draft)
            stack.callback(sink.close)
            yield sink
        elif name.endswith(".gz"):
            packed = stack.enter_context(
                gzip.GzipFile(filename="", mode="wb", fileobj=stack.enter_context(draft.open("wb")), mtime=0)
            )
            yield CsvSink(stack.enter_context(io.TextIOWrapper(packed, encoding="utf-8", newline="")), neutral=neutral)
        else:
            yield CsvSink(stack.enter_context(draft.open("w", encoding="utf-8", newline="")), neutral=neutral)
