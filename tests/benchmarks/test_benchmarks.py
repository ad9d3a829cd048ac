import json

import numpy as np
import pytest

from benchmarks import cells as cells_module
from benchmarks import same_candidates, scaling, search, speed, tables
from benchmarks.cells import Cells
from benchmarks.peers import processes
from benchmarks.problems import PROBLEMS
from proset.engine.objective.blocks_backend import BlocksObjective


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    return tmp_path


def speed_cell(seconds, log_loss, peak=200.0, cores=2.0):
    versions = {"python": "3.11", "numpy": "2.4"}
    return {
        "seconds": seconds,
        "cpu_seconds": cores * seconds,
        "log_loss": log_loss,
        "before_mib": 100.0,
        "peak_mib": peak,
        "versions": versions,
    }


def test_cells_are_kept_and_measured_once(results):
    calls = []
    cells = Cells("speed")
    for _ in range(2):
        cells.fill("cancer/0/ours", lambda: calls.append(1) or {"seconds": 1.5})
    again = Cells("speed")
    assert calls == [1]
    assert again["cancer/0/ours"] == {"seconds": 1.5}
    assert again.matching("cancer/") == [{"seconds": 1.5}]
    assert list(Cells("speed", fresh=True)) == []


def test_a_cell_that_fails_leaves_the_others(results):
    cells = Cells("speed")
    cells.fill("a", lambda: {"seconds": 1.0})
    with pytest.raises(processes.EngineError):
        cells.fill("b", lambda: (_ for _ in ()).throw(processes.EngineError("ended")))
    assert list(Cells("speed")) == ["a"]


def test_cells_of_another_machine_are_refused(results):
    Cells("speed").fill("a", lambda: {"seconds": 1.0})
    path = results / "speed.json"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps({**stored, "machine": {**stored["machine"], "processor": "abacus"}}))
    with pytest.raises(SystemExit, match=r"processor abacus.*--fresh"):
        Cells("speed")


def test_the_machine_is_described_without_its_name():
    facts = cells_module.machine()
    assert set(facts) == {"processor", "cores", "memory", "system", "python"}
    assert "/" not in "".join(facts.values())


@pytest.mark.parametrize(
    ("value", "text"), [(0.0, "0"), (0.01234, "0.0123"), (1.234, "1.23"), (12.34, "12.3"), (12345.6, "12,346")]
)
def test_numbers_have_three_digits(value, text):
    assert tables.number(value) == text


@pytest.mark.parametrize("name", ["speed", "same_candidates", "scaling", "search"])
def test_the_readme_has_a_place_for_each_table(name, tmp_path, monkeypatch):
    copy = tmp_path / "README.md"
    copy.write_text(tables.README.read_text())
    monkeypatch.setattr(tables, "README", copy)
    tables.write_section(name, ["what was measured"])
    tables.write_section(name, ["what was measured again"])
    assert copy.read_text().count("what was measured") == 1


def test_sections_and_the_study_of_the_document_leave_each_other_alone(tmp_path):
    document = tmp_path / "tables.md"
    tables.write_study("# The study\n", document)
    for name in ("first", "second", "first"):
        tables.write_published(name, [f"## {name}", "words"], document)
    tables.write_study("# The study again\n", document)
    text = document.read_text()
    assert text.startswith("# The study again\n\n<!-- first: made by python -m benchmarks.first -->\n## first\nwords\n")
    assert "<!-- end of first -->\n\n<!-- second: made by python -m benchmarks.second -->" in text
    assert [text.count(words) for words in ("## first", "## second", "# The study")] == [1, 1, 1]


def test_speed_takes_medians_and_pairs_seeds(results):
    cells = Cells("speed")
    for seed, (theirs, ours) in enumerate([(10.0, 1.0), (30.0, 1.0), (20.0, 2.0)]):
        cells.fill(f"checker/{seed}/published", lambda s=theirs: speed_cell(s, 0.20))
        cells.fill(f"checker/{seed}/ours", lambda s=ours, n=seed: speed_cell(s, 0.19 + 0.01 * n, peak=250.0))
    cells.fill("checker/3/published", lambda: speed_cell(1.0, 9.0))  # ours is still to be done
    found = speed.compare(speed.CASES[0], cells)
    assert found.ratio() == 20.0
    assert found.ratios() == [10.0, 30.0, 10.0]
    assert found.loss_difference() == pytest.approx((0.0, 0.01 / np.sqrt(3)))
    assert speed.time_row(found)[-1] == "target"
    assert speed.quality_row(found)[-1] == "**NO**"
    assert speed.quality_row(found)[4] == "yes"


def test_speed_says_when_the_machine_was_busy(results):
    cells = Cells("speed")
    cells.fill("checker/0/published", lambda: speed_cell(10.0, 0.2))
    cells.fill("checker/0/ours", lambda: speed_cell(1.0, 0.2))
    assert not any("busy" in line for line in speed.section(cells))
    cells.fill("cancer/0/published", lambda: speed_cell(10.0, 0.2, cores=0.3))
    cells.fill("cancer/0/ours", lambda: speed_cell(1.0, 0.2))
    assert "busy during 1 of 4" in speed.section(cells)[-1]


