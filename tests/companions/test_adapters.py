"""proset, nearest neighbours and XGBoost behind the interface of the companions."""

import json
import warnings

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import log_loss
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.common.errors import ProsetError, StorageError
from proset.companions.adapters import KnnPrototypes, ProsetPrototypes, XgbPrototypes
from proset.companions.adapters.gbmap_search import GBMapSearched
from proset.companions.adapters.knn import PRIORS
from proset.companions.adapters.scaling import column_scaling
from proset.companions.room import check_room
from proset.companions.systems import SYSTEMS
from proset.engine.model import ClassifierModel
from proset.engine.no_features import NoActiveFeatureWarning
from proset.reference_models import XgbPlan, fit_knn_classifier, fit_xgb_classifier
from proset.selection.inner_folds import inner_folds

DRAWN = (
    "Candidates, or rows and columns of trees, are drawn by position, so that a weight of two and a repeated row lead "
    "to other draws."
)
DEALT = "Copies of a row fall into other folds of the search than the row itself, so that it may choose otherwise."
CHECK = "check_sample_weight_equivalence_on_dense_data"


def expected(estimator):
    """Say which checks have to fail, and why; nearest neighbours take no weights."""
    reasons = {"check_array_api_input": "numpy only."}
    if isinstance(estimator, KnnPrototypes):
        return reasons
    return reasons | {CHECK: DEALT if isinstance(estimator, GBMapSearched) else DRAWN}


@parametrize_with_checks(
    [
        ProsetPrototypes(),
        KnnPrototypes(),
        XgbPrototypes(n_rounds=20),
        GBMapSearched(betas=(1.0,), ridges=(1e-2,), most_boosts=3, n_folds=2),
    ],
    expected_failed_checks=expected,
)
def test_scikit_learn_manners(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", NoActiveFeatureWarning)
        check(estimator)


def test_gbmaps_search_states_the_shares_where_no_stage_is_a_gain():
    X, y = np.ones((40, 3)), np.tile(["a", "b"], 20)
    found = GBMapSearched(most_boosts=3, n_folds=2).fit(X, y)
    np.testing.assert_allclose(found.predict_proba(X), 0.5)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def two_batches(iris):
    return ProsetPrototypes(n_iter=2, lambda_v=1e-3, random_state=0).fit(*iris)


def test_proset_estimates_as_the_classifier_does(iris):
    X, y = scale(iris[0]), iris[1]
    plain = ClassifierModel(n_iter=2, random_state=0).fit(X, y)
    wrapped = ProsetPrototypes(n_iter=2, random_state=0, standardize=False).fit(X, y)
    np.testing.assert_array_equal(wrapped.predict_proba(X), plain.predict_proba(X))
    np.testing.assert_array_equal(wrapped.familiarity(X).raw, plain.familiarity(X))
    assert wrapped.similarity(X).sum(axis=1) == pytest.approx(plain.familiarity(X), rel=1e-9)


def test_proset_wraps_a_model_that_is_fitted_already(iris):
    X, y = scale(iris[0]), iris[1]
    plain = ClassifierModel(n_iter=2, random_state=0).fit(X, y)
    wrapped = ProsetPrototypes.of(plain, X)
    assert wrapped.model_ is plain
    np.testing.assert_array_equal(wrapped.predict_proba(X), plain.predict_proba(X))
    table = wrapped.prototypes()
    np.testing.assert_array_equal(table.X, X[table.sample_index])
    assert set(table.group) == {0, 1}
    again = ProsetPrototypes.from_dict(wrapped.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), plain.predict_proba(X))
    with pytest.raises(ProsetError, match="not the one"):
        ProsetPrototypes.of(plain, X[:, :2])


