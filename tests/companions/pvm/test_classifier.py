"""The classifier: invariants of the specification, edge cases, scikit-learn's manners, what all models share."""

import json
import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from companions.pvm.made import mixture
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.common.errors import ProsetError, StorageError
from proset.companions.protocol import PrototypeModel
from proset.companions.pvm import NoPrototypeWarning, PVMClassifier
from proset.companions.pvm.programs import ChosenBalls

QUICK = {"eps": 1.0, "temperature": 1.0, "standardize": False}
STATE = ("prototype_indices_", "covered_", "miscovered_", "own_")


@parametrize_with_checks([PVMClassifier(random_state=0)])
def test_scikit_learn_manners(estimator, check):
    check(estimator)


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in STATE)


@pytest.fixture(scope="module")
def fitted():
    X, y = load_wine(return_X_y=True)
    return PVMClassifier(random_state=0).fit(X, y), X, y


def test_a_fitted_model_is_a_prototype_model(fitted):
    model, X, y = fitted
    assert isinstance(model, PrototypeModel)
    assert model.score(X, y) > 0.9
    table = model.prototypes()
    assert (table.source == "sample").all()
    assert np.array_equal(table.X, X[table.sample_index])
    assert np.array_equal(table.target, y[table.sample_index])
    assert model.feature_weights().shape == (1, 13)


def test_the_smallest_distance_gives_the_nearest_neighbour():
    X, target = mixture(90, seed=1)
    D = cdist(X, X)
    eps = D[~np.eye(90, dtype=bool)].min()
    model = PVMClassifier(eps=eps, temperature=1.0, standardize=False).fit(X, target)
    assert sorted(model.prototype_indices_) == list(range(90))
    other, _ = mixture(300, seed=1)
    assert np.array_equal(model.predict(other), KNeighborsClassifier(1).fit(X, target).predict(other))
    grid = PVMClassifier(standardize=False, random_state=0).fit(X, target).cv_results_["eps"]
    assert grid[0] == pytest.approx(eps, rel=1e-5)


@pytest.mark.parametrize(
    "options", [{}, {"rank": True}, {"prune": True}, {"solver": "lp"}, {"solver": "milp"}, {"lam": 2.0}]
)
def test_the_objective_is_what_the_covers_say(options):
    X, target = mixture(120, seed=2)
    eps = 9.0 if options.get("rank") else 0.8
    model = PVMClassifier(**{**QUICK, "eps": eps}, **options, random_state=0).fit(X, target)
    cover = model.cover(X)
    own = cover[np.arange(120), target]
    total = (own == 0).sum() + cover.sum() - own.sum() + model.lam_ * len(model.prototypes_)
    assert model.objective_ == pytest.approx(total)
    assert model.covered_.sum() == (own > 0).sum()
    assert model.own_.sum() == own.sum()
    assert model.miscovered_.sum() == cover.sum() - own.sum()


@pytest.mark.parametrize("solver", ["greedy", "milp"])
def test_names_of_classes_and_order_of_rows_and_columns_do_not_matter(solver):
    X, target = mixture(100, seed=3, n_features=3)
    model = PVMClassifier(**QUICK, solver=solver).fit(X, target)
    names = PVMClassifier(**QUICK, solver=solver).fit(X, np.array(["x", "y", "z"])[target])
    assert same(model, names)
    assert names.predict(X).tolist() == ["xyz"[k] for k in model.predict(X)]
    turned = PVMClassifier(**QUICK, solver=solver).fit(X, 2 - target)
    assert turned.objective_ == pytest.approx(model.objective_)
    assert sorted(turned.prototype_indices_) == sorted(model.prototype_indices_)
    order = np.random.default_rng(0).permutation(100)
    shuffled = PVMClassifier(**QUICK, solver=solver).fit(X[order][:, ::-1], target[order])
    assert shuffled.objective_ == pytest.approx(model.objective_, abs=1.0)  # ties go to the first row


def test_precomputed_dissimilarities_give_the_same_model():
    X, target = mixture(100, seed=4)
    test, _ = mixture(50, seed=5)
    direct = PVMClassifier(standardize=False, random_state=0).fit(X, target)
    D = cdist(X, X)
    given = PVMClassifier(metric="precomputed", random_state=0).fit(D, target)
    assert same(direct, given)
    assert direct.eps_ == pytest.approx(given.eps_, rel=1e-5)
    assert np.array_equal(direct.predict(test), given.predict(cdist(test, X)))
    assert np.allclose(direct.predict_proba(test), given.predict_proba(cdist(test, X)), atol=1e-4)
    with pytest.raises(ProsetError, match="cannot be compared"):
        given.distance(D)


