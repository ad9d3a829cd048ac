"""Puts measured tables into ``benchmarks/README.md`` and ``benchmarks/tables.md``, between markers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

from proset.common.files import replacing

README = Path(__file__).parent / "README.md"
DOCUMENT = Path(__file__).parent / "tables.md"
MADE_BY = ": made by python -m benchmarks."


def write_section(name: str, lines: list[str]) -> None:
    """Replace the lines between the markers of a section."""
    begin, end = _markers(name)
    text = README.read_text()
    head, rest = text.split(begin)
    _, tail = rest.split(end)
    README.write_text(f"{head}{begin}\n" + "\n".join(lines) + f"\n{end}{tail}")


def write_published(name: str, lines: list[str], document: Path = DOCUMENT) -> None:
    """Replace a section of the document of published tables; a new one goes to its end.

    Parameters
    ----------
    name : str
        The module under ``benchmarks`` whose command makes the section.
    lines : list of str
        The section, its heading (``## ...``) first.
    document : Path
        The document.
    """
    begin, end = _markers(name)
    text = document.read_text(encoding="utf-8") if document.exists() else ""
    head, found, rest = text.partition(f"{begin}\n")
    tail = rest.partition(f"{end}\n")[2] if found else ""
    head = head if found or not text else f"{text.rstrip()}\n\n"
    with replacing(document) as draft:
        draft.write_text(f"{head}{begin}\n" + "\n".join(lines) + f"\n{end}\n{tail}", encoding="utf-8")


def write_study(text: str, document: Path = DOCUMENT) -> None:
    """Replace what stands before the first section of the document of published tables: the report's study."""
    lines = document.read_text(encoding="utf-8").splitlines(keepends=True) if document.exists() else []
    first = next((place for place, line in enumerate(lines) if MADE_BY in line), len(lines))
    sections = "".join(lines[first:])
    with replacing(document) as draft:
        draft.write_text(f"{text.rstrip()}\n\n{sections}" if sections else text, encoding="utf-8")


def _markers(name: str) -> tuple[str, str]:
    """Lines before and after a section."""
    return f"<!-- {name}{MADE_BY}{name} -->", f"<!-- end of {name} -->"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def number(value: float) -> str:
    """Write a measured number with three digits: 0.0123, 1.23, 12.3, 1,235."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
