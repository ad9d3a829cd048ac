"""TensorFlow's form of the objective: against plain loops, finite differences, and the default form."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest
from any_scale import TABLES, TOLERANCE, allowed, points, problem_on
from engine import oracle
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA
from sklearn.metrics import balanced_accuracy_score, log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from variants import main_cases

from proset import ClassifierModel
from proset.cli import main
from proset.common.errors import ProsetError
from proset.data.design import Design
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.target import target_labels
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch, solve_batch
from proset.engine.objective import BACKENDS, make_objective, tensorflow_backend
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import make_problem
from proset.engine.objective.tensorflow_backend import TensorFlowObjective, class_blocks
from proset.engine.objective.tensorflow_start import import_tensorflow
from proset.engine.set_manager import SetManager
from proset.storage import load
from proset.study.settings import suggest_settings

if find_spec("tensorflow") is None:  # importing it takes seconds, in every process that collects tests
    pytest.skip("TensorFlow is not installed", allow_module_level=True)

PENALTIES = {"penalty_v": ElasticNet(1e-2, 0.7), "penalty_w": ElasticNet(1e-3, 0.4)}


def random_problem(seed, *, n=90, d=4, k=3, offset=0.0):
    """A batch problem as the second batch of a fit would see it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + offset
    chosen = rng.permutation(n)
    return make_problem(
        X,
        np.arange(n) % k,
        rng.uniform(0.2, 3.0, n),
        rng.uniform(0.1, 2.0, (n, k)),
        candidates=np.sort(chosen[: n // 3]),
        reference=np.sort(chosen[n // 3 :]),
        **PENALTIES,
        first=False,
    )


def random_point(problem, seed, *, zeros=False):
    rng = np.random.default_rng(seed)
    v, w = rng.uniform(0.1, 2.0, problem.n_features), rng.uniform(0.0, 3.0, problem.n_candidates)
    if zeros:
        v[1:] *= rng.random(v.shape[0] - 1) < 0.5
        w *= rng.random(w.shape[0]) < 0.5
    return np.concatenate([v, w])


@pytest.mark.parametrize("elements", [tensorflow_backend.CPU_BLOCK_ELEMENTS, 100], ids=["one block", "many blocks"])
@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_equals_plain_loops(monkeypatch, seed, zeros, elements):
    monkeypatch.setattr(tensorflow_backend, "CPU_BLOCK_ELEMENTS", elements)
    problem = random_problem(seed)
    point = random_point(problem, seed, zeros=zeros)
    value, gradient = TensorFlowObjective(problem)(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", main_cases(TABLES, every=3))
def test_data_of_any_scale_give_the_numbers_of_double_precision(name):
    problem = problem_on(name)
    objective = TensorFlowObjective(problem)
    for point in points(problem):
        v, w = problem.split(point)
        value, gradient = objective(point)
        with np.errstate(over="ignore"):
            exact = np.concatenate(oracle.gradient(problem, v, w))
            assert value == pytest.approx(oracle.value(problem, v, w), rel=TOLERANCE)
        assert (np.abs(gradient - exact) <= allowed(problem, point, exact)).all()


@pytest.mark.parametrize("seed", range(3))
def test_gradient_meets_finite_differences(seed):
    problem = random_problem(seed, d=3)
    point = random_point(problem, seed) + 0.2
    objective = TensorFlowObjective(problem)
    _, gradient = objective(point)
    step = 2e-2
    for i in range(point.shape[0]):
        shift = np.zeros_like(point)
        shift[i] = step
        slope = (objective(point + shift)[0] - objective(point - shift)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=2e-3, abs=2e-5)


def test_features_leave_and_return():
    problem = random_problem(4)
    objective = TensorFlowObjective(problem)
    point = random_point(problem, 4)
    fewer = point.copy()
    fewer[2] = 0.0
    before, less, after = objective(point), objective(fewer), objective(point)
    assert less[0] != before[0]
    assert after[0] == pytest.approx(before[0], rel=1e-12)


@pytest.mark.parametrize("empty", ["a class without candidates", "no feature in use", "one class"])
def test_edges(empty):
    rng = np.random.default_rng(0)
    n, k = 40, 1 if empty == "one class" else 3
    target = np.sort(rng.integers(0, k, n))
    candidates = np.flatnonzero(target < max(1, k - 1))[::4]
    rest = np.setdiff1d(np.arange(n), candidates)
    problem = make_problem(
        rng.standard_normal((n, 2)), target, np.ones(n), np.full((n, k), 1 / k),
        candidates=candidates, reference=rest, **PENALTIES, first=True,
    )  # fmt: skip
    point = random_point(problem, 0)
    if empty == "no feature in use":
        point[:2] = 0.0
    value, gradient = TensorFlowObjective(problem)(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6, abs=1e-9)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=5e-5, atol=2e-6)


def test_distance_from_the_origin_does_not_cost_precision():
    near, far = random_problem(3), random_problem(3, offset=1000.0)
    point = random_point(near, 3)
    assert TensorFlowObjective(near)(point)[0] == pytest.approx(TensorFlowObjective(far)(point)[0], rel=1e-5)


def test_thousands_of_rows_cost_no_precision():
    """Sums over many rows and candidates, against the same in float64."""
    problem = random_problem(7, n=6_000, d=10, k=5)
    point = random_point(problem, 7) * 0.3
    value, gradient = TensorFlowObjective(problem)(point)
    v, w = problem.split(point)
    x, s = problem.reference.astype(float) * v, problem.candidates.astype(float) * v
    similar = np.exp(-0.5 * ((x * x).sum(1)[:, None] + (s * s).sum(1) - 2 * x @ s.T))
    same = problem.reference_target[:, None] == problem.candidate_target
    q_true, q_total = problem.prior_true + (similar * same) @ w, problem.prior_total + similar @ w
    exact = -(problem.importance @ np.log(q_true / q_total)) + problem.penalty_v.value(v) + problem.penalty_w.value(w)
    share = problem.importance[:, None] * similar * (same / q_true[:, None] - 1 / q_total[:, None])
    assert value == pytest.approx(exact, rel=1e-6)
    np.testing.assert_allclose(
        gradient[problem.n_features :], problem.penalty_w.gradient(w) - share.sum(axis=0), rtol=1e-4, atol=1e-7
    )


def test_no_block_is_larger_than_allowed():
    problem = random_problem(1, n=600, d=5, k=4)
    blocks = class_blocks(problem, 3_000)
    rows = np.concatenate([np.arange(first, last) for first, last, *_ in blocks])
    assert rows.tolist() == list(range(problem.reference.shape[0]))
    for first, last, low, high in blocks:
        assert (last - first) * (problem.n_candidates + problem.n_features) <= 3_000
        classes = {*problem.reference_target[first:last], *problem.candidate_target[low:high]}
        assert len(classes) == 1


def test_a_gpu_setting_of_the_caller_is_left_as_it_was():
    settings = import_tensorflow().config.experimental
    for before in (True, False):
        settings.enable_tensor_float_32_execution(before)
        make_objective(random_problem(0), "tensorflow")(random_problem(0).start())
        assert settings.tensor_float_32_execution_enabled() is before
    settings.enable_tensor_float_32_execution(True)


def sample_problem(name):
    """First batch of a bundled table, with the settings that are suggested for it and at most 800 rows."""
    table, roles = load_sample(name), sample_roles(name)
    X = Design(roles).fit(table.frame).transform(table.frame).X
    labels = target_labels(table.frame, roles)
    known = labels.notna().to_numpy()
    _, target = np.unique(labels[known].to_numpy(dtype=str), return_inverse=True)
    n = target.shape[0]
    data = TrainingData(X[known], target.astype(np.int64), np.ones(n), np.arange(n))
    settings = BatchSettings.of(replace(suggest_settings(n, X.shape[1]), max_samples=800))
    manager = SetManager(np.bincount(target) / n, X.shape[1])
    return draw_batch(manager, data, settings, np.random.default_rng(2)).problem, settings


@pytest.mark.slow
@pytest.mark.parametrize("name", main_cases(SAMPLES, every=9))
def test_same_objective_and_features_on_the_sample_data(name):
    """The problem is not convex: solvers may end in different valleys, as under other draws; none looks different."""
    problem, settings = sample_problem(name)
    ends = {backend: solve_batch(problem, replace(settings, backend=backend)) for backend in ("numpy", "tensorflow")}
    for point in (problem.start(), *(end.x for end in ends.values())):
        theirs, ours = (make_objective(problem, backend)(point) for backend in ends)
        assert ours[0] == pytest.approx(theirs[0], rel=1e-5)
        np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3, atol=1e-5)
    assert ends["tensorflow"].report.converged
    chosen = [np.flatnonzero(end.x[: problem.n_features]).tolist() for end in ends.values()]
    assert chosen[0] == chosen[1]


@pytest.mark.slow
def test_scaled_down_mnist():
    """Tables 2.18 and 2.19 in small: the 8 x 8 digits stand in for MNIST, by principal components of 99 % variance."""
    X, y = load_digits(return_X_y=True)
    train, test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=0)
    components = PCA(n_components=0.99, svd_solver="full").fit(train)
    scaler = StandardScaler().fit(components.transform(train))
    train, test = (scaler.transform(components.transform(part)) for part in (train, test))
    fits = {
        backend: ClassifierModel(lambda_v=3.2e-3, num_candidates=400, backend=backend, random_state=0).fit(
            train, y_train
        )
        for backend in ("tensorflow", "numpy")
    }
    probabilities = {backend: model.predict_proba(test) for backend, model in fits.items()}
    losses = {backend: log_loss(y_test, estimate) for backend, estimate in probabilities.items()}
    assert losses["tensorflow"] == pytest.approx(losses["numpy"], abs=2e-3)
    assert losses["tensorflow"] < 0.25
    assert balanced_accuracy_score(y_test, fits["tensorflow"].predict(test)) > 0.94


def fresh(code, **environment):
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ, **environment}
    )
    return done.stdout, done.stderr


