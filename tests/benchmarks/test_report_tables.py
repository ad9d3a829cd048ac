"""The study's tables: the published numbers, the threshold rule, resuming, and one real cell of each kind."""

import json
import math
from dataclasses import replace

import pytest

from benchmarks.report_tables import __main__ as program
from benchmarks.report_tables import fits
from benchmarks.report_tables.cells import EXPERIMENTS, FIRST_SIX, NEW_FIVE, Cell, Experiment, all_cells
from benchmarks.report_tables.fits import Parts, run_cell
from benchmarks.report_tables.layout import TABLES
from benchmarks.report_tables.published import TABLE_1_1, last_threshold, published
from benchmarks.report_tables.rating import Score, count, rate, within
from benchmarks.report_tables.render import render
from benchmarks.report_tables.store import Store
from benchmarks.report_tables.summary import ratings
from proset.reference_models import XgbPlan
from proset.selection import SearchPlan

BY_NAME = {cell.name: cell for cell in all_cells()}


def outcome_of(cell, **changes):
    """An outcome with the published values, but for the changes."""
    values = {"test.naive_log_loss": 2.3} | dict(published()[cell.experiment.name][cell.problem.name]) | changes
    return {"values": values, "seconds": 60.0, "warnings": [], "machine": "a machine"}


def test_published_numbers_give_the_published_table_1_1():
    assert count(ratings(published())) == TABLE_1_1


def test_every_line_of_every_table_has_a_published_number():
    for table in TABLES:
        for experiment in table.experiments:
            for problem in table.problems:
                values = published()[experiment][problem]
                for row in table.rows:
                    found = last_threshold(values) if row.key == "threshold" else values[row.key]
                    assert math.isfinite(found), (table.number, problem, row.label)


def test_tables_are_those_of_the_issue():
    wanted = ["2.3", "2.4", "2.5", "2.6", "2.7", "2.9", "2.10", "2.11", "2.12", "2.13", "2.14", "2.15"]
    assert [table.number for table in TABLES] == wanted
    assert {name for table in TABLES for name in table.experiments} == {experiment.name for experiment in EXPERIMENTS}


@pytest.mark.parametrize("name", [*FIRST_SIX, *NEW_FIVE])
def test_problems_have_the_published_sizes(name):
    experiment = "e8" if name in FIRST_SIX else "e11"
    theirs = published()[experiment][name]
    own = Parts.of(BY_NAME[f"{experiment}/{name}-0"]).facts()
    assert own == {key: value for key, value in theirs.items() if key in own}


def test_rating_of_a_tie_takes_the_lower_threshold():
    scores = {"a": Score(0.14, 0.17, 1.1), "b": Score(0.112, 0.15, 1.1), "c": Score(0.108, 0.11, 1.1)}
    assert rate(scores) == {"a": "worse", "b": "best", "c": "best"}


def test_a_constant_estimator_is_worst():
    scores = {"a": Score(0.52, 0.53, 0.693), "b": Score(0.54, 0.56, 0.693), "c": Score(0.69, 0.69, 0.693)}
    assert rate(scores) == {"a": "best", "b": "worse", "c": "worst"}


def test_thresholds_are_compared_with_two_decimals():
    assert within(0.534, 0.53)
    assert not within(0.536, 0.53)


def test_store_forgets_outcomes_of_other_settings(tmp_path):
    store, cell = Store(tmp_path), BY_NAME["e9/checker-0"]
    assert store.read(cell) is None
    store.write(cell, outcome_of(cell))
    assert store.read(cell)["seconds"] == 60.0
    assert list(store.finished(BY_NAME.values())) == [cell]
    path = tmp_path / "e9" / "checker-0.json"
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["settings"] == {"method": "xgb", "max_depth": 19}
    stored["settings"]["max_depth"] = 9
    path.write_text(json.dumps(stored), encoding="utf-8")
    assert store.read(cell) is None


@pytest.fixture
def fake(monkeypatch):
    """Cells that cost nothing; the list of those that were run, with what they were given."""
    ran = []

    def run_fake(cell, *, n_jobs, optimal=None):
        ran.append((cell.name, n_jobs, optimal and optimal["test.log_loss"]))
        return outcome_of(cell)

    monkeypatch.setattr(program, "run_cell", run_fake)
    return ran


def test_run_goes_on_where_it_was(tmp_path, fake, capsys):
    cells = [BY_NAME[name] for name in ("e8/wine-0", "e3/iris_2f-0", "e4/iris_2f-0")]
    program.run(cells[:1], Store(tmp_path), n_jobs=2, seconds=1e9, fresh=False)
    program.run(cells, Store(tmp_path), n_jobs=2, seconds=1e9, fresh=False)
    assert fake == [("e8/wine-0", 2, None), ("e3/iris_2f-0", 2, None), ("e4/iris_2f-0", 2, 0.43)]
    assert "1 of 3 cells are finished." in capsys.readouterr().out
    program.run(cells[:1], Store(tmp_path), n_jobs=1, seconds=1e9, fresh=True)
    assert fake[-1] == ("e8/wine-0", 1, None)


def test_optimal_settings_wait_for_the_search(tmp_path, fake, capsys):
    program.run([BY_NAME["e4/iris_2f-0"]], Store(tmp_path), n_jobs=1, seconds=1e9, fresh=False)
    assert not fake
    assert "run e3 first" in capsys.readouterr().out


