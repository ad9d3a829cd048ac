"""A file read in chunks is the file read at once."""

import gzip
import io

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.reading.dialect import Dialect
from proset.data.table import read_table

N = 600


def mixed_frame():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=N).round(4),
            "late gap": np.arange(N, dtype=float),
            "late text": [str(i) for i in range(N)],
            "late comma": [f"{i}" for i in range(N)],
            "kind": rng.choice(["a", "b, c", "d"], N),
            "day": ["01/02/2020"] * N,
            "flag": rng.choice(["true", "false"], N),
        }
    )
    frame.loc[N - 1, "late gap"] = np.nan
    frame.loc[N - 1, "late text"] = "many"
    frame.loc[N - 1, "late comma"] = "2,5"
    frame.loc[N - 1, "day"] = "12/31/2020"  # only the last row shows that the month comes first
    return frame


def as_excel(frame):
    book = openpyxl.Workbook()
    book.active.append(list(frame.columns))
    for row in frame.astype(object).where(frame.notna(), None).itertuples(index=False):
        book.active.append(list(row))
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def as_parquet(frame):
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), stream, row_group_size=300)
    return stream.getvalue()


FILES = {
    "csv": lambda frame: frame.to_csv(index=False).encode(),
    "utf-16": lambda frame: frame.to_csv(index=False, sep=";").encode("utf-16"),
    "gzip": lambda frame: gzip.compress(frame.to_csv(index=False).encode()),
    "excel": as_excel,
    "parquet": as_parquet,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
@pytest.mark.parametrize("chunk_rows", [64, 5_000])
def test_chunks_put_together_are_the_table(kind, chunk_rows, tmp_path, monkeypatch):
    monkeypatch.setattr("proset.data.reading.text_rows._BLOCK_SIZE", 8_192)
    monkeypatch.setattr("proset.data.reading.parquet._BATCH_ROWS", 128)
    path = tmp_path / "data"
    path.write_bytes(FILES[kind](mixed_frame()))
    chunks = list(read_chunks(path, chunk_rows=chunk_rows))
    assert [len(chunk) for chunk in chunks[:-1]] == [chunk_rows] * (
        N // chunk_rows if N % chunk_rows else len(chunks) - 1
    )
    whole = read_table(path).frame
    assert all(chunk.dtypes.equals(whole.dtypes) for chunk in chunks)
    pd.testing.assert_frame_equal(pd.concat(chunks), whole)
    assert whole.index.tolist() == list(range(1, N + 1))
    assert whole["late text"].iloc[-1] == "many"


def test_the_last_row_decides_for_all():
    frame = next(read_chunks(FILES["csv"](mixed_frame()), chunk_rows=10))
    assert frame["day"].tolist() == [pd.Timestamp("2020-01-02")] * 10
    assert frame["late text"].tolist() == [str(i) for i in range(10)]
    assert frame["late comma"].dtype == np.float64
    assert frame["late gap"].dtype == np.float64


def test_dialect_is_used():
    content = "1;2,5\n3;4,5\n".encode("utf-16-le")
    dialect = Dialect(encoding="utf-16-le", delimiter=";", decimal=",", header=False)
    frame = next(read_chunks(content, dialect))
    assert frame["column 2"].tolist() == [2.5, 4.5]


def test_dialect_of_a_table_fits_the_next_file():
    dialect = read_table(b"a;b\n1,5;x\n2,5;y\n").dialect
    assert next(read_chunks(b"a;b\n1,234;x\n", dialect))["a"].tolist() == [1.234]


def test_errors_come_before_the_first_chunk():
    content = b"a,b\n" + b"1,x\n" * 5_000 + b'2,"y\n'
    with pytest.raises(TableError, match="does not end"):
        next(read_chunks(content + b"3,z\n" * 3, chunk_rows=10))
    with pytest.raises(TableError, match="no file"):
        next(read_chunks("nowhere.csv"))
    with pytest.raises(ValueError, match="chunk_rows"):
        next(read_chunks(b"a,b\n1,2\n", chunk_rows=0))


def test_memory_is_bounded_by_the_chunk(tmp_path, monkeypatch):
    """Arrow's own count of the bytes in use, while going through a file many times its size."""
    monkeypatch.setattr("proset.data.reading.text_rows._BLOCK_SIZE", 100_000)
    path = tmp_path / "long.csv"
    path.write_bytes(b"a,b,c\n" + b"1.25,some words here,2020-01-02\n" * 150_000)
    before, most, n_rows = pa.total_allocated_bytes(), 0, 0
    for chunk in read_chunks(path, chunk_rows=2_000):
        n_rows += len(chunk)
        most = max(most, pa.total_allocated_bytes() - before)
    assert n_rows == 150_000
    assert most < path.stat().st_size / 2