@pytest.mark.parametrize("options", [{}, {"rank": True}])
def test_candidates_that_are_no_rows(options):
    X, target = mixture(60, seed=6)
    Z, _ = mixture(20, seed=7)
    eps = 6.0 if options else 1.0
    direct = PVMClassifier(**{**QUICK, "eps": eps}, **options).fit(X, target, Z)
    wide = PVMClassifier(eps=eps, temperature=1.0, metric="precomputed", **options).fit(
        cdist(X, np.vstack([X, Z])), target
    )
    assert same(direct, wide)
    assert (direct.prototype_rows_ == -1).any()
    assert np.array_equal(direct.prototype_rows_ == -1, direct.prototype_indices_ >= 60)
    assert set(direct.prototypes().source) == {"sample", "synthetic"}
    few = PVMClassifier(metric="precomputed", random_state=0, **options).fit(cdist(X, Z), target)
    assert (few.prototype_rows_ == -1).all()
    assert few.predict(cdist(X, Z)).shape == (60,)


def test_cluster_centres_become_candidates():
    X, target = mixture(120, seed=8)
    plain = PVMClassifier(**QUICK, random_state=0).fit(X, target)
    for by in ("class", "all"):
        model = PVMClassifier(**QUICK, augment={"kmeans": 6, "by": by}, random_state=0).fit(X, target)
        assert (model.prototype_rows_ == -1).any() or by == "all"
        assert model.objective_ <= plain.objective_ + 2.0
    copies = PVMClassifier(**QUICK, augment={"kmeans": 6}, random_state=0).fit(np.zeros((8, 2)), [0] * 5 + [1] * 3)
    assert len(copies.prototypes_) == 1


def test_a_dearer_prototype_needs_no_other_fit():
    X, target = mixture(150, seed=9)
    whole = PVMClassifier(**QUICK, lam=0.0).fit(X, target)
    assert len(whole.path_) == len(whole.prototypes_)
    for lam in (0.0, 1 / 150, 1.0, 2.5, 1e6):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NoPrototypeWarning)
            fitted_anew = PVMClassifier(**QUICK, lam=lam).fit(X, target)
        cut = whole.at_lambda(lam)
        assert same(cut, fitted_anew)
        assert cut.objective_ == pytest.approx(fitted_anew.objective_)
        assert np.array_equal(cut.predict(X), fitted_anew.predict(X))
    with pytest.raises(ProsetError, match=r"fitted with 2\.5"):
        whole.at_lambda(2.5).at_lambda(1.0)
    with pytest.raises(ProsetError, match="Only the greedy cover"):
        PVMClassifier(**QUICK, solver="milp").fit(X, target).at_lambda(2.0)


def test_a_certified_gap():
    X, target = mixture(150, seed=10)
    exact = PVMClassifier(**QUICK, solver="milp").fit(X, target)
    rounded = PVMClassifier(**QUICK, solver="lp", random_state=0).fit(X, target)
    greedy = PVMClassifier(**QUICK).fit(X, target)
    assert exact.gap_ == pytest.approx(0.0, abs=1e-6)
    assert rounded.lower_bound_ <= exact.objective_ + 1e-6 <= rounded.objective_ + 2e-6 <= greedy.objective_ + 3e-6
    assert np.isnan(greedy.gap_)


def test_an_integer_program_that_is_stopped_says_so(monkeypatch):
    def stopped(cover, greedy, time_limit):
        return ChosenBalls(greedy, 0.0, "greedy", ended=False)

    X, target = mixture(60, seed=11)
    monkeypatch.setattr("proset.companions.pvm.solving.choose_exactly", stopped)
    with pytest.warns(ConvergenceWarning, match=r"stopped after 60 s: its objective is .*, and none is below 0\."):
        model = PVMClassifier(**QUICK, solver="milp").fit(X, target)
    assert model.gap_ == model.objective_ == PVMClassifier(**QUICK).fit(X, target).objective_


def test_without_a_ball_worth_its_cost_the_majority_is_predicted():
    X, y = np.zeros((5, 2)), np.array([1, 1, 1, 0, 0])
    with pytest.warns(NoPrototypeWarning, match="no prototypes and predicts the most frequent class"):
        model = PVMClassifier(eps=1.0, lam=5.0).fit(X, y)
    assert model.predict(X).tolist() == [1] * 5
    assert model.predict_proba(X)[0].tolist() == [0.4, 0.6]
    assert model.contributions(X).total().argmax(axis=1).tolist() == [1] * 5
    assert model.explain(X[0]).prototypes.tolist() == []
    assert model.cover(X).sum() == 0
    assert model.similarity(X).shape == (5, 0)
    assert np.isfinite(model.familiarity(X).raw).all()
    assert PVMClassifier.from_dict(model.to_dict()).predict(X).tolist() == [1] * 5


