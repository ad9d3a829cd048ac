"""Systems that answer with a number: their quantiles, their measures, rows on which they disagree, and what is kept."""

from __future__ import annotations

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from number_tables import houses, priced, table_of
from sklearn.linear_model import LinearRegression

from proset.common.errors import StorageError, StudyError
from proset.compare import (
    LEVELS,
    NUMBER_SYSTEMS,
    ComparePlan,
    compare_numbers,
    estimate,
    fold_words,
    load_number_comparison,
    number_comparison_json,
    number_comparison_sheets,
    number_disputes,
    number_table,
    save_number_comparison,
)
from proset.compare.numbers.left_out import WithLeftOutErrors
from proset.compare.numbers.levels import number_scores, pinball
from proset.compare.numbers.neighbours import NeighbourNumbers
from proset.compare.numbers.number_contenders import (
    UNCALIBRATED,
    _contender,
    number_contenders,
    prepare_number_systems,
)
from proset.compare.numbers.number_ground import number_ground
from proset.compare.numbers.trees import TreeNumbers
from proset.data.split import SplitSettings
from proset.engine.everybody import Everybody
from proset.selection import NumberPlan
from proset.study import NumberSettings, fit_number_study, search_number_study
from proset.study.conformal import IntervalCalibration, IntervalLevels

PLAN = ComparePlan(NUMBER_SYSTEMS, n_folds=3, sizes=False, drift=False)


@pytest.fixture(scope="module")
def found():
    return compare_numbers(priced(), PLAN)


def test_pinball_meets_its_definition() -> None:
    rng = np.random.default_rng(0)
    said, actual, levels = rng.normal(size=(5, 3)), rng.normal(size=5), np.array([0.1, 0.5, 0.9])
    plain = [
        np.mean([max(q * (y - s), (q - 1.0) * (y - s)) for s, q in zip(line, levels, strict=True)])
        for line, y in zip(said, actual, strict=True)
    ]
    np.testing.assert_allclose(pinball(said, actual, levels), plain)


def test_true_quantiles_are_better_than_others() -> None:
    from scipy.stats import norm

    actual = np.random.default_rng(0).normal(size=4_000)
    true = np.tile(norm.ppf(LEVELS), (len(actual), 1))
    best = number_scores(true, np.zeros(len(actual)), actual)
    assert best[0] == pytest.approx(1.0 / np.sqrt(np.pi), rel=0.06)  # CRPS of a standard normal, of 19 levels
    assert best[3] == pytest.approx(0.9, abs=0.02)
    for other in (1.5 * true, 0.6 * true, true + 0.4):
        assert number_scores(other, np.zeros(len(actual)), actual)[0] > best[0]


def test_errors_are_those_of_rows_left_out() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 25))  # nearly as many columns as rows: errors on rows learned from are far too small
    y = rng.normal(size=30)
    model = WithLeftOutErrors([LinearRegression()]).fit(X, y)
    learned = np.std(y - LinearRegression().fit(X, y).predict(X))
    assert np.std(model.errors_) > 3.0 * learned
    width = np.diff(model.predict_quantiles(X, [0.05, 0.95]))
    np.testing.assert_allclose(width, np.diff(np.quantile(model.errors_, [0.05, 0.95]))[0])


def test_rows_of_one_group_are_left_out_together() -> None:
    groups = np.repeat(np.arange(10), 6)
    X, y = np.eye(10)[groups], np.repeat(np.random.default_rng(0).normal(size=10), 6)
    assert np.abs(WithLeftOutErrors([LinearRegression()]).fit(X, y).errors_).max() < 1e-9
    assert np.abs(WithLeftOutErrors([LinearRegression()]).fit(X, y, groups=groups).errors_).max() > 0.5


