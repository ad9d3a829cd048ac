"""Puts measured tables into ``benchmarks/README.md``, between markers."""

from __future__ import annotations

from pathlib import Path

README = Path(__file__).parent / "README.md"


def write_section(name: str, lines: list[str]) -> None:
    """Replace the lines between the markers of a section."""
    begin, end = f"<!-- {name}: made by python -m benchmarks.{name} -->", f"<!-- end of {name} -->"
    text = README.read_text()
    head, rest = text.split(begin)
    _, tail = rest.split(end)
    README.write_text(f"{head}{begin}\n" + "\n".join(lines) + f"\n{end}{tail}")
