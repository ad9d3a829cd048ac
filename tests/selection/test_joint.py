"""The joint search, on problems that take a fraction of a second."""

import json
from dataclasses import replace

import numpy as np
import pytest
from joblib import parallel_config
from variants import main_cases

from proset.common.errors import OtherSearchError, StorageError, StudyError
from proset.engine.fitting import BatchSettings
from proset.engine.metrics import log_loss
from proset.engine.model import ClassifierModel
from proset.selection import (
    Cancelled,
    JointPlan,
    JointRecord,
    Rule,
    SearchData,
    SearchPlan,
    read_plan,
    read_record,
    run_joint,
    search,
    select_hyperparameters,
    settings_found,
)
from proset.selection.joint_rules import PATIENCE, Curve, go_on, model_size, not_worse, pick
from proset.selection.matrices import MatrixPreparer
from proset.selection.plan import make_folds
from proset.selection.tasks import curve_ended

BASE = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
PLAN = JointPlan(n_lambda_v=3, lambda_w=(1e-5, 1e-4), n_folds=4, first_folds=2, n_keep=2, max_batches=4)


def noisy(n=120, seed=0, noise=0.5):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + noise * rng.normal(size=n) > 0).astype(np.int64)


def data(n=120, seed=0, noise=0.5):
    X, y = noisy(n, seed, noise)
    return SearchData(y, np.ones(n), None, MatrixPreparer(X))


def same(a, b):
    return json.dumps(a.to_state()) == json.dumps(b.to_state())


@pytest.fixture(scope="module")
def record():
    return run_joint(data(), BASE, PLAN)


class TestRounds:
    def test_all_pairs_are_tried_on_the_first_folds_and_few_on_the_rest(self, record):
        assert record.complete
        assert record.to_do() == ()
        assert set(record.curves) == set(range(PLAN.n_pairs))
        on_folds = [record.curves[pair][0].done[0] for pair in range(PLAN.n_pairs)]
        assert all(done[:2].all() for done in on_folds)
        assert sum(done[2] for done in on_folds) == PLAN.n_keep
        assert 1 <= len(record.tried) <= PLAN.n_keep
        assert record.reached()[1] == record.reached()[2]

    def test_those_that_go_on_are_the_best_of_the_first_folds(self, record):
        lowest = {pair: record.so_far.curve(pair, (0, 1)).mean.min() for pair in range(PLAN.n_pairs)}
        kept = [pair for pair in range(PLAN.n_pairs) if record.curves[pair][0].done[0, 2]]
        assert max(lowest[pair] for pair in kept) <= min(lowest[pair] for pair in lowest if pair not in kept)

    def test_a_score_is_that_of_a_model_grown_on_the_fold(self, record):
        pair = record.tried[0]
        lambda_v, lambda_w = PLAN.pairs()[pair]
        X, y = noisy()
        fold = make_folds(y, PLAN)[3]
        settings = {"lambda_v": lambda_v, "lambda_w": lambda_w, "alpha_v": PLAN.alpha_v, "max_fraction": 0.3}
        scores = record.curves[pair]
        for factor, of_factor in zip(PLAN.weight_factors, scores, strict=True):
            # The streams of a fold are not those of a model, so the model without batches is what both share.
            model = ClassifierModel(n_iter=0, weight_factor=factor, **settings).fit(X[fold.train], y[fold.train])
            own = log_loss(model.predict_proba(X[fold.test])[np.arange(len(fold.test)), y[fold.test]])
            assert of_factor.log_loss[0, 3] == pytest.approx(own)

    def test_factors_act_on_the_same_fits(self, record):
        for scores in record.curves.values():
            for of_factor in scores[1:]:
                np.testing.assert_array_equal(of_factor.n_prototypes, scores[0].n_prototypes)
                np.testing.assert_array_equal(of_factor.log_loss[0], scores[0].log_loss[0])

    @pytest.mark.slow
    def test_curves_end_where_more_batches_do_not_help(self):
        record = run_joint(data(), BASE, replace(PLAN, max_batches=10))
        for scores in record.curves.values():
            losses = np.min([part.log_loss[:, 0] for part in scores], axis=0)
            there = losses[np.isfinite(losses)].tolist()
            assert len(there) == 11 or curve_ended(there, PATIENCE)
            assert not any(curve_ended(there[:n], PATIENCE) for n in range(1, len(there)))

    @pytest.mark.slow
    def test_the_result_does_not_depend_on_the_number_of_workers(self, record):
        with parallel_config("threading", n_jobs=3):
            assert same(run_joint(data(), BASE, PLAN), record)

    @pytest.mark.slow
    def test_progress_never_goes_back(self):
        seen = []
        run_joint(data(), BASE, PLAN, progress=seen.append)
        shares = [progress.share for progress in seen]
        assert shares == sorted(shares)
        assert seen[-1].done == seen[-1].total
        assert all(progress.stage == 1 for progress in seen)


