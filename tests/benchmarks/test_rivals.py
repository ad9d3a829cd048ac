"""Ours beside other classifiers: splits, measures, cells that resume, and tables and verdicts made from them."""

import json
import re
import sys

import numpy as np
import pandas as pd
import pytest
from variants import main_cases

from benchmarks import cells as cells_module
from benchmarks import tables
from benchmarks.cells import Cells
from benchmarks.peers import processes
from benchmarks.rivals import __main__ as rivals
from benchmarks.rivals import contestants as contestants_module
from benchmarks.rivals import sets
from benchmarks.rivals.bars import bars
from benchmarks.rivals.contestants import (
    BEFORE,
    CONTESTANTS,
    EBM,
    QUICK,
    RUNNER,
    SEARCH,
    SHARES,
    TUNED,
    XGBOOST,
    measure,
)
from benchmarks.rivals.measures import calibration_error, measures
from benchmarks.rivals.render import section
from benchmarks.rivals.summary import collect, largest_differences, means
from benchmarks.tables import write_section


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path / "results")
    copy = tmp_path / "README.md"
    copy.write_text(tables.README.read_text())
    monkeypatch.setattr(tables, "README", copy)
    return tmp_path / "results"


@pytest.fixture
def folder(tmp_path):
    """Two tables: one that can be learned, and one whose rarest class has two rows."""
    folder = tmp_path / "tables"
    folder.mkdir()
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.assign(target=(X[:, 0] > 0.0).astype(int)).to_csv(folder / "easy.csv.gz", index=False)
    rare = np.repeat([1, 2, 3], [40, 38, 2])
    frame.assign(target=rare).to_csv(folder / "rare.csv.gz", index=False)
    return folder


def cell(log_loss, *, seconds=1.0, features=1, columns=4, **others):
    quality = {"log_loss": log_loss, "balanced_accuracy": 0.8, "calibration_error": 0.05}
    facts = {"rows": 100, "columns": columns, "classes": 2}
    versions = {"python": "3.11", "numpy": "2.4"}
    spent = {
        "seconds": 3.0 * seconds,
        "cpu_seconds": seconds,
        "features": features,
        "size": 7,
        "chosen": {"n_batches": 2},
        "versions": versions,
    }
    return {**facts, **quality, **spent, **others}


def fill(cells, name, losses, **others):
    """Give each contestant its log-loss on both splits of a set."""
    for contestant, loss in losses.items():
        for seed in sets.SEEDS:
            cells.fill(f"{name}/{seed}/{contestant.name}", lambda value=loss: cell(value, **others))


def test_a_split_is_stratified_and_standardised_on_its_training_part(folder):
    table = sets.load(folder, "easy")
    arrays = table.split(0)
    assert (arrays["X"].shape, arrays["X_test"].shape) == ((56, 3), (24, 3))
    assert arrays["X"].mean(axis=0) == pytest.approx(0.0, abs=1e-12)
    assert arrays["X"].std(axis=0) == pytest.approx(1.0)
    assert abs(arrays["X_test"].mean(axis=0)).max() > 1e-3
    assert arrays["y"].mean() == pytest.approx(table.y.mean(), abs=0.02)
    assert not np.array_equal(arrays["X"], table.split(1)["X"])
    assert np.array_equal(arrays["X"], sets.load(folder, "easy").split(0)["X"])


def test_the_drawn_table_has_a_thousand_training_rows():
    assert sets.drawn().split(0)["X"].shape == (1_000, 20)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ({"a": [1, 2], "class": [0, 1]}, "no column 'target'"),
        ({"a": ["x", "y"], "b": [1, 2], "target": [0, 1]}, "not finite numbers in a"),
        ({"a": [1.0, None], "target": [0, 1]}, "not finite numbers in a"),
        ({"a": [1, 2, 3], "target": [0, 0, None]}, "rows without a class"),
        ({"a": [1, 2, 3], "target": [0, 0, 1]}, "Too rare: 1"),
        ({"a": [1, 2, 3], "target": [0, 0, 0]}, "two classes"),
    ],
)
def test_a_table_that_cannot_take_part_is_left_out_with_the_reason(tmp_path, capsys, frame, words):
    pd.DataFrame(frame).to_csv(tmp_path / "odd.csv.gz", index=False)
    assert rivals.load_all(tmp_path, ["odd"]) == []
    said = capsys.readouterr().out
    assert "Left out: odd" in said
    assert words in said


