"""The search as a whole, on problems that take a fraction of a second."""

import json
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.exceptions import ConvergenceWarning

from proset.common.errors import StudyError
from proset.data.generators import create_checkerboard
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.metrics import log_loss
from proset.engine.solver import minimize_nonnegative
from proset.selection import Cancelled, SearchData, SearchPlan, SearchRecord, run_search
from proset.selection.folds import make_folds
from proset.selection.matrices import MatrixPreparer
from proset.selection.plan import DRAW_STREAM
from proset.selection.tasks import BatchTask, PenaltyTask

BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
PLAN = SearchPlan(lambda_v=(1e-3, 1e-1), n_trials=3, n_folds=3, max_batches=2, second_look=False)
LOOK = replace(PLAN, lambda_v=(1e-4, 1e-2), second_look=True, random_state=3)


def noisy(n=90, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + 0.5 * rng.normal(size=n) > 0).astype(np.int64)


def search_data(n=90, seed=0, weight=None, groups=None):
    X, y = noisy(n, seed)
    return SearchData(y, np.ones(n) if weight is None else weight, groups, MatrixPreparer(X))


def same(a, b):
    return json.dumps(a.to_state()) == json.dumps(b.to_state())


@pytest.fixture(scope="module")
def record():
    return run_search(search_data(), BASE, PLAN)


def test_tables_have_the_promised_columns(record):
    assert record.complete
    folds = ["fold_1", "fold_2", "fold_3"]
    tail = ["mean", "sd", "n_features", "n_prototypes", "converged"]
    assert list(record.stage_1) == ["lambda_v", "lambda_w", *folds, *tail]
    assert list(record.stage_2) == ["n_batches", *folds, *tail]
    assert record.stage_2["n_batches"].tolist() == [0, 1, 2]
    np.testing.assert_allclose(record.stage_1["mean"], record.stage_1[folds].mean(axis=1))
    np.testing.assert_allclose(record.stage_1["sd"], record.stage_1[folds].std(axis=1, ddof=1))


def test_stage_2_begins_with_the_marginals_and_goes_on_with_stage_1(record):
    # The first batch of stage 2 is that of stage 1: same candidates, same penalties.
    folds = ["fold_1", "fold_2", "fold_3"]
    chosen = record.stage_1.loc[record.chosen(1)]
    np.testing.assert_array_equal(record.stage_2.loc[1, folds], chosen[folds])
    assert record.stage_2.loc[1, "n_prototypes"] == chosen["n_prototypes"]
    assert record.stage_2.loc[0, "mean"] == pytest.approx(np.log(2), abs=0.02)
    assert record.stage_2.loc[0, "n_prototypes"] == 0


def test_the_rule_reads_the_tables(record):
    table = record.stage_1
    best = table["mean"].idxmin()
    assert record.optimal(1) == best
    assert record.threshold(1) == table.loc[best, "mean"] + table.loc[best, "sd"]
    eligible = table.index[table["mean"] <= record.threshold(1)]
    assert record.chosen(1) == table.loc[eligible, "lambda_v"].idxmax()
    assert record.chosen_penalties == (table.loc[record.chosen(1), "lambda_v"], 1e-8)
    second = record.stage_2
    assert record.chosen_batches == second.loc[second["mean"] <= record.threshold(2), "n_batches"].min()


def test_result_does_not_depend_on_the_number_of_processes(record):
    assert same(run_search(search_data(), BASE, PLAN, n_jobs=2), record)


def test_more_workers_than_folds_do_no_harm(record):
    with parallel_config("threading", n_jobs=7):
        assert same(run_search(search_data(), BASE, PLAN), record)


class StopAt:
    """Cancels at a given fit."""

    def __init__(self, stage, done):
        self.at = stage, done

    def __call__(self, progress):
        if (progress.stage, progress.done) == self.at:
            raise Cancelled


@pytest.mark.parametrize(
    ("at", "n_jobs"), [((1, 0), 1), ((1, 4), 1), ((1, 9), 1), ((2, 0), 1), ((2, 5), 1), ((2, 9), 1), ((1, 4), 2)]
)
def test_a_cancelled_search_goes_on_where_it_stopped(record, at, n_jobs):
    with pytest.raises(Cancelled) as caught, parallel_config("threading"):
        run_search(search_data(), BASE, PLAN, n_jobs=n_jobs, progress=StopAt(*at))
    partial = SearchRecord.from_state(json.loads(json.dumps(caught.value.record.to_state())))
    scores = partial.scores_1 if at[0] == 1 else partial.scores_2
    assert scores.done.sum() == at[1]
    seen = []
    whole = run_search(search_data(), BASE, PLAN, progress=seen.append, record=partial)
    if n_jobs == 1:
        assert same(whole, record)
    else:  # threads left behind by the cancelled run may move the limit on BLAS threads, and with it the last bits
        np.testing.assert_allclose(whole.scores_1.log_loss, record.scores_1.log_loss, rtol=1e-3)
        np.testing.assert_allclose(whole.scores_2.log_loss, record.scores_2.log_loss, rtol=1e-3)
        assert whole.chosen_penalties == record.chosen_penalties
    if at[1] < 9:
        assert (seen[0].stage, seen[0].done) == at


