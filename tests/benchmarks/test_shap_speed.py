"""The comparison with the shap package: the model that is handed over is ours, and the table says what was measured."""

import numpy as np

from benchmarks import cells as cells_module
from benchmarks.cells import Cells
from benchmarks.peers import ours
from benchmarks.problems import PROBLEMS
from benchmarks.shap_speed import CASES, Case, arrays_of, section
from benchmarks.speed import problem_arrays
from proset import ClassifierModel


def test_the_model_that_is_handed_over_is_ours():
    arrays = arrays_of(Case("wine", "exact", 5))
    problem = next(problem for problem in PROBLEMS if problem.name == "wine")
    data = problem_arrays(problem, 0)
    model = ClassifierModel(
        n_iter=problem.n_iter, lambda_v=problem.lambda_v, lambda_w=problem.lambda_w, random_state=0
    ).fit(data["X"], data["y"])
    again = ours.make_model(n_iter=0, random_state=0).fit(arrays["X"], arrays["y"])
    names = ("prototypes", "target", "feature_weights", "prototype_weights", "sample_index")
    for number in range(int(arrays["n_batches"])):
        ours.add_batch(again, {name: arrays[f"{name}_{number}"] for name in names})
    expected = model.predict_proba(data["X_test"][:5])
    np.testing.assert_allclose(again.predict_proba(arrays["rows"]), expected, atol=1e-6)


def test_what_misses_the_bar_is_marked(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    cells = Cells("shap_speed")
    assert section(cells) == ["Not measured yet."]
    side = {"seconds": 1.0, "evaluations": 1000, "versions": {"shap": "1"}}
    for case, ratio in zip(CASES, (30.0, 4.0, 30.0, 30.0), strict=True):
        cell = {"published": side, "ours": side, "rows": 1, "features": 2, "gaps": {"values": 1e-7}}
        cells.fill(case.name, lambda cell=cell, ratio=ratio: cell | {"ratio": ratio, "ratio_per_evaluation": ratio})
    assert ["**NO**" in line for line in section(cells)[4:]] == [False, True, False, False]