def test_without_the_public_sets_it_says_how_to_get_them_and_takes_bundled_ones(tmp_path, results, monkeypatch, capsys):
    monkeypatch.setenv("PROSET_BENCHMARK_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setattr(rivals, "measure", lambda contestant, table, seed: cell(0.5, **sets.describe(table)))
    before = tables.README.read_text()
    assert rivals.main(["--contestants", "shares"]) == 0
    said = capsys.readouterr().out
    assert f"Not in {tmp_path / 'nowhere/pmlb'}: allhypo.csv.gz" in said
    assert "Penn Machine Learning Benchmarks" in said
    assert "PROSET_BENCHMARK_DATA=FOLDER" in said
    assert "| bundled_cancer | 569 x 30 | 2 |" in said
    assert tables.README.read_text() == before
    assert len(json.loads((results / "rivals-bundled.json").read_text())["cells"]) == 2 * len(sets.BUNDLED)


def test_some_of_the_public_sets_are_enough_and_the_rest_is_named(tmp_path, folder, monkeypatch):
    public = tmp_path / "pmlb"
    public.mkdir()
    pd.read_csv(folder / "easy.csv.gz").to_csv(public / "wdbc.tsv.gz", index=False, sep="\t")
    monkeypatch.setenv("PROSET_BENCHMARK_DATA", str(tmp_path))
    assert sets.chosen(sets.public_folder(), None) == ("wdbc",)
    assert sets.load(public, "wdbc").X.shape == (80, 3)
    said = sets.missing(public)
    assert "wdbc" not in said
    assert all(name in said for name in sets.SETS if name != "wdbc")
    assert rivals.result_name(public) == "rivals"


def test_the_tables_of_the_readme_are_of_the_sets_that_are_named():
    text = tables.README.read_text(encoding="utf-8").split("<!-- rivals")[1].split("<!-- end of rivals")[0]
    assert set(re.findall(r"^\| (\w+) \| [\d,]+ x \d+ \|", text, re.MULTILINE)) == set(sets.SETS)


def test_an_unknown_set_is_refused(folder):
    with pytest.raises(SystemExit, match=r"no other\.csv\.gz.*easy, rare"):
        sets.chosen(folder, ["other"])
    assert sets.chosen(folder, ["rare"]) == ("rare",)


def test_calibration_error_is_the_distance_of_said_and_true_shares():
    y = np.tile([0, 0, 0, 1], 300)
    honest = np.tile([0.75, 0.25], (y.size, 1))
    assert calibration_error(honest, y) == pytest.approx(0.0)
    assert calibration_error(np.tile([0.95, 0.05], (y.size, 1)), y) == pytest.approx(0.2)
    rng = np.random.default_rng(0)
    true = rng.uniform(0.5, 1.0, 30_000)
    drawn = (rng.uniform(size=true.size) > true).astype(int)
    assert calibration_error(np.column_stack([true, 1.0 - true]), drawn) < 0.01
    boasted = np.clip(true + 0.1, 0.0, 1.0)
    assert 0.08 < calibration_error(np.column_stack([boasted, 1.0 - boasted]), drawn) < 0.11


def test_few_rows_get_few_bins():
    rng = np.random.default_rng(0)
    top = rng.uniform(0.5, 1.0, 19)  # one bin: only the means count
    y = (rng.uniform(size=19) > top).astype(int)
    error = calibration_error(np.column_stack([top, 1.0 - top]), y)
    assert error == pytest.approx(abs(top.mean() - np.mean(y == 0)))


def test_measures_need_probabilities_of_these_rows():
    y = np.array([0, 1, 1])
    found = measures(np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]]), y)
    assert found["log_loss"] == pytest.approx(-np.log([0.8, 0.6, 0.1]).mean())
    assert found["balanced_accuracy"] == pytest.approx(0.75)
    with pytest.raises(ValueError, match="not all finite"):
        measures(np.full((3, 2), np.nan), y)
    with pytest.raises(ValueError, match="shape"):
        measures(np.ones((2, 2)), y)


@pytest.mark.exhaustive
def test_ours_learn_in_a_process_of_their_own(folder):
    found = measure(QUICK, sets.load(folder, "easy"), 0)
    assert 0.0 < found["log_loss"] < 0.6
    assert (found["rows"], found["columns"], found["classes"]) == (80, 3, 2)
    assert 1 <= found["features"] <= 3
    assert found["size"] > 0
    assert "probabilities" not in found
    assert found["versions"].keys() >= {"python", "numpy"}