def test_neighbours_are_counted_and_chosen() -> None:
    X = np.arange(40.0)[:, None]
    y = np.repeat([0.0, 10.0], 20)
    assert NeighbourNumbers(50).fit(X, y).n_neighbors_ == 40
    assert NeighbourNumbers((5, 40)).fit(X, y).n_neighbors_ == 5
    said = NeighbourNumbers(3).fit(X, np.arange(40.0)).predict_quantiles([[10.0]], [0.5, 0.999])
    np.testing.assert_allclose(said, [[10.0, 11.0]], atol=0.01)


def test_trees_do_not_cross_and_lie_between_levels() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 2))
    model = TreeNumbers(({"n_estimators": 5}, {"n_estimators": 30})).fit(X, X[:, 0])
    assert model.params_ == {"n_estimators": 30}
    assert (np.diff(model.predict_quantiles(X, LEVELS)) >= 0.0).all()
    low, middle, high = model.predict_quantiles(X, [0.10, 0.125, 0.15]).T
    np.testing.assert_allclose(middle, (low + high) / 2.0)


def test_proset_is_the_model_of_the_study(found) -> None:
    study, entry = priced(), found.system("proset")
    assert not entry.failed
    np.testing.assert_array_equal(found.measured, study.split.held_out)
    said = study.predictions.loc[found.measured]
    np.testing.assert_allclose(entry.quantiles[:, 9], said["median"], rtol=1e-6)
    np.testing.assert_allclose(entry.quantiles[:, [0, -1]], said[["lower", "upper"]], rtol=1e-6)
    assert entry.held_out_scores[1] == pytest.approx(study.metrics.rmse, rel=1e-6)
    assert entry.held_out_scores[3] == pytest.approx(study.metrics.covered)
    assert (entry.n_prototypes, entry.n_features) == (len(study.prototypes), len(study.used_columns))


def test_all_are_measured_on_the_same_rows(found) -> None:
    table = number_table(found)
    assert list(table.frame.index) == [*NUMBER_SYSTEMS, "line", "everybody"]
    assert table.frame["failed"].eq("").all()
    assert table.best == table.frame["crps_mean"].drop(["line", "everybody"]).idxmin()
    assert table.frame["crps_mean"].drop("everybody").max() < table.frame["crps_mean"]["everybody"]
    for entry in found.systems:
        scores = number_scores(entry.quantiles, entry.means, found.actual)
        np.testing.assert_allclose(entry.held_out_scores, scores)
    assert found.answers("knn").columns.tolist() == ["actual", "median", "lower", "upper"]


def test_everybody_and_the_line_know_training_rows_only() -> None:
    study = priced()
    ground = number_ground(study, PLAN)
    found = compare_numbers(study, replace(PLAN, systems=("knn",)))
    everybody = Everybody.of(ground.target).distribution(1)
    np.testing.assert_allclose(found.everybody.quantiles[0], everybody.quantile(LEVELS)[0])
    assert np.ptp(found.everybody.quantiles, axis=0).max() == 0.0
    np.testing.assert_allclose(np.ptp(found.line.quantiles[:, -1] - found.line.quantiles[:, 0]), 0.0, atol=1e-9)


def test_rows_on_which_systems_disagree_come_in_order(found) -> None:
    said = number_disputes(found)
    medians = np.array([entry.quantiles[:, 9] for entry in found.systems])
    row = said.frame.index[0]
    at = found.measured.tolist().index(row)
    assert said.frame["gap"].iloc[0] == pytest.approx(np.ptp(medians[:, at]))
    assert said.frame["gap"].is_monotonic_decreasing
    low = np.array([entry.quantiles[at, 0] for entry in found.systems])
    high = np.array([entry.quantiles[at, -1] for entry in found.systems])
    assert bool(said.frame["apart"].iloc[0]) == bool(low.max() > high.min())
    assert said.agreement.loc["proset", "proset"] == 0.0


