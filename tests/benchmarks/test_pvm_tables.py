"""The tables of the prototype vector machine: choices, folds, the stand-in, curves on small digits, and the section."""

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from benchmarks import cells as cells_module
from benchmarks.cells import Cells
from benchmarks.pvm_tables import __main__ as program
from benchmarks.pvm_tables import digits, distances, published, sets, small, tangent_choice
from benchmarks.pvm_tables.choice import one_standard_error
from benchmarks.pvm_tables.olvq import fit_vectors
from benchmarks.pvm_tables.render import far_lines, section, table_2
from benchmarks.pvm_tables.sets import SPLITS, TableSet
from benchmarks.pvm_tables.small import one_nearest, prototype_vector_machine, vector_quantization
from proset.companions.pvm import PVMClassifier


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    return {part: Cells(f"pvm_{part}") for part in program.PARTS}


@pytest.fixture
def small_digits(tmp_path, monkeypatch):
    monkeypatch.setattr(distances, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(digits, "RADII", 4)
    X, y = load_digits(return_X_y=True)
    arrays = {"X": X[:300], "y": y[:300], "X_test": X[300:400], "y_test": y[300:400]}
    return digits.sorted_by_class(arrays)


def test_the_smallest_model_within_one_standard_error_is_chosen():
    errors = np.tile([[0.10], [0.11], [0.10], [0.30]], (1, 10)) + np.tile([-0.05, 0.05], 5)
    assert one_standard_error(errors, np.array([9, 4, 4, 1])) == 1  # 0.11 is within; of equals the first
    assert one_standard_error(errors[:, :1].repeat(10, axis=1), np.array([9, 4, 5, 1])) == 2  # no spread: the best only


def test_folds_deal_out_every_class():
    y = np.repeat([0, 1, 2], [40, 23, 4])
    found = sets.folds(y, 0)
    counts = np.array([np.bincount(found[y == label], minlength=sets.FOLDS) for label in (0, 1)])
    assert (counts[0] == 4).all()
    assert set(counts[1]) == {2, 3}
    assert len(set(found[y == 2])) == 4


def test_two_thirds_of_the_rows_are_for_training_and_standardised():
    X, y = load_iris(return_X_y=True)
    arrays = TableSet("iris", X, y).split(3)
    assert arrays["X"].shape == (100, 4)
    assert arrays["X_test"].shape == (50, 4)
    np.testing.assert_allclose(arrays["X"].mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(arrays["X"].std(axis=0), 1.0)


def test_vectors_start_in_every_class_and_learn():
    X, y = load_iris(return_X_y=True)
    vectors, classes = fit_vectors(X, y, 6, seed=0)
    np.testing.assert_array_equal(np.bincount(classes), [2, 2, 2])
    nearest = classes[((X[:, None] - vectors) ** 2).sum(axis=2).argmin(axis=1)]
    assert (nearest != y).mean() < 0.08


@pytest.mark.slow
@pytest.mark.parametrize("work", [one_nearest, prototype_vector_machine, vector_quantization])
def test_methods_report_error_and_prototypes(work):
    arrays = TableSet("iris", *load_iris(return_X_y=True)).split(0)
    found = work(arrays, 0)
    assert 0.0 <= found["error"] < 20.0
    assert 3 <= found["n_prototypes"] <= 100


def test_medoids_are_chosen_by_folds(monkeypatch):
    """The answer of the other process is made here: of each class the rows nearest to its mean."""
    arrays = TableSet("iris", *load_iris(return_X_y=True)).split(0)
    X, y = arrays["X"], arrays["y"]

    def central(rows, size):
        own = [rows[y[rows] == label] for label in range(3)]
        order = [one[((X[one] - X[one].mean(axis=0)) ** 2).sum(axis=1).argsort()] for one in own]
        return np.concatenate([one[:size] for one in order]).tolist()

    def answer(engine, task, given, *, sizes, seed):
        assert engine.runner.name == "medoids_runner.py"
        assert given["D"].shape == (100, 100)
        parts = {str(k): np.flatnonzero(given["fold"] != k) for k in range(10)} | {"-1": np.arange(100)}
        return {"medoids": {name: [central(rows, size) for size in sizes] for name, rows in parts.items()}}

    monkeypatch.setattr(small, "run", answer)
    monkeypatch.setattr(small.Environment, "python", lambda self: "python")
    found = small.medoids(arrays, 0)
    assert found["chosen"] in small.PER_CLASS
    assert found["n_prototypes"] == 3 * found["chosen"]
    assert found["error"] < 25.0


def test_a_curve_begins_with_nearest_neighbours(results, small_digits):
    plain = digits.with_metric("euclidean", distances.euclidean, small_digits)
    digits.fill(results["euclidean"], plain)
    points = digits.curve(results["euclidean"], "euclidean")
    nearest = small_digits["y"][plain.D_test.argmin(axis=1)]
    assert points[0]["n_prototypes"] == 300
    assert points[0]["wrong"] == (nearest != small_digits["y_test"]).sum()
    assert sum(points[1]["per_class"]) == points[1]["n_prototypes"] < 300
    assert points[1]["dear"]["n_prototypes"] < points[1]["n_prototypes"]
    assert digits.chosen(results["euclidean"], "euclidean") in range(4)
    again = digits.with_metric("euclidean", None, small_digits)  # kept: nothing is worked out again
    np.testing.assert_array_equal(again.D, plain.D)


@pytest.mark.slow
def test_a_point_of_a_curve_is_the_classifier(small_digits):
    plain = digits.with_metric("euclidean", distances.euclidean, small_digits)
    for share, eps in plain.radii:
        found = digits.curve_cell(plain, share, eps)
        model = PVMClassifier(eps=eps, metric="precomputed").fit(plain.D, small_digits["y"])
        assert len(model.prototype_indices_) == found["n_prototypes"]
        assert (model.predict(plain.D_test) != small_digits["y_test"]).sum() == found["wrong"]


def test_as_many_prototypes_as_asked_for(small_digits):
    plain = digits.with_metric("euclidean", distances.euclidean, small_digits)
    found = digits.alike_cell(plain, 100)
    assert abs(found["n_prototypes"] - 100) <= 3
    assert 0.0 < found["share"] < digits.LARGEST_SHARE


def test_centres_are_candidates_besides(results, small_digits):
    more = digits.and_centres(digits.with_metric("euclidean", distances.euclidean, small_digits))
    assert more.D.shape == (300, 400)
    assert more.radii[0][1] == pytest.approx(float(more.D[:, :300][np.triu_indices(300, 1)].min()))
    assert max(digits.curve_cell(more, *radius)["of_centres"] for radius in more.radii) > 0


@pytest.mark.slow
def test_the_tangent_distance_is_chosen_by_training_digits_alone(results, small_digits, monkeypatch):
    monkeypatch.setattr(distances, "IMAGE", 8)
    monkeypatch.setattr(distances, "SIGMAS", (0.0, 0.5))
    monkeypatch.setattr(distances, "RIDGES", (0.01,))
    cells = results["tangent"]
    tangent_choice.fill(cells, {name: small_digits[name] for name in ("X", "y")})
    assert len(list(cells)) == 3
    best = tangent_choice.chosen(cells)
    assert cells[tangent_choice.key(best)]["wrong"] == min(cells[key]["wrong"] for key in cells)


def test_the_section_says_what_is_missing_and_what_lies_far(results):
    head = section(*results.values())
    assert head[0].startswith("## ")
    assert "0 of 20 splits" in "\n".join(head)
    stated = published.TABLE_2["Wine"]["1-NN"][0]
    for seed in range(SPLITS):
        error = stated + 5.0 + seed % 2
        results["small"].fill(f"Wine/{seed}/1-NN", lambda error=error: {"error": error, "n_prototypes": 119})
    assert "Wine, 1-NN: 3.4 against 8.9 ± 0.5" in far_lines(results["small"])[0]
    assert any("3.4 / **8.9 ± 0.5**" in line for line in table_2(results["small"]))


def test_the_command_writes_what_was_measured(results, tmp_path, monkeypatch, capsys):
    written = []
    monkeypatch.setattr(program, "write_published", lambda name, lines: written.append((name, lines)))
    assert program.main(["--render"]) == 0
    assert written[0][0] == "pvm_tables"
    assert "Table 2" in capsys.readouterr().out