def box_here(name, contestant):
    """Run a box that needs only what the tests have, with the interpreter of the tests."""
    return contestants_module.Contestant(name, name, contestant.box, contestant.unit, contestants_module.our_python)


@pytest.mark.slow
@pytest.mark.parametrize("name", main_cases(["knn", "logistic", "shares"], only=["knn"]))
@pytest.mark.parametrize("table", main_cases(["rare", "easy"], only=["rare"]))
def test_plain_contestants_are_finite_even_where_a_fold_lacks_a_class(folder, name, table):
    contestant = next(one for one in CONTESTANTS if one.name == name)
    found = measure(box_here(name, contestant), sets.load(folder, table), 0)
    assert 0.0 < found["log_loss"] < 6.0
    assert found["features"] == (0 if name == "shares" else 3)


@pytest.mark.exhaustive
def test_tuned_trees_choose_from_the_grid(folder):
    pytest.importorskip("xgboost")
    found = measure(box_here(TUNED.name, TUNED), sets.load(folder, "easy"), 0)
    assert found["chosen"]["max_depth"] in (2, 4, 7)
    assert found["size"] == found["chosen"]["trees"]
    assert found["log_loss"] < 0.4


@pytest.mark.parametrize(
    ("name", "library"), [("lightgbm", "lightgbm"), ("catboost", "catboost"), ("realmlp", "pytabkit")]
)
def test_newer_contestants_learn_where_they_are_installed(folder, name, library):
    pytest.importorskip(library)
    contestant = next(one for one in CONTESTANTS if one.name == name)
    found = measure(box_here(name, contestant), sets.load(folder, "easy"), 0)
    assert found["log_loss"] < 0.5
    assert 1 <= found["features"] <= 3


def test_every_contestant_has_a_box_that_knows_it():
    for one in CONTESTANTS:
        text = (RUNNER.parent / f"{one.box}.py").read_text()
        known = text[text.index("CONTESTANTS = ") :]
        assert f'"{one.name}": ' in known


def test_a_refusal_is_a_result_and_a_crash_is_not(folder, results, monkeypatch):
    table = sets.load(folder, "easy")
    monkeypatch.setattr(contestants_module.processes, "run", lambda *_, **__: {"refused": "too small", "versions": {}})
    assert measure(EBM_HERE, table, 0)["refused"] == "too small"

    def crash(*_, **__):
        raise processes.EngineError("ended with code 1")

    monkeypatch.setattr(contestants_module.processes, "run", crash)
    cells = Cells("rivals")
    assert rivals.fill_all(cells, list(rivals.cells_to_do([table], [EBM_HERE]))) == ["easy/0/ebm", "easy/1/ebm"]
    assert list(cells) == []


EBM_HERE = box_here("ebm", EBM)


def test_the_command_measures_what_is_missing_and_keeps_other_tables_apart(folder, results, monkeypatch, capsys):
    calls = []

    def fake(contestant, table, seed):
        calls.append((contestant.name, table.name, seed))
        return cell(0.5, **sets.describe(table))

    monkeypatch.setattr(rivals, "measure", fake)
    command = ["--sets", str(folder), "--contestants", "shares", "xgboost"]
    before = tables.README.read_text()
    assert rivals.main([*command, "--only", "easy"]) == 0
    assert len(calls) == 4
    assert calls[:4:3] == [("xgboost", "easy", 0), ("xgboost", "easy", 1)], "who is first takes turns"
    rivals.main(command)
    assert len(calls) == 8, "only the other set is missing"
    rivals.main([*command[:3], "shares", "--fresh"])
    assert calls[8:] == [("shares", "easy", 0), ("shares", "easy", 1), ("shares", "rare", 0), ("shares", "rare", 1)]
    assert tables.README.read_text() == before
    stored = json.loads((results / "rivals-tables.json").read_text())
    assert len(stored["cells"]) == 8
    assert "| easy | 80 x 3 | 2 |" in capsys.readouterr().out


def test_the_quick_fit_is_also_timed_on_the_drawn_table(folder):
    todo = dict(rivals.cells_to_do([], [QUICK]))
    assert list(todo) == [f"{sets.DRAWN}/{seed}/quick" for seed in sets.SEEDS]
    assert dict(rivals.cells_to_do([], [SEARCH])) == {}


