"""Joined votes of several fits like the chosen model, judged on the same folds."""

import json
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng

from proset import ClassifierModel, ProsetClassifierCV
from proset.common.errors import StorageError, StudyError
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import Streams, marginal_model
from proset.engine.joining import grow_joined
from proset.engine.metrics import log_loss
from proset.engine.refining import REFINE_STREAM, refinements
from proset.selection import (
    JointPlan,
    JointRecord,
    joint_report,
    read_plan,
    run_joint,
    select_hyperparameters,
    settings_found,
)
from proset.selection.folds import make_folds
from proset.selection.front import JOINED, front_point, joined_words, refined_words, used_label, with_label
from proset.selection.joint import settings_inside
from proset.selection.matrices import check_labelled_rows
from proset.selection.plan import DRAW_STREAM
from proset.selection.scores import FoldScores

RNG = default_rng(2)
X = RNG.normal(size=(180, 4))
Y = (X[:, 0] * X[:, 1] + 0.4 * RNG.normal(size=180) > 0.0).astype(np.int64)
BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
PLAN = JointPlan(
    lambda_v=1e-2, lambda_w=1e-6, n_folds=3, first_folds=2, max_batches=2, thinnings=(0.0, 0.01), n_joined=2,
    take_joined=False,
)  # fmt: skip
ALONE = replace(PLAN, n_joined=1)


def data():
    return check_labelled_rows(X, Y, None, None).search_data(None)


@pytest.fixture(scope="module")
def record():
    return run_joint(data(), BASE, PLAN, n_jobs=1)


@pytest.fixture(scope="module")
def alone():
    return run_joint(data(), BASE, ALONE, n_jobs=1)


def with_joined_losses(record, change):
    """Return the record as if joined votes had other log-losses."""
    return replace(record, joined=replace(record.joined, log_loss=change(record.joined.log_loss)))


def test_a_score_is_that_of_the_joined_model_on_the_rows_left_out(record):
    fold = 1
    split = make_folds(Y, PLAN, keep_rare=True, smallest=2)[fold]
    lambda_v, lambda_w = record.chosen_penalties
    settings = replace(settings_inside(BASE, PLAN, len(Y)), lambda_v=lambda_v, lambda_w=lambda_w)
    matrix, left_out = data().prepare(split.train, split.test)
    training = TrainingData(matrix, Y[split.train], np.ones(len(split.train)), split.train)
    streams = Streams(PLAN.random_state, (DRAW_STREAM, fold))
    *_, grown = grow_joined(
        marginal_model(training), training, settings, streams, record.chosen_batches, record.n_joined
    )
    found = refinements(
        grown.manager,
        training,
        Streams(PLAN.random_state, (REFINE_STREAM, fold)).of_batch(0),
        corrections=PLAN.corrections,
        thinnings=PLAN.thinnings,
    )
    for row, (manager, _) in enumerate(found):
        estimates = manager.scaled(record.chosen_factor).probabilities(left_out)
        loss = log_loss(estimates[np.arange(len(split.test)), Y[split.test]], np.ones(len(split.test)))
        assert record.joined.log_loss[row, fold] == pytest.approx(loss, rel=1e-9)
        assert record.joined.n_prototypes[row, fold] == manager.get_num_prototypes()


def test_they_change_nothing_else(record, alone):
    assert alone.joined is None
    assert alone.joined_model is None
    assert joined_words(alone) == ""
    assert record.chosen == alone.chosen
    assert record.refinement == alone.refinement
    np.testing.assert_array_equal(record.refined.log_loss, alone.refined.log_loss)
    assert settings_found(record) == settings_found(alone)
    assert settings_found(record)["n_joined"] == 1


def test_nothing_is_joined_without_refinements():
    plain = run_joint(data(), BASE, replace(PLAN, corrections=(0.0,), thinnings=(0.0,)), n_jobs=1)
    assert plain.complete
    assert plain.joined is None
    assert "n_joined" not in settings_found(plain)


def test_the_difference_is_paired_with_the_refined_choice(record):
    single = record.plan.refinements().index((record.refinement.correction, record.refinement.thinning))
    found = record.joined_model
    row = record.plan.refinements().index((found.correction, found.thinning))
    difference = record.refined.log_loss[single] - record.joined.log_loss[row]
    assert found.below == pytest.approx(difference.mean())
    assert found.error == pytest.approx(difference.std(ddof=1) / np.sqrt(3))
    assert found.log_loss == pytest.approx(record.joined.log_loss[row].mean())
    point = front_point(record, JOINED)
    assert (point.log_loss, point.n_prototypes, point.n_joined) == (found.log_loss, found.n_prototypes, 2)
    best = front_point(record, record.point_row(record.found.best))
    assert point.above == pytest.approx(found.log_loss - best.log_loss)


