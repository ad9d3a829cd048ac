"""Puts measured tables into ``benchmarks/README.md``, between markers."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path

README = Path(__file__).parent / "README.md"


def write_section(name: str, lines: list[str]) -> None:
    """Replace the lines between the markers of a section."""
    begin, end = f"<!-- {name}: made by python -m benchmarks.{name} -->", f"<!-- end of {name} -->"
    text = README.read_text()
    head, rest = text.split(begin)
    _, tail = rest.split(end)
    README.write_text(f"{head}{begin}\n" + "\n".join(lines) + f"\n{end}{tail}")


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """Return the lines of a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]


def number(value: float) -> str:
    """Write a measured number with three digits: 0.0123, 1.23, 12.3, 1,235."""
    if value == 0.0 or not math.isfinite(value):
        return f"{value:g}"
    return f"{value:,.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"
