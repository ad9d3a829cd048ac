"""How a text is written is found from its beginning."""

import csv
import io
import random

import numpy as np
import pyarrow as pa
import pytest

from proset.common.errors import TableError
from proset.data.reading.encoding import find_encoding
from proset.data.reading.evidence import ColumnEvidence
from proset.data.reading.header import find_decimal, find_header
from proset.data.reading.sniff import DELIMITERS, sniff_layout
from proset.data.reading.utf8_stream import Utf8Stream
from proset.data.table import read_table


def written(rows, delimiter, quoting=csv.QUOTE_MINIMAL):
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter, quoting=quoting, lineterminator="\n").writerows(rows)
    return stream.getvalue()


def shop(seed, n=60):
    rng = random.Random(seed)
    kinds = ["bread, white", "milk; fresh", "tea | green", "salt"]
    return [
        ["name", "price", "kind", "sold on"],
        *(
            [f"item-{i}", f"{rng.uniform(1, 99):.2f}", rng.choice(kinds), f"2024-0{rng.randint(1, 9)}-11"]
            for i in range(n)
        ),
    ]


@pytest.mark.parametrize("delimiter", DELIMITERS)
@pytest.mark.parametrize("quoting", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
@pytest.mark.parametrize("header", [True, False])
def test_delimiter_and_header(delimiter, quoting, header):
    rows = shop(1) if header else shop(1)[1:]
    layout = sniff_layout(written(rows, delimiter, quoting))
    assert (layout.delimiter, layout.header, layout.decimal, layout.skip) == (delimiter, header, ".", 0)
    assert layout.width == 4
    assert list(layout.first) == rows[0]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["1.5", "2.25"], "."),
        (["1,5", "2,25"], ","),
        (["1,234.5", "2"], "."),
        (["1.234,5", "2"], ","),
        (["1 234,5", "2"], ","),
        (["1,234", "5,678"], "."),  # thousands: nothing proves a decimal comma
        (["1.234", "5.678"], "."),
        (["1.234.567", "999", "12.500", ""], ","),  # nothing but thousands has two groups
        (["1.234.567", "1.2.3"], "."),
        (["1.234.567", "12345"], "."),
        (["001.234.567", "101.234.567"], "."),
        (["1.234.567", "2.50"], "."),
        (["0,125", "0,250"], ","),  # no group of thousands begins with a zero
        (["1,5", "1.5", "2.5"], "."),
        (["abc", ""], "."),
        (["2024-01-02", "10:30"], "."),
    ],
)
def test_decimal(values, expected):
    assert find_decimal([[value] for value in values]) == expected


def test_groups_of_one_column_do_not_outvote_decimals_of_another():
    assert find_decimal([["102.345.678", "1.5"], ["402.345.678", ""], ["702.345.678", ""]]) == "."
    assert find_decimal([["1.234.567", "1.234"], ["402.345", "a"]]) == ","


@pytest.mark.parametrize(
    ("first", "body", "expected"),
    [
        (["age", "kind"], [["1", "a"], ["2", "b"]], True),
        (["1", "a"], [["2", "b"], ["3", "a"]], False),
        (["2001", "2002"], [["3.5", "4.5"], ["3.1", "4.2"]], False),
        (["name", "town"], [["Ann", "Rome"], ["Bob", "Oslo"]], True),
        (["Ann", "Rome"], [["Bob", "Oslo"], ["Cid", "Rome"], ["Dan", "Oslo"]], False),
        (["a", "b"], [], True),
        (["1", "b"], [], False),
        (["a", "b"], [["", ""], ["", ""]], True),
        (["0", "1", "2", "kind"], [["3.5", "4.5", "1", "ab"[row % 2]] for row in range(6)], True),  # by a program
        (["", "0", "1", "2", "kind"], [[str(row), "3.5", "4.5", "1", "ab"[row % 2]] for row in range(6)], True),
        (["0", "1", "2", "3", "4"], [["3.5", "4.5", "1", "2", "0.5"]] * 6, True),
        (["1", "2", "3", "a"], [["3", "4", "1", "ab"[row % 2]] for row in range(6)], False),  # 'a' comes back
        (["1", "2", "3", "4", "5"], [["2", "1", "3", "4", "5"], ["1", "2", "3", "4", "5"]], False),  # ranks
        (["0", "1", "2.5", "kind"], [["3.5", "4.5", "1", "ab"[row % 2]] for row in range(6)], False),
        (["1", "2"], [["3.5", "4.5"], ["3.1", "4.2"]], False),
    ],
)
def test_header(first, body, expected):
    assert find_header(first, body) is expected