def test_a_class_without_prototypes_is_never_predicted_and_never_impossible():
    X = np.array([[0.0], [0.1], [0.2], [0.05], [5.0], [5.1]])
    y = np.array(["a", "a", "a", "b", "c", "c"])
    model = PVMClassifier(**QUICK).fit(X, y)
    assert set(model.prototype_labels_) == {"a", "c"}
    assert set(model.predict(np.linspace(-3, 9, 99)[:, None])) == {"a", "c"}
    assert (model.predict_proba(X)[:, 1] > 0.0).all()
    parts = model.contributions(X)
    assert np.array_equal(parts.total(), model.scores(X))
    assert np.isneginf(parts.base[:, 1]).all()


def test_one_class_one_feature_and_rare_classes():
    X, _ = mixture(40)
    single = PVMClassifier(random_state=0).fit(X, np.full(40, "only"))
    assert set(single.predict(X)) == {"only"}
    assert single.predict_proba(X).tolist() == [[1.0]] * 40
    narrow = PVMClassifier(random_state=0).fit(X[:, :1], X[:, 0] > 0)
    assert narrow.score(X[:, :1], X[:, 0] > 0) > 0.8
    rare = PVMClassifier(random_state=0).fit(X, [0] * 39 + [1])
    assert rare.predict_proba(X).shape == (40, 2)
    every = PVMClassifier(random_state=0).fit(X[:4], [0, 1, 2, 3])
    assert every.predict(X[:4]).tolist() == [0, 1, 2, 3]
    assert every.cv_results_["eps"].shape == (0,)


def test_columns_of_any_scale_give_the_same_model():
    X, y = load_iris(return_X_y=True)
    model = PVMClassifier(random_state=0).fit(X, y)
    other = PVMClassifier(random_state=0).fit(X * [1e-6, 1.0, 1e9, 3.0] + [0.0, 1e3, 0.0, 5.0], y)
    assert np.array_equal(model.prototype_indices_, other.prototype_indices_)
    extreme = PVMClassifier(random_state=0).fit(X * [1e-250, 1.0, 1e250, 1e300], y)
    assert np.array_equal(model.prototype_indices_, extreme.prototype_indices_)
    assert np.array_equal(model.predict(X), extreme.predict(X * [1e-250, 1.0, 1e250, 1e300]))
    constant = PVMClassifier(random_state=0).fit(np.column_stack([X, np.full(len(X), 7e9)]), y)
    assert np.array_equal(model.prototype_indices_, constant.prototype_indices_)


@pytest.mark.parametrize("standardize", [True, False])
@pytest.mark.parametrize("far", [1e20, 1e39, -1e308])
def test_rows_farther_off_than_single_precision_holds_are_answered(standardize, far):
    X = np.random.default_rng(0).normal(size=(60, 3))
    model = PVMClassifier(eps=1.5, temperature=1.0, standardize=standardize, random_state=0).fit(X, X[:, 0] > 0.0)
    rows = np.vstack([X[:2], X[:2]])
    rows[2, 0], rows[3] = far, far
    assert np.isfinite(model.scores(rows)).all()
    probabilities = model.predict_proba(rows)
    assert np.allclose(probabilities.sum(axis=1), 1.0)
    assert np.array_equal(model.predict(rows), model.classes_[probabilities.argmax(axis=1)])
    assert not model.similarity(rows[2:]).any()
    assert np.array_equal(probabilities[:2], model.predict_proba(rows[:2]))


def test_contributions_similarities_and_distances_agree(fitted):
    model, X, _ = fitted
    parts, scores = model.contributions(X), model.scores(X)
    assert np.allclose(parts.total(), scores)
    assert (np.count_nonzero(parts.added, axis=1) <= 1).all()
    distance = model.distance(X, model.prototypes().X)
    assert np.allclose(-np.log(model.similarity(X)) * model.temperature_, distance, atol=1e-5)
    assert np.allclose(scores.max(axis=1), -distance.min(axis=1))
    assert np.allclose(model.familiarity(X).raw, scores.max(axis=1) / model.eps_)
    story = model.explain(X[0], held_out=X)
    assert story.distance[0] == pytest.approx(distance[0].min(), abs=1e-5)
    json.dumps(story.to_dict())


