"""Waiting for what comes: until it is there, or so long that it will not come on any machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
HANG = 300.0
"""Seconds after which a test gives up; a slow and busy machine takes a tenth of it for the longest of these waits."""


def wait_until(happened: Callable[[], object], *, what: object = "nothing happened", pause: float = 0.02) -> None:
    """Wait for what another thread or process does; fail with `what` if it never does."""
    end = time.monotonic() + HANG
    while not happened():
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(pause)


def read_until(read: Callable[[], T], good: Callable[[T], bool], seconds: float = HANG) -> T:
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
