"""Makers of hostile tables: each returns the bytes of a file that is small or odd, and costly or damaged.

They are functions, not files, so that a test can ask for more of a kind or for a larger one. Sizes are arguments: the
tests that always run ask for small ones and lower the limits, those behind the marker ``exhaustive`` ask for the size
that once took the app along.
"""

from __future__ import annotations

import gzip
import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_BLOCK = 1 << 20

Part = str | bytes | Iterable[bytes]


# Delimited text


def wide_text(n_columns: int = 2_000, n_rows: int = 60, *, kind: str = "mixed", seed: int = 0) -> bytes:
    """A sound table of many columns and a target with two classes; `kind` is a key of :data:`WIDE` or "mixed"."""
    rng = np.random.default_rng(seed)
    makers = list(WIDE.values()) if kind == "mixed" else [WIDE[kind]]
    columns = [[makers[at % len(makers)](rng) for _ in range(n_rows)] for at in range(n_columns - 1)]
    columns.append(["sick" if at % 2 else "well" for at in range(n_rows)])
    names = [*(f"gene {at}" for at in range(n_columns - 1)), "outcome"]
    return "\n".join([",".join(names), *(",".join(row) for row in zip(*columns, strict=True))]).encode() + b"\n"


#: What the columns of :func:`wide_text` can hold.
WIDE: dict[str, Callable[[np.random.Generator], str]] = {
    "decimals": lambda rng: f"{rng.normal():.4f}",
    "whole": lambda rng: str(rng.integers(0, 1_000)),
    "bits": lambda rng: str(rng.integers(0, 2)),
    "words": lambda rng: ("red", "green", "blue")[rng.integers(0, 3)],
    "codes": lambda rng: f"A{rng.integers(0, 9)}-{rng.integers(0, 3)}",
    "ranges": lambda rng: f"{rng.integers(1, 9)}-{rng.integers(10, 19)}",
    "answers": lambda rng: ("yes", "no")[rng.integers(0, 2)],
    "dates": lambda rng: f"2024-{rng.integers(1, 13):02d}-{rng.integers(1, 29):02d}",
    "days first": lambda rng: f"{rng.integers(1, 29)}/{rng.integers(1, 13)}/2024",
    "short years": lambda rng: f"{rng.integers(1, 29)}/{rng.integers(1, 13)}/24",
    "empty": lambda rng: "",
}