def test_a_system_that_fails_says_so_and_the_others_go_on(monkeypatch) -> None:
    def refuse(self, X, y):
        raise MemoryError

    monkeypatch.setattr(TreeNumbers, "fit", refuse)
    found = compare_numbers(priced(), replace(PLAN, systems=("knn", "xgboost")))
    assert found.system("xgboost").failed == "Memory did not suffice."
    assert len(found.fitted) == 1
    table = number_table(found)
    assert table.best == "knn"
    assert np.isnan(table.frame["crps_mean"]["xgboost"])
    assert "no two systems" in number_disputes(found).words


def test_systems_of_classes_are_refused() -> None:
    with pytest.raises(StudyError, match="knows classes only") as refused:
        compare_numbers(priced(), ComparePlan(("proset", "smp")))
    assert "proset, gbmap, knn, xgboost" in str(refused.value)


def test_later_rows_are_measured_by_earlier_ones() -> None:
    frame = houses(90)
    frame["sold"] = np.arange(len(frame))
    study = fit_number_study(
        *table_of(frame), split=SplitSettings(time="sold"), settings=NumberSettings(n_iter=1, n_joined=1)
    )
    found = compare_numbers(study, ComparePlan(("proset", "knn"), n_folds=2))
    assert [entry.failed for entry in found.systems] == ["", ""]
    ground = number_ground(study, found.plan)
    assert all(fold.train.max() < fold.test.min() for fold in ground.folds)
    assert fold_words(study).startswith("Each fold learns from the rows before it by 'sold'")


def test_tuned_systems_choose_their_settings() -> None:
    plan = ComparePlan(("gbmap", "knn"), tuned=True, n_folds=2)
    found = compare_numbers(priced(), plan)
    assert [entry.failed for entry in found.systems] == ["", ""]
    assert found.system("knn").settings != "20 neighbours"


def test_what_is_written_is_read_again(found, tmp_path) -> None:
    save_number_comparison(found, tmp_path)
    again = load_number_comparison(tmp_path, priced())
    assert again.plan == found.plan
    for entry, other in zip(again.systems, found.systems, strict=True):
        assert (entry.key, entry.settings, entry.n_prototypes) == (other.key, other.settings, other.n_prototypes)
        np.testing.assert_array_equal(entry.quantiles, other.quantiles)
    assert number_table(again).frame.equals(number_table(found).frame)


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content | {"format": 1},
        lambda content: content | {"study_id": "another"},
        lambda content: content | {"systems": content["systems"][1:]},
        lambda content: content | {"target": "size"},
        lambda content: content | {"plan": {}},
        lambda content: content | {"more": 1},
    ],
    ids=["format", "study", "systems", "target", "plan", "more"],
)
def test_what_is_damaged_is_refused(found, tmp_path, damage) -> None:
    save_number_comparison(found, tmp_path)
    path = tmp_path / "comparison.json"
    path.write_text(json.dumps(damage(json.loads(path.read_text()))))
    with pytest.raises(StorageError):
        load_number_comparison(tmp_path, priced())


def test_arrays_of_another_shape_are_refused(found, tmp_path) -> None:
    save_number_comparison(found, tmp_path)
    np.save(tmp_path / "arrays" / "s0_quantiles.npy", found.systems[0].quantiles[:, :5])
    with pytest.raises(StorageError, match="another shape"):
        load_number_comparison(tmp_path, priced())


def test_files_hold_all_numbers(found) -> None:
    document = json.loads(number_comparison_json(priced(), found))
    assert document["systems"]["knn"]["settings"] == "20 neighbours"
    assert len(document["folds"]) == 3 * (len(NUMBER_SYSTEMS) + 2)
    sheets = number_comparison_sheets(found)
    assert len(sheets["Answers"]) == len(NUMBER_SYSTEMS) * len(found.measured)
    one = sheets["Answers"].query("system == 'knn'")
    assert one["5 %"].tolist() == found.system("knn").quantiles[:, 0].tolist()