class StopAt:
    """Cancels at a given report, or once so many curves are done."""

    def __init__(self, calls=10**9, curves=10**9):
        self.left, self.curves = calls, curves

    def __call__(self, progress):
        self.left -= 1
        if self.left < 0 or progress.done >= self.curves:
            raise Cancelled


class TestStopping:
    @pytest.mark.slow
    @pytest.mark.parametrize("calls", main_cases([0, 1, 3, 6], only=[3]))
    def test_a_cancelled_search_goes_on_and_ends_as_if_it_had_not_been(self, record, monkeypatch, calls):
        monkeypatch.setattr("proset.selection.search_progress.SECONDS_BETWEEN_TICKS", 0.0)
        with pytest.raises(Cancelled) as caught:
            run_joint(data(), BASE, PLAN, progress=StopAt(40 * calls))
        partial = read_record(json.loads(json.dumps(caught.value.record.to_state())))
        assert not partial.complete
        assert same(run_joint(data(), BASE, PLAN, record=partial), record)

    def test_the_best_so_far_can_be_taken(self, monkeypatch):
        monkeypatch.setattr("proset.selection.search_progress.SECONDS_BETWEEN_TICKS", 0.0)
        with pytest.raises(Cancelled) as caught:
            run_joint(data(), BASE, PLAN, progress=StopAt(curves=5))
        partial = caught.value.record
        assert partial.can_be_taken
        assert partial.reached()[1] == 5
        taken = partial.take_best_so_far()
        assert taken.complete
        assert taken.by_hand
        assert taken.chosen == partial.found.chosen
        assert same(run_joint(data(), BASE, PLAN, record=taken), taken)

    def test_nothing_can_be_taken_before_a_curve_is_done(self):
        empty = JointRecord(PLAN, "", 120)
        assert not empty.can_be_taken
        assert empty.points.empty
        with pytest.raises(StudyError, match="not finished anything yet"):
            _ = empty.found

    @pytest.mark.parametrize("other", [replace(PLAN, max_batches=3), replace(PLAN, random_state=1)])
    def test_a_record_of_another_search_is_refused(self, record, other):
        with pytest.raises(OtherSearchError, match="another plan"):
            run_joint(data(), BASE, other, record=record)
        with pytest.raises(OtherSearchError, match="other data"):
            run_joint(data(seed=1), BASE, PLAN, record=record)

    def test_a_record_of_the_other_kind_is_refused(self, record):
        with pytest.raises(OtherSearchError, match="another kind"):
            search(data(), BASE, SearchPlan(), record=record)