def test_incomplete_last_line_is_not_trusted():
    text = "a,b,c\n1,2,3\n4,5,6\n7,"
    assert sniff_layout(text, complete=False).width == 3


def test_time_does_not_grow_with_odd_text():
    odd = "x;y\n" + "\n".join("'~^#" * 200 + ";" + "|:" * 300 for _ in range(400))
    assert sniff_layout(odd).delimiter == ";"


@pytest.mark.parametrize("above", ["", "Trial 7,,,\n", '"Trial\n7",,,\n'])
def test_names_in_two_lines_are_joined(above):
    body = "".join(f"p{at},{at}.5,{at},{'ab'[at % 2]}\n" for at in range(8))
    layout = sniff_layout(f"{above}Plant,Leaf,,Variety\n,length,width,\n{body}")
    assert layout.header
    assert layout.first == ("Plant", "Leaf length", "Leaf width", "Variety")
    assert [issue.code for issue in layout.issues] == ["preamble"] * bool(above) + ["two_lines"]
    assert f"{above}Plant,Leaf,,Variety\n,length,width,\n{body}"[layout.skip :].startswith(",length")


@pytest.mark.parametrize(
    ("units", "names"),
    [
        ("(cm),(1/min),[°C],", ("Height (cm)", "Pulse (1/min)", "Heat [°C]", "Kind")),
        ("cm,beats,-,", ("Height (cm)", "Pulse (beats)", "Heat", "Kind")),
        (",bpm,°C,[class]", ("Height", "Pulse (bpm)", "Heat (°C)", "Kind [class]")),
    ],
)
def test_units_below_the_names_are_no_case(units, names):
    body = "".join(f"{150 + at},{60 + at},36.{at},{'ab'[at % 2]}\n" for at in range(8))
    table = read_table(f"Height,Pulse,Heat,Kind\n{units}\n{body}".encode())
    assert tuple(table.frame) == names
    assert table.frame.iloc[:, 0].tolist() == [*range(150, 158)]
    assert [issue.code for issue in table.issues] == ["two_lines"]


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\nk.A.,k.A.,u\n1,2,v\n3,4,u\n",  # nothing is known of the first row
        "a,b,c\nunknown,not asked,u\n1,2,v\n3,4,u\n",
        "a,b,c\ncm,2,u\n1,2,v\n3,4,u\n",
        "a,b,c\nm,kg,u\n1,2,v\n3,4,u\n",  # a category beside them: no line of units
        "a,b,c\n(x),(y),(u)\nm,f,(v)\nm,m,(u)\n",
        "a,,c\nx,1,u\ny,2,v\nz,3,u\n",  # a column without a name
        "a,,c\n,,\ny,2,v\nz,3,u\n",
        "a,,c\nx,?,u\ny,2,v\nz,3,u\n",  # the first value is missing
        "a,b,c\n,k.A.,\ny,2,v\nz,3,u\n",
        "Title,,\na,b,c\nx,1,u\ny,2,v\n",
        ",a,b\nr1,x,\nr2,3,4\nr3,5,6\n",
        "a,b\nx,1,2\ny,2,3\n",  # row names
    ],
)
def test_a_row_is_no_second_line_of_names(text):
    assert "two_lines" not in {issue.code for issue in sniff_layout(text).issues}


