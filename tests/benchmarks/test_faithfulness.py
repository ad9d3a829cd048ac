"""What is measured of explanations: on a model whose truth is known, and how the tables are written."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import faithfulness
from benchmarks.cells import Cells

PEERS = Path(faithfulness.__file__).parent / "peers"


@pytest.fixture
def runner(monkeypatch):
    monkeypatch.syspath_prepend(str(PEERS))
    spec = importlib.util.spec_from_file_location("trust_runner", PEERS / "trust_runner.py")
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "trust_runner", module)
    spec.loader.exec_module(module)
    return module


class Logistic:
    """Only the first of three columns matters."""

    def predict_proba(self, X):
        one = 1.0 / (1.0 + np.exp(-X[:, 0]))
        return np.column_stack([1.0 - one, one])


def test_an_explanation_that_is_right_is_told_from_one_that_is_not(runner):
    rows = np.random.default_rng(0).normal(size=(20, 3))
    right = runner.judged(lambda X, _: X * [1.0, 0.0, 0.0], Logistic(), rows, 1, [0])
    wrong = runner.judged(lambda X, _: X * [0.0, 0.0, 1.0], Logistic(), rows, 1, [0])
    assert (right["found"], wrong["found"]) == (1.0, 0.0)
    assert right["gap_top"] == pytest.approx(wrong["gap_rest"], rel=0.1)
    assert right["gap_top"] > 0.05
    assert right["gap_rest"] == wrong["gap_top"] == 0.0
    jumping = runner.judged(lambda X, _: np.sign(np.sin(1e4 * X)), Logistic(), rows, 1, None)
    assert jumping["found"] is None
    assert jumping["unstable"] > 10.0 * right["unstable"]


def test_a_reader_counts_voices_of_the_five_most_alike(runner):
    target = np.array([0, 0, 1, 1, 1, 0])
    similarity = np.array([0.9, 0.1, 0.5, 0.4, 0.3, 0.2])
    every = np.ones(6, dtype=bool)
    assert runner._five_voices(similarity, target, every, np.array([0.5, 0.5])) == 1
    few = np.array([True, False, True, False, False, False])
    assert runner._five_voices(similarity, target, few, np.array([0.4, 0.6])) == 0  # of a tie the nearest
    assert runner._five_voices(similarity, target, ~every, np.array([0.4, 0.6])) == 1


def test_readers_foresee_a_model_that_is_simple(runner):
    from proset import ClassifierModel

    X = np.random.default_rng(0).normal(size=(300, 3))
    y = (X[:, 0] > 0).astype(int)
    model = ClassifierModel(random_state=0).fit(X[:200], y[:200])
    found = runner.foreseen(model, X[:200], y[:200], X[200:])
    assert found["own"] > 0.9
    assert found["neighbours"] > 0.9 > found["majority"]


def cell(found, own):
    way = {"seconds": 0.001, "found": found, "gap_top": 0.2, "gap_rest": 0.1, "unstable": 1.0}
    foreseen = dict.fromkeys(("own", "neighbours", "rules", "random", "majority"), own) | {"n_shown": 7, "n_own": 2.0}
    ways = {"ours": way, "KernelSHAP": {**way, "seconds": 0.1}, "LIME": {**way, "seconds": 0.2}}
    return {
        "n_columns": 9,
        "n_used": 4,
        "n_prototypes": 30,
        "ways": ways,
        "foreseen": foreseen,
        "versions": {"shap": "1"},
    }


def test_the_tables_say_where_a_bar_is_missed(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.cells.RESULTS", tmp_path)
    cells = Cells("faithfulness")
    assert faithfulness.section(cells) == ["Not measured yet."]
    cells.fill("xor, 3 of 6", lambda: cell(0.94, 0.95))
    cells.fill("wdbc", lambda: cell(None, 0.89))
    lines = faithfulness.section(cells)
    assert "| xor, 3 of 6 | 4 of 9 | 94.0% | 94.0% | 94.0% | **NO** |" in lines
    assert any(line.startswith("| wdbc | 4 of 9 | 30 |") and line.endswith("| 100 | 200 |") for line in lines)
    assert "| wdbc | 2 | 89.0% | **NO** | 7 | 89.0% | 89.0% | 89.0% | 89.0% |" in lines
    assert "| mean |  | 92.0% |  |  | 92.0% | 92.0% | 92.0% | 92.0% |" in lines


def test_a_table_that_is_not_there_is_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PROSET_BENCHMARK_DATA", str(tmp_path))
    assert faithfulness._at_hand(("wdbc", "xor, 3 of 6")) == ["xor, 3 of 6"]
    assert "wdbc" in capsys.readouterr().out
