"""Makers of hostile Excel workbooks; see :mod:`hostile.tables`."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_BLOCK = 1 << 20

Part = str | bytes | Iterable[bytes]


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


def many_members(count: int) -> bytes:
    """A sound sheet beside so many empty members, whose names alone take long to read."""
    stream = io.BytesIO(workbook(sound_rows()))
    with zipfile.ZipFile(stream, "a") as archive:
        for at in range(count):
            archive.writestr(f"xl/media/{at:09d}.png", b"")
    return stream.getvalue()
