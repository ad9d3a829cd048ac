"""A page of the app: its name, its needs, its part of the address, and the function that draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dashboard.services.params import Param
from dashboard.texts.common import PageText


class Needs(Enum):
    """Needs of a page before it can be drawn."""

    NOTHING = 0
    TABLE = 1
    STUDY = 2


@dataclass(frozen=True)
class Page:
    """One page; everything that lists pages reads these.

    Attributes
    ----------
    name : str
        Its place in the address, such as ``"map"``.
    group : str
        Pages of one group stand together in the menu.
    needs : Needs
        Until it is there, the page says what is missing and links to where it is done.
    params : tuple of Param
        What of the page stands in the address, besides what stands there on every page.
    text : PageText
        Title, lead, menu entry and explanation.
    render : callable
        Draws the page, given the session and its study; the study is None only where the page does not need one.
    number : callable
        The same where the model is one of a number.
    next : str or None
        Name of the page that the work goes on with; an empty one for the page after it, None where the page itself has
        the button for the next step.
    """

    name: str
    group: str
    needs: Needs
    params: tuple[Param[Any], ...]
    text: PageText
    render: Callable[..., None]
    number: Callable[..., None]
    next: str | None = ""
