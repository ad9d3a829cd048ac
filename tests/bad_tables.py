"""The table of bad input: what is wrong with each file, and what has to be said about it wherever it turns up."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import dataclass, field


def table(n: int = 40, *, header: str = "a,b,y", row: Callable[[int], str] | None = None) -> str:
    """A small table with two features that vary and two classes."""
    make = row or (lambda i: f"{i % 13},{i * i % 7},{'u' if i % 2 else 'v'}")
    return "\n".join([header, *(make(i) for i in range(n))]) + "\n"


@dataclass(frozen=True)
class Refused:
    """A file that cannot be used: parts of the message, the way out among them."""

    data: bytes
    says: tuple[str, ...]


REFUSED = {
    "empty file": Refused(b"", ("bad.csv", "empty", "Check that the export finished")),
    "blank file": Refused(b" \n\n \n", ("bad.csv", "blank", "Check that the export finished")),
    "header alone": Refused(b"a,b,y\n", ("bad.csv", "header but no rows", "Check that the export finished")),
    "one class": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},u").encode(),
        ("Target 'y'", "one class only", "40 rows are 'u'", "Add rows of another class"),
    ),
    "a class with too few rows": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},{'rare' if i < 3 else 'uv'[i % 2]}").encode(),
        ("Target 'y'", "class 'rare' has 3 rows", "at least 6", "Join these classes with others"),
    ),
    "a target that is empty": Refused(
        table(row=lambda i: f"{i % 13},{i % 7},").encode(), ("Target 'y' is empty", "another target")
    ),
    "constant features": Refused(
        table(row=lambda i: f"1,x,{'uv'[i % 2]}").encode(), ("No column is left to learn from", "role numeric")
    ),
    "constant table": Refused(table(row=lambda i: "1,x,u").encode(), ("No column is left", "Give at least one column")),
    "10,000 columns": Refused(
        (",".join(f"x{j}" for j in range(9_999)) + ",y\n" + ",".join(["1"] * 10_000) + "\n").encode(),
        ("10,000 columns", "limit is 2,000", "Keep the columns you need"),
    ),
    "picture named .csv": Refused(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), ("PNG picture", "Save the table as CSV")),
    "binary file named .csv": Refused(bytes(range(256)) * 8, ("binary file", "Save the table as CSV")),
    "damaged gzip": Refused(gzip.compress(table(4_000).encode(), mtime=0)[:-30], ("bad.csv", "damaged", "again")),
    "gzip that is not": Refused(b"\x1f\x8b\x08\x00" + bytes(50), ("bad.csv", "gzip", "again")),
    "text without columns": Refused(
        b"Dear all,\nplease find the numbers attached: they are good.\nRegards; Ada|Bo\n" * 9,
        ("No delimiter", "bad.csv", "delimiter"),
    ),
}


@dataclass(frozen=True)
class Mended:
    """A file that can be used: parts of the issue that says what was done, the rows that are left, some roles."""

    data: bytes
    says: tuple[str, ...]
    rows: int = 40
    unlabelled: int = 0
    columns: tuple[str, ...] = field(default=("a", "b", "y"))


MENDED = {
    "missing target values": Mended(
        table(row=lambda i: f"{i % 13},{i * i % 7},{'' if i % 10 == 3 else 'uv'[i % 2]}").encode(),
        ("4 rows", "'y'", "set aside"),
        unlabelled=4,
    ),
    "a constant column": Mended(
        table(row=lambda i: f"{i % 13},same,{'uv'[i % 2]}").encode(), ("'b'", "same value", "not used")
    ),
    "duplicate column names": Mended(
        table(header="a,a,y").encode(), ("'a'", "more than once", "'a (2)'"), columns=("a", "a (2)", "y")
    ),
    "rows that are too long": Mended(
        table(row=lambda i: f"{i % 13},{i * i % 7},{'uv'[i % 2]}" + (",9,9" if i == 20 else "")).encode(),
        ("more than 3 fields", "row 21", "set aside"),
        rows=39,
    ),
    "rows that are too short": Mended(
        table(row=lambda i: f"{i % 13}" if i == 20 else f"{i % 13},{i * i % 7},{'uv'[i % 2]}").encode(),
        ("fewer than 3 fields", "row 21", "missing"),
        unlabelled=1,
    ),
    "infinite values": Mended(
        table(row=lambda i: f"{'inf' if i == 5 else i % 13},{i * i % 7},{'uv'[i % 2]}").encode(),
        ("'a'", "infinite", "row 6", "missing"),
    ),
}
