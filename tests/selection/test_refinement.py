"""The last look of a joint search: corrections and thinnings of the chosen model, judged on the same folds."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.random import default_rng
from variants import main_cases

from proset import ClassifierModel
from proset.common.errors import StorageError, StudyError
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.metrics import log_loss
from proset.engine.refining import REFINE_STREAM, refinements
from proset.selection import (
    Cancelled,
    JointPlan,
    JointRecord,
    joint_report,
    read_plan,
    run_joint,
    select_hyperparameters,
    settings_found,
)
from proset.selection.front import is_unfinished, refined_words
from proset.selection.matrices import check_labelled_rows
from proset.selection.plan import DRAW_STREAM

RNG = default_rng(2)
X = RNG.normal(size=(180, 4))
Y = (X[:, 0] * X[:, 1] + 0.4 * RNG.normal(size=180) > 0.0).astype(np.int64)
BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
PLAN = JointPlan(
    lambda_v=(1e-3, 1e-2), n_lambda_v=2, lambda_w=1e-6, n_folds=3, first_folds=2, max_batches=2, take_joined=False
)
AS_GROWN = replace(PLAN, corrections=(0.0,), thinnings=(0.0,))


def data():
    return check_labelled_rows(X, Y, None, None).search_data(None)


@pytest.fixture(scope="module")
def record():
    return run_joint(data(), BASE, PLAN, n_jobs=1)


def test_each_fold_has_every_refinement_of_the_chosen_model(record):
    rows = len(PLAN.corrections) * len(PLAN.thinnings)
    assert record.refined.log_loss.shape == (rows, 3)
    assert record.complete
    first = record.refined.log_loss[0]  # as it was grown
    pair, batches = record.chosen
    factor = PLAN.weight_factors.index(record.chosen_factor)
    np.testing.assert_allclose(first, record.curves[pair][factor].log_loss[batches], rtol=1e-9)
    assert (record.refined.n_prototypes[0] == record.curves[pair][factor].n_prototypes[batches]).all()


def test_a_score_is_that_of_the_refined_model_on_the_rows_left_out(record):
    from proset.selection.folds import make_folds
    from proset.selection.joint import settings_inside

    fold, prepared = 1, data()
    split = make_folds(Y, PLAN, keep_rare=True, smallest=2)[fold]
    lambda_v, lambda_w = record.chosen_penalties
    settings = replace(settings_inside(BASE, PLAN, len(Y)), lambda_v=lambda_v, lambda_w=lambda_w)
    matrix, left_out = prepared.prepare(split.train, split.test)
    training = TrainingData(matrix, Y[split.train], np.ones(len(split.train)), split.train)
    streams = Streams(PLAN.random_state, (DRAW_STREAM, fold))
    *_, grown = grow(marginal_model(training), training, settings, streams, record.chosen_batches)
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
        assert record.refined.log_loss[row, fold] == pytest.approx(loss, rel=1e-9)
        assert record.refined.n_prototypes[row, fold] == manager.get_num_prototypes()


def test_the_model_is_fitted_with_what_was_chosen(record):
    result = select_hyperparameters(ClassifierModel(random_state=0), X, Y, plan=PLAN, transform=None, n_jobs=1)
    chosen = record.refinement
    assert (result.model.correction, result.model.thinning) == (chosen.correction, chosen.thinning)
    assert settings_found(record)["correction"] == chosen.correction
    assert result.model.refinement_.n_after == result.model.set_manager_.get_num_prototypes()
    assert refined_words(record) in " ".join(joint_report(record).split())


def test_of_those_nearly_as_good_the_smallest_is_taken(record):
    chosen, means = record.refinement, record.refined.log_loss.mean(axis=1)
    alone = record.curves[record.chosen[0]][0].log_loss[0].mean()
    allowed = means.min() + 0.01 * (alone - means.min())
    sizes = record.refined.n_prototypes.mean(axis=1)
    assert chosen.log_loss <= allowed
    assert chosen.n_prototypes == sizes[means <= allowed].min()


def test_without_refinements_the_search_is_as_before(record):
    plain = run_joint(data(), BASE, AS_GROWN, n_jobs=1)
    assert plain.refined is None
    assert plain.refinement is None
    assert plain.complete
    assert plain.chosen == record.chosen
    assert "correction" not in settings_found(plain)
    assert refined_words(plain) == ""
    for pair, scores in plain.curves.items():
        np.testing.assert_array_equal(scores[0].log_loss, record.curves[pair][0].log_loss)


def test_a_choice_by_hand_is_taken_as_it_was_measured(record):
    pair, batches = record.chosen
    other = record.with_point(1 - pair if (1 - pair) in record.tried else pair, 1)
    if other.chosen == record.chosen:
        other = record.with_point(pair, 2)
    assert other.complete
    assert other.refinement is None
    assert settings_found(other) | {"correction": 0.0, "thinning": 0.0} == settings_found(other)
    assert record.with_point(pair, batches).refinement == record.refinement


@pytest.mark.parametrize("n_done", main_cases([0, 1, 2], only=[1]))
def test_a_search_that_is_stopped_while_it_refines_goes_on_from_there(record, n_done):
    def stop(progress):
        now = progress.finished()
        if isinstance(now, JointRecord) and not now.to_do():
            done = 0 if now.refined is None else int(now.refined.done.all(axis=0).sum())
            if done >= n_done:
                raise Cancelled

    with pytest.raises(Cancelled) as stopped:
        run_joint(data(), BASE, PLAN, n_jobs=1, progress=stop)
    begun = stopped.value.record
    assert not begun.complete
    assert len(begun.to_refine()) == 3 - n_done
    assert begun.reached()[1:] == (begun.reached()[2] - 3 + n_done, begun.reached()[2])
    taken = begun.take_best_so_far()
    assert taken.complete
    assert taken.unfinished
    assert is_unfinished(begun)
    assert is_unfinished(taken)
    assert "The search was not finished: " in joint_report(taken)
    assert not record.take_best_so_far().unfinished
    assert not is_unfinished(record.take_best_so_far())
    again = JointRecord.from_state(json.loads(json.dumps(begun.to_state())))
    ended = run_joint(data(), BASE, PLAN, n_jobs=1, record=again)
    np.testing.assert_array_equal(ended.refined.log_loss, record.refined.log_loss)


def test_it_is_written_and_read(record):
    state = json.loads(json.dumps(record.to_state()))
    again = JointRecord.from_state(state)
    assert again.refinement == record.refinement
    np.testing.assert_array_equal(again.refined.log_loss, record.refined.log_loss)


def test_plans_and_records_from_before_are_read_as_they_were():
    state = AS_GROWN.to_state()
    del state["corrections"], state["thinnings"]
    assert read_plan(state) == AS_GROWN
    quick = JointPlan.quick().to_state()
    del quick["corrections"], quick["thinnings"]
    assert read_plan(quick).is_quick
    assert not read_plan(quick).refines
    found = run_joint(data(), BASE, AS_GROWN, n_jobs=1).to_state()
    del found["plan"]["corrections"], found["plan"]["thinnings"]
    assert "refined" not in found
    assert JointRecord.from_state(found).complete


@pytest.mark.parametrize(
    "change",
    [
        lambda state: state.update(refined=[]),
        lambda state: state["refined"].pop("n_prototypes"),
        lambda state: state["refined"]["log_loss"].pop(),
        lambda state: state["refined"]["log_loss"][0].__setitem__(0, -1.0),
        lambda state: state["refined"]["log_loss"][0].__setitem__(0, "much"),
        lambda state: state["refined"].update(more=1),
    ],
)
def test_damaged_refinements_are_refused(record, change):
    state = json.loads(json.dumps(record.to_state()))
    change(state)
    with pytest.raises(StorageError):
        JointRecord.from_state(state)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("corrections", ()),
        ("corrections", (0.5, 0.0)),
        ("corrections", (0.0, 1.5)),
        ("thinnings", (0.0, 0.95)),
        ("thinnings", (0.0, math.nan)),
        ("thinnings", 0.1),
    ],
)
def test_impossible_plans_are_refused_by_name(name, value):
    with pytest.raises(StudyError, match=name):
        JointPlan(**{name: value})


@pytest.mark.slow
def test_a_budget_holds_inside_the_folds_and_in_the_model():
    model = ClassifierModel(random_state=0, max_prototypes=6)
    result = select_hyperparameters(model, X, Y, plan=PLAN, transform=None, n_jobs=1)
    assert (result.record.refined.n_prototypes <= 6).all()
    assert result.model.set_manager_.get_num_prototypes() <= 6
    assert result.model.refinement_.n_before > 6


@pytest.mark.slow
def test_processes_change_nothing(record):
    again = run_joint(data(), BASE, PLAN, n_jobs=2)
    np.testing.assert_array_equal(again.refined.log_loss, record.refined.log_loss)
