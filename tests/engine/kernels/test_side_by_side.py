"""Long works on threads of their own, and models that are grown and searched that way."""

import threading

import numpy as np
import pytest

from proset import ClassifierModel, ProsetRegressorCV, RegressorModel
from proset.engine import density_answers, fitting
from proset.engine.kernels import threads
from proset.engine.kernels.threads import limited, n_threads, side_by_side
from proset.selection import Cancelled, NumberPlan
from proset.selection.number_folds import NumberData
from proset.selection.number_run import search_number

HANG = 60.0


@pytest.fixture
def four_threads(monkeypatch):
    """As if there were four, and as if every fit were long."""
    monkeypatch.setattr(threads, "_available", lambda: 4)
    monkeypatch.setattr(fitting, "LONG", 0.0)


class TestSideBySide:
    def test_works_are_done_at_once_and_yielded_in_their_order(self, four_threads):
        all_there = threading.Barrier(3, timeout=HANG)

        def work(name):
            def done(tell):
                all_there.wait()  # passes only if nobody waits for another
                return name, threading.current_thread() is threading.main_thread(), n_threads()

            return done

        found = list(side_by_side([work(name) for name in "abc"], print))
        assert found == [("a", False, 1), ("b", False, 1), ("c", False, 1)]

    def test_threads_that_are_left_over_are_shared_out(self, four_threads):
        assert list(side_by_side([lambda tell: n_threads()] * 2, print)) == [2, 2]

    def test_with_one_thread_all_stays_in_the_calling_one(self, four_threads):
        told = []
        with limited(1):
            works = [lambda tell, name=name: (tell(name), threading.current_thread()) for name in "ab"]
            found = [thread for _, thread in side_by_side(works, told.append)]
        assert (found, told) == ([threading.main_thread()] * 2, ["a", "b"])

    def test_news_arrive_in_the_calling_thread(self, four_threads):
        heard, told = threading.Event(), []

        def work(tell):
            tell("news", 1)
            assert heard.wait(HANG)
            return True

        def listen(*news):
            told.append((news, threading.current_thread()))
            heard.set()

        assert list(side_by_side([work, work], listen)) == [True, True]
        assert told[0] == (("news", 1), threading.main_thread())

    def test_whoever_raises_while_listening_ends_all(self, four_threads):
        ended, all_there = [], threading.Barrier(3, timeout=HANG)

        def work(tell):
            all_there.wait()
            try:
                while True:
                    tell("on")
            finally:
                ended.append(True)

        def stop(_):
            raise Cancelled

        with pytest.raises(Cancelled):
            list(side_by_side([work] * 3, stop))
        assert ended == [True] * 3

    def test_an_error_of_one_ends_the_others_and_reaches_the_caller(self, four_threads):
        ended, both_there = [], threading.Barrier(2, timeout=HANG)

        def fail(tell):
            both_there.wait()
            raise MemoryError("too large")

        def go_on(tell):
            both_there.wait()
            try:
                while True:
                    tell("on")
            finally:
                ended.append(True)

        with pytest.raises(MemoryError, match="too large"):
            list(side_by_side([fail, go_on], lambda *_: None))
        assert ended == [True]

    def test_works_that_have_not_begun_never_do(self, four_threads, monkeypatch):
        monkeypatch.setattr(threads, "_available", lambda: 2)
        begun, both_there = [], threading.Barrier(2, timeout=HANG)

        def work(tell):
            begun.append(True)
            both_there.wait()
            while True:
                tell("on")

        def stop(_):
            raise Cancelled

        with pytest.raises(Cancelled):
            list(side_by_side([work] * 5, stop))
        assert len(begun) == 2


def drawn(n=160):
    X = np.random.default_rng(0).normal(size=(n, 4))
    return X, 3.0 * X[:, 0] + X[:, 1] * X[:, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("model", "number"), [(ClassifierModel, False), (RegressorModel, True)])
