"""What is computed once: bounded, computed by one for all who wait, and no lock that others need."""

import gc
import threading
import weakref
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from dashboard import cache
from dashboard.cache import DerivedValues, LeastRecentlyUsed
from dashboard.services.sizes import estimated_bytes

SECONDS = 10.0  # a test that waits that long has failed


class Owner:
    """Something that values are derived from."""


@pytest.fixture
def values():
    return DerivedValues(per_owner=(3, 10_000), in_all=(5, 100_000))


class Slow:
    """A computation that runs until it is let go."""

    def __init__(self, value="slow", error=None):
        self.value, self.error = value, error
        self.calls = 0
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self):
        self.calls += 1
        self.begun.set()
        assert self.go.wait(SECONDS)
        if self.error is not None:
            raise self.error
        return self.value


def in_thread(work):
    """Run something in a thread; returns the thread and the list that its result goes to."""
    results = []

    def run():
        try:
            results.append(work())
        except Exception as error:
            results.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    return thread, results


def test_a_slow_value_is_computed_once_for_all_who_ask(values):
    owner, slow = Owner(), Slow()
    asked = [in_thread(lambda: values.get(owner, "map", slow)) for _ in range(6)]
    assert slow.begun.wait(SECONDS)
    slow.go.set()
    for thread, _ in asked:
        thread.join(SECONDS)
    assert [results for _, results in asked] == [["slow"]] * 6
    assert slow.calls == 1


@pytest.mark.parametrize("same_owner", [True, False])
def test_a_slow_value_does_not_hold_up_others(values, same_owner):
    owner, slow = Owner(), Slow()
    values.get(owner, "known", lambda: "known")
    thread, results = in_thread(lambda: values.get(owner, "slow", slow))
    assert slow.begun.wait(SECONDS)
    asker = owner if same_owner else Owner()
    quick, answer = in_thread(lambda: (values.get(asker, "quick", lambda: 7), values.get(owner, "known", lambda: 8)))
    quick.join(SECONDS)
    assert answer == [(7, "known")]
    assert results == []
    slow.go.set()
    thread.join(SECONDS)
    assert results == ["slow"]


def test_after_a_failure_those_who_wait_try_themselves(values):
    owner, broken, good = Owner(), Slow(error=ValueError("no")), Slow("good")
    good.go.set()
    first, failed = in_thread(lambda: values.get(owner, "map", broken))
    assert broken.begun.wait(SECONDS)
    second, answer = in_thread(lambda: values.get(owner, "map", good))
    broken.go.set()
    first.join(SECONDS)
    second.join(SECONDS)
    assert isinstance(failed[0], ValueError)
    assert answer == ["good"]
    assert values.get(owner, "map", lambda: "anew") == "good"


def test_a_value_that_asks_for_itself_is_refused_instead_of_waiting_for_ever(values):
    owner = Owner()
    with pytest.raises(RuntimeError, match="asks for itself"):
        values.get(owner, "map", lambda: values.get(owner, "map", lambda: 1))
    assert values.get(owner, "map", lambda: 2) == 2


def test_a_value_may_be_derived_from_another(values):
    owner = Owner()
    assert values.get(owner, "sum", lambda: 1 + values.get(owner, "part", lambda: 2)) == 3


def test_none_is_a_value(values):
    owner, calls = Owner(), []
    for _ in range(2):
        assert values.get(owner, "problem", lambda: calls.append(1)) is None
    assert calls == [1]


def test_of_many_values_those_not_used_for_longest_go(values):
    owner, computed = Owner(), []

    def get(key):
        return values.get(owner, key, lambda: computed.append(key) or key)

    for key in "abc":
        get(key)
    get("a")
    get("d")  # "b" goes
    assert len(values) == 3
    for key in "acd":
        get(key)
    assert computed == list("abcd")
    get("b")
    assert computed == list("abcdb")