def test_means_ranks_and_ratios(results):
    cells = Cells("rivals")
    fill(cells, "one", {SEARCH: 0.30, TUNED: 0.29, SHARES: 0.70}, seconds=2.0)
    fill(cells, "two", {SEARCH: 0.50, TUNED: 0.40, SHARES: 0.60}, seconds=4.0, columns=8)
    found = collect(cells, ("one", "two", "three"))
    assert found.names == found.counted == ("one", "two")
    ours, theirs, plain = (means(found, one) for one in (SEARCH, TUNED, SHARES))
    assert ours.log_loss == pytest.approx(0.40)
    assert (ours.rank, theirs.rank, plain.rank) == (2.0, 1.0, 3.0)
    assert (ours.near, theirs.near, plain.near) == (1, 2, 0)
    assert ours.share == pytest.approx((1 / 4 + 1 / 8) / 2)
    assert ours.seconds == 3.0
    assert ours.ratio == 1.0
    assert largest_differences(found, most=1) == (["two"], [])


def test_a_set_that_somebody_refuses_counts_for_nobody(results):
    cells = Cells("rivals")
    fill(cells, "one", {SEARCH: 0.30, TUNED: 0.29})
    fill(cells, "two", {TUNED: 0.10})
    for seed in sets.SEEDS:
        cells.fill(f"two/{seed}/search", lambda: {"refused": "Every class needs 3 samples."})
    found = collect(cells, ("one", "two"))
    assert found.counted == ("one",)
    assert means(found, TUNED).log_loss == pytest.approx(0.29)
    text = "\n".join(section(cells, ("one", "two")))
    assert "Left out: two, refused by ours, search (“Every class needs 3 samples”)." in text
    assert "| two | 100 x 4 | 2 | refused | **0.100** |" in text


def test_a_contestant_with_sets_missing_has_no_means(results):
    cells = Cells("rivals")
    fill(cells, "one", {TUNED: 0.29, XGBOOST: 0.3})
    fill(cells, "two", {TUNED: 0.10})
    lines = section(cells, ("one", "two"))
    assert "| XGBoost, defaults |" in next(line for line in lines if line.startswith("| XGBoost, defaults"))
    assert "0.300" not in next(line for line in lines if line.startswith("| XGBoost, defaults"))
    assert any("Still to be measured: XGBoost, defaults: 1 of 2 sets." in line for line in lines)


def verdicts(cells, timed=()):
    return [bar.holds for bar in bars(collect(cells, ("one", "two")), timed)]


def test_bars_are_computed(results):
    cells = Cells("rivals")
    everybody = {SEARCH: 0.30, TUNED: 0.28, BEFORE: 0.35, QUICK: 0.33, SHARES: 0.32}
    fill(cells, "one", everybody)
    assert verdicts(cells, [cell(0.3, seconds=2.9)]) == [True] * 6
    fill(cells, "two", {SEARCH: 0.30, TUNED: 0.25, BEFORE: 0.35, QUICK: 0.40, SHARES: 0.32}, features=3)
    assert verdicts(cells, [cell(0.3, seconds=3.1)]) == [False, True, False, False, False, False]
    slow = f"two/0/{SEARCH.name}"
    cells.forget([slow])
    cells.fill(slow, lambda: cell(0.30, seconds=1.5))
    text = "\n".join(section(cells, ("one", "two")))
    assert "longer on 1 of 2 tables, at most 1.25 times (two: 1.25 s against 1.00 s)" in text
    assert "0.300 against 0.265 (+0.035) | **does not hold**" in text


def test_bars_that_need_what_is_missing_say_so(results):
    cells = Cells("rivals")
    fill(cells, "one", {TUNED: 0.28})
    assert verdicts(cells) == [None] * 6
    assert section(Cells("nothing"), ("one",)) == ["Not measured yet."]


def test_the_readme_has_a_place_for_the_rivals(results):
    write_section("rivals", ["what was measured"])
    write_section("rivals", ["what was measured again"])
    assert tables.README.read_text().count("what was measured") == 1


def test_every_contestant_runs_on_one_thread_and_has_a_name_of_its_own():
    assert len({one.name for one in CONTESTANTS}) == len({one.title for one in CONTESTANTS}) == len(CONTESTANTS)
    engine = QUICK.engine()
    assert {engine.variables[name] for name in ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")} == {"1"}
    assert engine.runner == RUNNER
    assert (RUNNER.parent / f"{QUICK.box}.py").exists()
    assert str(engine.python) == sys.executable
