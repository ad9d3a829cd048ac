"""Round zero of a joint search: which scale is taken, by whom, and what becomes of the record."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from variants import main_cases

from proset.common.errors import StorageError, StudyError
from proset.data.scales import Scale
from proset.engine.fitting import BatchSettings
from proset.engine.metrics import log_loss
from proset.engine.model import ClassifierModel
from proset.selection import (
    Cancelled,
    ColumnScaler,
    JointPlan,
    JointRecord,
    ProsetClassifierCV,
    has_begun,
    read_plan,
    run_joint,
    search_report,
    select_hyperparameters,
    settings_found,
)
from proset.selection.matrices import MatrixPreparer
from proset.selection.scale_choice import LAMBDA_V, LAMBDA_W, MOST_BATCHES, choose_scale
from proset.selection.tasks import SearchData

RNG = np.random.default_rng(5)
LOGS = RNG.normal(size=(240, 2)) * 3.0
Y = (np.abs(LOGS).max(axis=1) < 2.0).astype(np.int64)
HEAVY = np.exp(LOGS)
BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
SMALL = {"lambda_w": 1e-4, "n_lambda_v": 2, "n_folds": 3, "first_folds": 2, "max_batches": 2,
         "corrections": (0.0,), "thinnings": (0.0,)}  # fmt: skip
BENT = (Scale.STANDARD, Scale.SQUASHED, Scale.QUANTILE)
PLAN, UNSCALED = JointPlan(**SMALL, scales=BENT), JointPlan(**SMALL, scales=())


def data(X: np.ndarray = HEAVY, *, chooses: bool = True) -> SearchData:
    prepare = MatrixPreparer(X, StandardScaler())
    return SearchData(Y, np.ones(len(Y)), None, prepare, scaled=prepare.on_scale if chooses else None)


@pytest.fixture(scope="module")
def record() -> JointRecord:
    return run_joint(data(), BASE, PLAN, n_jobs=1)


def test_a_scale_that_is_clearly_better_is_taken_and_said(record):
    assert record.complete
    assert record.scale.scale is record.scale.best is not Scale.STANDARD
    assert settings_found(record)["scale"] is record.scale.scale
    assert f"a {record.scale.scale} scale" in record.scale.words
    text = search_report(record)
    assert "Numbers are taken on a" in text
    assert max(map(len, text.splitlines())) <= 80


def test_what_a_scale_comes_to_is_what_a_model_on_that_scale_does(record):
    """The lowest log-loss of one pair of penalties, fitted by hand on the same fold."""
    from dataclasses import replace

    from proset.engine.fitting import TrainingData
    from proset.engine.growth import Streams, grow, marginal_model
    from proset.selection.ground import SearchGround
    from proset.selection.joint import SET_BY_PLAN, settings_inside
    from proset.selection.plan import DRAW_STREAM

    settings = settings_inside(BASE, PLAN, len(Y))
    ground = SearchGround(data(), settings, PLAN, set_by_plan=SET_BY_PLAN, n_fits=1, n_jobs=1)
    number, fold = 2, 1
    train, test = ground.folds[fold].train, ground.folds[fold].test
    scaler = ColumnScaler("quantile").fit(HEAVY[train])
    rows = TrainingData(scaler.transform(HEAVY[train]), Y[train], np.ones(len(train)), train)
    start, losses = marginal_model(rows), []
    settings = replace(settings, lambda_v=LAMBDA_V, lambda_w=LAMBDA_W, max_samples=1_000)
    for grown in grow(start, rows, settings, Streams(PLAN.random_state, (DRAW_STREAM, fold)), n_batches=MOST_BATCHES):
        for factor in PLAN.weight_factors:
            p = grown.manager.scaled(factor).probabilities(scaler.transform(HEAVY[test]))
            losses.append(float(log_loss(p[np.arange(len(test)), Y[test]], np.ones(len(test)))))
    assert min(losses) <= record.scaled.log_loss[number, fold] + 1e-6
    assert np.isclose(losses, record.scaled.log_loss[number, fold], rtol=1e-5).any()


def test_the_rounds_go_on_with_the_scale_that_was_taken(record):
    there = run_joint(data(ColumnScaler(str(record.scale.scale)).fit_transform(HEAVY), chooses=False), BASE, PLAN)
    scaled = MatrixPreparer(HEAVY, ColumnScaler(str(record.scale.scale)))
    alone = run_joint(SearchData(Y, np.ones(len(Y)), None, scaled), BASE, PLAN, n_jobs=1)
    for pair, scores in alone.curves.items():
        np.testing.assert_array_equal(scores[0].log_loss, record.curves[pair][0].log_loss)
    assert there.scale is None


def test_where_all_scales_are_alike_the_standard_one_stays():
    plain = run_joint(data(RNG.integers(0, 2, size=(240, 3)).astype(float)), BASE, PLAN, n_jobs=1)
    assert plain.scale.scale is Scale.STANDARD
    assert "standard scale" in plain.scale.words
    without = run_joint(data(), BASE, UNSCALED, n_jobs=1)
    assert without.scale is None
    assert "scale" not in settings_found(without)
    assert without.fingerprint == run_joint(data(chooses=False), BASE, PLAN, n_jobs=1).fingerprint


@pytest.mark.parametrize(
    ("lower", "taken"),
    [
        ((0.05, 0.05, 0.05), Scale.QUANTILE),
        ((0.05, 0.0, 0.0), Scale.STANDARD),  # by chance
        ((0.005, 0.005, 0.005), Scale.STANDARD),  # by a hair
        ((-0.05, -0.05, -0.05), Scale.STANDARD),
    ],
)
def test_another_scale_has_to_be_clearly_better(lower, taken):
    standard = np.array([0.4, 0.41, 0.42])
    found = choose_scale(BENT, np.stack([standard, standard + 0.1, standard - np.array(lower)]))
    assert found.scale is taken
    assert found.standard == pytest.approx(standard.mean())
    if min(lower) > 0.0:
        assert found.lower == pytest.approx(np.mean(lower))


@pytest.mark.slow
@pytest.mark.parametrize("n_done", main_cases([1, 4, 8], only=[4]))
def test_a_search_that_is_stopped_in_round_zero_goes_on_from_there(record, n_done):
    def stop(progress):
        now = progress.finished()
        if isinstance(now, JointRecord) and now.scaled is not None and now.scaled.done.sum() >= n_done:
            raise Cancelled

    with pytest.raises(Cancelled) as stopped:
        run_joint(data(), BASE, PLAN, n_jobs=1, progress=stop)
    begun = JointRecord.from_state(json.loads(json.dumps(stopped.value.record.to_state())))
    assert not begun.complete
    assert not begun.can_be_taken
    assert has_begun(begun)
    assert len(begun.to_scale()) == 9 - n_done
    ended = run_joint(data(), BASE, PLAN, n_jobs=1, record=begun)
    np.testing.assert_array_equal(ended.scaled.log_loss, record.scaled.log_loss)
    assert settings_found(ended) == settings_found(record)


def test_it_is_written_and_read_and_searches_of_before_are_as_they_were(record):
    again = JointRecord.from_state(json.loads(json.dumps(record.to_state())))
    assert again.scale == record.scale
    assert read_plan(json.loads(json.dumps(PLAN.to_state()))) == PLAN
    state = UNSCALED.to_state()
    assert "scales" not in state
    assert read_plan(state) == UNSCALED
    assert read_plan(JointPlan.quick().to_state()).is_quick


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(scaled=[]),
        lambda state: state["scaled"].pop("n_prototypes"),
        lambda state: state["scaled"]["log_loss"].pop(),
        lambda state: state["scaled"]["log_loss"][0].__setitem__(0, -1.0),
        lambda state: state["plan"].update(scales=[]),
        lambda state: state["plan"].update(scales=["standard", "crooked"]),
        lambda state: state["plan"].update(scales=7),
    ],
)
def test_damaged_scales_are_refused(record, change):
    state = json.loads(json.dumps(record.to_state()))
    change(state)
    with pytest.raises(StorageError):
        JointRecord.from_state(state)


@pytest.mark.parametrize(
    "scales", [("squashed", "quantile"), ("standard",), ("standard", "standard"), ("standard", "log"), "standard", None]
)
def test_impossible_plans_are_refused_by_name(scales):
    with pytest.raises(StudyError, match="scales"):
        JointPlan(scales=scales)


@pytest.mark.exhaustive
def test_the_estimator_chooses_unless_told_otherwise():
    plan = {"n_folds": 3, "max_batches": 2, "lambda_v": 1e-3, "lambda_w": 1e-4, "random_state": 0, "n_jobs": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = ProsetClassifierCV(**plan).fit(HEAVY, Y)
        as_before = ProsetClassifierCV(**plan, transformer="scale").fit(HEAVY, Y)
        stated = ProsetClassifierCV(**plan, transformer="quantile").fit(HEAVY, Y)
    assert isinstance(chosen.transformer_, ColumnScaler)
    assert chosen.transformer_.scale == chosen.record_.scale.scale
    assert isinstance(as_before.transformer_, StandardScaler)
    assert as_before.record_.scaled is None
    assert stated.transformer_.scale == "quantile"
    assert chosen.score(HEAVY, Y) > as_before.score(HEAVY, Y)


@pytest.mark.slow
def test_the_quick_method_compares_values_with_their_evidence():
    found = ProsetClassifierCV(method="quick", n_jobs=1, random_state=0).fit(HEAVY, Y)
    assert found.record_.plan.scales == (Scale.STANDARD, Scale.EVIDENCE)
    assert found.transformer_.scale == found.record_.scale.scale == "evidence"  # a box in two columns of numbers
    assert found.predict_proba(HEAVY).shape == (240, 2)
    assert "what it says, alone, of the classes" in found.record_.scale.words
    plain = ProsetClassifierCV(method="quick", n_jobs=1, random_state=0, transformer="scale").fit(HEAVY, Y)
    assert isinstance(plain.transformer_, StandardScaler)
    assert plain.record_.plan.is_quick


def test_a_transformer_of_the_callers_is_not_second_guessed():
    for transform in (None, StandardScaler()):
        result = select_hyperparameters(ClassifierModel(random_state=0), HEAVY, Y, plan=PLAN, transform=transform)
        assert result.record.scaled is None


@pytest.mark.parametrize("scale", [*map(str, BENT)])
def test_a_column_that_does_not_vary_is_not_divided_by_its_rounding_error(scale):
    X = np.column_stack([np.full(30, 0.1), np.full(30, 1e9 + 0.1), np.arange(30.0)])
    assert (X.std(axis=0) > 0.0).all()
    scaler = ColumnScaler(scale).fit(X)
    assert scaler.scale_[:2].tolist() == [1.0, 1.0]
    np.testing.assert_allclose(scaler.transform(X + np.array([0.2, 0.2, 0.0]))[:, :2], 0.2, atol=1e-6)


def test_a_column_scaler_refuses_what_it_does_not_know_and_goes_back():
    with pytest.raises(ValueError, match="standard, squashed, quantile"):
        ColumnScaler("log").fit(HEAVY)
    for scale in BENT:
        scaler = ColumnScaler(str(scale)).fit(HEAVY)
        there = scaler.transform(HEAVY)
        np.testing.assert_allclose(there.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(there.std(axis=0), 1.0)
        np.testing.assert_allclose(scaler.inverse_transform(there), HEAVY, rtol=1e-3, atol=1e-2)
    np.testing.assert_allclose(ColumnScaler("standard").fit_transform(HEAVY), StandardScaler().fit_transform(HEAVY))
