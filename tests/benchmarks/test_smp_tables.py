"""Table 1 of the paper on sparse multi-prototype classification: sets, splits, cells that resume, and the section."""

import json

import numpy as np
import pandas as pd
import pytest

from benchmarks import cells as cells_module
from benchmarks.smp_tables import __main__ as program
from benchmarks.smp_tables import contestants, steps
from benchmarks.smp_tables.contestants import (
    CONTESTANTS,
    FURTHER,
    LAM,
    MU,
    SMOOTH,
    WAYS,
    Contestant,
    measure,
    measure_every,
    measure_others,
    smp,
)
from benchmarks.smp_tables.published import COLUMNS, TABLE_1, TABLE_1_OTHERS, Published
from benchmarks.smp_tables.render import section
from benchmarks.smp_tables.sets import halves, load, path_of
from benchmarks.smp_tables.summary import Found, deviation


@pytest.fixture
def folder(tmp_path):
    """One set with a number that tells the classes, a word for every row, and a word for some."""
    rng = np.random.default_rng(0)
    told = rng.normal(size=40)
    frame = pd.DataFrame({"who": [f"row {i}" for i in range(40)], "told": told, "kind": np.tile(["a", "b"], 20)})
    (tmp_path / "openml_two_class").mkdir()
    frame.assign(target=np.where(told < 0.0, "P", "N")).to_csv(
        tmp_path / "openml_two_class" / "rabe_266.csv.gz", index=False
    )
    return tmp_path


def test_words_are_left_out_unless_asked_for_and_identifiers_always(folder):
    place = path_of("rabe_266", folder)
    assert load(place)[0].shape == (40, 1)
    assert load(place, words=True)[0].shape == (40, 3)
    assert path_of("rabe_148", folder) is None


def test_halves_share_classes_and_are_standardised_on_the_first(folder):
    X, y = load(path_of("rabe_266", folder))
    train, target, test, actual = halves(X, y, seed=3)
    assert len(train) == len(test) == 20
    assert abs(int(target.sum()) - int(actual.sum())) <= 1
    np.testing.assert_allclose([train.mean(), train.std()], [0.0, 1.0], atol=1e-12)


def test_halves_may_be_standardised_before_they_are_split_and_drawn_from_any_rows(folder):
    X, y = load(path_of("rabe_266", folder))
    train, target, test, actual = halves(X, y, seed=3, whole=True)
    both = np.concatenate([train, test])
    np.testing.assert_allclose([both.mean(), both.std()], [0.0, 1.0], atol=1e-12)
    assert abs(float(train.mean())) > 1e-6
    np.testing.assert_array_equal(halves(X, y, seed=3)[1], target)
    shares = [int(halves(X, y, seed=seed, shares=False)[1].sum()) for seed in range(6)]
    assert len(set(shares)) > 1
    assert len(actual) == 20


def test_a_cell_holds_what_a_classifier_made_of_some_splits(folder):
    small = Contestant("small", "small", smp(lam=(0.0,), mu=(0.01,), cv=2))
    cell = measure(small, *load(path_of("rabe_266", folder)), range(2))
    assert len(cell["accuracy"]) == len(cell["nnz"]) == 2
    assert min(cell["accuracy"]) > 0.8
    assert cell["chosen"] == [[2, 0.0, 0.01]] * 2
    assert cell["seconds"] > 0.0


def test_every_setting_is_measured_on_the_half_left_out(folder):
    X, y = load(path_of("rabe_266", folder))
    cell = measure_every(X, y, range(1))
    assert np.shape(cell["accuracy"]) == (1, len(LAM) * len(MU))
    assert max(measure(SMOOTH, X, y, range(1))["accuracy"]) <= np.max(cell["accuracy"])


def test_others_that_refuse_are_left_out(folder, monkeypatch):
    def refuse(seed):
        raise np.linalg.LinAlgError

    others = {"LR": contestants.OTHERS["LR"], "QDA": refuse}
    monkeypatch.setattr(contestants, "OTHERS", others)
    assert list(measure_others(*load(path_of("rabe_266", folder)), range(1))["accuracy"]) == ["LR"]


