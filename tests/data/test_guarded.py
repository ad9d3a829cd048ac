"""Reading in a process of its own: the same table, and an end in words whatever the file does to its reader."""

from __future__ import annotations

import errno
import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hostile import parquet_files, tables, workbooks
from variants import main_cases

from proset.common.errors import TableError
from proset.data import guarded, reading_process
from proset.data import table as table_module
from proset.data.guarded import Budget, read_exact_guarded, read_table_guarded
from proset.data.reading.dialect import Dialect
from proset.data.samples import load_sample
from proset.data.table import Limits, Table, read_table
from proset.data.table_files import NO_ROOM, OUTCOME, REQUEST, Request
from proset.data.turns import Turns

TESTS = Path(__file__).resolve().parents[1]


@pytest.fixture
def always_in_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proset.data.guarded._SMALL", 0)


def assert_same(one: Table, other: Table) -> None:
    pd.testing.assert_frame_equal(one.frame, other.frame)
    assert (one.name, one.dialect, one.issues, one.fingerprint) == (
        other.name, other.dialect, other.issues, other.fingerprint,
    )  # fmt: skip


def odd_csv() -> bytes:
    lines = [f"{i},{i / 8:g},{'yes' if i % 3 else ''},2024-03-{1 + i % 28:02d},w{i},{'uv'[i % 2]}" for i in range(50)]
    return ("n,x,flag,day,\u00df,y\n" + "\n".join([*lines, "1,2"])).encode("cp1252")


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (odd_csv(), {}),
        (odd_csv(), {"encoding": "latin-1", "delimiter": ",", "decimal": ".", "header": False}),
        (workbooks.workbook(workbooks.sound_rows(), title="[x] \u202e"), {"sheet": "[x] \u202e"}),
        (parquet_files.bad_text(), {}),
    ],
    ids=["csv", "csv as said", "excel", "parquet"],
)
def test_the_same_table_comes_back(data: bytes, options: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "in \u00fc.bin"
    path.write_bytes(data)
    here = read_table(path, **options)  # type: ignore[arg-type]
    assert_same(read_table_guarded(path, **options), here)  # type: ignore[arg-type]
    from_bytes = read_table_guarded(data, name=path.name, **options)  # type: ignore[arg-type]
    assert_same(from_bytes, here)


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize(
    "data", main_cases([b"a,b\n", b"\x89PNG" + bytes(99), workbooks.entity_bomb(), b"PAR1" + bytes(99)], every=2)
)
def test_the_same_refusal_comes_back(data: bytes) -> None:
    with pytest.raises(TableError) as here:
        read_table(data, name="bad")
    with pytest.raises(TableError) as there:
        read_table_guarded(data, name="bad")
    assert str(there.value) == str(here.value)
    assert (there.value.column, there.value.hint) == (here.value.column, here.value.hint)


def test_what_needs_no_process_has_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("subprocess.Popen", None)
    assert read_table_guarded(b"a,b\n1,x\n2,y\n").frame.shape == (2, 2)
    for source, said in ((b"", "is empty"), (tmp_path / "none.csv", "no file"), (b"x" * 99, "limit is 50 bytes")):
        with pytest.raises(TableError, match=said):
            read_table_guarded(source, limits=Limits(max_bytes=50))


FAULTS = {
    "memory": "needs more than 0.25 GiB",
    "processor": "more than 1 seconds of a processor",
    "sleep": "machine is busy",
    "full": "disk for temporary files is full",
    "killed": "needs more than",
    "aborted": "needs more than",
    "status": "ended early",
    "nothing": "ended early",
}


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_process_that_ends_badly_is_said_in_words(
    fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("proset.data.guarded._MODULE", "hostile.faulty_reader")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.setenv("FAULTY_READER", fault)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(TableError, match=FAULTS[fault]) as caught:
        read_table_guarded(odd_csv(), name="odd.csv", budget=Budget(memory=1 << 28, seconds=1.0, patience=1.0))
    assert "odd.csv" in str(caught.value)
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("always_in_a_process")
def test_the_clock_does_not_count_while_the_process_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine so busy that a thousand seconds pass between two looks: only the processor's time ends a reading."""
    clock = iter(range(0, 10**9, 1_000))
    monkeypatch.setattr("proset.data.guarded.time", SimpleNamespace(monotonic=lambda: next(clock), sleep=time.sleep))
    used = iter(range(1, 10**6))
    monkeypatch.setattr("proset.data.guarded._processor_time_of", lambda _: next(used) * 0.001)
    budget = Budget(seconds=10.0, patience=0.05)
    assert len(read_table_guarded(odd_csv(), budget=budget).frame) == 51
    monkeypatch.setattr("proset.data.guarded._processor_time_of", lambda _: 5.0)  # none of it comes on
    with pytest.raises(TableError, match=r"machine is busy.*Try again"):
        read_table_guarded(odd_csv(), budget=budget)


@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize(
    ("code", "said"), [(errno.ENOSPC, "disk for temporary files is full"), (errno.EACCES, "Denied")]
)
def test_no_place_for_a_copy_is_said_in_words(code: int, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(code, "Denied")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(TableError, match=said) as caught:
        read_table_guarded(odd_csv(), name="odd.csv")
    assert "odd.csv" in str(caught.value)
    assert "in a while" in str(caught.value.hint)


def test_rows_that_find_no_place_end_the_process_with_a_sign(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(odd_csv())
    request = Request(str(tmp_path / "t.csv"), "t", Dialect(), Limits(), 100.0)
    (tmp_path / REQUEST).write_text(json.dumps(asdict(request)))
    monkeypatch.setattr("proset.data.reading_process.limit_time", lambda _: None)
    monkeypatch.setattr("proset.data.table_files.ROWS", "/dev/full")
    assert reading_process.main(tmp_path) == NO_ROOM
    assert not (tmp_path / OUTCOME).exists()


def test_readers_have_a_number_and_wait_in_order() -> None:
    turns, came, told = Turns(2), [], []
    gates = [threading.Event() for _ in range(6)]
    entered = [threading.Event() for _ in gates]
    busiest = 0

    def read(at: int) -> None:
        nonlocal busiest
        with turns.one(lambda n_before: (told.append((at, n_before)), entered[at].set())):
            busiest = max(busiest, turns.n_busy)
            came.append(at)
            entered[at].set()
            gates[at].wait()

    threads = [threading.Thread(target=read, args=(at,)) for at in range(len(gates))]
    for thread, begun in zip(threads, entered, strict=True):
        thread.start()
        assert begun.wait(60)  # it has its turn, or stands in the line
    assert sorted(came) == [0, 1]
    assert told == [(2, 0), (3, 1), (4, 2), (5, 3)]
    for gate, thread in zip(gates, threads, strict=True):
        gate.set()
        thread.join(60)
    assert came == list(range(6))
    assert busiest == 2
    assert turns.n_busy == 0


@pytest.mark.exhaustive
@pytest.mark.usefixtures("always_in_a_process")
def test_a_refused_file_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    turns = Turns(1)
    monkeypatch.setattr("proset.data.guarded._TURNS", turns)
    for _ in range(3):
        with pytest.raises(TableError):
            read_table_guarded(b"\x89PNG" + bytes(99))
    assert turns.n_busy == 0
    with turns.one():
        waits: list[int] = []

        def refuse(n_before: int) -> None:
            waits.append(n_before)
            raise InterruptedError

        with pytest.raises(InterruptedError):  # who leaves the line holds nobody up
            read_table_guarded(odd_csv(), on_wait=refuse)
        assert waits == [0]
    assert len(read_table_guarded(odd_csv()).frame) == 51


def test_too_many_columns_are_refused_by_their_number(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("find_header", "find_decimal"):
        monkeypatch.setattr(f"proset.data.reading.sniff.{name}", None)
    line = ",".join(f"c{at}" for at in range(100_000))
    with pytest.raises(TableError, match="100,000 columns; the limit is 2,000"):
        read_table(f"{line}\n{line}\n".encode())


@pytest.mark.usefixtures("always_in_a_process")
def test_a_folder_of_tables_is_not_a_folder_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(9)")
    (tmp_path / "t.csv").write_bytes(odd_csv())
    monkeypatch.chdir(tmp_path)
    assert len(read_table_guarded("t.csv").frame) == 51


def test_the_reading_process_loads_no_engine() -> None:
    code = "import sys, proset.data.reading_process as p; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"sklearn", "numba", "scipy", "openpyxl", "plotly", "streamlit", "tensorflow"}


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
def test_openpyxl_and_the_stream_read_the_same(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    for row in [
        ["n", "when", "flag", "w"],
        *([i, pd.Timestamp(2020, 1, 1 + i % 28), i % 2 == 0, f"w {i}"] for i in range(99)),
    ]:
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    frame = read_table_guarded(tmp_path / "book.xlsx").frame
    expected = pd.read_excel(tmp_path / "book.xlsx", engine="openpyxl")
    assert frame["n"].tolist() == expected["n"].tolist()
    assert frame["when"].tolist() == expected["when"].tolist()
    assert frame["flag"].tolist() == expected["flag"].tolist()
    assert frame["w"].tolist() == expected["w"].tolist()


FULL_SIZE: dict[str, Callable[[], bytes]] = {
    "commas on one line": lambda: tables.commas(20_000_000),
    "commas on many lines": lambda: tables.commas(20_000_000, per_line=1_900),
    "commas in threes": lambda: tables.commas(20_000_000, per_line=3),
    "rows that are too long": lambda: tables.ragged(1_000_000, lengths=(5,)),
    "rows that are too short": lambda: tables.ragged(1_100_000, lengths=(1, 2, 3)),
    "rows of any length": lambda: tables.ragged(1_000_000),
    "gzip": lambda: tables.gzip_bomb(2_000_000_000),
    "cells": lambda: workbooks.many_cells(195_000_000),
    "rows": lambda: workbooks.many_rows(195_000_000),
    "rows with cells": lambda: workbooks.many_rows(195_000_000, unit="<row><c><v>1</v></c><c><v>2</v></c></row>"),
    "a text": lambda: workbooks.long_string(195_000_000),
    "depth": lambda: workbooks.deep_xml(5_000_000),
    "a zip of names": lambda: workbooks.many_members(50_000),
    "zeros": parquet_files.zeros,
    "a word": parquet_files.one_word,
    "words in many columns": lambda: parquet_files.one_word(1_000_000, 100, 40),
    "a dictionary": lambda: parquet_files.large_dictionary(10, 190_000_000),
    "lists": lambda: parquet_files.nested(1_000, 100_000),
}

#: Workbooks that a library reads, or whose process is ended by what it takes; whether they are read.
BY_THE_LIBRARY: dict[str, tuple[Callable[[], bytes], bool]] = {
    "shared strings": (lambda: workbooks.many_strings(195_000_000), True),
    "empty strings": (lambda: workbooks.many_strings(195_000_000, unit="<si/>"), True),
    "styles": (lambda: workbooks.many_styles(195_000_000), True),
    "number formats": (lambda: workbooks.many_number_formats(195_000_000), True),
    "one text in every cell": (workbooks.repeated_string, False),
}


# With time for any machine, because memory is what is asked about. In a program of its own: a process counts what the
# one that started it held at that moment as its own.
MEASURE = """
import json, resource, sys
from proset.common.errors import TableError
from proset.data.guarded import Budget, read_exact_guarded, read_table_guarded
said = None
try:
    read_table_guarded(sys.argv[1], budget=Budget(seconds=200.0, patience=600.0))
except TableError as error:
    said = str(error)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([said, used.ru_maxrss]))
"""


def measured(path: Path) -> tuple[str, int]:
    """What is said of a file, and the kilobytes that its reading took."""
    done = subprocess.run([sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True)
    said, kilobytes = json.loads(done.stdout)
    return said, kilobytes


@pytest.mark.exhaustive
@pytest.mark.parametrize("bomb", FULL_SIZE)
def test_refused_for_what_they_hold_within_a_gibibyte(bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(FULL_SIZE[bomb]())
    said, kilobytes = measured(path)
    assert said is not None
    assert "seconds" not in said  # that would be the last resort, the clock
    assert kilobytes < 1 << 20


@pytest.mark.exhaustive
@pytest.mark.parametrize("bomb", BY_THE_LIBRARY)
def test_read_within_the_budget_or_ended_soon_after_a_gibibyte(bomb: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    make, is_read = BY_THE_LIBRARY[bomb]
    path.write_bytes(make())
    said, kilobytes = measured(path)
    assert (said is None) == is_read
    assert is_read or "needs more than 1 GiB" in said
    assert kilobytes < 1.25 * (1 << 20)  # what is shared with other programs, and what grows between two looks


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize("sample", main_cases(["heart", "penguins", None], every=2))
def test_facts_about_columns_are_found_in_the_process(sample: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    data = odd_csv() if sample is None else load_sample(sample).frame.to_csv(index=False).encode()
    there = read_table(data, name="a.csv").profiles
    monkeypatch.setattr(table_module, "profile_column", lambda *_, **__: pytest.fail("found here"))
    here = read_table_guarded(data, name="a.csv").profiles
    assert list(here) == list(there)
    for name, profile in there.items():
        facts = {**vars(profile), "counts": None}
        np.testing.assert_equal({**vars(here[name]), "counts": None}, facts)
        if profile.counts is None:
            assert here[name].counts is None
        else:
            pd.testing.assert_series_equal(here[name].counts, profile.counts)


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "aside"), [(100, False), (1_990, True)])
def test_a_small_file_with_many_columns_is_read_aside(
    columns: int, aside: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    data = "\n".join(",".join(f"c{at}{row}" for at in range(columns)) for row in range(3)).encode()
    (tmp_path / "a.csv").write_bytes(data)
    begun, run = [], guarded._run
    monkeypatch.setattr(guarded, "_run", lambda *asked: begun.append(True) or run(*asked))
    for source in (data, tmp_path / "a.csv"):
        read_table_guarded(source, name="a.csv")
    assert len(begun) == 2 * aside


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize("kind", ["csv", "excel"])
def test_cells_come_back_exactly_as_they_stand(kind: str) -> None:
    """Nothing is taken for a number, a date or a missing value; lines of other lengths are kept."""
    if kind == "csv":
        data = '\ufeffrow;note\r\n007; 1.50 \r\n2024-01-05;"a;\nb";more\r\n\r\nNA\r\n'.encode()
        rows = [("007", " 1.50 ", ""), ("2024-01-05", "a;\nb", "more"), ("", "", ""), ("NA", "", "")]
    else:
        book, stream = openpyxl.Workbook(), io.BytesIO()
        for line in (["row", "note"], ["007", "NA"], [7, " 1.50"]):
            book.active.append(line)
        book.save(stream)
        data = stream.getvalue()
        rows = [("007", "NA"), ("7", " 1.50")]
    cells = read_exact_guarded(data, name="x")
    assert (cells.name, cells.names, list(cells.rows)) == ("x", ("row", "note"), rows)


@pytest.mark.slow
@pytest.mark.usefixtures("always_in_a_process")
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'row,note\n1,"never ends\n', "is damaged"),
        (b"PAR1" + bytes(99) + b"PAR1", "Parquet"),
        (workbooks.entity_bomb(), "damaged Excel file"),
    ],
    ids=["quote", "parquet", "bomb"],
)
def test_cells_that_cannot_be_read_are_refused_in_words(data: bytes, said: str) -> None:
    with pytest.raises(TableError, match=said):
        read_exact_guarded(data, name="x")
    with pytest.raises(TableError, match=r"more than .* seconds"):
        read_exact_guarded(workbooks.workbook(workbooks.sound_rows()), name="x", budget=Budget(seconds=-1.0))