def test_a_path_of_joined_fits_counts_the_batches_of_each(iris):
    X, y = scale(iris[0]), iris[1]
    plain = ClassifierModel(n_iter=2, n_joined=2, random_state=0).fit(X, y)
    points = ProsetPrototypes.of(plain, X).path(X, y, X)
    assert [point.value for point in points] == list(range(len(points)))
    (own,) = (point for point in points if point.own)
    assert own.value == 2
    np.testing.assert_allclose(own.probabilities, plain.predict_proba(X))
    first = ClassifierModel(n_iter=1, n_joined=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(points[1].probabilities, first.predict_proba(X))


@pytest.mark.slow
@pytest.mark.parametrize("refined", [{"max_prototypes": 6}, {"thinning": 0.02}])
def test_each_step_of_a_refined_model_is_a_fit_of_so_many_batches(iris, refined):
    X, y = scale(iris[0]), iris[1]
    settings = {"lambda_v": 1e-4, "lambda_w": 1e-6, "random_state": 0, **refined}
    points = ProsetPrototypes.of(ClassifierModel(n_iter=2, **settings).fit(X, y), X).path(X, y, X)
    for size in range(1, 6):
        fitted = ClassifierModel(n_iter=size, **settings).fit(X, y)
        assert points[size].n_prototypes == fitted.set_manager_.get_num_prototypes()
        np.testing.assert_array_equal(points[size].probabilities, fitted.predict_proba(X))


@pytest.mark.slow
def test_the_own_step_of_a_refined_model_is_that_model(iris):
    X, y = scale(iris[0]), iris[1]
    plain = ClassifierModel(n_iter=2, n_joined=2, correction=1.0, thinning=0.01, random_state=0).fit(X, y)
    points = ProsetPrototypes.of(plain, X).path(X, y, X)
    assert [point.value for point in points] == list(range(6))
    (own,) = (point for point in points if point.own)
    np.testing.assert_array_equal(own.probabilities, plain.predict_proba(X))
    assert own.n_prototypes == plain.set_manager_.get_num_prototypes()


def test_a_path_has_its_columns_in_the_order_of_the_models_classes(iris):
    from proset.engine.class_order import in_class_order

    X, y = scale(iris[0]), iris[1]
    plain = in_class_order(ClassifierModel(random_state=0).fit(X, y), ["virginica", "setosa", "versicolor"])
    wrapped = ProsetPrototypes.of(plain, X)
    own = next(point for point in wrapped.path(X, y, X) if point.own)
    np.testing.assert_allclose(own.probabilities, plain.predict_proba(X))
    with pytest.raises(ProsetError, match="no rows of the class 'virginica'"):
        wrapped.path(X[:100], y[:100], X)


def test_a_batch_without_prototypes_is_no_group_of_prototypes(iris):
    model = ProsetPrototypes(n_iter=3, lambda_v=1e-2, lambda_w=1e-2, random_state=0).fit(*iris)
    assert model.feature_weights().shape == (3, 4)
    assert len(model.prototypes()) == model.model_.set_manager_.get_num_prototypes()


def test_the_distance_of_one_batch_is_weighted_euclidean(iris):
    model = ProsetPrototypes(lambda_v=1e-3, random_state=0).fit(*iris)
    weighted = scale(iris[0]) * model.feature_weights()[0]
    expected = np.sqrt(np.square(weighted[:9, None] - weighted[None, :7]).sum(axis=2))
    np.testing.assert_allclose(model.distance(iris[0][:9], iris[0][:7]), expected, atol=1e-6)
    np.testing.assert_allclose(model.batch_distances(iris[0][:9], iris[0][:7])[0], expected, atol=1e-9)


def test_the_distance_of_several_batches_weighs_them_as_familiarity_does(iris, two_batches):
    X, model = iris[0][:20], two_batches
    each = model.batch_distances(X)
    table = model.prototypes()
    shares = np.array([table.weight[table.group == b].sum() for b in range(2)]) / table.weight.sum()
    kernel = np.einsum("b,bnm->nm", shares, np.exp(-0.5 * np.square(each)))
    np.testing.assert_allclose(np.exp(-0.5 * np.square(model.distance(X))), kernel, atol=1e-9)
    assert (np.diag(model.distance(X)) == 0.0).all()


def test_far_apart_rows_keep_a_finite_distance(two_batches):
    apart = two_batches.distance([[0.0] * 4, [1e4] * 4, [2e4] * 4])
    assert np.isfinite(apart).all()
    assert apart[0, 2] > apart[0, 1] > 100.0


def test_prototypes_are_training_rows_in_their_own_units(iris, two_batches):
    table = two_batches.prototypes()
    np.testing.assert_array_equal(table.X, iris[0][table.sample_index])
    assert (table.target == iris[1][table.sample_index]).all()
    used = two_batches.feature_weights() > 0.0
    np.testing.assert_array_equal(table.active, used[table.group])


@pytest.mark.slow
def test_proset_searches_when_asked(iris):
    model = ProsetPrototypes(search="quick", random_state=0).fit(*iris)
    assert model.model_.n_iter == model.model_.set_manager_.num_batches
    assert model.score(*iris) > 0.9
    own = next(point for point in model.path(*iris, iris[0]) if point.own)
    np.testing.assert_allclose(own.probabilities, model.predict_proba(iris[0]))
    with pytest.raises(ProsetError, match="search is 'grid'"):
        ProsetPrototypes(search="grid").fit(*iris)


def test_rows_of_weight_zero_of_another_class_are_left_out(iris):
    weight = np.where(iris[1] == "setosa", 0.0, 1.0)
    for model in (ProsetPrototypes(random_state=0), XgbPrototypes(n_rounds=5)):
        fitted = model.fit(*iris, sample_weight=weight)
        assert fitted.classes_.tolist() == ["versicolor", "virginica"]
        kept = weight > 0.0
        alone = type(model)(**model.get_params()).fit(iris[0][kept], iris[1][kept])
        np.testing.assert_allclose(fitted.predict_proba(iris[0]), alone.predict_proba(iris[0]), atol=1e-6)


def test_a_model_with_a_random_state_object_is_not_written(iris):
    model = ProsetPrototypes(random_state=np.random.RandomState(0)).fit(*iris)
    with pytest.raises(StorageError, match="cannot be written"):
        model.to_dict()


def test_saved_parts_of_proset_have_to_fit(two_batches):
    for name, array in (
        ("scale_", np.zeros(4)),
        ("center_", np.full(4, np.nan)),
        ("prototype_rows_", np.zeros((1, 4))),
        ("model_batch_1_weights", np.zeros(3, np.float32)),
    ):
        state = two_batches.to_dict()
        state["arrays"][name] = array
        with pytest.raises(StorageError):
            ProsetPrototypes.from_dict(state)


def test_neighbours_vote_as_in_scikit_learn(iris):
    X, y = iris
    model = KnnPrototypes(n_neighbors=7, standardize=False).fit(X[::2], y[::2])
    plain = KNeighborsClassifier(n_neighbors=7).fit(X[::2], y[::2])
    np.testing.assert_allclose(model.predict_proba(X[1::2]), plain.predict_proba(X[1::2]))
    assert (model.predict(X[1::2]) == plain.predict(X[1::2])).all()


def test_neighbours_are_counted_by_the_reports_strategy(iris):
    found = fit_knn_classifier(*iris)
    assert KnnPrototypes(n_neighbors="cv").fit(*iris).n_neighbors_ == found.k
    best = fit_knn_classifier(*iris, rule="best").k
    assert KnnPrototypes(n_neighbors="cv", rule="best").fit(*iris).n_neighbors_ == best


def test_neighbours_are_chosen_by_the_estimates_that_are_made():
    """A class of ten rows among others: without a vote for it the log-loss of many neighbours would be the lowest."""
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1, 2], [60, 60, 10])
    X = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 2.0]])[y] + rng.normal(size=(130, 2))
    plain = KnnPrototypes(n_neighbors="cv", rule="best").fit(X, y)
    smoothed = KnnPrototypes(n_neighbors="cv", rule="best", prior=1.0).fit(X, y)
    assert smoothed.n_neighbors_ < plain.n_neighbors_
    folds = inner_folds(smoothed.target_, 5, 0)

    def loss(k):
        model = KnnPrototypes(n_neighbors=k, prior=1.0)
        each = [model.fit(X[fold.train], y[fold.train]).predict_proba(X[fold.test]) for fold in folds]
        return np.mean([log_loss(y[fold.test], p, labels=[0, 1, 2]) for p, fold in zip(each, folds, strict=True)])

    chosen = smoothed.n_neighbors_
    assert min((2, 5, chosen - 1, chosen, chosen + 1, plain.n_neighbors_, 60), key=loss) == chosen