@pytest.mark.slow
def test_a_fit_prints_nothing_and_keeps_to_the_threads_it_is_given():
    code = (
        "import numpy as np, os\n"
        "from proset import ClassifierModel\n"
        "X = np.random.default_rng(0).normal(size=(60, 2))\n"
        "ClassifierModel(backend='tensorflow', random_state=0).fit(X, X[:, 0] > 0)\n"
        "import tensorflow as tf\n"
        "print(tf.config.threading.get_intra_op_parallelism_threads(), os.environ.get('TF_CPP_MIN_LOG_LEVEL'))"
    )
    assert fresh(code, OMP_NUM_THREADS="1") == ("1 None\n", "")


def test_without_tensorflow_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorflow", None)
    import_tensorflow.cache_clear()
    X, y = load_digits(return_X_y=True)
    with pytest.raises(ProsetError, match=r"TensorFlow.*proset-dashboard\[tensorflow\].*backend=\"numpy\""):
        ClassifierModel(backend="tensorflow").fit(X, y)
    import_tensorflow.cache_clear()


@pytest.mark.slow
def test_the_command_line_offers_every_backend(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("proset.study.repeats.TIMES_OF_FEW_ROWS", 1)
    table, model = tmp_path / "iris.csv", tmp_path / "iris.proset"
    load_sample("iris_2f").frame.to_csv(table, index=False)
    target = SAMPLES["iris_2f"].target
    assert main(["fit", str(table), "-t", target, "-o", str(model), "-q", "--backend", "tensorflow"]) == 0
    assert load(model).settings.backend == "tensorflow"
    with pytest.raises(SystemExit):
        main(["fit", str(table), "-t", target, "-o", str(model), "--backend", "abacus"])
    said = capsys.readouterr().err
    assert all(name in said for name in BACKENDS)