def test_preamble_is_counted_in_characters():
    text = "A report\nof two lines\n\na,b,c\n1,2,3\n4,5,6\n7,8,9\n"
    layout = sniff_layout(text)
    assert text[layout.skip :].startswith("a,b,c")
    assert layout.issues[0].message == "2 lines above the table were skipped, the first is 'A report'."


@pytest.mark.parametrize("word", ["Größe", "Muñoz", "Élise", "“quoted”", "5 €", "Søren"])
@pytest.mark.parametrize("count", [1, 5, 60])
@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_western_words_are_never_taken_for_others(word, count, encoding):
    lines = ["id,place", *(f"{i},{word if i < count else 'plain'}" for i in range(200))]
    content = "\n".join(lines).encode(encoding)
    assert find_encoding([content]).encoding == encoding


@pytest.mark.parametrize(
    ("words", "encoding"),
    [
        ("Москва Иванов Петров Россия дом человек", "cp1251"),
        ("Łódź Gdańsk Wałęsa źdźbło święto Kraków", "cp1250"),
        ("東京 大阪 山田太郎 鈴木 データ 横浜", "shift_jis"),
    ],
)
def test_other_scripts_read_as_written(words, encoding):
    content = "\n".join(f"{i},{word}" for i, word in enumerate(words.split() * 20)).encode(encoding)
    assert content.decode(find_encoding([content]).encoding) == content.decode(encoding)


def test_bytes_that_cp1252_lacks_are_latin_1():
    assert find_encoding([b"a,b\n1,\x81\n"]).encoding == "latin-1"


def test_character_cut_by_a_block_is_still_utf_8():
    content = "a,b\n1,é\n".encode()
    cut = content.index("é".encode()) + 1
    assert find_encoding([content[:cut], content[cut:]]).encoding == "utf-8"
    assert find_encoding([content[:cut]]).encoding == "cp1252"


def test_binary_is_refused_wherever_it_begins():
    with pytest.raises(TableError, match="'x' is a binary file"):
        find_encoding([b"a,b\n1,2\n" * 1000, b"\0\0\0"], name="x")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_stream_gives_utf_8_in_pieces_of_any_size(encoding, size):
    text = "Größe,b\n" * 50
    stream = Utf8Stream(io.BytesIO(text.encode(encoding)), encoding, name="x", skip=3)
    pieces = []
    while piece := stream.read(size):
        assert len(piece) <= size
        pieces.append(piece)
    assert b"".join(pieces).decode() == text[3:]
    assert stream.tail.endswith(b"e,b")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("0.125", "point"),
        ("1.25", "point"),
        ("1.2345", "point"),
        ("1234.567", "point"),
        ("1.", "point"),
        (".5", "point"),
        ("-1.234e5", "point"),
        ("1.234", "point3"),
        ("-12.345", "point3"),
        ("1.234.567", "groups_comma"),
        ("1,234", "comma3"),
        ("0,234", "comma"),
        ("1,234,567.5", "groups_point"),
        ("1e308", "exponent"),
        ("1e309", "infinite"),
        ("-2.5E+999", "infinite"),
        ("007", "code"),
        ("1 101", "spaced"),
        ("001 101", "grouped_code"),
        ("0'101'101", "grouped_code"),
        ("01\u00a0101", "grouped_code"),
        ("001.234.567", "grouped_code"),
        ("001,234,567", "grouped_code"),
        ("0.123", "point"),
        ("01 101,5", "text"),
        ("0", "integer"),
        ("-5", "integer"),
        ("1.2.3", "text"),
        ("\u00a0", "blank"),
        ("12:30", "text"),
    ],
)
def test_shape_of_a_value(text, shape):
    evidence = ColumnEvidence()
    evidence.add(pa.array([text]), np.array([1]))
    assert dict(evidence.shapes) == {shape: 1}