def test_saving_and_copying(fitted):
    model, X, _ = fitted
    state = model.to_dict()
    json.dumps(state["meta"])
    for again in (PVMClassifier.from_dict(state), pickle.loads(pickle.dumps(model))):
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(again.cover(X), model.cover(X))
        assert again.path_.objective(0.5) == model.path_.objective(0.5)
    assert not hasattr(clone(model), "prototypes_")
    with pytest.raises(StorageError, match="cannot be written"):
        PVMClassifier(metric=cdist, eps=1.0, temperature=1.0).fit(X[:60], [0, 1] * 30).to_dict()


def test_frames_with_names_are_explained_without_a_warning():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = PVMClassifier(random_state=0).fit(X, y)
    assert model.predict(X).shape == (150,)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(pd.DataFrame(X.to_numpy(), columns=list("abcd")))


def test_a_fit_that_is_refused_leaves_the_model_as_it_was(fitted):
    model, X, y = fitted
    before = model.predict(X)
    for bad in (X[:0], np.where(X > 20, np.nan, X)):
        with pytest.raises(ValueError):
            model.fit(bad, y[: len(bad)])
    with pytest.raises(ProsetError, match="Z has 2 columns, but X has 13"):
        model.fit(X, y, X[:, :2])
    assert np.array_equal(model.predict(X), before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eps": 0}, "eps is 0; it has to be 'cv', or a number above 0."),
        ({"eps": "auto"}, "eps is 'auto'"),
        ({"eps": True}, "eps is True"),
        ({"lam": -1.0}, "lam is -1.0; it has to be a number of at least 0, or None."),
        ({"solver": "simplex"}, "solver is 'simplex'; it has to be one of 'greedy', 'lp', 'milp'."),
        ({"cv": 1}, "cv is 1"),
        ({"n_rounds": 0}, "n_rounds is 0"),
        ({"eps_grid": 0}, "eps_grid is 0"),
        ({"eps_grid": [0.5, -1.0]}, "eps_grid is .* or a list of radii above 0"),
        ({"rank": "yes"}, "rank is 'yes'; it has to be True or False."),
        ({"temperature": 0.0}, "temperature is 0.0"),
        ({"augment": {"means": 3}}, "augment is {'means': 3}"),
        ({"augment": {"kmeans": 0}}, "augment is"),
        ({"augment": {"kmeans": 3}, "metric": "precomputed"}, "Cluster centres cannot be made"),
        ({"random_state": -1}, "random_state is -1"),
        ({"time_limit": 0}, "time_limit is 0"),
    ],
)
def test_impossible_parameters_are_refused_in_words(options, message):
    with pytest.raises(ProsetError, match=message):
        PVMClassifier(**options).fit(np.eye(4), [0, 1, 0, 1])


def test_radii_to_try_may_be_listed():
    X, target = mixture(80)
    model = PVMClassifier(eps_grid=[0.9, 0.3], random_state=0).fit(X, target)
    assert model.cv_results_["eps"].tolist() == [0.3, 0.9]
    assert model.eps_ in (0.3, 0.9)
    assert model.cv_results_["errors"].shape == (2, 10)


def test_a_ball_of_ranks_holds_the_nearest_points():
    X, target = mixture(60, seed=12)
    for eps, size in ((4.0, 3), (4.5, 4), (5.0, 4)):  # one point less than eps, rounded up
        model = PVMClassifier(eps=eps, rank=True, temperature=1.0).fit(X, target)
        assert (model.own_ + model.miscovered_ == size).all()
        inside = model.cover(X)
        assert inside.sum() == size * len(model.prototypes_)


def test_a_fit_needs_no_matrix_of_distances():
    X, target = mixture(1_800, seed=13, n_features=4)
    PVMClassifier(**QUICK).fit(X[::30], target[::30])
    tracemalloc.start()
    model = PVMClassifier(**QUICK).fit(X, target)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(model.prototypes_) > 10
    assert peak < 0.1 * 11 * 3 * 1_800**2  # a tenth of what a score per point, class and candidate takes


def test_saved_arrays_that_do_not_fit_are_refused(fitted):
    state = fitted[0].to_dict()
    for name, wrong in (("prototypes_", np.zeros((2, 2))), ("label_codes_", state["arrays"]["label_codes_"] + 3)):
        with pytest.raises(StorageError, match=f"does not fit together: .*{name}"):
            PVMClassifier.from_dict({**state, "arrays": {**state["arrays"], name: wrong}})


def test_contributions_of_too_many_rows_are_refused(fitted, monkeypatch):
    model, X, _ = fitted
    monkeypatch.setattr("proset.companions.room.MOST_NUMBERS", 100)
    with pytest.raises(ProsetError, match="GB of memory"):
        model.contributions(X)
