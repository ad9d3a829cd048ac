"""A list of cases in an address: one text for each thing that the list says of itself, such as ``which:wrong``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from enum import StrEnum
from typing import Any

from dashboard.services.cases import CaseRef, CaseSet

MOST_PICKED = 1000
"""A longer list of picked cases does not stand in the address; browsers cut long ones."""
_LONGEST_TEXT = 200


def write_cases(cases: CaseSet) -> list[str]:
    """Return the texts that stand for a list of cases; none if too many are picked.

    Examples
    --------
    >>> from dashboard.services.cases import Filter, Part
    >>> write_cases(CaseSet(Part.TRAIN, Filter.ALL)), write_cases(CaseSet(picked=(CaseRef.in_table(3),)))
    (['part:train', 'which:all'], ['part:held_out', 'picked:3'])
    """
    if cases.picked is not None and len(cases.picked) > MOST_PICKED:
        return []
    # The part always stands there, so that a list like the usual one still says that it was asked for.
    said = [entry for entry in _told() if entry.name == "part" or getattr(cases, entry.name) != _usual(entry)]
    return [f"{entry.name}:{_text(getattr(cases, entry.name))}" for entry in said]


def read_cases(texts: Sequence[str], has: Callable[[CaseRef], bool]) -> CaseSet | None:
    """Return the list of cases that some texts stand for; None if they stand for none.

    Parameters
    ----------
    texts : sequence of str
        As :func:`write_cases` makes them.
    has : callable
        Tells whether there is such a case.

    Returns
    -------
    CaseSet or None
        Picked cases that there are not are left out.

    Examples
    --------
    >>> read_cases(["part:train", "which:all"], lambda case: True).words, read_cases(["part:cellar"], lambda case: True)
    ('training rows', None)
    """
    known = {entry.name: entry for entry in _told()}
    found: dict[str, Any] = {}
    for text in texts:
        name, _, value = text.partition(":")
        if name not in known:
            return None
        found[name] = _picked(value, has) if name == "picked" else _value(known[name], value)
        if found[name] is None:
            return None
    return CaseSet(**found)


def _told() -> list[Field[Any]]:
    """Return what a list says of itself; the slice within which it is stands in the address of a page."""
    return [entry for entry in fields(CaseSet) if entry.name != "within"]


def _usual(entry: Field[Any]) -> Any:
    """Return what holds of a list unless something else is said."""
    return entry.default


def _text(value: Any) -> str:
    """Return the text that stands for one value."""
    return ",".join(case.text for case in value) if isinstance(value, tuple) else str(value)


def _picked(text: str, has: Callable[[CaseRef], bool]) -> tuple[CaseRef, ...] | None:
    """Read picked cases."""
    parts = text.split(",", MOST_PICKED)
    cases = [CaseRef.read(part) for part in parts[:MOST_PICKED]]
    return tuple(case for case in cases if case is not None and has(case)) or None


def _value(entry: Field[Any], text: str) -> Any:
    """Read one word of a few, or a short text of any kind such as the name of a class."""
    usual = _usual(entry)
    if isinstance(usual, StrEnum):
        return next((option for option in type(usual) if option == text), None)
    return text if len(text) <= _LONGEST_TEXT else None
