"""gbmap's tables: what is measured is what the specification describes, and the tables say what was measured."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist
from sklearn.linear_model import LinearRegression

from benchmarks import cells as cells_module
from benchmarks.cells import Cells
from benchmarks.gbmap_tables import columns, coordinates, drift, growth, mapping, peer, settings, summary
from benchmarks.gbmap_tables.plan import PARTS
from benchmarks.gbmap_tables.plan import cells as planned
from benchmarks.gbmap_tables.published import TABLE_4, published
from benchmarks.gbmap_tables.render import section
from benchmarks.gbmap_tables.sets import NOT_AT_HAND, SOURCES, as_numbers, cosines
from benchmarks.gbmap_tables.splits import Part, score


class Plain:
    """In place of the estimator: the first coordinate is a straight line, two more add to it."""

    def __init__(self, part):
        self.line = LinearRegression().fit(part.X, part.y)
        self.X, self.y = part.X, part.y

    def transform(self, X):
        f = self.line.predict(X)
        return np.column_stack([f, 0.1 * np.abs(f), -0.05 * f])

    def drift_indicator(self, X, n_neighbors):
        return np.abs(self.transform(X).sum(axis=1))


@pytest.fixture
def plain(monkeypatch):
    for module in (columns, drift, coordinates):
        monkeypatch.setattr(module, "fitted", lambda part, n_boosts, seed, **parameters: Plain(part))
    monkeypatch.setattr(settings, "effort", lambda rows: settings.Effort(2, 1, 1))


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setattr(cells_module, "RESULTS", tmp_path)
    return Cells("gbmap_tables")


@pytest.fixture
def shop():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"size": rng.normal(size=80), "weight": rng.normal(size=80), "colour": ["red", "blue"] * 40})
    return frame.assign(price=3.0 * frame["size"] + (frame["colour"] == "red") + 0.1 * rng.normal(size=80))


def test_words_become_columns_that_go_together(shop):
    table = as_numbers("shop", "regression", shop, "price")
    assert table.columns == ((0,), (1,), (2, 3))
    assert table.X.shape == (80, 4)
    assert table.order[:, 2].tolist() == [40.0] * 80  # both colours are as frequent
    with pytest.raises(ValueError, match="two classes"):
        as_numbers("shop", "classification", shop, "size")


def test_halves_are_disjoint_and_differ_by_seed(shop):
    table = as_numbers("shop", "regression", shop, "price")
    train, test = table.halves(0)
    assert sorted([*train, *test]) == list(range(80))
    assert set(train) != set(table.halves(1)[0])


def test_a_part_is_scaled_by_its_training_rows(shop):
    part = Part.of(as_numbers("shop", "regression", shop, "price"), np.arange(40), np.arange(40, 80))
    np.testing.assert_allclose([part.y.mean(), part.y.std()], [0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(part.X.mean(axis=0), 0.0, atol=1e-12)
    assert abs(part.X_test.mean()) > 1e-6
    inner = part.inner(np.arange(30), np.arange(30, 40))
    np.testing.assert_allclose([inner.y.mean(), inner.y.std()], [0.0, 1.0], atol=1e-12)


def test_columns_that_were_scaled_by_all_rows_stay(shop):
    table = replace(as_numbers("shop", "regression", shop, "price"), scaled=True)
    part = Part.of(table, np.arange(40), np.arange(40, 80))
    np.testing.assert_array_equal(part.inner(np.arange(30), np.arange(30, 40)).X, table.X[:30])
    np.testing.assert_allclose(part.y.mean(), 0.0, atol=1e-12)


def test_neighbours_by_the_first_coordinates_are_those_of_a_plain_search():
    rng = np.random.default_rng(1)
    phi, test, y = rng.normal(size=(60, 6)), rng.normal(size=(25, 6)), rng.normal(size=60)
    found = mapping.neighbour_means(phi, y, test, (2, 4, 9), 5)
    for m, means in found.items():
        distance = cdist(test[:, :m], phi[:, :m], "cityblock")
        np.testing.assert_allclose(means, y[np.argsort(distance, axis=1)[:, :5]].mean(axis=1))


def test_stages_are_running_sums_and_end_where_the_fit_ended(shop):
    part = Part.of(as_numbers("shop", "regression", shop, "price"), np.arange(40), np.arange(40, 80))
    model = Plain(part)
    path = mapping.stages(model, part.X_test)
    np.testing.assert_allclose(mapping.at(path, 2), model.transform(part.X_test)[:, :2].sum(axis=1))
    np.testing.assert_array_equal(mapping.at(path, 150), mapping.at(path, 3))


def test_made_data_are_rotated_cosines():
    table = cosines("regression", 4_000, 5, 0)
    R2 = [LinearRegression().fit(X, table.y).score(X, table.y) for X in (table.X, np.cos(table.X))]
    assert R2[0] < 0.01
    assert R2[1] < 0.9  # no sum of effects of single columns: they were rotated
    assert set(cosines("classification", 100, 5, 0).y) == {-1.0, 1.0}


def test_one_search_serves_gbmap_and_its_neighbours(plain, shop):
    cell = columns.mapping(as_numbers("shop", "regression", shop, "price"), 0)
    assert cell["draws"] == 2
    assert cell["chosen"]["m"] in settings.LENGTHS
    assert cell["knn_chosen"]["m"] in settings.NEIGHBOUR_LENGTHS
    assert cell["score"] > 0.95
    assert cell["knn_score"] > 0.7
    assert "score" not in columns.mapping(as_numbers("shop", "regression", shop, "price"), 0, only_neighbours=True)


@pytest.mark.parametrize("kind", ["regression", "classification"])
def test_the_baselines_learn(kind, shop):
    if kind == "classification":
        shop = shop.assign(price=np.where(shop["price"] > 0, "dear", "cheap"))
    table = as_numbers("shop", kind, shop, "price")
    line, knn = columns.linear(table, 0)["score"], columns.neighbours(table, 0)["score"]
    assert line > 0.9
    assert 0.5 < knn <= line


def test_trees_are_counted_along_the_fit(shop, monkeypatch):
    monkeypatch.setattr(settings, "MOST_TREES", 30)
    monkeypatch.setattr(settings, "effort", lambda rows: settings.Effort(1, 1, 1))
    cell = columns.trees(as_numbers("shop", "regression", shop, "price"), 0)
    assert 1 <= cell["chosen"]["trees"] <= 30
    assert cell["score"] > 0.5


def test_drift_leaves_out_the_column_that_was_sorted_by(plain, shop):
    table = as_numbers("shop", "regression", shop, "price")
    found = list(drift.shifts(table, 0))
    assert [shift.part.X.shape[1] for shift in found] == [3, 3, 2]
    cell = drift.measure_drift(table, 0)["squared error"]
    assert cell["column"] == 0  # the price follows it
    assert 0.0 <= cell["euclid"] <= 1.0


def test_two_classes_have_both_losses_of_drift(plain, shop):
    table = as_numbers(
        "shop", "classification", shop.assign(price=np.where(shop["price"] > 0, "dear", "cheap")), "price"
    )
    assert tuple(drift.measure_drift(table, 0)) == drift.LOSSES["classification"]


def test_a_line_on_more_coordinates_is_measured(plain, shop):
    cell = coordinates.measure_coordinates(as_numbers("shop", "regression", shop, "price"), 0)
    assert len(cell) == len(coordinates.BETAS) * len(coordinates.LENGTHS)


def test_scores():
    y = np.array([-1.0, 1.0, 1.0])
    assert score("classification", y, np.array([-0.1, 2.0, -1.0])) == pytest.approx(2 / 3)
    assert score("regression", y, np.full(3, y.mean())) == pytest.approx(0.0)


def test_every_set_of_the_paper_is_measured_or_named_as_missing():
    made = {"synth-cos-r", "synth-cos-c"}
    assert set(TABLE_4) == set(SOURCES) | set(NOT_AT_HAND) | made
    keys = [key for part in PARTS for key, _ in planned(part)]
    assert len(set(keys)) == len(keys)
    assert {f"table4/{name}/4/mapping" for name in (*SOURCES, *made)} <= set(keys)


def test_tables_without_a_measurement_say_so(results):
    text = "\n".join(section(results))
    assert "0.577 / not run" in text
    assert "| qm9-10k | not at hand |" in text


def test_a_difference_of_more_than_two_deviations_is_named(results):
    for seed, value in enumerate((0.60, 0.61, 0.62)):
        results.fill(
            f"table4/abalone/{seed}/mapping",
            lambda v=value: {"rows": 4, "columns": 2, "score": v, "draws": 1, "knn_draws": 1},
        )
        results.fill(f"table4/abalone/{seed}/knn", lambda v=value: {"rows": 4, "columns": 2, "score": v - 0.09})
    found = summary.differences(results)
    assert [one.label for one in found] == ["(abalone, gbmap)"]
    assert found[0].better
    assert published("abalone", "gbmap") == 0.577
    assert "**0.610** ± 0.010" in "\n".join(section(results))


def one_run(first, later, loss):
    each = [
        {"seconds": s, "cpu_seconds": s, "loss": loss, "iterations": 100, "peak_mib": 90.0}
        for s in (first, later, later)
    ]
    return {"each": each, "versions": {"numpy": "2"}}


@pytest.mark.parametrize(
    ("loss", "first", "later", "holds"),
    [(0.1, 0.2, 0.01, True), (0.102, 0.2, 0.01, False), (0.1, 0.8, 0.01, False), (0.1, 0.2, 0.03, False)],
)
def test_all_three_bars_count(results, loss, first, later, holds):
    theirs, own = [one_run(2.0, 0.02, 0.1)] * 3, [one_run(first, later, loss)] * 3
    cell = {"rows": 10, "columns": 2, "ours": own, "standin": theirs}
    results.fill("peer/autompg", lambda: cell)
    assert peer.Duel.of(cell).holds == holds
    assert ("DO NOT HOLD" not in "\n".join(peer.lines(results))) == holds


def test_growth_has_its_powers(results):
    for n, p in growth.SIZES:
        results.fill(growth.key((n, p)), lambda n=n, p=p: {"each": one_run(0, n * p * 1e-7, 0.1)["each"][1:]})
    text = "\n".join(growth.lines(results))
    assert "as rows to the power 1.00 ± 0.00" in text
    assert "as columns to the power 1.00 ± 0.00" in text
    assert "FASTER" not in text
