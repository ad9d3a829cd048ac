"""A property that is computed once per object, and holds up nobody who asks another object."""

import threading

import pytest

from proset.common import lazy
from proset.common.lazy import lazy_property
from proset.study import Study

SECONDS = 10.0


class Slow:
    """An object with a property that takes until it is let go."""

    def __init__(self, go=True):
        self.begun, self.go, self.calls = threading.Event(), threading.Event(), 0
        if go:
            self.go.set()

    @lazy_property
    def value(self):
        """A number."""
        self.calls += 1
        self.begun.set()
        assert self.go.wait(SECONDS)
        return 7

    @lazy_property
    def broken(self):
        raise ValueError("no")


def in_thread(work):
    results = []
    thread = threading.Thread(target=lambda: results.append(work()), daemon=True)
    thread.start()
    return thread, results


def test_another_object_does_not_wait():
    slow, quick = Slow(go=False), Slow()
    first, _ = in_thread(lambda: slow.value)
    assert slow.begun.wait(SECONDS)
    second, answer = in_thread(lambda: quick.value)
    second.join(SECONDS)
    assert answer == [7]
    slow.go.set()
    first.join(SECONDS)


def test_threads_that_ask_the_same_object_compute_once():
    slow = Slow(go=False)
    asked = [in_thread(lambda: slow.value) for _ in range(5)]
    assert slow.begun.wait(SECONDS)
    slow.go.set()
    for thread, _ in asked:
        thread.join(SECONDS)
    assert [answer for _, answer in asked] == [[7]] * 5
    assert slow.calls == 1


def test_an_error_is_not_kept_and_nothing_is_left_behind():
    slow = Slow()
    before = set(vars(slow))
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            _ = slow.broken
    assert set(vars(slow)) == before
    assert slow.value == 7
    assert set(vars(slow)) == before | {"value"}


def test_what_is_under_way_leaves_no_lock_in_the_object_that_could_not_be_copied():
    slow = Slow(go=False)
    before = set(vars(slow))
    thread, _ = in_thread(lambda: slow.value)
    assert slow.begun.wait(SECONDS)
    assert set(vars(slow)) == before
    slow.go.set()
    thread.join(SECONDS)
    assert not lazy._UNDER_WAY


def test_a_study_uses_it_for_what_takes_long():
    for name in ("_encoded", "_estimates", "predictions", "probabilities", "labels"):
        owner = next(kind for kind in Study.__mro__ if name in vars(kind))
        assert isinstance(vars(owner)[name], lazy_property)