def test_votes_of_the_class_shares_are_chosen_too(iris):
    tuned = KnnPrototypes(n_neighbors="cv", prior="cv", rule="best").fit(*iris)
    assert tuned.prior_ in PRIORS
    given = KnnPrototypes(n_neighbors=tuned.n_neighbors_, prior=tuned.prior_).fit(*iris)
    np.testing.assert_array_equal(tuned.predict_proba(iris[0]), given.predict_proba(iris[0]))
    alone = KnnPrototypes(n_neighbors=7, prior="cv").fit(*iris)
    assert (alone.n_neighbors_, alone.prior_ in PRIORS) == (7, True)
    few = KnnPrototypes(n_neighbors="cv", prior="cv").fit(
        [[0.0], [1.0], [2.0]], ["a", "b", "b"]
    )  # nothing to choose by
    assert (few.n_neighbors_, few.prior_) == (3, 1.0)
    words = SYSTEMS["knn"].settings_words(tuned)
    assert words == f"{tuned.n_neighbors_} neighbours, the class shares like {tuned.prior_:g} of one"


def test_neighbours_saved_before_votes_were_chosen_are_read(iris):
    model = KnnPrototypes(n_neighbors=5, prior=1.0).fit(*iris)
    state = model.to_dict()
    del state["meta"]["state"]["prior_"]
    again = KnnPrototypes.from_dict(state)
    np.testing.assert_array_equal(again.predict_proba(iris[0]), model.predict_proba(iris[0]))


