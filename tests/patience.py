"""Reading a page that draws itself a while after its run has ended: until it says what is wanted, or time is up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
SECONDS_TO_DRAW = 15.0


def read_until(read: Callable[[], T], good: Callable[[T], bool], seconds: float = SECONDS_TO_DRAW) -> T:
    """Read until what is read is good, or some seconds have passed; return what was read last."""
    end = time.monotonic() + seconds
    while not good(found := read()) and time.monotonic() < end:
        time.sleep(0.1)
    return found


def text_with(read: Callable[[], str], wanted: Iterable[str]) -> str:
    """Read until all that is wanted stands in the text."""
    words = list(wanted)
    return read_until(read, lambda text: all(word in text for word in words))


def expect_equal(read: Callable[[], T], wanted: T) -> None:
    """Fail unless what is read comes to be what is wanted."""
    found = read_until(read, lambda now: now == wanted)
    assert found == wanted, f"{found!r} instead of {wanted!r}"
