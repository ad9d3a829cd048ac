"""The limit on the threads of linear algebra holds in every thread, whoever has set one before."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event

import pytest
from threadpoolctl import ThreadpoolController, threadpool_limits

from proset.engine.kernels.similarity import single_threaded_blas


def threads_of_blas():
    """How many threads each linear algebra library uses now."""
    return [library.num_threads for library in ThreadpoolController().lib_controllers if library.user_api == "blas"]


@pytest.fixture(autouse=True)
def _two_threads():
    """Begin with more than one, whatever machine this is."""
    with threadpool_limits(limits=2, user_api="blas"):
        if 2 not in threads_of_blas():
            pytest.skip("the linear algebra of this machine has one thread only")
        yield


def limited():
    with single_threaded_blas():
        inside = threads_of_blas()
    return inside, threads_of_blas()


def test_it_holds_in_a_thread_after_another_thread_has_set_it():
    # The fit of one visitor must not decide how many threads the fits of all later ones have.
    inside, after = limited()
    assert set(inside) == {1}
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(limited).result() == (inside, after)


def test_it_is_lifted_by_the_last_whoever_has_set_it():
    before, begun, both = threads_of_blas(), Event(), Barrier(2, timeout=20)

    def first():
        with single_threaded_blas():
            begun.set()
            both.wait()

    def second(other):
        assert begun.wait(20)
        with single_threaded_blas():
            both.wait()
            other.result()
            return threads_of_blas()

    with ThreadPoolExecutor(2) as pool:
        assert set(pool.submit(second, pool.submit(first)).result()) == {1}
    assert threads_of_blas() == before


def test_it_does_not_undo_what_others_have_set_meanwhile():
    # KMeans in another thread: it limits first, and lifts its limit while ours holds.
    before = threads_of_blas()
    other = threadpool_limits(limits=1, user_api="blas")
    with single_threaded_blas():
        other.restore_original_limits()
    assert threads_of_blas() == before
