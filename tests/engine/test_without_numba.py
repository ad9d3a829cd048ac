"""All but two companions work where numba cannot be imported."""

import subprocess
import sys

import pytest

from proset.engine.objective import make_objective
from proset.engine.objective.blocks_backend import BlocksObjective

PROGRAM = """
import sys, warnings
sys.modules["numba"] = None
import numpy as np
from proset import ClassifierModel, explain
from proset.common.errors import ProsetError
from proset.companions import SYSTEMS
from proset.data.samples import load_sample, sample_roles
from proset.study import fit_study

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    X = np.arange(12.0)[:, None] / 12
    model = ClassifierModel(random_state=0).fit(X, X[:, 0] > 0.5)
    asked = ClassifierModel(random_state=0, backend="numpy").fit(X, X[:, 0] > 0.5)
print(sum(entry.category.__name__ == "MissingNumbaWarning" for entry in said))
assert np.array_equal(model.predict_proba(X), asked.predict_proba(X))
reference = explain.choose_reference_point(study)
row = [int(study.split.held_out[0])]
assert len(explain.shap_values(study, row, reference).to_frame())
assert explain.smallest_flip(study, row[0]) is not None
for name, system in SYSTEMS.items():
    try:
        system.make().fit(X, X[:, 0] > 0.5).predict_proba(X)
        print(name, "works")
    except ProsetError as error:
        print(name, "proset-dashboard[compiled]" in str(error))
from proset.compare import ComparePlan, compare, estimate
plan = ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False)
print([entry.failed != "" for entry in compare(study, plan).systems], estimate(study, plan).seconds > 0.0)
"""


@pytest.mark.slow
def test_everything_but_two_companions_works_and_one_warning_says_what_is_missing():
    pytest.importorskip("xgboost")
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:-1] == [
        "1", "proset works", "pvm works", "smp True", "gbmap True", "knn works", "xgboost works",
        "[False, False] True",
    ]  # fmt: skip


def test_numpy_means_matrix_products_and_compiled_what_numba_makes(problem):
    assert isinstance(make_objective(problem, "numpy"), BlocksObjective)
    pytest.importorskip("numba")
    assert type(make_objective(problem)).__name__ == type(make_objective(problem, "compiled")).__name__
    assert type(make_objective(problem)).__name__ == "CompiledObjective"


@pytest.fixture
def problem():
    import numpy as np

    from proset.engine.objective.penalty import ElasticNet
    from proset.engine.objective.problem import make_problem

    X = np.array([[0.0], [1.0], [0.2], [0.9]])
    return make_problem(
        X, np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5), candidates=np.array([0, 1]),
        reference=np.array([2, 3]), penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True,
    )  # fmt: skip