def test_run_stops_when_its_time_is_up(tmp_path, fake, capsys):
    program.run([BY_NAME["e8/wine-0"]], Store(tmp_path), n_jobs=1, seconds=-1.0, fresh=False)
    assert not fake
    assert "Time is up with 1 cells left" in capsys.readouterr().out


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The program with its files elsewhere."""
    monkeypatch.setattr(program, "Store", lambda: Store(tmp_path / "study"))
    monkeypatch.setattr(program, "DOCUMENT", tmp_path / "tables.md")
    return tmp_path


def test_command_line_selects_cells(places, fake):
    program.main(["--only", "e3", "e8", "wine", "--jobs", "1"])
    assert {name for name, _, _ in fake} == {f"{e}/wine-{seed}" for e in ("e3", "e8") for seed in range(3)}
    assert "are still to be run" in (places / "tables.md").read_text(encoding="utf-8")


def test_command_line_refuses_unknown_names(places, capsys):
    with pytest.raises(SystemExit):
        program.main(["--only", "e7"])
    assert "unknown: e7" in capsys.readouterr().err


def test_document_of_the_published_numbers_agrees_with_itself():
    finished = {cell: outcome_of(cell) for cell in all_cells()}
    text = render(finished, "## Why ours differ")
    assert "not run" not in text
    assert "still to be run" not in text
    assert "| proset | 4 / **4** | 2 / **2** | 5 / **5** | 0 / **0** |" in text
    # Of its own models, these exceed the report's own thresholds.
    rows = [line.split(" | ")[0] for line in text.splitlines() if line.endswith("**not yet** |")]
    assert rows == ["| (E1, Iris 2f)", "| (E2, Wine)", "| (E9, Iris 2f)", "| (E11, XOR 5f)"]


def test_document_says_what_exceeds_the_threshold_and_is_explained():
    cells = [BY_NAME[f"e3/wine-{seed}"] for seed in range(3)]
    losses = (0.1, 0.2, 0.3)
    finished = {cell: outcome_of(cell, **{"test.log_loss": loss}) for cell, loss in zip(cells, losses, strict=True)}
    for explanation, verdict in (("nothing", "**not yet**"), ("- (E3, Wine) is small.", "yes")):
        text = render(finished, explanation)
        assert f"| (E3, Wine) | 0.14 | 0.17 | 0.20 | {verdict} |" in text
        assert explanation in text
        assert "| *Within* | not run | **no** | not run" in text
        assert "| *Within ours* | not run | **no** | not run" in text
    assert "0.14 / **0.20**" in text


def test_experiments_have_the_settings_of_the_report():
    alphas = {experiment.name: experiment.alpha for experiment in EXPERIMENTS}
    assert (alphas["e1"], alphas["e2"], alphas["e3"], alphas["e10"]) == (0.05, 0.50, 0.95, 0.95)
    pairs = SearchPlan(**fits.PENALTIES["pairs"]).pairs()
    assert len(pairs) == 50
    assert all(1e-6 <= lambda_v <= 1e-1 and 1e-9 <= lambda_w <= 1e-4 for lambda_v, lambda_w in pairs)
    assert len(SearchPlan(**fits.PENALTIES["grid"]).pairs()) == 11
    assert SearchPlan(**fits.PENALTIES["fixed"]).pairs() == ((1e-3, 1e-8),)


def keys_of(number):
    """What a table prints, and what a rating needs."""
    (table,) = [table for table in TABLES if table.number == number]
    return {row.key for row in table.rows} | {"test.naive_log_loss"}


@pytest.fixture
def quick(monkeypatch):
    """Searches of the same kind, but small."""

    def small_plan(**settings):
        return SearchPlan(**settings | {"n_trials": 3, "n_folds": 3, "max_batches": 2})

    monkeypatch.setattr(fits, "SearchPlan", small_plan)
    monkeypatch.setattr(fits, "XgbPlan", lambda **settings: XgbPlan(n_trials=5, max_iterations=300, **settings))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), [("e8/wine-0", "2.9"), ("e3/wine-0", "2.3"), ("e9/wine-0", "2.10")])
def test_a_real_cell_fills_its_table(name, number, quick):
    outcome = run_cell(BY_NAME[name], n_jobs=1)
    assert keys_of(number) <= set(outcome["values"])
    assert outcome["values"]["test.log_loss"] < 0.5 < outcome["values"]["test.naive_log_loss"]
    json.dumps(outcome)


def test_optimal_settings_are_those_of_the_search(quick):
    search = run_cell(BY_NAME["e3/wine-0"], n_jobs=1)["values"]
    optimal = run_cell(BY_NAME["e4/wine-0"], n_jobs=1, optimal=search)["values"]
    assert keys_of("2.4") <= set(optimal)
    same = {key for key in search if key.startswith("stage_") and ".selected" not in key}
    assert all(optimal[key] == search[key] for key in same)
    assert optimal["test.log_loss"] != search["test.log_loss"]


def test_cells_are_told_apart_by_their_settings():
    cell = BY_NAME["e3/wine-0"]
    other = replace(cell, experiment=replace(cell.experiment, alpha=0.5))
    assert cell.settings() != other.settings()
    assert Cell(Experiment("e3", "pairs", FIRST_SIX), cell.problem, 0) == cell
