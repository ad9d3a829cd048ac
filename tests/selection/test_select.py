"""The scikit-learn face of the search."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from proset.common.errors import StudyError
from proset.engine.model import ClassifierModel
from proset.engine.solver import minimize_nonnegative
from proset.selection import Cancelled, Interrupted, Rule, SearchPlan, end_of_range, select_hyperparameters

PLAN = SearchPlan(lambda_v=(1e-3, 1e-2), n_trials=2, n_folds=3, max_batches=1)
MODEL = ClassifierModel(random_state=0)


def problem(n=60, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)) * [1.0, 10.0, 100.0] + [5.0, 0.0, -50.0]
    return X, np.where(X[:, 1] + 2 * rng.normal(size=n) > 0, "yes", "no")


class Recorder(TransformerMixin, BaseEstimator):
    """Notes which rows it is fitted on; the first column is the row number."""

    def __init__(self, seen):
        self.seen = seen

    def __sklearn_clone__(self):
        return Recorder(self.seen)

    def fit(self, X, y=None):
        self.seen.append(set(X[:, 0].astype(int).tolist()))
        self.fitted_ = True
        return self

    def transform(self, X):
        return X[:, 1:]


class LeakingSelector(TransformerMixin, BaseEstimator):
    """Gives away the classes of the rows that it was fitted on as a feature; 0 for rows it has not seen."""

    def __init__(self, labels):
        self.labels = labels

    def fit(self, X, y=None):
        self.known_ = set(X[:, 0].astype(int).tolist())
        return self

    def transform(self, X):
        rows = X[:, 0].astype(int)
        told = [self.labels[row] if row in self.known_ else 0.0 for row in rows]
        return np.column_stack([X[:, 1:], told])


def test_the_result_is_the_model_refitted_with_the_choice():
    X, y = problem()
    result = select_hyperparameters(MODEL, X, y, plan=PLAN)
    lambda_v, lambda_w = result.record.chosen_penalties
    scaler = StandardScaler().fit(X)
    again = ClassifierModel(
        n_iter=result.record.chosen_batches, lambda_v=lambda_v, lambda_w=lambda_w, random_state=0
    ).fit(scaler.transform(X), y)
    np.testing.assert_array_equal(result.predict_proba(X), again.predict_proba(scaler.transform(X)))
    np.testing.assert_array_equal(result.predict(X), again.predict(scaler.transform(X)))
    assert set(result.predict(X)) <= {"yes", "no"}
    assert not hasattr(MODEL, "set_manager_")  # the model passed in is left alone
    assert "Stage 1" in result.report()


def test_the_refit_is_tight_and_the_search_is_not():
    X, y = problem()
    loose = select_hyperparameters(ClassifierModel(random_state=0, solver_factr=1e13), X, y, plan=PLAN)
    tight = select_hyperparameters(ClassifierModel(random_state=0, solver_factr=1e7), X, y, plan=PLAN)
    np.testing.assert_array_equal(loose.record.stage_1, tight.record.stage_1)
    if tight.record.chosen_batches:
        ends = [result.model.batch_results_[0].solver for result in (loose, tight)]
        assert ends[0].evaluations < ends[1].evaluations
        assert ends[0].objective > ends[1].objective


def test_the_transform_never_sees_the_rows_left_out():
    X, y = problem()
    X[:, 0] = np.arange(len(X))
    seen = []
    select_hyperparameters(MODEL, X, y, plan=PLAN, transform=Recorder(seen))
    sizes = {len(rows) for rows in seen}
    assert sizes == {40, 60}  # two thirds in each fold, everything for the refit
    assert sum(len(rows) == 60 for rows in seen) == 1
    assert len({frozenset(rows) for rows in seen}) == PLAN.n_folds + 1


def test_a_transform_that_leaks_what_it_was_fitted_on_does_not_help():
    # Fitted on all rows first, this feature would make the left-out rows look perfect.
    X, _ = problem()
    X[:, 0] = np.arange(len(X))
    y = np.random.default_rng(2).permutation(np.repeat([0, 1], 30))  # nothing to learn
    leaking = LeakingSelector(np.where(y == 1, 3.0, -3.0))
    honest = select_hyperparameters(MODEL, X, y, plan=PLAN, transform=leaking)
    assert honest.record.stage_1["mean"].min() > 0.6
    told = leaking.fit(X).transform(X)
    cheated = select_hyperparameters(MODEL, told, y, plan=PLAN, transform=None)
    assert cheated.record.stage_1["mean"].min() < 0.55  # so the first number could have been low


def test_rows_of_weight_zero_are_not_there():
    X, y = problem()
    weight = np.ones(60)
    weight[::9] = 0.0
    X_spoilt = X.copy()
    X_spoilt[::9] += 1e6
    weighted = select_hyperparameters(MODEL, X_spoilt, y, sample_weight=weight, plan=PLAN)
    without = select_hyperparameters(MODEL, X[weight > 0], y[weight > 0], plan=PLAN)
    np.testing.assert_array_equal(weighted.record.stage_1, without.record.stage_1)
    np.testing.assert_array_equal(weighted.predict_proba(X), without.predict_proba(X))


def test_prototypes_name_their_rows_among_all_that_were_passed():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y, weight = np.where(X[:, 0] > 0.0, "yes", "no"), np.where(np.arange(60) % 4 == 0, 0.0, 1.0)
    model = select_hyperparameters(MODEL, X, y, sample_weight=weight, plan=PLAN, transform=None).model
    again = clone(model).fit(X, y, sample_weight=weight)
    assert len(model.set_manager_.batches)
    for own, other in zip(model.set_manager_.batches, again.set_manager_.batches, strict=True):
        assert own.sample_index.tolist() == other.sample_index.tolist()
        assert (weight[own.sample_index] > 0.0).all()
        np.testing.assert_array_equal(own.prototypes, X[np.ix_(own.sample_index, own.active_features)])
        assert (y[own.sample_index] == model.classes_[own.target]).all()


def test_copies_of_a_row_do_not_help_when_they_are_grouped():
    # Labels at random, every row eight times: only a copy in the training part can tell the class.
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(16, 2)), rng.integers(0, 2, 16), np.repeat(np.arange(16), 8)
    X, y = X[groups], y[groups]
    plan = SearchPlan(lambda_v=1e-5, n_folds=4, max_batches=1, rule=Rule.BEST)
    divided = select_hyperparameters(MODEL, X, y, plan=plan).record.stage_1["mean"].min()
    grouped = select_hyperparameters(MODEL, X, y, cv_groups=[f"patient {g}" for g in groups], plan=plan)
    assert divided < 0.5 < 0.6 < grouped.record.stage_1["mean"].min()


def test_progress_has_three_stages_and_ends_with_the_refit():
    X, y = problem()
    seen = []
    select_hyperparameters(MODEL, X, y, plan=PLAN, progress=seen.append)
    stages = [step.stage for step in seen]  # the choice is at least one batch here, so there is something to refit
    assert sorted(set(stages)) == [1, 2, 3]
    assert stages == sorted(stages)
    shares = [step.share for step in seen]
    assert shares == sorted(shares)
    assert shares[-1] <= 1.0


def test_cancelling_the_refit_keeps_the_whole_search():
    X, y = problem()

    def stop(progress):
        if progress.stage == 3:
            raise Cancelled

    with pytest.raises(Cancelled) as caught:
        select_hyperparameters(MODEL, X, y, plan=PLAN, progress=stop)
    assert caught.value.record.complete
    result = select_hyperparameters(MODEL, X, y, plan=PLAN, record=caught.value.record)
    expected = select_hyperparameters(MODEL, X, y, plan=PLAN)
    np.testing.assert_array_equal(result.predict_proba(X), expected.predict_proba(X))


def test_bad_input_is_refused_in_words():
    X, y = problem()
    with pytest.raises(StudyError, match="only one class among the rows"):
        select_hyperparameters(MODEL, X, np.repeat("yes", 60), plan=PLAN)
    with pytest.raises(ValueError, match=r"(?i)sample weights"):
        select_hyperparameters(MODEL, X, y, sample_weight=np.zeros(60), plan=PLAN)
    with pytest.raises(ValueError, match="NaN"):
        select_hyperparameters(MODEL, np.where(X > 0, X, np.nan), y, plan=PLAN)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        select_hyperparameters(MODEL, X, y, cv_groups=[1, 2, 3], plan=PLAN)
    rare = np.where(np.arange(60) < 3, "rare", y)
    with pytest.raises(StudyError, match="Class 'rare' keeps only 2 rows for training"):
        select_hyperparameters(MODEL, X, rare, plan=PLAN)
    with pytest.raises(ValueError, match="lambda_w"):
        select_hyperparameters(MODEL, X, y, plan=SearchPlan(lambda_w=-1.0))
    with pytest.raises(ValueError, match="alpha_v"):
        select_hyperparameters(ClassifierModel(alpha_v=2.0), X, y, plan=PLAN)


def test_frames_are_welcome():
    X, y = problem()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    result = select_hyperparameters(MODEL, frame, pd.Series(y), plan=PLAN)
    expected = select_hyperparameters(MODEL, X, y, plan=PLAN)
    # The memory of a frame lies column by column, so that sums may be rounded otherwise.
    np.testing.assert_allclose(result.predict_proba(frame), expected.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("transform", [StandardScaler(), None, StandardScaler().set_output(transform="pandas")])
def test_the_model_knows_the_names_of_the_columns(transform):
    X, y = problem()
    frame = pd.DataFrame(X / [1.0, 10.0, 100.0], columns=["a", "b", "c"])
    result = select_hyperparameters(MODEL, frame, y, transform=transform, plan=PLAN)
    assert result.model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert set(result.predict(frame)) <= {"yes", "no"}  # and no warning about names, or the test run would fail


def test_columns_without_names_that_are_text_are_welcome():
    X, y = problem()
    named = select_hyperparameters(MODEL, pd.DataFrame(X), y, plan=PLAN)
    assert not hasattr(named.model, "feature_names_in_")
    assert set(named.predict(pd.DataFrame(X))) <= {"yes", "no"}


@pytest.mark.slow
@pytest.mark.parametrize("where", [(1, 2), (2, 4), (3, 0)])
def test_ctrl_c_keeps_what_is_finished(where):
    X, y = problem()

    def press(progress):
        if (progress.stage, progress.done) == where:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        select_hyperparameters(MODEL, X, y, plan=PLAN, progress=press, n_jobs=1)
    assert caught.value.record.scores_1.done.any()
    result = select_hyperparameters(MODEL, X, y, plan=PLAN, record=caught.value.record)
    expected = select_hyperparameters(MODEL, X, y, plan=PLAN)
    assert result.record.to_state() == expected.record.to_state()


def test_the_end_of_the_range_is_pointed_out_unless_a_person_chose_it():
    X, y = problem()
    plan = SearchPlan(lambda_v=(1e-6, 1e-5), n_trials=2, n_folds=3, max_batches=1)  # hardly a penalty: equally good
    result = select_hyperparameters(MODEL, X, y, plan=plan)
    first, last = plan.pairs()
    assert result.record.chosen_penalties == last
    assert end_of_range(result.record) == ("lambda_v",)
    assert "the largest lambda_v was chosen" in result.report()
    assert "2 values of lambda_v" in result.report()
    for pair in (first, last):
        assert end_of_range(result.record.with_choice(lambda_v=pair[0], lambda_w=pair[1])) == ()


def test_a_row_without_a_group_is_refused():
    X, y = problem()
    groups = np.arange(len(y), dtype=float)
    groups[4] = np.nan
    with pytest.raises(StudyError, match="rows without a group"):
        select_hyperparameters(MODEL, X, y, plan=PLAN, cv_groups=groups)


def test_a_result_says_what_was_chosen():
    X, y = problem()
    result = select_hyperparameters(MODEL, X, y, plan=PLAN)
    shown = repr(result)
    assert shown.startswith("SearchResult(lambda_v=")
    assert f"n_batches={result.record.chosen_batches})" in shown


# What cannot be fitted is refused before the first fit, in words


def never(_):
    raise AssertionError("a fit has begun")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("alpha_v", 2.0),
        ("alpha_w", -0.5),
        ("num_candidates", 3),
        ("max_fraction", 1.0),
        ("max_samples", 0),
        ("solver_factr", 0.0),
        ("backend", "abacus"),
        ("random_state", "seven"),
    ],
)
def test_an_impossible_setting_is_refused_before_the_first_fit(setting, value):
    X, y = problem()
    with pytest.raises(StudyError, match=setting):
        select_hyperparameters(ClassifierModel(**{setting: value}), X, y, plan=PLAN, progress=never)


def test_what_the_search_sets_itself_does_not_count():
    X, y = problem()
    odd = ClassifierModel(n_iter=-3, lambda_v=-1.0, lambda_w=-1.0, random_state=0)
    result = select_hyperparameters(odd, X, y, plan=PLAN)
    assert (result.model.lambda_v, result.model.lambda_w) == result.record.chosen_penalties
    np.testing.assert_array_equal(
        result.predict_proba(X), select_hyperparameters(MODEL, X, y, plan=PLAN).predict_proba(X)
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [(2, r"at least 3 samples .* rare \(2\)"), (3, r"Class 'rare' keeps only 2 rows .* Leave the class out")],
)
def test_a_class_too_small_to_be_fitted_is_refused_before_the_first_fit(count, words):
    X, y = problem()
    with pytest.raises(StudyError, match=words):
        select_hyperparameters(MODEL, X, np.where(np.arange(60) < count, "rare", y), plan=PLAN, progress=never)


@pytest.mark.parametrize(
    ("model", "named"),
    [
        (LogisticRegression(), "a LogisticRegression"),
        (make_pipeline(StandardScaler(), ClassifierModel()), "a Pipeline"),
        (ClassifierModel, "the class ClassifierModel"),
        (None, "a NoneType"),
    ],
)
def test_a_wrong_model_is_refused_by_name(model, named):
    X, y = problem()
    with pytest.raises(StudyError, match=f"model is {named}; the search is made for a ClassifierModel"):
        select_hyperparameters(model, X, y, plan=PLAN, progress=never)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"plan": {"n_folds": 3}}, "plan is a dict; it has to be a JointPlan, SearchPlan"),
        ({"record": "last"}, "record is a str; it has to be a JointRecord, SearchRecord"),
        ({"transform": StandardScaler}, "it has to be a scikit-learn transformer"),
        ({"transform": "standard"}, "The transformer is 'standard'"),
    ],
)
def test_other_arguments_of_a_wrong_kind_are_refused(changes, words):
    X, y = problem()
    with pytest.raises(StudyError, match=words):
        select_hyperparameters(MODEL, X, y, progress=never, **({"plan": PLAN} | changes))


def test_a_sparse_matrix_is_refused():
    X, y = problem()
    with pytest.raises(StudyError, match=r"X is a sparse matrix.*toarray"):
        select_hyperparameters(MODEL, csr_matrix(X), y, plan=PLAN, progress=never)


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        (np.full(60, -1.0), "Negative values"),
        (np.full(59, 1.0), "59 entries, but there are 60 samples"),
        (np.full((60, 1), 1.0), "1D array"),
        (np.full(60, np.nan), "sample_weight contains NaN"),
    ],
)
def test_weights_that_cannot_be_are_refused(weight, words):
    X, y = problem()
    with pytest.raises(ValueError, match=words):
        select_hyperparameters(MODEL, X, y, sample_weight=weight, plan=PLAN, progress=never)


def test_a_search_says_where_the_solver_stopped_early(monkeypatch):
    def impatient(function, start, **options):
        return minimize_nonnegative(function, start, **options | {"max_iterations": 1})

    X, y = problem()
    with monkeypatch.context() as patch:
        patch.setattr("proset.engine.fitting.minimize_nonnegative", impatient)
        with pytest.warns(ConvergenceWarning):
            result = select_hyperparameters(MODEL, X, y, plan=PLAN, n_jobs=1)
    record = result.record
    assert record.stage_1["converged"].tolist() == [0.0, 0.0]
    assert record.stage_2["converged"].tolist() == [1.0, 0.0]  # without batches there is nothing to solve
    assert "6 of 6 fits did not converge:\n    lambda_v 1.00e-03, lambda_w 1.00e-08: 3 of 3 folds" in result.report()
    proper = select_hyperparameters(MODEL, X, y, plan=PLAN)
    assert proper.record.stage_1["converged"].tolist() == [1.0, 1.0]
    assert "did not converge" not in proper.report()


def test_a_record_brings_its_plan():
    X, y = problem()
    record = select_hyperparameters(MODEL, X, y, plan=PLAN).record
    assert select_hyperparameters(MODEL, X, y, record=record).record.to_state() == record.to_state()