def test_a_finished_record_is_returned_as_it_is(record):
    assert same(run_search(search_data(), BASE, PLAN, record=record), record)


def test_a_record_of_something_else_is_refused(record):
    for data, base, plan in (
        (search_data(seed=1), BASE, PLAN),
        (search_data(weight=np.full(90, 2.0)), BASE, PLAN),
        (search_data(), replace(BASE, alpha_v=0.5), PLAN),
        (search_data(), BASE, replace(PLAN, random_state=1)),
    ):
        with pytest.raises(StudyError, match="another plan, or was made with other data"):
            run_search(data, base, plan, record=record)


def test_progress_counts_up_to_the_end():
    seen = []
    run_search(search_data(), BASE, PLAN, progress=seen.append)
    # A fit that takes long is reported more than once.
    steps = list(dict.fromkeys((step.stage, step.done, step.total) for step in seen))
    assert steps == [(stage, k, 9) for stage in (1, 2) for k in range(10)]
    shares = [step.share for step in seen]
    assert shares == sorted(shares)
    assert 0.0 == shares[0] < shares[-1] < 1.0  # the refit is still to come
    assert all(np.isfinite(step.seconds_left) for step in seen if (step.stage, step.done) > (1, 0))


@pytest.fixture(scope="module")
def board():
    """A problem where smaller penalties do better, and look equal with one batch."""
    X, y = create_checkerboard(120, n_squares=2, random_state=2)
    return SearchData(y, np.ones(120), None, MatrixPreparer(X))


@pytest.fixture(scope="module")
def second_look(board):
    return run_search(board, BASE, LOOK)


@pytest.mark.slow
def test_a_second_look_adds_to_the_first(board, second_look):
    first = run_search(board, BASE, replace(LOOK, second_look=False))
    assert second_look.scores_1.to_state() == first.scores_1.to_state()
    row = first.chosen(1)
    assert second_look.curves[row].to_state() == first.curves[row].to_state()
    assert second_look.complete
    assert len(second_look.curves) == 3
    assert second_look.chosen_penalties[0] < first.chosen_penalties[0]
    best = [second_look.curve(row)["mean"].min() for row in second_look.looked_at]
    assert best[:-1] == sorted(best[:-1], reverse=True)
    assert second_look.stage_2["mean"].loc[second_look.chosen_batches] <= second_look.threshold(2)


@pytest.mark.slow
@pytest.mark.parametrize("done", [0, 4, 9, 12])
def test_a_second_look_goes_on_where_it_stopped(board, second_look, done):
    with pytest.raises(Cancelled) as caught:
        run_search(board, BASE, LOOK, n_jobs=1, progress=StopAt(2, done))
    partial = SearchRecord.from_state(json.loads(json.dumps(caught.value.record.to_state())))
    assert sum(scores.done.sum() for scores in partial.curves.values()) == done
    seen = []
    assert same(run_search(board, BASE, LOOK, record=partial, progress=seen.append), second_look)
    assert (seen[0].stage, seen[0].done) == (2, done)
    shares = [step.share for step in seen]
    assert shares == sorted(shares)


def test_progress_of_a_second_look_goes_on_counting(board, second_look):
    seen = []
    run_search(board, BASE, LOOK, progress=seen.append)
    steps = list(dict.fromkeys((step.done, step.total) for step in seen if step.stage == 2))
    total = 9 * len(second_look.curves)
    assert [done for done, _ in steps if done % 9] == [k for k in range(total) if k % 9]
    assert steps[0] == (0, 9)
    assert steps[-1] == (total, total)
    shares = [step.share for step in seen]
    assert shares == sorted(shares)
    assert shares[-1] < 1.0


def test_a_choice_of_ones_own_gets_its_own_stage_2(record):
    other = 0 if record.chosen(1) else 1
    lambda_v, lambda_w = PLAN.pairs()[other]
    changed = record.with_choice(lambda_v=lambda_v, lambda_w=lambda_w)
    assert changed.stage_2 is None
    assert changed.chosen(1) == other
    done = run_search(search_data(), BASE, PLAN, record=changed)
    assert same(done, run_search(search_data(), BASE, PLAN, record=record, choice=(lambda_v, lambda_w)))
    folds = ["fold_1", "fold_2", "fold_3"]
    np.testing.assert_array_equal(done.stage_2.loc[1, folds], record.stage_1.loc[other, folds])
    with pytest.raises(StudyError, match=r"Stage 1 did not try lambda_v=0\.5"):
        record.with_choice(lambda_v=0.5, lambda_w=1e-8)


