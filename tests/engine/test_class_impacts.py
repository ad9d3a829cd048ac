"""The compiled form of scoring against the plain one."""

from threading import Thread

import numpy as np
import pytest

from proset.engine.kernels import threads
from proset.engine.kernels.class_impacts import ClassImpacts, class_impacts
from proset.engine.kernels.similarity import scaled_prototypes

N_CLASSES = 3


def make(n_features: int, n_prototypes: int, seed: int = 0) -> ClassImpacts:
    rng = np.random.default_rng(seed)
    side = scaled_prototypes(rng.standard_normal((n_prototypes, n_features)), rng.gamma(1.0, 1.0, n_features))
    return class_impacts(side, rng.integers(0, N_CLASSES, n_prototypes), rng.gamma(1.0, 3.0, n_prototypes))


def plain(impacts: ClassImpacts, X: np.ndarray, features: np.ndarray) -> np.ndarray:
    out = np.zeros((X.shape[0], N_CLASSES))
    impacts.add_plainly(X, features, out)
    return out


@pytest.mark.parametrize("n_features", [0, 1, 3, 4, 5, 11])
@pytest.mark.parametrize(("n_rows", "n_prototypes"), [(0, 3), (1, 1), (5, 7), (1030, 66)])
def test_compiled_equals_plain(n_features, n_rows, n_prototypes):
    impacts = make(n_features, n_prototypes)
    X = np.random.default_rng(1).standard_normal((n_rows, n_features + 2)).astype(np.float32)
    features = np.arange(n_features) + 1
    np.testing.assert_allclose(impacts.evaluate(X, features, N_CLASSES), plain(impacts, X, features), rtol=1e-13)


def test_similarities_from_one_to_nothing():
    side = scaled_prototypes(np.zeros((1, 1)), np.ones(1))
    distance = np.concatenate([[0.0], np.geomspace(1e-9, 35.0, 300)])  # exp(-35^2 / 2) is near 1e-266
    found = class_impacts(side, np.zeros(1, dtype=int), np.ones(1)).evaluate(distance[:, None], np.array([0]), 1)
    np.testing.assert_allclose(found[:, 0], np.exp(-0.5 * distance**2), rtol=1e-12)
    assert found[0, 0] == 1.0


@pytest.mark.parametrize("far", [60.0, 1e10, 1e200, -1e308])
def test_a_row_far_away_gets_nothing_and_its_neighbours_keep_theirs(far):
    impacts = make(2, 9)
    X = np.zeros((6, 2))
    X[3, 1] = far
    found = impacts.evaluate(X, np.arange(2), N_CLASSES)
    near = impacts.evaluate(np.zeros((1, 2)), np.arange(2), N_CLASSES)[0]
    np.testing.assert_array_equal(found[[0, 1, 2, 4, 5]], np.tile(near, (5, 1)))
    assert far == 60.0 or found[3].tolist() == [0.0] * N_CLASSES


def test_a_row_gets_the_same_numbers_alone_and_in_company(monkeypatch):
    pytest.importorskip("numba")  # a promise of compiled code
    monkeypatch.setattr("proset.engine.kernels.class_impacts.SIMILARITIES_PER_PART", 400)
    impacts = make(6, 40)
    X = np.random.default_rng(2).standard_normal((203, 6))
    together = impacts.evaluate(X, np.arange(6), N_CLASSES)
    alone = np.vstack([impacts.evaluate(X[[i]], np.arange(6), N_CLASSES) for i in range(203)])
    np.testing.assert_array_equal(together, alone)
    monkeypatch.setattr(threads, "n_threads", lambda: 1)
    np.testing.assert_array_equal(together, impacts.evaluate(X, np.arange(6), N_CLASSES))


@pytest.mark.parametrize("spread", [1e3, 1e6, 1e7, 1e12, 1e30, 1e300])
@pytest.mark.parametrize("n_features", [1, 5])
def test_prototypes_far_apart_are_told_apart(n_features, spread):
    """Rows at the prototypes themselves get their whole weight, however far out, and others nothing of it."""
    rng = np.random.default_rng(3)
    prototypes = rng.standard_normal((9, n_features)) * spread
    impacts = class_impacts(
        scaled_prototypes(prototypes, np.full(n_features, 10.0)), np.arange(9) % 3, np.arange(1.0, 10)
    )
    found = impacts.evaluate(prototypes, np.arange(n_features), N_CLASSES)
    expected = np.zeros((9, N_CLASSES))
    expected[np.arange(9), np.arange(9) % 3] = np.arange(1.0, 10)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(plain(impacts, prototypes, np.arange(n_features)), expected, rtol=1e-12, atol=1e-12)


def test_a_row_gets_the_same_numbers_beside_rows_of_any_distance():
    pytest.importorskip("numba")  # a promise of compiled code
    impacts = make(6, 40)
    X = np.random.default_rng(2).standard_normal((60, 6)) * np.geomspace(1.0, 1e300, 60)[:, None]
    X = X[np.random.default_rng(3).permutation(60)]
    together = impacts.evaluate(X, np.arange(6), N_CLASSES)
    alone = np.vstack([impacts.evaluate(row[None, :], np.arange(6), N_CLASSES) for row in X])
    np.testing.assert_array_equal(together, alone)


def test_threads_can_be_limited_in_one_thread_only(monkeypatch):
    monkeypatch.setattr(threads, "_available", lambda: 4)
    found = []
    with threads.limited(2):
        other = Thread(target=lambda: found.append(threads.n_threads()))
        other.start()
        other.join()
        with threads.limited(None):
            assert threads.n_threads() == 2
        with threads.limited(-1):
            assert threads.n_threads() == 4
        with threads.limited(-2):
            assert threads.n_threads() == 3
        with pytest.raises(ZeroDivisionError), threads.limited(64):
            1 // (threads.n_threads() - 4)
        assert threads.n_threads() == 2
    assert found == [4]
    assert threads.n_threads() == 4
    with pytest.raises(ValueError, match="n_jobs=0"), threads.limited(0):
        pass


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(threads, "n_threads", lambda: 2)

    def fail(part: int) -> int:
        if part == 3:
            raise MemoryError("part 3")
        return part

    assert threads.run_parts(lambda part: part, 5) == [0, 1, 2, 3, 4]
    with pytest.raises(MemoryError, match="part 3"):
        threads.run_parts(fail, 5)