def test_joined_fits_are_the_same_to_the_last_bit(four_threads, model, number):
    X, y = drawn()
    y = y if number else np.digitize(y, [-1.0, 1.0])
    one, other = (model(n_iter=2, n_joined=3, random_state=0, n_jobs=n_jobs).fit(X, y) for n_jobs in (1, None))
    assert [result.batch for result in other.batch_results_] == [1, 2, 3, 4, 5, 6]
    for mine, theirs in zip(one.set_manager_.batches, other.set_manager_.batches, strict=True):
        assert mine.weights.tobytes() == theirs.weights.tobytes()
        assert mine.prototypes.tobytes() == theirs.prototypes.tobytes()


def test_answers_for_many_rows_are_the_same_to_the_last_bit(four_threads, monkeypatch):
    X, y = drawn()
    model = RegressorModel(random_state=0).fit(X, y)
    levels = [0.05, 0.5, 0.95]
    whole = model.predict(X), model.predict_quantiles(X, levels), model.score(X, y)
    monkeypatch.setattr(density_answers, "MOST_COMPONENTS", 4 * 5 * 200)  # a few rows for each thread
    began, own = [], RegressorModel._distribution
    monkeypatch.setattr(RegressorModel, "_distribution", lambda *args: (began.append(args), own(*args))[1])
    parts = model.predict(X), model.predict_quantiles(X, levels), model.score(X, y)
    assert len(began) > 3 * 8
    for one, other in zip(whole, parts, strict=True):
        assert np.array_equal(one, other)


def test_a_joined_fit_can_be_stopped_and_leaves_no_thread(four_threads):
    X, y = drawn(400)
    before, seen = threading.active_count(), []

    def stop(now):
        seen.append(now)
        raise Cancelled

    model = RegressorModel(n_iter=50, n_joined=4, random_state=0)
    with pytest.raises(Cancelled):
        model.fit(X, y, progress=stop)
    assert len(seen) == 1
    assert threading.active_count() == before
    assert not hasattr(model, "set_manager_")


@pytest.mark.slow
def test_the_share_that_is_done_never_falls(four_threads, monkeypatch):
    monkeypatch.setattr(threads, "_SECONDS_BETWEEN_NEWS", 0.001)
    X, y = drawn(400)
    seen = []
    RegressorModel(n_iter=3, n_joined=4, random_state=0).fit(X, y, progress=seen.append)
    shares = [now.share for now in seen]
    assert len(shares) > 20
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


SEARCH = {"n_trials": 2, "n_folds": 2, "max_batches": 2, "n_joined": 2, "cv_factr": 1e12, "random_state": 0}


@pytest.mark.slow
def test_a_search_finds_the_same_to_the_last_bit_on_the_threads_that_it_may_use(four_threads, monkeypatch):
    X, y = drawn()
    used, own = set(), RegressorModel.fit

    def fit(self, *args, **kwargs):
        with limited(self.n_jobs):
            used.add((threading.current_thread() is threading.main_thread(), n_threads()))
        return own(self, *args, **kwargs)

    monkeypatch.setattr(RegressorModel, "fit", fit)
    one = ProsetRegressorCV(**SEARCH, n_jobs=1).fit(X, y)
    assert used == {(True, 1)}
    used.clear()
    other = ProsetRegressorCV(**SEARCH).fit(X, y)
    assert used == {(False, 2), (True, 4)}  # two folds side by side, then the last fit
    assert one.record_.to_state() == other.record_.to_state()
    assert one.predict(X).tobytes() == other.predict(X).tobytes()


@pytest.mark.slow
def test_a_search_that_is_stopped_goes_on(four_threads):
    X, y = drawn()
    data = NumberData(y, np.ones(len(y)), lambda train, test: (X[train], X[test]))
    plan = NumberPlan(n_trials=2, n_folds=2, max_batches=2, n_joined=2, scales=(), cv_factr=1e12)
    whole, records = search_number(data, plan, {"random_state": 0}), []

    def stop(now):
        records.append(now.finished())
        if records[-1].trials:
            raise Cancelled

    before = threading.active_count()
    with pytest.raises(Cancelled) as stopped:
        search_number(data, plan, {"random_state": 0}, progress=stop)
    assert threading.active_count() == before
    assert len(stopped.value.record.trials) == 1
    went_on = search_number(data, plan, {"random_state": 0}, record=stopped.value.record)
    assert went_on.to_state() == whole.to_state()
