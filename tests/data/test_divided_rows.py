"""Single lines of a file that are divided at another mark than the rest: read, counted, named."""

import pytest

from proset.data.table import read_table

HEAD = "name,size,kind,age\n"


def rows(n, mark=","):
    return [mark.join([f"r{i}", f"{i}.5", "big" if i % 2 else "small", str(20 + i)]) for i in range(n)]


def read(lines, head=HEAD):
    return read_table((head + "\n".join(lines) + "\n").encode(), name="mixed.csv")


def issue(table, code):
    return next((one for one in table.issues if one.code == code), None)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_lines_at_another_mark_are_read_as_the_others(mark):
    lines = rows(30)
    for place in (3, 7):
        lines[place] = lines[place].replace(",", mark)
    table = read(lines)
    assert table.frame.equals(read(rows(30)).frame)
    found = issue(table, "divided_rows")
    assert found.message.startswith(f"2 rows have '{mark}' between fields where the others have another mark")
    assert "rows 4, 8" in found.message
    assert issue(table, "short_rows") is None


def test_a_line_that_fits_at_no_mark_is_short_as_before():
    lines = rows(30)
    lines[3], lines[5] = "r3;3.5;small", '"r5;5.5";big;25'
    table = read(lines)
    assert issue(table, "divided_rows") is None
    assert issue(table, "short_rows").message.startswith("2 rows have fewer than 4 fields")


def test_of_two_columns_a_mark_may_be_part_of_a_text():
    table = read(["a,1", "b;2", "c,3", "d,4"] * 5, head="word,count\n")
    assert issue(table, "divided_rows") is None


def test_a_header_at_another_mark_is_named_with_the_way_out():
    table = read(rows(30), head=HEAD.replace(",", ";"))
    said = issue(table, "preamble")
    assert said.severity == "warning"
    assert "as many parts between ';' as the table has columns" in said.message
    plain = read(rows(30), head="Report of the year; by whom\n" + HEAD)
    assert issue(plain, "preamble").severity == "info"
    assert plain.frame.columns.tolist() == ["name", "size", "kind", "age"]