@pytest.mark.parametrize(("ratio", "words"), [(20.0, "target"), (12.0, "bar"), (9.9, "**NO**")])
def test_verdict(ratio, words):
    assert speed.verdict(ratio, 10.0, 20.0) == words


@pytest.mark.parametrize(("power", "linear"), [(0.5, True), (1.0, True), (1.5, False)])
def test_growth_is_read_from_the_slope(power, linear):
    sizes = [1_000 * 2**k for k in range(6)]
    line = scaling.fit_line(sizes, [3e-6 * size**power for size in sizes])
    assert line.slope == pytest.approx(power)
    assert line.last == pytest.approx(2**power)
    assert line.linear is linear


def test_sizes_of_the_curves_double_one_at_a_time():
    for name, sizes in scaling.CURVES.items():
        values = [getattr(size, name) for size in sizes]
        assert np.allclose(np.diff(np.log2(values)), 1.0)
        assert all(len({getattr(size, other) for size in sizes}) == 1 for other in scaling.CURVES if other != name)


def test_search_counts_the_faster_manner_of_the_package_and_its_threshold_rule(results):
    seconds = {"ours": 2.0, "package": 30.0, "package, 2 processes": 18.0, "XGBoost": 9.0}
    cells = Cells("search")
    for way in search.WAYS:
        cells.fill(
            f"wine/0/{way.name}",
            lambda name=way.name: {
                "seconds": seconds[name],
                "log_loss": 0.25 if name == "ours" else 0.2,
                "threshold": 0.24,
                "best": 0.2,
                "chosen": {"lambda_v": 1e-2, "n_batches": 1},
                "n_features": 2,
                "n_prototypes": 20,
            },
        )
    found = search.compare("wine", cells)
    assert search.time_row(found)[-4:] == ["**9.0**", "bar", "**4.5**", "yes"]
    assert search.quality_row(found)[4:7] == ["+0.050", "0.040", "**NO**"]
    assert search.compare("iris_2f", cells) is None


def test_weights_of_the_package_go_to_their_candidates():
    problem = next(problem for problem in PROBLEMS if problem.name == "wine")
    arrays = speed.problem_arrays(problem, 0)
    candidates = np.arange(0, arrays["y"].shape[0], 3)
    batch = same_candidates.problem_on(arrays, candidates, problem)
    exported = {
        "active_features": np.array([2, 5]),
        "feature_weights": np.array([0.5, 0.25]),
        "sample_index": candidates[[4, 1]],
        "prototype_weights": np.array([2.0, 3.0]),
    }
    v, w = batch.split(same_candidates.their_point(batch, exported))
    assert np.flatnonzero(v).tolist() == [2, 5]
    weight = dict(zip(batch.candidate_index.tolist(), w.tolist(), strict=True))
    assert (weight[candidates[4]], weight[candidates[1]], w.sum()) == (2.0, 3.0, 5.0)
    nothing = {"active_features": np.zeros(0, int), "feature_weights": np.zeros(0)}
    v, w = batch.split(same_candidates.their_point(batch, exported | nothing))
    assert not v.any()
    classes = arrays["y"][candidates]
    for row, total in ((4, 2.0), (1, 3.0)):
        alike = w[batch.candidate_target == classes[row]]
        assert alike == pytest.approx(total / alike.size)
    assert batch.reference.shape[0] + batch.n_candidates == arrays["y"].shape[0]
    assert np.isfinite(BlocksObjective(batch)(np.concatenate([v, w]))[0])


@pytest.mark.slow
def test_a_task_in_a_fresh_process_measures_time_and_memory():
    problem = next(problem for problem in PROBLEMS if problem.name == "wine")
    parameters = {"n_iter": 1, "lambda_v": problem.lambda_v, "lambda_w": problem.lambda_w, "random_state": 0}
    answer = processes.run(processes.ours(), "fit", speed.problem_arrays(problem, 0), parameters=parameters)
    assert answer["seconds"] > 0.0
    assert answer["peak_mib"] >= answer["before_mib"] > 10.0
    assert 0.0 < answer["log_loss"] < 0.5
    assert "numpy" in answer["versions"]


@pytest.mark.slow
def test_a_task_that_fails_says_why():
    arrays = {"X": np.zeros((4, 1)), "y": np.zeros(4, dtype=np.int64)}
    arrays |= {"X_test": arrays["X"], "y_test": arrays["y"]}
    with pytest.raises(processes.EngineError, match="only one class"):
        processes.run(processes.ours(), "fit", arrays, parameters={})


@pytest.mark.slow
def test_a_fit_that_runs_too_long_is_ended_and_says_so():
    arrays = scaling.xor_arrays(400, 4, seed=0)
    parameters = {"random_state": 0, **scaling.PENALTIES}
    answer = processes.run(processes.ours(), "long_fit", arrays, parameters=parameters, minutes=0.0)
    assert answer["evaluations"] == 1
    assert answer["log_loss"] is None
    assert answer["stop"] == "ended after 0 minutes"