def test_a_run_fills_cells_once_and_writes_its_section(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path / "results")
    written = {}
    monkeypatch.setattr(program, "write_published", lambda name, lines: written.update({name: "\n".join(lines)}))
    asked = []

    def counted(contestant, X, y, seeds):
        asked.append((contestant.name, list(seeds)))
        return {"accuracy": [0.9, 0.94], "seconds": 1.0}

    monkeypatch.setattr(program, "measure", counted)
    monkeypatch.setattr(program, "measure_every", lambda *_: {"accuracy": [[0.9, 0.8], [0.9, 1.0]], "seconds": 1.0})
    monkeypatch.setattr(program, "measure_others", lambda *_: {"accuracy": {"GP": [0.95], "DT": [0.9]}, "seconds": 1.0})
    for _ in range(2):
        program.main(["--only", "rabe_266", "rabe_148", "--further", "5"], folder)
    other_ways = [way.name for way in WAYS[1:]]
    assert [name for name, seeds in asked if seeds[0] == 0] == [c.name for c in CONTESTANTS] + other_ways
    assert [name for name, seeds in asked if seeds[0] == 5] == [c.name for c in FURTHER] + other_ways
    assert len(json.loads((tmp_path / "results" / "smp_tables.json").read_text())["cells"]) == len(asked) + 2
    assert "| rabe_266 | 0.94 ± 0.04 | 0.920 ± 0.028" in written["smp_tables"]
    assert "| 0.95 GP | 0.950 GP |" in written["smp_tables"]
    assert "0.900 with one setting for all splits of a set, 0.950 with one for each" in written["smp_tables"]
    with pytest.raises(SystemExit):
        program.main(["--only", "no_such_set"], folder)


def test_the_section_says_what_holds_and_what_is_far_off():
    low = {name: {c.name: [0.5, 0.52, 0.51] for c in CONTESTANTS} for name in ("rabe_266", "rabe_265")}
    text = "\n".join(section(Found(low, {}, {}, {}, 60.0), "Machine: a.", "- `rabe_266`: for a reason."))
    assert text.count("**does not hold**") == 4
    assert "| rabe_265 | SMP" in text
    assert "**not yet**" in text
    assert "| yes |" in text
    high = {"rabe_266": {c.name: [0.93, 0.95] for c in CONTESTANTS}}
    text = "\n".join(section(Found(high, {}, {}, {}, 60.0), "Machine: a.", ""))
    assert text.count(": holds.") == 4
    assert "No difference exceeds" in text


def test_the_section_says_how_much_five_splits_tell():
    first = {"rabe_266": {way.name: [0.9] * 5 for way in WAYS[:2]}, "rabe_148": {way.name: [0.9] * 5 for way in WAYS}}
    further = {name: {way.name: [0.98] * 5 + [0.94] * 2 for way in WAYS} for name in first}
    found = Found(first, further, {}, {}, 60.0)
    assert found.groups(WAYS[0].name) == pytest.approx([0.9, 0.98])
    assert found.groups(WAYS[2].name) == []  # one set has not been split in this way
    text = "\n".join(section(found, "Machine: a.", ""))
    assert f"| {WAYS[0].title} | 0.900 | 0.940 | 0.900 to 0.980 |" in text
    assert "It reaches 0.940 in 2 of these 4 groups of five." in text
    assert WAYS[2].title not in text
    assert "How much five splits tell" not in "\n".join(section(Found(first, {}, {}, {}, 60.0), "Machine: a.", ""))


def test_every_other_classifier_stands_beside_its_own_published_mean():
    first = {name: {"smooth": [0.7, 0.7]} for name in ("rabe_266", "rabe_148")}
    others = {"rabe_266": {"GP": [0.9, 0.96], "QDA": [0.9]}, "rabe_148": {"GP": [0.95, 0.95]}}
    found = Found(first, {}, {}, others, 60.0)
    assert found.side_by_side("GP") == pytest.approx((0.95, 0.94))
    assert found.side_by_side("QDA") == pytest.approx((0.94, 0.9))
    text = "\n".join(section(found, "Machine: a.", ""))
    assert "| GP | 0.950 | 0.940 | -0.010 |" in text
    assert "| SMP, smoothed loss | 0.950 | 0.700 | -0.250 |" in text
    assert "| DT |" not in text


def test_the_best_of_the_published_others_is_the_one_in_the_table():
    for name, told in TABLE_1.items():
        figures = dict(zip(COLUMNS, TABLE_1_OTHERS[name], strict=True))
        assert max(figures.values()) == told.best, name
        if told.best_names != "several":
            assert {other for other, value in figures.items() if value == told.best} == set(told.best_names.split(", "))


@pytest.mark.slow
def test_steps_are_told_by_iterations():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    text = "\n".join(steps.lines(steps.measure_steps(X, (X[:, 0] > 0.0).astype(int))))
    assert "| | 1 | 50 | 200 | 1,000 | 5,000 |" in text.replace("|  |", "| |")
    assert text.count("\n| ") == 2 + len(steps.WAYS)


def test_differences_are_counted_in_the_larger_standard_deviation():
    told = Published(0.9, 0.02, 0.8, "LR")
    assert deviation(told, [0.8, 0.8]) == pytest.approx(-5.0)
    assert deviation(told, [0.7, 0.9]) == pytest.approx(-0.1 / np.std([0.7, 0.9], ddof=1))


def test_published_mean_is_the_one_of_the_paper():
    assert np.mean([entry.accuracy for entry in TABLE_1.values()]) == pytest.approx(0.801, abs=5e-4)
    assert len(TABLE_1) == 20
    assert len({contestant.name for contestant in contestants.CONTESTANTS}) == len(contestants.CONTESTANTS)