@pytest.mark.slow
def test_time_is_estimated_and_progress_told() -> None:
    study, told = priced(), []
    expected = estimate(study, replace(PLAN, systems=("proset", "knn")))
    assert [entry.possible for entry in expected.systems] == [True, True]
    assert expected.seconds > 0.0
    compare_numbers(study, replace(PLAN, systems=("proset", "knn")), progress=told.append, expected=expected)
    assert [now.share for now in told] == sorted(now.share for now in told)
    assert told[-1].share == 1.0
    assert told[-1].so_far[0].loss > 0.0


def test_getting_ready_is_quiet() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        prepare_number_systems()


def test_own_settings_are_those_of_the_study() -> None:
    study = fit_number_study(*table_of(houses()), settings=NumberSettings(n_iter=1, n_joined=1, lambda_v=0.01))
    model = number_contenders(ComparePlan(("proset",)), study)[0].make().model_
    assert (model.n_iter, model.lambda_v) == (1, 0.01)


@pytest.mark.slow
def test_columns_that_a_search_has_left_out_stay_out() -> None:
    frame = houses().assign(dice=np.random.default_rng(0).normal(size=160))
    study = search_number_study(*table_of(frame), plan=NumberPlan.quick())
    assert "dice" in study.search.dropped
    (contender,) = number_contenders(ComparePlan(("proset",)), study)
    matrix = study.design.transform(study.table.frame.loc[study.split.train]).X
    model = contender.make().fit(matrix, study.targets.loc[study.split.train].to_numpy())
    place = [column.source for column in study.design.columns].index("dice")
    assert place not in model.model_.set_manager_.get_active_features()
    assert model.predict(matrix[:5]).tolist() == study.model.predict(matrix[:5]).tolist()


@pytest.mark.slow
def test_columns_that_a_search_has_left_out_stay_out_of_a_fold_without_a_rare_category() -> None:
    frame = houses().assign(dice=np.random.default_rng(0).normal(size=160))
    study = search_number_study(*table_of(frame), plan=NumberPlan.quick())
    assert "dice" in study.search.dropped
    category = next(column.source for column in study.design.columns if column.level is not None)
    kept = [place for place, column in enumerate(study.design.columns) if column.source != category]
    sources = [study.design.columns[place].source for place in kept]
    matrix = study.design.transform(study.table.frame.loc[study.split.train]).X[:, kept]
    (contender,) = number_contenders(ComparePlan(("proset",)), study)
    model = contender.make().fit(matrix, study.targets.loc[study.split.train].to_numpy(), sources)
    assert sources.index("dice") not in model.model_.set_manager_.get_active_features()
    ground = number_ground(study, ComparePlan(("proset",), n_folds=2))
    assert len(ground.sources(ground.folds[0])) == ground.matrices(ground.folds[0])[0].shape[1]


def test_a_share_that_rounds_to_what_was_promised_is_not_called_something_else(found) -> None:
    table = number_table(found)
    frame = table.frame.assign(covered_held_out=0.896)
    said = replace(table, frame=frame, n_measured=60_000).promise_words
    assert "89.6 %" in said
    assert "90%" not in said


def test_who_is_no_better_than_a_straight_line_on_the_held_out_rows_is_named(found) -> None:
    table = number_table(found)
    frame = table.frame.assign(crps_held_out=table.frame["crps_held_out"].where(table.frame.index == "line", 1e6))
    said = replace(table, frame=frame).words[-1]
    assert said.startswith(f"On the {table.n_measured:,} held-out rows no better than a straight line, ")
    assert said.endswith(": " + ", ".join(frame["title"][frame["equivalent"].notna()]) + ".")
    assert replace(table, frame=frame, which="training rows").words[-1] != said


def test_calibrated_intervals_are_said_to_stay_out() -> None:
    calibrated = priced().with_calibration(IntervalCalibration(60, (IntervalLevels(0.9, 0.01, 0.99),)))
    plan = ComparePlan(("proset",), n_folds=2)
    notes = [_contender("proset", plan, study).note for study in (priced(), calibrated)]
    assert UNCALIBRATED not in notes[0]
    assert UNCALIBRATED in notes[1]