def test_penalties_are_compared_on_the_same_candidates():
    # A penalty on nothing: with both feature and prototype penalties as good as zero, only the draw could differ.
    plan = SearchPlan(lambda_v=0.0, lambda_w=(1e-300, 1e-299), n_trials=2, n_folds=3, max_batches=1)
    table = run_search(search_data(), BASE, plan).stage_1
    np.testing.assert_array_equal(table.loc[0, "fold_1":"fold_3"], table.loc[1, "fold_1":"fold_3"])


def test_weights_count_in_fits_and_in_the_log_loss():
    plain = run_search(search_data(), BASE, PLAN)
    scaled = run_search(search_data(weight=np.full(90, 3.0)), BASE, PLAN)
    np.testing.assert_allclose(scaled.stage_1["mean"], plain.stage_1["mean"], rtol=1e-9)
    _, y = noisy()
    weighted = run_search(search_data(weight=np.where(y == 1, 9.0, 1.0)), BASE, PLAN)
    # Without batches the estimate is the share of each class by weight, and so is the loss.
    share = 9.0 * (y == 1).sum() / (9.0 * (y == 1).sum() + (y == 0).sum())
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert weighted.stage_2.loc[0, "mean"] == pytest.approx(entropy, abs=0.01)


def test_a_checkerboard_needs_a_small_penalty():
    board, labels = create_checkerboard(600, n_squares=3, random_state=0)
    data = SearchData(labels.astype(np.int64), np.ones(600), None, MatrixPreparer(board * 3.4))
    record = run_search(data, BASE, SearchPlan(n_trials=4, n_folds=3, max_batches=2))
    assert record.chosen_penalties[0] <= 1e-2
    assert record.stage_1.loc[record.chosen(1), "mean"] < 0.5 < record.stage_1["mean"].iloc[-1]
    assert record.chosen_batches >= 1


def test_stages_score_the_models_that_a_fit_grows():
    data, (fold, *_) = search_data(), make_folds(noisy()[1], PLAN)
    settings = replace(BASE, lambda_v=1e-2, lambda_w=1e-7)
    X, y = noisy()
    training = TrainingData(X[fold.train], y[fold.train], np.ones(len(fold.train)), fold.train)
    start = marginal_model(training)
    grown = list(grow(start, training, settings, Streams(3, (DRAW_STREAM, 0)), n_batches=2))
    losses = [
        float(log_loss(estimates[np.arange(len(fold.test)), y[fold.test]]))
        for estimates in grown[-1].manager.staged_probabilities(X[fold.test])
    ]
    stage_2 = list(BatchTask(data, fold, 0, 3, settings, 2).scores())
    assert [score.log_loss for score in stage_2] == losses
    assert [score.n_prototypes for score in stage_2] == [0, *(step.manager.get_num_prototypes() for step in grown)]
    (one,) = PenaltyTask(data, fold, 0, 3, BASE, ((7, (1e-2, 1e-7)),)).scores()
    assert (one.row, one.log_loss, one.n_prototypes) == (7, losses[1], stage_2[1].n_prototypes)


def test_a_solver_that_stops_early_within_a_search_is_told(monkeypatch):
    def impatient(function, start, **options):
        return minimize_nonnegative(function, start, **options | {"max_iterations": 2})

    monkeypatch.setattr("proset.engine.fitting.minimize_nonnegative", impatient)
    with pytest.warns(ConvergenceWarning) as caught:
        run_search(search_data(), BASE, PLAN, n_jobs=1)
    (warning,) = caught  # once, not per fit
    words = str(warning.message)
    assert "stopped early in 15 of 15 fits" in words  # 3 pairs and 2 batches on 3 folds; the marginals are no fit
    assert "the limit on iterations was reached (15 fits)" in words
    assert "lambda_v=0.001, lambda_w=1e-08" in words
    assert "lambda_v=0.1, lambda_w=1e-08" in words


def test_scores_say_whether_the_solver_converged(monkeypatch):
    fold = make_folds(noisy()[1], PLAN)[0]
    stage_2 = list(BatchTask(search_data(), fold, 0, 0, BASE, 1).scores())
    assert [score.converged for score in stage_2] == [True, True]
    assert stage_2[0].reason == ""
    assert stage_2[1].reason

    def impatient(function, start, **options):
        return minimize_nonnegative(function, start, **options | {"max_iterations": 1})

    monkeypatch.setattr("proset.engine.fitting.minimize_nonnegative", impatient)
    stage_2 = list(BatchTask(search_data(), fold, 0, 0, BASE, 1).scores())
    assert [score.converged for score in stage_2] == [True, False]
    assert stage_2[1].reason == "the limit on iterations was reached"
