"""Judgements for tests."""

from datetime import UTC, datetime, timedelta

from proset.workspace import Judgement, ReviewVerdict

FIRST = datetime(2026, 3, 9, 12, 0, 0, 123456, tzinfo=UTC)
NOTES = (
    "",
    "=1+1",
    "+49 30",
    "@home, -5",
    "-5",
    "'=already quoted",
    "''",
    'she said "no", twice; =SUM(A1)\n=and a line',
    "\n begins with a break, ends with one\n",
    "  blanks  ",
    "NA",
    "größer als 診断 \U0001f9ec",
    "tab\there",
    "TRUE",
    "_x000D_ \\n",
    "2026-01-02",
)


def judgement(number, row=1, **changes):
    """The judgement of a number, made a minute after the one before; `changes` are fields."""
    plain = {
        "entry": f"client-{number}",
        "row": row,
        "row_hash": "a" * 64,
        "label": "setosa",
        "verdict": ReviewVerdict.TABLE,
        "reviewer": "Ada",
        "at": FIRST + timedelta(minutes=number),
    }
    return Judgement(**plain | changes)