class TestChoice:
    def test_the_points_are_what_was_scored(self, record):
        points = record.points
        assert (points["n_batches"] == 0).sum() == 1
        whole = points[points["folds"] == PLAN.n_folds]
        assert set(whole.loc[whole["n_batches"] > 0, "pair"]) == set(record.tried)
        row = points.loc[record.point_row(record.found.best)]
        assert row["above"] == 0.0
        losses = [record.curves[record.found.best[0]][k].log_loss[record.found.best[1]].mean() for k in range(4)]
        assert row["mean"] == pytest.approx(min(losses))
        assert row["weight_factor"] == PLAN.weight_factors[int(np.argmin(losses))]

    def test_no_point_of_the_front_is_beaten(self, record):
        points = record.points
        front = points[points["on_front"]]
        size = model_size(points["n_features"], points["n_prototypes"])
        for label, row in front.iterrows():
            better = (points["mean"] < row["mean"]) & (size <= size[label]) & (points["folds"] == PLAN.n_folds)
            assert not better.any()

    def test_the_choice_of_a_person_is_fitted(self, record):
        pair = record.tried[-1]
        own = record.with_point(pair, 2)
        assert own.by_hand
        assert own.complete
        found = settings_found(own)
        assert (found["lambda_v"], found["lambda_w"]) == PLAN.pairs()[pair]
        assert found["n_iter"] == 2
        assert found["weight_factor"] in PLAN.weight_factors
        assert (found["alpha_v"], found["max_fraction"]) == (PLAN.alpha_v, PLAN.fraction(120))

    @pytest.mark.parametrize("point", [(0, 99), (99, 1), (-1, 1)])
    def test_what_was_not_scored_cannot_be_chosen(self, record, point):
        with pytest.raises(StudyError, match="has not scored"):
            record.with_point(*point)

    def test_noise_is_left_to_the_class_shares(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(150, 4)), rng.integers(2, size=150)
        found = run_joint(SearchData(y, np.ones(150), None, MatrixPreparer(X)), BASE, JointPlan.quick())
        own = log_loss(np.full(150, 0.5))
        chosen = found.points.loc[found.point_row(found.chosen)]
        assert found.chosen_batches == 0 or chosen["mean"] < own

    @pytest.mark.exhaustive
    def test_small_penalties_that_pay_with_several_batches_are_found(self):
        # Stage 1 of algorithm 2.2 sees one batch only, and takes a penalty that leaves little to more batches.
        def draw(n):
            X = rng.integers(3, size=(n, 10)).astype(float)
            return X, (X[:, 0] * X[:, 1] > X[:, 2] + X[:, 3]).astype(int)

        rng = np.random.default_rng(1)
        X, y = draw(300)
        new, actual = draw(1000)
        model = ClassifierModel(random_state=0)
        joint, report = (select_hyperparameters(model, X, y, plan=plan) for plan in (JointPlan(), SearchPlan()))
        losses = [log_loss(found.predict_proba(new)[np.arange(1000), actual]) for found in (joint, report)]
        assert joint.record.chosen_penalties[0] < report.record.chosen_penalties[0]
        assert joint.record.chosen_batches > 1
        assert losses[0] < 0.75 * losses[1]


class TestRules:
    @staticmethod
    def curve(*means, sizes=None, spread=0.0):
        losses = np.array(means)[:, None] + spread * np.array([-1.0, 0.0, 1.0])
        return Curve(losses, np.arange(len(means), dtype=float) if sizes is None else np.array(sizes, dtype=float))

    def test_a_point_counts_with_its_neighbours(self):
        curve = self.curve(0.7, 0.5, 0.1, 0.6)
        np.testing.assert_allclose(curve.mean, [0.7, 0.3, 0.4, 0.35])

    def test_equals_go_on_by_sparseness(self):
        curves = {pair: self.curve(0.7, 0.4) for pair in range(3)}
        assert go_on(curves, (1.0, 3.0, 2.0), 2) == (1, 2)

    def test_a_pair_that_is_worse_on_every_fold_is_dropped_and_one_within_chance_is_not(self):
        best = self.curve(0.7, 0.40, spread=0.01)
        worse = Curve(best.log_loss + np.array([[0.0] * 3, [0.05, 0.051, 0.049]]), best.size)
        alike = Curve(best.log_loss + np.array([[0.0] * 3, [0.2, -0.1, -0.05]]), best.size)
        assert not_worse({0: best, 1: worse, 2: alike}) == (0, 2)

    def test_a_smaller_model_is_taken_if_it_gives_away_next_to_nothing(self):
        noise = np.array([[0.0, 0.0, 0.0], [0.01, -0.01, 0.0]])
        large = self.curve(0.7, 0.300, sizes=(0, 9))
        small = Curve(self.curve(0.7, 0.304).log_loss + noise, np.array([0.0, 2.0]))
        tiny = Curve(self.curve(0.7, 0.330).log_loss + 6 * noise, np.array([0.0, 1.0]))
        found = pick({0: large, 1: small, 2: tiny}, Rule.SE)
        assert (found.best, found.chosen, found.sparsest) == ((0, 1), (1, 1), (2, 1))
        assert pick({0: large, 1: small, 2: tiny}, Rule.BEST).chosen == (0, 1)
        assert pick({0: large, 1: small, 2: tiny}, Rule.SD).chosen == (1, 1)

    def test_a_model_that_does_not_beat_the_shares_is_not_taken(self):
        losses = np.array([[0.70, 0.70, 0.70], [0.50, 0.90, 0.65]])
        assert pick({4: Curve(losses, np.array([0.0, 2.0]))}, Rule.SE).chosen == (4, 0)


