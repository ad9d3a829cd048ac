"""Makers of hostile tables of text: each returns the bytes of a file that is small or odd, and costly or damaged.

They are functions, not files, so that a test can ask for more of a kind or for a larger one. Sizes are arguments: the
tests that always run ask for small ones and lower the limits, those behind the marker ``exhaustive`` ask for the size
that once took the app along. Workbooks and Parquet files are in modules of their own beside this one.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable

import numpy as np


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