def test_a_point_that_is_worse_and_larger_is_not_on_the_front(record):
    assert not front_point(with_joined_losses(record, lambda losses: losses + 1.0), JOINED).on_front
    assert front_point(with_joined_losses(record, lambda losses: 0.1 * losses), JOINED).on_front


def test_a_person_can_choose_them_and_leave_them(record):
    joined = with_label(record, JOINED)
    assert joined.by_hand
    assert joined.takes_joined
    assert joined.complete
    assert used_label(joined) == JOINED
    found, settings = record.joined_model, settings_found(joined)
    assert (settings["n_joined"], settings["correction"], settings["thinning"]) == (2, found.correction, found.thinning)
    assert settings["n_iter"] == record.chosen_batches
    assert "the votes of 2 such fits are joined" in refined_words(joined)
    assert "choice by hand" in joint_report(joined)
    back = with_label(joined, joined.point_row(joined.found.chosen))
    assert not back.takes_joined
    assert settings_found(back) == settings_found(record)


def test_the_report_says_what_they_come_to(record):
    said = " ".join(joint_report(record).replace("-\n    ", "-").split())
    assert joined_words(record) in said
    worse = with_joined_losses(record, lambda losses: losses + 1.0)
    better = with_joined_losses(record, lambda losses: 0.1 * losses)
    assert "higher than" in joined_words(worse)
    assert "lower than" in joined_words(better)


@pytest.mark.parametrize(
    ("above", "taken"),
    [
        ((-0.3, -0.3, -0.3), True),
        ((0.1, 0.0, 0.03), True),  # higher by one and a half standard errors
        ((0.1, 0.08, 0.09), False),
    ],
)
def test_a_plan_takes_them_unless_they_are_clearly_worse(record, above, taken):
    asked = replace(record, plan=replace(PLAN, take_joined=True))
    single = record.plan.refinements().index((record.refinement.correction, record.refinement.thinning))
    judged = with_joined_losses(asked, lambda losses: 0.0 * losses + record.refined.log_loss[single] + above)
    assert judged.joined_model.below == pytest.approx(-np.mean(above))
    assert judged.takes_joined is taken
    assert judged.joined_model.is_worse is not taken
    assert not judged.by_hand
    assert settings_found(judged)["n_joined"] == (2 if taken else 1)
    assert not judged.with_point(*judged.found.chosen).takes_joined
    assert not replace(judged, plan=PLAN).takes_joined


def test_they_are_no_larger_than_two_fits(record):
    def with_sizes(single, joined):
        losses = record.joined.log_loss * np.linspace(0.5, 1.0, len(record.joined.log_loss))[:, None]  # more is better
        sizes = np.repeat(np.asarray(joined, dtype=float)[:, None], 3, axis=1)
        return replace(
            record,
            refined=replace(record.refined, n_prototypes=0.0 * record.refined.n_prototypes + single),
            joined=replace(record.joined, log_loss=losses, n_prototypes=sizes),
        )

    sizes = (90.0, 80.0, 60.0, 45.0, 30.0, 25.0)
    assert with_sizes(60.0, sizes).joined_model.n_prototypes == 90.0
    assert with_sizes(15.0, sizes).joined_model.n_prototypes == 30.0
    assert with_sizes(10.0, sizes).joined_model.n_prototypes == 25.0  # nothing is as small: the smallest
    found = with_sizes(15.0, sizes)
    row = found.plan.refinements().index((found.joined_model.correction, found.joined_model.thinning))
    assert found.joined.n_prototypes[row].mean() == 30.0
    assert front_point(found, JOINED).above == pytest.approx(found.joined_above[0])
    many = replace(with_sizes(42.0, sizes), plan=replace(PLAN, n_joined=8))
    assert many.joined_model.n_prototypes == 80.0


def test_many_are_corrected_only_where_that_is_clearly_better(record):
    def corrected_by(n_joined, *lower):
        plan = replace(PLAN, n_joined=n_joined, corrections=(0.0, 1.0), thinnings=(0.0,))
        losses = np.array([[0.4, 0.4, 0.4], 0.4 - np.array(lower)])
        scores = FoldScores(losses, n_features=np.full((2, 3), 2.0), n_prototypes=np.full((2, 3), 9.0))
        return replace(record, plan=plan, refined=scores, joined=scores).joined_model.correction

    unsure, sure = (0.2, 0.1, -0.1), (0.2, 0.1, 0.1)
    assert [corrected_by(n_joined, *sure) for n_joined in (2, 4)] == [1.0, 1.0]
    assert [corrected_by(n_joined, *unsure) for n_joined in (2, 4)] == [1.0, 0.0]


