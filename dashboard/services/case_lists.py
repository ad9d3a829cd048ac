"""A list of cases as a text for the address, and back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dashboard.services.cases import CaseRef, CaseSet, Filter, Order, Part, Picker
from dashboard.services.params import Param
from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import ProsetError

MOST_PICKED = 300
"""Picked cases that an address names; browsers and mail programs cut addresses of several thousand letters."""
_LONGEST_CLASS = 300
_LIMITS = JsonLimits(max_bytes=10_000, max_values=100, max_depth=3)
_CHOICES: tuple[tuple[str, StrEnum], ...] = (
    ("part", Part.HELD_OUT),
    ("which", Filter.WRONG),
    ("order", Order.CONFIDENCE),
    ("by", Picker.HAND),
)


@dataclass(frozen=True)
class CaseList(Param[CaseSet]):
    """The cases that are looked through.

    Examples
    --------
    >>> walk = CaseList("list", CaseSet())
    >>> text = walk.write(CaseSet(which=Filter.ALL, actual="cat", predicted="dog"))
    >>> text, walk.read(text).words
    ('{"which":"all","actual":"cat","predicted":"dog"}', "held-out rows of 'cat', said to be 'dog'")
    >>> walk.write(CaseSet(picked=tuple(map(CaseRef.in_table, (3, 1))))), walk.read("everything") is None
    ('{"picked":"3.1"}', True)
    """

    def read(self, text: str) -> CaseSet | None:
        """Return the list that a text stands for; rows of it may be missing in the table that is open."""
        try:
            state = parse_json(text, "The list of cases", limits=_LIMITS)
        except ProsetError:
            return None
        return _from_state(state) if isinstance(state, dict) else None

    def write(self, value: CaseSet) -> str:
        """Return the text; it is empty, and means nothing, where more than 300 cases were picked."""
        if value.picked is not None and len(value.picked) > MOST_PICKED:
            return ""
        state = {name: str(getattr(value, name)) for name, usual in _CHOICES if getattr(value, name) is not usual}
        state |= {name: said for name in ("actual", "predicted") if (said := getattr(value, name)) is not None}
        if value.picked is not None:
            state["picked"] = ".".join(case.text for case in value.picked)
        return json.dumps(state, separators=(",", ":"), ensure_ascii=False)

    @property
    def allowed(self) -> str:
        """What can be read."""
        return "a list of cases as this program writes it"


def _from_state(state: dict[str, Any]) -> CaseSet | None:
    """Return the list that plain values stand for; None if any of them is not allowed."""
    found: dict[str, Any] = {}
    for name, usual in _CHOICES:
        if name in state:
            found[name] = _option(usual, state.pop(name))
    for name in ("actual", "predicted"):
        if name in state:
            said = state.pop(name)
            found[name] = said if isinstance(said, str) and len(said) <= _LONGEST_CLASS else None
    if "picked" in state:
        found["picked"] = _picked(state.pop("picked"))
    return None if state or any(value is None for value in found.values()) else CaseSet(**found)


def _option(usual: StrEnum, said: object) -> StrEnum | None:
    """Return the option of that name."""
    return next((option for option in type(usual) if option == said), None)


def _picked(said: object) -> tuple[CaseRef, ...] | None:
    """Return the cases that a text lists."""
    if not isinstance(said, str):
        return None
    texts = said.split(".") if said else []
    cases = tuple(case for text in texts[: MOST_PICKED + 1] if (case := CaseRef.read(text)) is not None)
    return cases if len(cases) == len(texts) <= MOST_PICKED else None
