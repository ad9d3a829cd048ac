"""Measurements beside the pages: few at once, one for each visitor, the latest of each."""

import threading
from concurrent.futures import CancelledError, wait

import pytest
from patience import HANG

from dashboard.components.jobs import later
from dashboard.services.fit import fit_time as service
from dashboard.work.estimates import Estimates
from proset.study.time_needed import TimeNeeded


class Measure:
    """A measurement that goes on until it is let go, and asks for the time then."""

    def __init__(self, result="found"):
        self.begun, self.go, self.result = threading.Event(), threading.Event(), result

    def __call__(self, clock):
        self.begun.set()
        assert self.go.wait(HANG)
        clock()
        return self.result


@pytest.fixture
def threads():
    """Threads that measure for the test; those of the app may still end what was asked for in a former one."""
    before = set(threading.enumerate())
    return lambda: [thread for thread in threading.enumerate() if thread.name == "estimates" and thread not in before]


def test_of_one_visitor_only_the_latest_is_measured(threads):
    estimates, first, others = Estimates(3), Measure(), [Measure(number) for number in range(20)]
    running = estimates.ask("one", first)
    assert first.begun.wait(HANG)
    asked = [estimates.ask("one", other) for other in others]
    assert len(threads()) <= 3
    for measure in (first, *others):
        measure.go.set()
    assert asked[-1].result(HANG) == 19
    assert [other.begun.is_set() for other in others] == [False] * 19 + [True]
    assert all(former.cancelled() for former in asked[:-1])
    with pytest.raises(CancelledError):  # it was ended in the middle, where it asked for the time
        running.result(HANG)


def test_many_visitors_have_few_threads_and_all_get_their_turn(threads):
    estimates, measures = Estimates(2), [Measure(number) for number in range(10)]
    asked = [estimates.ask(number, measure) for number, measure in enumerate(measures)]
    assert measures[0].begun.wait(HANG)
    assert measures[1].begun.wait(HANG)
    assert len(threads()) == 2
    assert sum(measure.begun.is_set() for measure in measures) == 2
    for measure in measures:
        measure.go.set()
    assert [one.result(HANG) for one in asked] == list(range(10))
    for thread in threads():
        thread.join(HANG)
    assert threads() == []


def test_what_fails_is_told_and_holds_up_nobody():
    def fails(clock):
        raise ValueError("no")

    estimates = Estimates(1)
    failed, good = estimates.ask("one", fails), estimates.ask("two", lambda clock: 2)
    wait([failed, good], HANG)
    assert str(failed.exception()) == "no"
    assert good.result() == 2


def test_another_seed_is_not_measured_anew_and_another_setting_ends_what_is_measured(open_app, monkeypatch, threads):
    begun, go = [], threading.Event()

    def needed(problem, recipe, *, clock):
        begun.append(recipe.settings.n_iter)
        assert go.wait(HANG)
        clock()
        return TimeNeeded(0.0, 100.0)

    monkeypatch.setattr(later, "_WAIT", 0.01)
    monkeypatch.setattr(later, "ESTIMATES", Estimates(2))
    monkeypatch.setattr(service, "recipe_seconds", needed)
    at = open_app("fit", data="iris_2f")
    at.segmented_control(key="fit.mode").set_value("own").run()
    for seed in range(1, 6):
        at.number_input(key="fit.random_state").set_value(seed).run()
    at.number_input(key="fit.n_iter").set_value(3).run()
    assert len(begun) <= 2
    assert len(threads()) <= 2
    monkeypatch.setattr(later, "_WAIT", HANG)
    go.set()
    at.run()
    assert "Takes about" in at.words()
    assert begun[-1] == 3
    assert len(begun) <= 3


def test_who_looks_at_what_another_no_longer_asks_for_waits_and_then_gets_it(open_app, monkeypatch):
    estimates = Estimates(1)
    monkeypatch.setattr(later, "_WAIT", 0.01)
    monkeypatch.setattr(later, "ESTIMATES", estimates)
    monkeypatch.setattr(service, "recipe_seconds", lambda *_, clock: TimeNeeded(0.0, 100.0))
    held = Measure()
    estimates.ask("somebody", held)
    one, two = open_app("fit", data="iris_2f"), open_app("fit", data="iris_2f")  # one table, one measurement
    one.segmented_control(key="fit.mode").set_value("own").run()  # which is not asked for any more
    two.run()
    assert not two.exception
    assert "Measuring" in two.words()
    held.go.set()
    monkeypatch.setattr(later, "_WAIT", HANG)
    two.run()
    assert "Takes about" in two.words()
