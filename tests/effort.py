"""Work that is counted instead of timed: the same on every machine, whatever else it does."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Effort:
    """How many functions were entered, of Python and of libraries, by the thread that counts."""

    calls = 0


@contextmanager
def counted() -> Iterator[Effort]:
    """Count the calls that are made in a block."""
    effort, former = Effort(), sys.getprofile()

    def count(_frame: FrameType, event: str, _argument: Any) -> None:
        if event in ("call", "c_call"):
            effort.calls += 1

    gc.disable()  # what it calls depends on what other tests have left
    sys.setprofile(count)
    try:
        yield effort
    finally:
        sys.setprofile(former)
        gc.enable()


def calls_of(work: Callable[[], Any]) -> int:
    """How many calls a piece of work makes once everything it needs is imported."""
    work()
    with counted() as effort:
        work()
    return effort.calls
