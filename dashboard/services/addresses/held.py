"""The address of a table that only the session of its person holds: it names the table, and says nothing of it.

What is in a file never stands in an address. So Back, Forward and links within the app work for uploaded tables too;
who gets such an address from somebody else learns nothing, and is told so.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dashboard.services.addresses.parts import NOTHING, Params, View, Written, last
from dashboard.services.params import Param

NAME = "open"
KNOWN = frozenset({NAME, "model"})
_KEY = re.compile(r"[A-Za-z0-9_-]{6,40}")
_MODEL_DIGITS = 12
NOT_HELD = (
    "The address names a table that is not held here: an uploaded file belongs to the browser tab that opened it, "
    "until the tab is reloaded or other data has followed. Open the file again on the Data page."
)


@dataclass(frozen=True)
class HeldAddress:
    """State that an address within a session asks for.

    Attributes
    ----------
    key : str
        Names the table.
    model : str or None
        Id of the model that is shown.
    view : View
        What is looked at.
    """

    key: str
    model: str | None = None
    view: View = NOTHING


def write_held(address: HeldAddress, params: Sequence[Param[Any]] = ()) -> Written:
    """Return the query parameters of an address.

    Examples
    --------
    >>> write_held(HeldAddress("Qk3-x_7a", "0123456789abcdef"))
    {'open': 'Qk3-x_7a', 'model': '0123456789ab'}
    """
    written: Written = {NAME: address.key}
    if address.model is not None:
        written["model"] = address.model[:_MODEL_DIGITS]
    return written | address.view.write(params)


def held_key(given: Params) -> str | None:
    """Return the key that an address names; an empty one if it cannot be a key, None if it names none.

    Examples
    --------
    >>> held_key({"open": ["Qk3-x_7a"]}), held_key({"open": ["../etc"]}), held_key({"data": ["wine"]})
    ('Qk3-x_7a', '', None)
    """
    if NAME not in given:
        return None
    key = last(given, NAME)
    return key if _KEY.fullmatch(key) else ""