def test_neighbours_may_grow_with_the_table(iris):
    assert KnnPrototypes(n_neighbors="sqrt").fit(*iris).n_neighbors_ == 12


def test_all_neighbours_vote_where_there_are_fewer_than_asked_for():
    model = KnnPrototypes(n_neighbors=10).fit([[0.0], [1.0], [2.0]], ["a", "b", "b"])
    assert model.n_neighbors_ == 3
    np.testing.assert_allclose(model.predict_proba([[9.0]]), [[1 / 3, 2 / 3]])


@pytest.mark.parametrize("bad", [0, -1, 2.5, "many", True, None])
def test_impossible_numbers_of_neighbours(bad, iris):
    with pytest.raises(ProsetError, match="n_neighbors is"):
        KnnPrototypes(n_neighbors=bad).fit(*iris)


@pytest.mark.slow
def test_too_many_contributions_are_refused_before_memory_runs_out():
    rng = np.random.default_rng(0)
    model = KnnPrototypes().fit(rng.normal(size=(20_000, 1)), np.arange(20_000) % 4)
    with pytest.raises(ProsetError, match=r"Ask for at most 2,500 rows"):
        model.contributions(rng.normal(size=(4_000, 1)))
    check_room(0, 10**12)


def test_trees_are_those_of_the_reference(iris):
    plan = XgbPlan(n_trials=4, max_iterations=60, patience=20, n_folds=3, random_state=2)
    found = fit_xgb_classifier(*iris, plan=plan)
    model = XgbPrototypes(search=True, n_trials=4, max_rounds=60, patience=20, n_folds=3, random_state=2).fit(*iris)
    np.testing.assert_allclose(model.predict_proba(iris[0]), found.predict_proba(iris[0]), atol=1e-6)
    assert model.active_features().tolist() == found.active_features.tolist()


def test_the_weights_of_trees_are_shares_in_the_gain_of_all_splits(iris):
    model = XgbPrototypes(n_rounds=20).fit(*iris)
    splits = model.model_.get_booster().trees_to_dataframe().query("Feature != 'Leaf'")
    gains = splits.groupby("Feature")["Gain"].sum().reindex([f"f{j}" for j in range(4)], fill_value=0.0)
    expected = gains.to_numpy() / gains.sum()
    np.testing.assert_allclose(model.feature_weights(), expected[None, :], rtol=1e-4)
    again = XgbPrototypes.from_dict(model.to_dict())
    np.testing.assert_array_equal(again.feature_weights(), model.feature_weights())


def test_gain_shares_sum_to_one(iris):
    weights = XgbPrototypes(n_rounds=20).fit(*iris).feature_weights()
    assert weights.sum() == pytest.approx(1.0, abs=1e-6)