def test_how_many_are_joined_depends_on_the_rows(record):
    assert [JointPlan().joined(n_rows) for n_rows in (50, 499, 500, 100_000)] == [4, 4, 2, 2]
    assert [JointPlan(n_joined=3).joined(n_rows) for n_rows in (50, 100_000)] == [3, 3]
    assert JointPlan.quick().joined(50) == 1
    assert replace(record, plan=replace(PLAN, n_joined=None)).n_joined == 4
    plan = JointPlan.from_state(json.loads(json.dumps(JointPlan().to_state())))
    assert plan == JointPlan()
    with pytest.raises(StudyError, match="n_joined is 0"):
        JointPlan(n_joined=0)


def test_a_search_takes_them_by_itself_and_a_quick_fit_does_not_try_them():
    assert JointPlan().take_joined
    assert (JointPlan.quick().n_joined, JointPlan.quick().take_joined) == (1, False)


@pytest.mark.slow
def test_the_model_is_fitted_with_them(record):
    fitted = ProsetClassifierCV(
        lambda_v=1e-2, lambda_w=1e-6, n_folds=3, max_batches=2, n_joined=3, take_joined=True, transformer=None,
        random_state=0,
    ).fit(X, Y)  # fmt: skip
    taken = fitted.record_.takes_joined
    assert fitted.n_joined_ == fitted.model_.n_joined == (3 if taken else 1)
    assert fitted.model_.set_manager_.num_batches == fitted.n_batches_ * fitted.n_joined_
    again = select_hyperparameters(
        ClassifierModel(random_state=0), X, Y, plan=PLAN, transform=None, n_jobs=1, record=record.with_joined()
    )
    assert again.model.n_joined == 2
    assert again.model.set_manager_.num_batches == 2 * record.chosen_batches


@pytest.mark.slow
def test_processes_change_nothing(record):
    again = run_joint(data(), BASE, PLAN, n_jobs=2)
    np.testing.assert_array_equal(again.joined.log_loss, record.joined.log_loss)


def test_a_budget_holds(record):
    few = run_joint(data(), replace(BASE, max_prototypes=6), PLAN, n_jobs=1)
    assert (few.joined.n_prototypes <= 6).all()
    assert record.joined.n_prototypes.max() > 6


@pytest.mark.parametrize("chosen", [False, True])
def test_they_are_written_and_read(record, chosen):
    before = record.with_joined() if chosen else record
    again = JointRecord.from_state(json.loads(json.dumps(before.to_state())))
    assert again.joined_model == before.joined_model
    assert again.takes_joined is chosen
    assert again.to_state() == before.to_state()


def test_plans_and_records_from_before_are_read_as_they_were(alone):
    state = json.loads(json.dumps(alone.to_state()))
    assert "joined" not in state
    for name in ("n_joined", "take_joined"):
        del state["plan"][name]
    again = JointRecord.from_state(state)
    assert again.complete
    assert again.plan == ALONE
    quick = JointPlan.quick().to_state()
    del quick["n_joined"], quick["take_joined"]
    assert read_plan(quick).is_quick


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(joined=[]),
        lambda state: state.pop("joined"),
        lambda state: state["joined"]["log_loss"].pop(),
        lambda state: state["joined"]["log_loss"][0].__setitem__(0, "much"),
        lambda state: state.update(joins="yes"),
        lambda state: state["plan"].update(n_joined=1),
        lambda state: (state["joined"]["log_loss"][0].__setitem__(0, None), state.update(joins=True)),
    ],
)
def test_damaged_records_are_refused(record, change):
    state = json.loads(json.dumps(record.to_state()))
    change(state)
    with pytest.raises(StorageError):
        JointRecord.from_state(state)


def test_what_was_not_tried_cannot_be_chosen(alone):
    with pytest.raises(StudyError, match="has not joined"):
        alone.with_joined()
    with pytest.raises(KeyError):
        front_point(alone, JOINED)


@pytest.mark.parametrize(("name", "value"), [("n_joined", 0), ("n_joined", 17), ("n_joined", 2.5), ("take_joined", 1)])
def test_impossible_plans_are_refused_by_name(name, value):
    with pytest.raises(StudyError, match=name):
        JointPlan(**{name: value})


@pytest.mark.parametrize("name", ["n_joined", "take_joined"])
def test_the_search_of_the_report_joins_nothing(name):
    with pytest.raises(StudyError, match=name):
        ProsetClassifierCV(method="report", **{name: 2 if name == "n_joined" else True}).fit(X, Y)