def test_values_are_bounded_over_all_owners(values):
    owners = [Owner() for _ in range(4)]
    for owner in owners:
        for key in "ab":
            values.get(owner, key, lambda: 1)
    assert len(values) == 5
    again = []
    values.get(owners[3], "b", lambda: again.append(1))
    assert again == []
    values.get(owners[0], "a", lambda: again.append(1))
    assert again == [1]


def test_large_values_are_bounded_by_their_bytes(values):
    owner, calls = Owner(), []
    for key in "ab":
        values.get(owner, key, lambda: np.zeros(900))  # 7 kB of 10 kB
    assert len(values) == 1
    for _ in range(2):  # too large to be kept at all, but it is given out
        assert len(values.get(owner, "huge", lambda: calls.append(1) or np.zeros(9000))) == 9000
    assert len(calls) == 2
    assert len(values) == 1  # it does not drive out the others


def test_values_go_with_their_owner(values):
    owner = Owner()
    value = values.get(owner, "frame", lambda: Owner())
    seen = weakref.ref(value)
    del value, owner
    gc.collect()
    assert seen() is None
    assert len(values) == 0


def test_many_threads_at_once_leave_the_books_in_order():
    values = DerivedValues(per_owner=(4, 10**6), in_all=(10, 10**6))
    owners = [Owner() for _ in range(5)]
    start = threading.Barrier(8)

    def work():
        start.wait(SECONDS)
        for turn in range(200):
            owner, key = owners[turn % 5], turn % 7
            assert values.get(owner, key, lambda key=key: key * 10) == key * 10
        return "good"

    asked = [in_thread(work) for _ in range(8)]
    for thread, _ in asked:
        thread.join(SECONDS)
    assert [results for _, results in asked] == [["good"]] * 8
    assert len(values) <= 10
    assert not any(owned.flights for owned in values._owned.values())


def test_the_studies_of_samples_are_bounded_in_number_and_bytes():
    store = LeastRecentlyUsed(most=3, most_bytes=100)
    for number in range(5):
        store.put(number, f"study {number}", size=10)
    assert [store.get(number) for number in range(5)] == [None, None, "study 2", "study 3", "study 4"]
    store.put(5, "large", size=90)
    assert len(store) == 2
    assert store.get(4) == "study 4"
    store.put(6, "too large", size=101)
    assert store.get(6) is None
    assert len(store) == 2


def test_the_stores_of_the_server_have_bounds():
    assert cache.SAMPLE_STUDIES.most <= 100
    assert cache.SAMPLE_STUDIES.most_bytes <= 2**30
    assert cache._DERIVED._in_all[1] <= 2**30


# How large a value is


@dataclass(frozen=True)
class Held:
    """Something that holds a frame."""

    frame: pd.DataFrame
    name: str


def test_the_size_of_a_value_is_about_right():
    numbers = pd.DataFrame({"a": np.zeros(10_000), "b": np.zeros(10_000)})
    assert estimated_bytes(Held(numbers, "x")) == pytest.approx(160_000, rel=0.05)
    texts = pd.DataFrame({"a": [f"{'x' * 100}{number}" for number in range(1000)]})
    assert estimated_bytes(texts) > 100_000
    assert estimated_bytes([np.zeros(10)] * 5) < 1_000  # one array, five times
    lines = [f"{number:0100d}" for number in range(5000)]
    assert estimated_bytes(lines) == pytest.approx(5000 * 150, rel=0.2)  # from a thousand of them


def test_a_part_of_an_array_counts_as_the_whole_that_it_keeps_in_memory():
    assert estimated_bytes(np.zeros(10_000)[:10]) > 80_000


def test_a_study_and_a_figure_have_a_size(iris_study):
    from proset.plots.confusion import plot_confusion

    assert estimated_bytes(iris_study) > iris_study.table.frame.memory_usage().sum()
    assert 1_000 < estimated_bytes(plot_confusion(iris_study.metrics.confusion)) < 10**7


def test_what_refers_to_itself_has_a_size():
    loop = []
    loop.append(loop)
    assert 0 < estimated_bytes(loop) < 1000
