"""A study whose numbers are on a bent scale: every value is said as the table has it, and it is kept as it is."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import StorageError
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.table import Table, read_table
from proset.explain.subject import subject_of
from proset.selection import JointPlan, SearchPlan
from proset.storage import load, save
from proset.storage.recipes import recipe_from_record, recipe_to_record
from proset.study import FitSettings, Study, fit_study, search_study
from proset.study.repeats import with_repeats
from proset.study.search import search_words

BENT = [Scale.SQUASHED, Scale.QUANTILE, Scale.EVIDENCE]
ROLES = Roles({"income": Role.NUMERIC, "age": Role.NUMERIC, "kind": Role.CATEGORICAL, "late": Role.TARGET})
SETTINGS = FitSettings(n_iter=2, lambda_v=2e-3, num_candidates=100)
PLAN = JointPlan(lambda_v=(1e-3, 1e-2), n_lambda_v=2, lambda_w=1e-4, n_folds=3, max_batches=2,
                 corrections=(0.0,), thinnings=(0.0,))  # fmt: skip


@pytest.fixture(scope="module")
def table() -> Table:
    """Incomes with a long tail, of which the class is a band."""
    rng = np.random.default_rng(8)
    logs = rng.normal(0.0, 2.5, 320)
    frame = pd.DataFrame(
        {
            "income": (1_000 * np.exp(logs)).round(1),
            "age": rng.integers(18, 90, 320),
            "kind": rng.choice(["a", "b", "c"], 320),
            "late": np.where(np.abs(logs) < 1.6, "yes", "no"),
        }
    )
    frame.loc[3, "income"] = np.nan
    return read_table(frame.to_csv(index=False).encode(), name="incomes.csv")


@pytest.fixture(scope="module", params=BENT)
def study(table: Table, request) -> Study:
    return fit_study(table, ROLES, settings=replace(SETTINGS, scale=request.param))


@pytest.fixture(scope="module")
def searched(table: Table) -> Study:
    return search_study(table, ROLES, plan=PLAN, n_jobs=1)


def incomes(study: Study, rows) -> np.ndarray:
    return study.table.frame.loc[rows, "income"].to_numpy(dtype=np.float64)


def test_a_search_takes_the_scale_and_says_why(searched, table):
    assert searched.settings.scale is searched.search.scale.scale
    assert searched.settings.scale is not Scale.STANDARD
    assert any(column.bend for column in searched.design.columns)
    assert f"on a {searched.settings.scale} scale" in search_words(searched.search)
    same = fit_study(table, ROLES, settings=searched.settings)
    assert np.array_equal(same.model.predict_proba(same.encode().X), searched.model.predict_proba(same.encode().X))


@pytest.mark.filterwarnings("ignore:The solver stopped early")  # elsewhere other last bits
def test_a_scale_by_hand_holds_in_folds_and_in_the_model(table):
    plan = replace(PLAN, scales=())
    stated = search_study(table, ROLES, plan=plan, settings=replace(SETTINGS, scale=Scale.QUANTILE), n_jobs=1)
    plain = search_study(table, ROLES, plan=plan, n_jobs=1)
    assert stated.settings.scale is Scale.QUANTILE
    assert stated.search.scale is None
    assert stated.search.fingerprint != plain.search.fingerprint
    assert plain.settings.scale is Scale.STANDARD
    report = SearchPlan(lambda_v=(1e-3, 1e-2), n_trials=2, n_folds=2, max_batches=1)
    by_report = search_study(table, ROLES, plan=report, settings=replace(SETTINGS, scale=Scale.QUANTILE), n_jobs=1)
    assert by_report.design.columns[0].bend is not None


def test_it_is_saved_and_loaded_as_it_is(searched, study, tmp_path):
    for one in (searched, study):
        save(one, tmp_path / "one.proset")
        again = load(tmp_path / "one.proset")
        assert (again.id, again.settings, again.recipe) == (one.id, one.settings, one.recipe)
        X = one.encode().X
        assert np.array_equal(again.encode().X, X)
        assert np.array_equal(again.model.predict_proba(X), one.model.predict_proba(X))
    assert recipe_from_record(json.loads(json.dumps(recipe_to_record(study.recipe)))) == study.recipe


def test_what_is_on_the_standard_scale_is_written_as_before_and_keeps_its_id(table, study):
    plain = fit_study(table, ROLES, settings=SETTINGS)
    assert "scale" not in recipe_to_record(plain.recipe)["settings"]
    assert plain.id != study.id
    record = recipe_to_record(study.recipe)
    record["settings"]["scale"] = "crooked"
    with pytest.raises(StorageError, match="scale"):
        recipe_from_record(record)


def test_a_design_on_another_scale_than_the_settings_say_is_refused(study, tmp_path):
    save(replace(study, settings=replace(study.settings, scale=Scale.STANDARD)), tmp_path / "one.proset")
    with pytest.raises(StorageError, match="scale"):
        load(tmp_path / "one.proset")


def test_axes_hold_the_values_of_the_table(study):
    rows = study.split.held_out
    scatter = explain.feature_scatter(study, features=["income", "age"])
    known = ~np.isnan(incomes(study, rows))
    np.testing.assert_allclose(scatter.samples.loc[rows, "income"][known], incomes(study, rows)[known], rtol=2e-3)
    np.testing.assert_allclose(scatter.samples.loc[rows, "age"], study.table.frame.loc[rows, "age"], rtol=1e-4)
    own = incomes(study, scatter.prototypes["row"])
    known = ~np.isnan(own) & ~np.isnan(scatter.prototypes["income"].to_numpy())
    assert known.any()
    np.testing.assert_allclose(scatter.prototypes["income"][known], own[known], rtol=2e-3)


def test_a_surface_says_at_each_place_what_the_model_says_of_such_a_row(study):
    found = explain.surface(study, features=("income", "age"), reference=1, n_points=7)
    frame = pd.concat([study.table.frame.loc[[1]]] * 49).set_axis(pd.RangeIndex(1, 50, name="row"), axis=0)
    x, y = np.meshgrid(found.x, found.y)
    frame = frame.assign(income=x.ravel(), age=y.ravel())
    expected = study.model.predict_proba(study.design.transform(frame).X).reshape(7, 7, -1)
    np.testing.assert_allclose(found.probabilities, expected, atol=2e-3)


def test_places_and_ranges_are_in_the_units_of_the_table(study):
    places = explain.value_places(study, 1).frame.set_index("column")
    row = study.table.frame.loc[1]
    train = study.table.frame.loc[study.split.train, "income"].dropna()
    assert float(places.loc["income", "value"]) == pytest.approx(row["income"], rel=1e-3)
    assert places.loc["income", "number"] == pytest.approx(row["income"], rel=1e-3)
    single = 1e-6 * train.std()  # what single precision holds of a straight scale
    assert places.loc["income", "low"] == pytest.approx(train.min(), rel=1e-3, abs=single)
    assert places.loc["income", "high"] == pytest.approx(train.max(), rel=1e-3)
    entry = explain.value_ranges(study)["income"]
    assert (entry.low, entry.high) == (study.table.frame["income"].min(), study.table.frame["income"].max())
    assert entry.spread == pytest.approx(train.std(ddof=0))


def test_the_smallest_change_is_one_of_the_table_and_does_what_it_says(study):
    found = 0
    for row in study.split.held_out[:12]:
        flips = explain.smallest_flip(study, int(row))
        for flip in flips.flips:
            after = explain.what_if(study, int(row), {flip.feature: flip.after}).after
            assert after.predicted == flip.predicted
            assert after.probabilities[flip.predicted] == pytest.approx(flip.probability, abs=1e-6)
            if flip.feature == "income" and flip.before is not None:
                spread = explain.value_ranges(study)["income"].spread
                assert flip.size == pytest.approx(abs(flip.after - flip.before) / spread)
                found += 1
    assert found


def test_counterfactuals_hold_values_of_known_cases(study):
    row = int(study.split.held_out[0])
    said = explain.what_if(study, row, {}).before.predicted
    found = explain.counterfactuals(study, row)
    assert found.found
    for one in found.found:
        assert explain.what_if(study, row, one.values).after.predicted == one.predicted != said


@pytest.fixture(scope="module")
def of_evidence(table: Table) -> Study:
    return fit_study(table, ROLES, settings=replace(SETTINGS, scale=Scale.EVIDENCE))


def test_distances_and_places_go_by_values_and_votes_by_evidence_too(of_evidence):
    subject = subject_of(of_evidence)
    assert [len(own) for own in subject.own] == [1, 1, 3]
    assert [len(group) for group in subject.groups] == [2, 2, 4]
    plain = fit_study(of_evidence.table, ROLES, settings=SETTINGS)
    rows = of_evidence.split.held_out
    np.testing.assert_array_equal(
        explain.novelty(of_evidence, rows).similarity_all, explain.novelty(plain, rows).similarity_all
    )


def test_the_weight_of_a_column_is_that_of_its_values_or_of_what_they_say(of_evidence):
    weights, columns = of_evidence.model.set_manager_.get_feature_weights()
    found = explain.feature_weights(of_evidence)
    by_column = dict(zip([of_evidence.design.columns[j].name for j in columns.tolist()], weights[0], strict=True))
    said = by_column.get("income: evidence for yes", 0.0)
    assert found.weights.loc["income", 1] == pytest.approx(max(by_column.get("income", 0.0), said))
    assert said > 0.0


def test_what_values_say_is_in_the_units_of_the_table(of_evidence):
    (one,) = explain.value_evidence(of_evidence, features=["income"]).features
    assert one.used
    speaks = np.interp([30.0, 1_000.0, 40_000.0], one.places, one.weights["yes"])
    assert speaks[1] > 1.0
    assert max(speaks[0], speaks[2]) < -1.0
    np.testing.assert_allclose(one.weights["no"], -one.weights["yes"])
    (kind,) = explain.value_evidence(of_evidence, features=["kind"]).features
    assert sorted(kind.places) == ["a", "b", "c"]
    plain = fit_study(of_evidence.table, ROLES, settings=SETTINGS)
    (same,) = explain.value_evidence(plain, features=["income"]).features
    assert not same.used
    np.testing.assert_allclose(same.weights, one.weights, atol=1e-6)
    frame = explain.value_evidence(of_evidence).to_frame()
    assert set(frame["feature"]) == {"income", "age", "kind"}


def test_shares_of_votes_add_up_by_column(of_evidence):
    found = explain.shap_values(of_evidence, [1, 2, 3], 4)
    assert found.features == ("income", "age", "kind")
    np.testing.assert_allclose(found.values.sum(axis=1), found.estimates - found.base_values, atol=1e-6)


@pytest.mark.slow
def test_other_looks_at_it_work(study):
    densities = explain.feature_densities(study, features=["income"]).features[0]
    values = study.table.frame["income"].dropna()
    assert values.min() <= np.median(densities.places) <= values.max() * 1.1
    mapping = explain.batch_map(study)
    assert mapping.plane is not None
    assert mapping.axes is None
    repeated = with_repeats(study)
    assert repeated.left_out is not None
    assert float(repeated.left_out.probabilities.min()) > 0.0