def test_class_shares_alone_where_trees_are_no_better():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), rng.permutation(np.repeat(["a", "b", "b"], 20))
    model = XgbPrototypes(search=True, n_trials=20, max_rounds=20, n_folds=3, random_state=1).fit(X, y)
    assert model.n_rounds_ == 0
    np.testing.assert_allclose(model.predict_proba(X[:2]), [[1 / 3, 2 / 3]] * 2)
    assert model.complexity().nnz == 0
    assert not model.active_features().size
    again = XgbPrototypes.from_dict(model.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert [point.value for point in model.path(X, y, X) if point.own] == [0.0]


@pytest.mark.parametrize(
    "raw", [b"{}", b"not json", json.dumps({"learner": {"learner_model_param": {"num_class": "3"}}}).encode()]
)
def test_foreign_trees_are_refused(raw, iris):
    state = XgbPrototypes(n_rounds=3).fit(*iris).to_dict()
    state["arrays"]["booster_"] = np.frombuffer(raw, dtype=np.uint8)
    with pytest.raises(StorageError, match="trees"):
        XgbPrototypes.from_dict(state)


@pytest.mark.parametrize(
    "damage",
    [
        lambda tree: tree["left_children"].__setitem__(0, 10**6),
        lambda tree: tree["left_children"].__setitem__(0, 0),
        lambda tree: tree["right_children"].__setitem__(0, -1),
        lambda tree: tree["right_children"].__setitem__(0, tree["left_children"][0]),
        lambda tree: tree["left_children"].__setitem__(0, 1.5),
        lambda tree: tree["split_indices"].__setitem__(0, 4),
        lambda tree: tree["split_indices"].__setitem__(0, -1),
        lambda tree: tree["split_conditions"].pop(),
        lambda tree: tree["split_conditions"].__setitem__(0, "much"),
        lambda tree: tree["base_weights"].__setitem__(0, float("inf")),
        lambda tree: tree["split_type"].__setitem__(0, 1),
        lambda tree: tree["tree_param"].__setitem__("num_nodes", "0"),
        lambda tree: tree["tree_param"].__setitem__("num_feature", "9"),
        lambda tree: tree.clear(),
    ],
)
def test_damaged_trees_never_reach_xgboost(damage, iris):
    model = XgbPrototypes(n_rounds=3).fit(*iris)
    state = model.to_dict()
    content = json.loads(state["arrays"]["booster_"].tobytes())
    damage(content["learner"]["gradient_booster"]["model"]["trees"][1])
    state["arrays"]["booster_"] = np.frombuffer(json.dumps(content).encode(), dtype=np.uint8)
    with pytest.raises(StorageError, match="trees"):
        XgbPrototypes.from_dict(state)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "params", [{"n_rounds": 1}, {"max_depth": 9, "n_rounds": 40, "subsample": 0.3, "colsample": 0.5}]
)
def test_sound_trees_are_read(n_classes, params, iris):
    kept = slice(0, 50 * n_classes)
    X, y = iris[0][kept], iris[1][kept]
    model = XgbPrototypes(**params).fit(X, y)
    again = XgbPrototypes.from_dict(model.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_trees_of_another_table_are_refused(iris):
    state = XgbPrototypes(n_rounds=3).fit(*iris).to_dict()
    state["arrays"]["booster_"] = (
        XgbPrototypes(n_rounds=3).fit(*load_wine(return_X_y=True)).to_dict()["arrays"]["booster_"]
    )
    with pytest.raises(StorageError, match="another number"):
        XgbPrototypes.from_dict(state)


@pytest.mark.parametrize("bad", [{"n_rounds": 0}, {"max_depth": 1.5}, {"subsample": 0.0}, {"learning_rate": 2.0}])
def test_impossible_trees(bad, iris):
    with pytest.raises(ProsetError, match=f"{next(iter(bad))} is"):
        XgbPrototypes(**bad).fit(*iris)


def test_more_rounds_fit_the_training_rows_better(iris):
    points = XgbPrototypes(n_rounds=100).fit(*iris).path(*iris, iris[0])
    losses = [log_loss(iris[1], point.probabilities) for point in points]
    assert losses == sorted(losses, reverse=True)
    features = [point.n_features for point in points]
    assert features == sorted(features)


def test_scaling_of_constant_and_weighted_columns():
    X = np.array([[0.0, 5.0, 1e9], [2.0, 5.0, 1e9], [4.0, 5.0, 1e9]])
    center, spread = column_scaling(X, np.array([1.0, 1.0, 0.0]), True)
    assert center.tolist() == [1.0, 5.0, 1e9]
    assert spread.tolist() == [1.0, 1.0, 1.0]
    assert column_scaling(X, None, False)[1].tolist() == [1.0] * 3


@pytest.mark.parametrize("weighted", [False, True])
def test_scaling_is_mean_and_standard_deviation_to_the_last_bit(weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(137, 40)) * 10.0 ** rng.uniform(-9, 9, 40) + 10.0 ** rng.uniform(-6, 6, 40)
    weight = rng.integers(0, 4, 137).astype(float) if weighted else None
    center, spread = column_scaling(X, weight, True)
    mean = np.average(X, axis=0, weights=weight)
    assert np.array_equal(center, mean)
    assert np.array_equal(spread, np.sqrt(np.average(np.square(X - mean), axis=0, weights=weight)))


@pytest.mark.parametrize("exponent", [-900, 600, 1000])
def test_scaling_of_very_small_and_large_columns(exponent):
    X, y = load_wine(return_X_y=True)
    far = np.ldexp(X, exponent)
    center, spread = column_scaling(far, None, True)
    assert np.array_equal(np.ldexp(spread, -exponent), column_scaling(X, None, True)[1])
    assert np.array_equal(np.ldexp(center, -exponent), column_scaling(X, None, True)[0])
    plain, again = KnnPrototypes(5).fit(X, y).predict_proba(X), KnnPrototypes(5).fit(far, y).predict_proba(far)
    np.testing.assert_array_equal(plain, again)


def test_class_shares_vote_like_further_neighbours():
    X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), ["a", "a", "b", "b"]
    model = KnnPrototypes(n_neighbors=2, prior=2.0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[3 / 4, 1 / 4]])  # two votes for a, one for each
    parts = model.contributions([[0.0]])
    np.testing.assert_allclose(parts.base, [[1 / 4, 1 / 4]])
    np.testing.assert_allclose(parts.total(), model.scores([[0.0]]))
    assert (model.similarity([[0.0]]) == [[1 / 4, 1 / 4, 0.0, 0.0]]).all()
    (point,) = [point for point in model.path(X, y, [[0.0]]) if point.own]
    np.testing.assert_allclose(point.probabilities, model.predict_proba([[0.0]]))
    with pytest.raises(ProsetError, match="prior is -1"):
        KnnPrototypes(prior=-1).fit(X, y)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (GBMapSearched(betas=()), r"betas is \(\); it has to be a list of values to try, each a number above 0"),
        (GBMapSearched(ridges=0.1), r"ridges is 0.1; it has to be a list"),
        (GBMapSearched(most_boosts=0), "most_boosts is 0; it has to be a whole number of at least 1"),
        (GBMapSearched(n_folds=1), "n_folds is 1; it has to be a whole number of at least 2"),
        (KnnPrototypes("cv", n_folds=1), "n_folds is 1"),
        (KnnPrototypes("cv", rule="worst"), "rule is 'worst'; it has to be one of 'sd', 'se', 'best'"),
        (KnnPrototypes(standardize="no"), "standardize is 'no'; it has to be True or False"),
        (XgbPrototypes(n_rounds=True), "n_rounds is True"),
        (XgbPrototypes(colsample=0), "colsample is 0; it has to be a number above 0, up to 1"),
        (XgbPrototypes(learning_rate="fast"), "learning_rate is 'fast'"),
        (XgbPrototypes(search=True, patience=0), "patience is 0; it has to be a whole number of at least 1, or None"),
        (ProsetPrototypes(standardize=None), "standardize is None"),
    ],
)
def test_impossible_parameters_are_named_before_anything_is_fitted(model, message, iris):
    with pytest.raises(ProsetError, match=message):
        model.fit(*iris)
    assert not hasattr(model, "classes_")


def test_a_fit_knows_nothing_of_the_one_before(iris):
    model = GBMapSearched(betas=(1.0,), ridges=(1e-2,), most_boosts=2).fit(*iris)
    assert len(model.table_) == 1
    model.fit(np.arange(5.0)[:, None], ["a", "a", "a", "a", "b"])  # of one class too few rows to choose by
    assert not hasattr(model, "table_")
