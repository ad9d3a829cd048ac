"""Lines below a table: found where they are plain, kept where they may be cases, left out where a person says so."""

from __future__ import annotations

import pytest

from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.reading.dialect import Dialect
from proset.data.table import Table, read_table

ROWS = "".join(f"{name},{i * 7 % 40}.5,{'yes' if i % 3 else 'no'}\n" for i, name in enumerate("abcdefghijklmnopqrst"))
HEAD = "shop,sales,again\n"


def read(below: str, **options: int) -> Table:
    return read_table((HEAD + ROWS + below).encode(), name="shops.csv", **options)


def said(table: Table) -> list[str]:
    return [issue.message for issue in table.issues if issue.code == "footer"]


@pytest.mark.parametrize(
    ("below", "count"),
    [
        ("Total,410.0,\n", 1),
        ("Summe;".replace(";", ",") + "410.0,\n", 1),
        ("Grand total:,410.0,\n", 1),
        ("Mean,20.5,\nMax,39.5,\n", 2),
        ("Source: chamber of trade\n", 1),
        ("Quelle: Handelskammer,,\n", 1),
        ('"* as of March, not checked",,\n', 1),
        (",,\nTotal,410.0,\nSource: chamber of trade,,\n", 3),
    ],
)
def test_sums_and_remarks_are_left_out_and_named(below, count):
    table = read(below)
    assert len(table.frame) == 20
    assert table.dialect.footer == count
    assert table.frame["sales"].dtype == "float64"
    assert table.frame["again"].notna().all()
    (message,) = said(table)
    assert f"'{below.strip(',').splitlines()[-1].split(',')[0].split(chr(34))[-1][:6]}" in message
    assert not [issue for issue in table.issues if issue.code == "short_rows"]


@pytest.mark.parametrize(
    "below",
    [
        "u,1.5,\n",  # a case without a class
        "Total,1.5,yes\n",  # a shop of that name
        "Total,1.5,\nv,2.5,no\n",  # not at the end
        "Total,1.5,\nTotal,2.5,\n",  # a name that comes back
        "Totalitaria,1.5,\n",
        "Sourcery,1.5,\n",
        "Source,1.5,\n",  # a remark holds no numbers
        ",,\n",
    ],
)
def test_what_may_be_a_case_stays(below):
    table = read(below)
    assert table.dialect.footer is None
    assert said(table) == []
    assert len(table.frame) == 20 + below.count("\n")


def read_full(last: str, n_rows: int = 20, **options: int) -> Table:
    rows = "".join(f"s{i},{i * 7 % 40}.5,{i % 4 + 1}\n" for i in range(n_rows))
    return read_table(("shop,sales,staff\n" + rows + last).encode(), name="shops.csv", **options)


@pytest.mark.parametrize(
    ("last", "n_rows"),
    [
        ("Total,380.0,50\n", 20),
        ("Total,380,0\n", 20),  # one of its numbers is enough
        ("Summe:,380.0,50\n", 20),
        ("Mean,19.0,2.5\n", 20),
        ("Average,19.05,9\n", 20),  # rounded
        ("Total,18980.0,3\n", 950),
        ("Total,380.0,50\nSource: chamber of trade\n", 20),
    ],
)
def test_a_last_row_that_is_full_is_a_sum_if_it_adds_up(last, n_rows):
    table = read_full(last, n_rows)
    assert len(table.frame) == n_rows
    assert table.dialect.footer == last.count("\n")
    (message,) = said(table)
    assert f"row {n_rows + 1} ('{last.split(',')[0]}')" in message
    assert len(read_full(last, n_rows, footer=0).frame) > n_rows


def test_dates_stay_dates_above_a_full_sum():
    rows = "".join(f"2024-01-{day:02d},{day}\n" for day in range(1, 21))
    table = read_table(f"day,sales\n{rows}Total,210\n".encode())
    assert table.frame["day"].dtype == "datetime64[us]"
    assert [issue.code for issue in table.issues] == ["footer"]


@pytest.mark.parametrize(
    "last", ["Total,99.5,3\n", "Mean,380.0,50\n", "Max,39.5,4\n", "Total,0,0\n", "Total,1,50\nv,2,1\n"]
)
def test_a_last_row_that_may_be_a_sum_is_named(last):
    table = read_full(last)
    found = [issue for issue in table.issues if issue.code == "maybe_footer"]
    assert said(table) == []
    assert table.dialect.footer is None
    assert len(table.frame) == 20 + last.count("\n")
    assert len(found) == (last.count("\n") == 1)
    for issue in found:
        assert f"Row 21 ('{last.split(',')[0]}')" in issue.message
        assert "with 1 line below the table" in issue.message
    assert not [issue for issue in read_full(last, footer=0).issues if issue.code == "maybe_footer"]


@pytest.mark.parametrize("first", ["Max,1.5,2\n", "s,1.5,2\n"])
def test_a_word_that_other_rows_begin_with_is_a_name(first):
    rows = "".join(f"s{i},1.5,2\n" for i in range(90))
    table = read_table(f"shop,sales,staff\n{first}{rows}Max,1.5,2\n".encode())
    assert [issue.code for issue in table.issues] == ([] if first.startswith("Max") else ["maybe_footer"])


def test_a_few_rows_are_no_table_to_cut():
    assert len(read_table(b"a,b,c\nx,1,u\ny,2,v\nTotal,3,\n", name="tiny.csv").frame) == 3


def test_a_person_has_the_last_word():
    below = "Total,410.0,\nSource: chamber of trade\n"
    kept = read(below, footer=0)
    assert (len(kept.frame), kept.dialect.footer, said(kept)) == (22, 0, [])
    fewer = read(below, footer=5)
    assert fewer.frame.index[-1] == 17
    assert said(fewer) == []


def test_a_short_row_above_is_still_told_of():
    table = read("x,1.5\nSource: chamber of trade\n")
    assert [issue.message for issue in table.issues if issue.code == "short_rows"] == [
        "1 row has fewer than 3 fields and was filled up with missing values: row 21."
    ]


@pytest.mark.parametrize("footer", [-1, 21, 20])
def test_nothing_or_too_much_is_refused(footer):
    with pytest.raises(TableError, match=r"below the table|at its end") as refused:
        read("", footer=footer)
    assert refused.value.option == "footer"


def test_pieces_are_the_table():
    data = (HEAD + ROWS * 600 + "Total,410.0,\nSource: chamber of trade\n").encode()
    whole = read_table(data, name="many.csv")
    assert len(whole.frame) == 12_000
    pieces = list(read_chunks(data, chunk_rows=700))
    assert sum(map(len, pieces)) == 12_000
    assert sum(map(len, read_chunks(data, chunk_rows=700, dialect=Dialect(footer=0)))) == 12_002