class TestPlan:
    @pytest.mark.parametrize("plan", [JointPlan(), JointPlan.quick(7), PLAN, SearchPlan()])
    def test_it_comes_back_from_its_state(self, plan):
        assert read_plan(json.loads(json.dumps(plan.to_state()))) == plan

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("lambda_v", (1e-2, 1e-3)),
            ("lambda_w", -1.0),
            ("n_lambda_v", 0),
            ("n_lambda_v", 2.5),
            ("n_folds", 1),
            ("first_folds", 0),
            ("n_keep", 0),
            ("max_batches", 0),
            ("max_batches", True),
            ("max_rows", 3),
            ("alpha_v", 1.5),
            ("max_fraction", 1.0),
            ("weight_factors", ()),
            ("weight_factors", (0.5, 1.0)),
            ("weight_factors", (1.0, 0.0)),
            ("weight_factors", 1.0),
            ("cv_factr", 0.0),
            ("rule", "none"),
            ("random_state", -1),
        ],
    )
    def test_impossible_values_are_refused_by_name(self, name, value):
        with pytest.raises(StudyError, match=name):
            JointPlan(**{name: value})

    def test_a_fixed_penalty_has_one_value_whatever_number_is_asked_for(self):
        assert JointPlan(lambda_w=1e-5, n_lambda_w=7) == JointPlan(lambda_w=1e-5)
        assert JointPlan(lambda_v=0.0, lambda_w=0.0).pairs() == ((0.0, 0.0),)

    def test_only_the_quick_plan_is_quick(self):
        assert JointPlan.quick(3).is_quick
        assert not replace(JointPlan.quick(), max_batches=5).is_quick
        assert not JointPlan().is_quick


class TestState:
    def test_a_record_comes_back(self, record):
        for one in (record, record.with_point(record.tried[0], 1), JointRecord(PLAN, "x", 120)):
            assert same(read_record(json.loads(json.dumps(one.to_state()))), one)

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda state: state["plan"].update(method="other"), "method"),
            (lambda state: state["plan"].pop("n_keep"), "n_keep"),
            (lambda state: state.update(curves=[]), "pairs of the plan"),
            (lambda state: state["curves"].update({"99": []}), "pairs of the plan"),
            (lambda state: state["curves"].update({"0": state["curves"]["0"][:1]}), "tables"),
            (lambda state: state["curves"]["0"][0]["log_loss"].__setitem__(1, [None] * 4), "converged|n_features|gap"),
            (lambda state: state.update(choice=[0]), "two whole numbers"),
            (lambda state: state.update(choice=[0.0, 1.0]), "two whole numbers"),
            (lambda state: state.update(choice=[77, 1]), "no point"),
            (lambda state: state.update(more=1), "more"),
        ],
    )
    def test_a_damaged_one_is_refused(self, record, change, words):
        state = json.loads(json.dumps(record.to_state()))
        change(state)
        with pytest.raises(StorageError, match=words):
            read_record(state)
