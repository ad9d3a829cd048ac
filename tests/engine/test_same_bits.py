"""The same data and seed give the same bits, whatever the threads of linear algebra do."""

import json
import os
import subprocess
import sys

import pytest

BEGIN = """
import hashlib, json, threading
from threadpoolctl import ThreadpoolController, threadpool_limits

def threads():
    return [one.num_threads for one in ThreadpoolController().lib_controllers if one.user_api == "blas"]
"""
FIT = """
import numpy as np
import scipy.linalg
from sklearn.datasets import load_digits
from proset import ClassifierModel

def fitted():
    X, y = load_digits(return_X_y=True)
    model = ClassifierModel(n_iter=1, random_state=0, n_jobs=1).fit(X[:700] / 16.0, y[:700])
    parts = [part.tobytes() for batch in model.set_manager_.get_batches() for part in batch.values()]
    return hashlib.sha256(b"".join(parts) + model.predict_proba(X[700:] / 16.0).tobytes()).hexdigest()
"""
ENTERED_EARLY = """
from proset.engine.kernels.similarity import single_threaded_blas
with single_threaded_blas():
    pass
"""
IN_THE_MIDDLE = """
from sklearn.cluster import KMeans
over = threading.Event()

def disturb():
    points = np.random.default_rng(0).normal(size=(200, 3))
    while not over.is_set():
        with threadpool_limits(2, user_api="blas"):
            KMeans(2, n_init=1, random_state=0).fit(points)
        with threadpool_limits(1, user_api="blas"):
            KMeans(2, n_init=1, random_state=0).fit(points)

before = threads()
thread = threading.Thread(target=disturb)
thread.start()
try:
    bits = [fitted(), fitted()]
finally:
    over.set()
    thread.join()
assert threads() == before, (threads(), before)
print(json.dumps(bits))
"""
ALONE = "print(json.dumps([fitted()]))"


def bits(program, n_threads):
    """What a fresh process with so many threads of linear algebra prints."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": str(n_threads), "MKL_NUM_THREADS": str(n_threads)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout))


@pytest.fixture(scope="module")
def with_one_thread():
    return bits(BEGIN + FIT + ALONE, 1)


@pytest.mark.slow
def test_threads_of_a_fresh_process_do_not_matter(with_one_thread):
    assert bits(BEGIN + FIT + ALONE, 2) == with_one_thread


@pytest.mark.slow
def test_what_is_imported_first_does_not_matter(with_one_thread):
    assert bits(BEGIN + ENTERED_EARLY + FIT + ALONE, 2) == with_one_thread


@pytest.mark.slow
def test_a_thread_that_changes_the_limit_meanwhile_does_not_matter(with_one_thread):
    pytest.importorskip("numba")  # a promise of compiled code
    assert bits(BEGIN + FIT + IN_THE_MIDDLE, 2) == with_one_thread


def test_a_limit_set_before_scipy_is_imported_holds_for_scipy():
    program = (
        BEGIN + ENTERED_EARLY + "import scipy.linalg\nwith single_threaded_blas():\n    print(json.dumps(threads()))"
    )
    assert bits(program, 2) == {1}


NUMBER = """
from proset import RegressorModel

def of_a_number():
    X = np.random.default_rng(0).normal(size=(300, 3))
    model = RegressorModel(n_iter=1, random_state=0, n_jobs=1).fit(X, X[:, 0] + X[:, 1] ** 2)
    parts = [part.tobytes() for batch in model.set_manager_.get_batches() for part in batch.values()]
    return hashlib.sha256(b"".join(parts) + model.predict_quantiles(X, 0.3).tobytes()).hexdigest()

print(json.dumps([fitted() + of_a_number()]))
"""


@pytest.mark.exhaustive  # half a minute of compiling
def test_a_process_that_compiles_says_what_those_say_that_load(tmp_path, monkeypatch):
    pytest.importorskip("numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "")
    first = bits(BEGIN + FIT + NUMBER, 1)
    assert list(tmp_path.rglob("*.nbc"))
    assert bits(BEGIN + FIT + NUMBER, 1) == first