def commas(n_bytes: int, *, per_line: int | None = None, mark: bytes = b",") -> bytes:
    """Nothing but delimiters, on one line or on many."""
    if per_line is None:
        return mark * n_bytes
    line = mark * per_line + b"\n"
    return line * (n_bytes // len(line))


def ragged(n_rows: int, *, width: int = 4, lengths: tuple[int, ...] = (1, 2, 3, 5, 6)) -> bytes:
    """Rows that are too short or too long below a sound beginning."""
    head = ",".join(f"c{at}" for at in range(width)) + "\n"
    sound = "".join(",".join(str(at + i) for i in range(width)) + "\n" for at in range(500))
    cycle = "".join(",".join("7" * length) + "\n" for length in lengths)
    return (head + sound + cycle * (n_rows // len(lengths))).encode()


def long_field(n_bytes: int = 200_000, *, where: str = "first") -> bytes:
    """One field of that size: as the only line, as a name, as a cell, or as a sheet's worth of title."""
    field = "x" * n_bytes
    return {
        "first": f"{field}\nno table follows\n",
        "name": f"a,{field},{field},y\n" + "1,2,3,u\n1,2,4,v\n" * 20,
        "cell": "a,b,y\n" + "".join(f"{i},{field if i == 7 else i},{'uv'[i % 2]}\n" for i in range(40)),
        "target": "a,b,y\n" + "".join(f"{i},{i * i % 7},{field if i % 2 else 'v'}\n" for i in range(40)),
        "title": f"{field}\n\na,b,y\n" + "".join(f"{i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(40)),
    }[where].encode()


def open_quote(n_bytes: int) -> bytes:
    """A quote that is never closed, before so many bytes."""
    return b'a,b\n1,"x\n' + b"2,y\n" * (n_bytes // 4)


def gzip_bomb(n_bytes: int, *, line: bytes = b"0,0,0,0\n") -> bytes:
    """A small gzip file that unpacks to at least that size."""
    return gzip.compress(b"a,b,c,y\n" + line * (n_bytes // len(line)), 6)


def values_csv(values: Iterable[str], *, name: str = "a") -> bytes:
    """A column of these texts beside one that varies and a target, 60 rows."""
    given = list(values)
    rows = (f'"{given[i % len(given)]}",{i * i % 11},{"uv"[i % 2]}' for i in range(60))
    return "\n".join([f"{name},b,y", *rows]).encode("utf-8", "surrogatepass") + b"\n"


# Excel


def workbook(
    rows: Iterable[Iterable[str]] | None = None,
    *,
    sheet_xml: Part | None = None,
    strings_xml: Part | None = None,
    styles_xml: Part | None = None,
    title: str = "data",
    workbook_xml: Part | None = None,
    extra: dict[str, Part] | None = None,
    leave_out: tuple[str, ...] = (),
) -> bytes:
    """A workbook of one sheet from cells of XML, or from parts given as text, bytes or a stream of bytes."""
    if sheet_xml is None:
        body = "".join(f"<row>{''.join(cells)}</row>" for cells in rows or [])
        sheet_xml = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData></worksheet>'
    quoted = title.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    parts: dict[str, Part] = {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}"><Relationship Id="r1" Type="{_RELATIONS}/officeDocument" '
        'Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": workbook_xml
        or f'<workbook xmlns="{_MAIN}" xmlns:r="{_RELATIONS}"><sheets><sheet name="{quoted}" sheetId="1" r:id="rId1"/>'
        "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}">'
        f'<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>'
        f'<Relationship Id="rId2" Type="{_RELATIONS}/styles" Target="styles.xml"/>'
        f'<Relationship Id="rId3" Type="{_RELATIONS}/sharedStrings" Target="sharedStrings.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": sheet_xml,
        "xl/styles.xml": styles_xml
        or f'<styleSheet xmlns="{_MAIN}"><cellXfs count="1"><xf numFmtId="0"/></cellXfs></styleSheet>',
        "xl/sharedStrings.xml": strings_xml or f'<sst xmlns="{_MAIN}"/>',
        **(extra or {}),
    }
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, content in parts.items():
            if name in leave_out:
                continue
            with archive.open(name, "w", force_zip64=True) as member:
                for block in _blocks(content):
                    member.write(block)
    return stream.getvalue()


def _content_types() -> str:
    """What openpyxl and Excel want to know of the parts."""
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kind}.worksheet+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>'
        f'<Override PartName="/xl/sharedStrings.xml" ContentType="{kind}.sharedStrings+xml"/></Types>'
    )


def _blocks(content: Part) -> Iterator[bytes]:
    """A part as bytes."""
    if isinstance(content, str):
        yield content.encode()
    elif isinstance(content, bytes):
        yield content
    else:
        yield from content


def number(value: object, at: str = "", style: int = 0) -> str:
    """A cell with a number."""
    return f"<c{_at(at)}{f' s={chr(34)}{style}{chr(34)}' if style else ''}><v>{value}</v></c>"


def text(value: str, at: str = "") -> str:
    """A cell with a text of its own."""
    return f'<c{_at(at)} t="inlineStr"><is><t xml:space="preserve">{value}</t></is></c>'


def _at(at: str) -> str:
    return f' r="{at}"' if at else ""


def sound_rows(n_rows: int = 40) -> list[list[str]]:
    """Header and rows of a table with two features and a target."""
    body = [[number(i % 13), number(i * i % 7), text("uv"[i % 2])] for i in range(n_rows)]
    return [[text("a"), text("b"), text("y")], *body]


def repeated(head: str, unit: str, tail: str, n_bytes: int) -> Iterator[bytes]:
    """A part of XML that repeats one unit up to a size."""
    yield head.encode()
    block = unit.encode() * max(1, min(_BLOCK, n_bytes) // len(unit))
    for _ in range(max(1, n_bytes // len(block))):
        yield block
    yield tail.encode()


def far_row(number_of_row: int = 10**9) -> bytes:
    """A sound sheet with one more row, far below."""
    rows = "".join(f"<row>{''.join(cells)}</row>" for cells in sound_rows())
    last = f'<row r="{number_of_row}">{number(1)}{number(2)}{text("u")}</row>'
    return workbook(sheet_xml=f'<worksheet xmlns="{_MAIN}"><sheetData>{rows}{last}</sheetData></worksheet>')


def far_cells(n_rows: int = 40, at: str = "XFD") -> bytes:
    """A sound sheet each row of which ends with an empty cell at the far right."""
    rows = [[*cells, f'<c r="{at}{i}" s="0"/>'] for i, cells in enumerate(sound_rows(n_rows), 1)]
    return workbook(rows)


def many_strings(n_bytes: int, *, unit: str = "<si><t>a</t></si>") -> bytes:
    """A sound sheet with so many bytes of shared strings that no cell uses."""
    return workbook(sound_rows(), strings_xml=repeated(f'<sst xmlns="{_MAIN}">', unit, "</sst>", n_bytes))


def many_styles(n_bytes: int, *, unit: str = '<xf numFmtId="14"/>') -> bytes:
    """A sound sheet with so many bytes of cell formats."""
    head = f'<styleSheet xmlns="{_MAIN}"><cellXfs>'
    return workbook(sound_rows(), styles_xml=repeated(head, unit, "</cellXfs></styleSheet>", n_bytes))


def many_number_formats(n_bytes: int) -> bytes:
    """A sound sheet with so many bytes of number formats."""
    head = f'<styleSheet xmlns="{_MAIN}"><numFmts>'
    unit = '<numFmt numFmtId="170" formatCode="yyyy"/>'
    return workbook(sound_rows(), styles_xml=repeated(head, unit, "</numFmts></styleSheet>", n_bytes))


def many_cells(n_bytes: int, *, unit: str = "<c/>") -> bytes:
    """One row with so many bytes of cells."""
    head, tail = f'<worksheet xmlns="{_MAIN}"><sheetData><row>', "</row></sheetData></worksheet>"
    return workbook(sheet_xml=repeated(head, unit, tail, n_bytes))


def many_rows(n_bytes: int, *, unit: str = "<row/>") -> bytes:
    """A sheet with so many bytes of rows."""
    head, tail = f'<worksheet xmlns="{_MAIN}"><sheetData>', "</sheetData></worksheet>"
    return workbook(sheet_xml=repeated(head, unit, tail, n_bytes))


def long_string(n_bytes: int) -> bytes:
    """A sheet whose first cell holds one text of that size."""
    head = f'<worksheet xmlns="{_MAIN}"><sheetData><row><c t="inlineStr"><is><t>'
    tail = "</t></is></c></row></sheetData></worksheet>"
    return workbook(sheet_xml=repeated(head, "x", tail, n_bytes))


def repeated_string(n_bytes: int = 30_000, n_cells: int = 100_000) -> bytes:
    """Every cell is the same long shared string: small in the file, large as a table."""
    strings = f'<sst xmlns="{_MAIN}"><si><t>{"x" * n_bytes}</t></si></sst>'
    cell = '<c t="s"><v>0</v></c>'
    return workbook([[cell] * 2 for _ in range(n_cells // 2)], strings_xml=strings)


def deep_xml(depth: int = 200_000) -> bytes:
    """Elements in elements in elements."""
    return workbook(sheet_xml=f'<worksheet xmlns="{_MAIN}"><sheetData>' + "<row>" * depth + "</row>" * depth)


def entity_bomb(levels: int = 9) -> bytes:
    """Entities that multiply ("billion laughs")."""
    entities = '<!ENTITY e0 "ha">' + "".join(f'<!ENTITY e{at} "{f"&e{at - 1};" * 10}">' for at in range(1, levels + 1))
    return workbook(
        sheet_xml=f'<!DOCTYPE worksheet [{entities}]><worksheet xmlns="{_MAIN}"><sheetData><row>'
        f'<c t="inlineStr"><is><t>&e{levels};</t></is></c></row></sheetData></worksheet>'
    )


def other_member(n_bytes: int, *, name: str = "xl/media/image1.png") -> bytes:
    """A sound sheet beside a member that nobody asks for."""
    return workbook(sound_rows(), extra={name: repeated("", "\0", "", n_bytes)})


def understated(n_bytes: int) -> bytes:
    """A workbook whose directory says that a large member is small."""
    data = bytearray(many_rows(n_bytes))
    size = 1_000
    at = data.find(b"PK\x01\x02")
    while at >= 0:  # the sizes of every member in the directory
        data[at + 24 : at + 28] = size.to_bytes(4, "little")
        at = data.find(b"PK\x01\x02", at + 4)
    return bytes(data)


# Parquet


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    """A Parquet file of these columns."""
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


def zeros(n_rows: int = 1_000_000, n_columns: int = 200) -> bytes:
    """Zeros without end in a small file."""
    column = pa.array(np.zeros(n_rows))
    return parquet({f"c{at}": column for at in range(n_columns)}, row_group_size=max(1, n_rows))


def one_word(n_rows: int = 1_000_000, word: int = 1_000, n_columns: int = 1) -> bytes:
    """One long word for every row: kept once in the file, once for every row in memory."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, dtype=np.int32)), pa.array(["x" * word]))
    return parquet({f"c{at}": column for at in range(n_columns)}, row_group_size=max(1, n_rows))


def large_dictionary(n_words: int = 1, word: int = 100_000_000) -> bytes:
    """A dictionary page that unpacks to that size, for a single row."""
    words = pa.array(["x" * word + str(at) for at in range(n_words)])
    indices = pa.array(np.zeros(1, dtype=np.int32))
    return parquet({"a": pa.DictionaryArray.from_arrays(indices, words), "y": pa.array(["u"])}, compression="zstd")


def nested(n_rows: int = 1_000, depth: int = 1_000) -> bytes:
    """Lists of many entries."""
    values = pa.array(np.zeros(n_rows * depth, dtype=np.int8))
    offsets = pa.array(np.arange(0, n_rows * depth + 1, depth, dtype=np.int32))
    return parquet({"a": pa.ListArray.from_arrays(offsets, values), "y": pa.array(["u", "v"] * (n_rows // 2))})


def moments(kind: pa.DataType, values: Iterable[int | None]) -> bytes:
    """Dates given by the numbers that stand for them, repeated to 60 rows, beside a feature and a target."""
    given = list(values)
    whole = pa.int32() if kind.bit_width == 32 else pa.int64()
    column = pa.array([given[i % len(given)] for i in range(60)], whole).cast(kind)
    return parquet({"when": column, "b": pa.array([i * i % 11 for i in range(60)]), "y": pa.array(["u", "v"] * 30)})


def bad_text(value: bytes = b"\xed\xa0\x80") -> bytes:
    """A column of text that holds bytes which are no UTF-8, such as half of a surrogate pair."""
    offsets = np.arange(0, 61 * len(value), len(value), dtype=np.int32)
    column = pa.StringArray.from_buffers(60, pa.py_buffer(offsets.tobytes()), pa.py_buffer(value * 60))
    return parquet({"a": column, "b": pa.array([i * i % 11 for i in range(60)]), "y": pa.array(["u", "v"] * 30)})
