"""What every system keeps to that stands beside the others: one contract, all systems."""

import io
import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from proset.common.errors import ProsetError, StorageError
from proset.companions.protocol import NotOfferedError, Offer, PrototypeModel
from proset.companions.systems import SYSTEMS, load_model

CLASSES = ("high", "low", "middle")
FAST = {
    "proset": {},
    "pvm": {},
    "smp": {},
    "gbmap": {"n_boosts": 5},
    "knn": {"n_neighbors": 5},
    "xgboost": {"n_rounds": 20},
}
FAST_TUNED = {
    "proset": {"search": "quick"},
    "gbmap": {"betas": (1.0,), "most_boosts": 5, "n_folds": 2},
    "smp": {"n_prototypes": (1,), "lam": (0.0,), "mu": (0.01,), "cv": 2},
    "xgboost": {"n_trials": 3, "max_rounds": 30, "patience": 10, "n_folds": 2},
}
EVERY = tuple(FAST)
BLIND = ("knn", "pvm")  # to weights: the method has no notion of them


def blobs(n=90, d=4, seed=0, spread=0.6):
    """Three classes around corners, every class in every stretch of rows, unit scale."""
    rng = np.random.default_rng(seed)
    target = np.arange(n) % 3
    X = np.array([[2, 0, 0, 0], [-1, 2, 0, 0], [-1, -2, 0, 0]])[target][:, :d] + spread * rng.normal(size=(n, d))
    return (X - X.mean(axis=0)) / X.std(axis=0), np.array(CLASSES)[target]


def make(key, **params):
    """One system with a setting that fits in a moment."""
    system = SYSTEMS[key]
    if system.quick_home:  # its search hands on to the estimator that is asked here
        return system.estimator(**({"random_state": 0} | FAST[key] | params))
    return system.make(**(FAST[key] | params))


@pytest.fixture(scope="module")
def data():
    return blobs()


@pytest.fixture(scope="module")
def new_rows():
    return blobs(30, seed=1)[0]


@pytest.fixture(scope="module")
def models(data):
    return {key: make(key).fit(*data) for key in EVERY}


@pytest.fixture(params=EVERY)
def model(request, models):
    return models[request.param]


def stored(state):
    """What comes back from JSON and a file of arrays."""
    file = io.BytesIO()
    np.savez(file, **state["arrays"])
    file.seek(0)
    with np.load(file, allow_pickle=False) as arrays:
        return {"meta": json.loads(json.dumps(state["meta"], allow_nan=False)), "arrays": dict(arrays)}


def test_there_are_six_and_all_run():
    assert tuple(SYSTEMS) == EVERY
    assert not any(system.missing() for system in SYSTEMS.values())
    assert all(system.about.endswith(".") and system.title and system.knob for system in SYSTEMS.values())


def test_each_is_a_prototype_model(model):
    assert isinstance(model, PrototypeModel)
    assert model.classes_.tolist() == list(CLASSES)
    assert model.n_features_in_ == 4


def test_parameters_can_be_read_set_and_cloned(model):
    again = clone(model)
    assert again.get_params() == model.get_params()
    assert not hasattr(again, "classes_")
    again.set_params(**model.get_params())


@pytest.mark.parametrize("key", EVERY)
def test_not_fitted_is_said(key, new_rows):
    for method in ("predict", "predict_proba", "scores"):
        with pytest.raises(NotFittedError):
            getattr(make(key), method)(new_rows)


def test_estimates_scores_and_predictions_agree(model, new_rows):
    estimates, scores = model.predict_proba(new_rows), model.scores(new_rows)
    assert estimates.shape == scores.shape == (30, 3)
    np.testing.assert_allclose(estimates.sum(axis=1), 1.0, atol=1e-9)
    assert (estimates >= 0.0).all()
    predicted = model.predict(new_rows)
    assert predicted.tolist() == model.classes_[scores.argmax(axis=1)].tolist()
    assert predicted.tolist() == model.classes_[estimates.argmax(axis=1)].tolist()
    assert (predicted == blobs(30, seed=1)[1]).mean() > 0.8


def test_two_classes_have_scores_of_two_columns(data, new_rows):
    X, y = data
    two = y != "middle"
    for key in EVERY:
        model = make(key).fit(X[two], y[two])
        assert model.scores(new_rows).shape == (30, 2)
        assert set(model.predict(new_rows)) <= {"high", "low"}


def test_the_same_seed_gives_the_same_model(model, data, new_rows):
    again = clone(model).fit(*data)
    np.testing.assert_array_equal(again.predict_proba(new_rows), model.predict_proba(new_rows))


def test_rows_in_another_order(model, data, new_rows):
    order = np.random.default_rng(3).permutation(len(data[1]))
    again = clone(model).fit(data[0][order], data[1][order])
    drawn = type(model).__name__ in ("ProsetPrototypes", "XgbPrototypes", "PVMClassifier")  # by position, or folds are
    if drawn:
        assert (again.predict(new_rows) == model.predict(new_rows)).mean() > 0.9
    else:
        np.testing.assert_allclose(again.predict_proba(new_rows), model.predict_proba(new_rows), atol=0.02)


def test_columns_in_another_order(model, data, new_rows):
    order = np.array([2, 0, 3, 1])
    again = clone(model).fit(data[0][:, order], data[1])
    assert (again.predict(new_rows[:, order]) == model.predict(new_rows)).mean() > 0.9
    if type(model).__name__ not in ("XgbPrototypes", "GBMapClassifier"):  # those draw columns, or directions
        np.testing.assert_allclose(again.predict_proba(new_rows[:, order]), model.predict_proba(new_rows), atol=0.02)


@pytest.mark.parametrize("labels", [(7, 2, 5), (True, False, True), ("a", 1, "ß")])
@pytest.mark.parametrize("key", EVERY)
def test_labels_of_any_kind(key, labels, data):
    kind = object if len({type(label) for label in labels}) > 1 else None
    values = dict(zip(CLASSES, labels, strict=True))
    y = np.array([values[name] for name in data[1]], dtype=kind)
    if kind is object:
        with pytest.raises((TypeError, ValueError)):  # words and numbers have no order, as scikit-learn says
            make(key).fit(data[0], y)
        return
    model = make(key).fit(data[0], y)
    again = load_model(stored(model.to_dict()))
    assert again.classes_.tolist() == np.unique(y).tolist()
    assert again.classes_.dtype.kind == y.dtype.kind
    assert set(again.predict(data[0])) <= set(labels)


def test_a_model_survives_pickling(model, new_rows):
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(new_rows), model.predict_proba(new_rows))


def test_a_model_survives_json_and_arrays(model, data, new_rows):
    again = load_model(stored(model.to_dict()))
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict_proba(new_rows), model.predict_proba(new_rows))
    assert again.get_params() == model.get_params()
    assert again.complexity().n_prototypes == model.complexity().n_prototypes
    assert (
        again.explain(new_rows[0], held_out=data[0]).to_dict() == model.explain(new_rows[0], held_out=data[0]).to_dict()
    )


def test_damaged_states_are_refused_in_words(model):
    for change in (
        lambda state: state["meta"].pop("system"),
        lambda state: state["meta"].update(system="Other"),
        lambda state: state["meta"].update(format=99),
        lambda state: state["meta"].update(params=[1]),
        lambda state: state["meta"]["params"].update(no_such_parameter=1),
        lambda state: state["meta"]["state"].update(evil_=1),
        lambda state: state["meta"]["state"].pop("n_features_in_"),
        lambda state: state["arrays"].pop(sorted(state["arrays"])[0]),
        lambda state: state["arrays"].update(classes_=np.array([object()])),
    ):
        state = stored(model.to_dict())
        change(state)
        with pytest.raises(StorageError):
            type(model).from_dict(state)
    for nothing in (None, {}, {"meta": {}}, [], {"meta": {"system": "None"}, "arrays": {}}):
        with pytest.raises(StorageError):
            load_model(nothing)


def test_what_is_offered_is_there_and_what_is_not_says_so(model, data, new_rows):
    asked = {
        Offer.PROTOTYPES: model.prototypes,
        Offer.FEATURE_WEIGHTS: model.feature_weights,
        Offer.SIMILARITY: lambda: model.similarity(new_rows),
        Offer.DISTANCE: lambda: model.distance(new_rows),
        Offer.CONTRIBUTIONS: lambda: model.contributions(new_rows),
        Offer.FAMILIARITY: lambda: model.familiarity(new_rows),
        Offer.PATH: lambda: model.path(*data, new_rows),
    }
    assert set(asked) == set(Offer)
    for offer, ask in asked.items():
        if model.offers(offer):
            assert ask() is not None
        else:
            with pytest.raises(NotOfferedError, match=f"has no {offer.value}") as caught:
                ask()
            assert pickle.loads(pickle.dumps(caught.value)).offer is offer  # on its way out of a worker


def test_prototypes_are_complete(model, data):
    if not model.offers(Offer.PROTOTYPES):
        return
    table = model.prototypes()
    k = len(table)
    # Prototypes of a class that have fused count once; a row in two batches is two.
    assert model.complexity().n_prototypes == getattr(model, "n_distinct_", k) > 0
    assert table.id.tolist() == list(range(k))
    assert table.X.shape == table.active.shape == (k, 4)
    assert set(table.source) <= {"sample", "synthetic"}
    assert set(table.target) <= set(CLASSES)
    for column in (table.weight, table.X):
        assert np.isfinite(column).all()
    assert (table.weight >= 0.0).all()
    samples = table.sample_index >= 0
    assert (samples == (table.source == "sample")).all()
    np.testing.assert_allclose(table.X[samples], data[0][table.sample_index[samples]], atol=1e-6)
    assert (table.target[samples] == data[1][table.sample_index[samples]]).all()
    assert len(table.to_frame()) == k


def test_contributions_add_up_to_scores(model, new_rows):
    if not model.offers(Offer.CONTRIBUTIONS):
        return
    parts, scores = model.contributions(new_rows), model.scores(new_rows)
    assert parts.added.shape == (30, len(model.prototypes()), 3)
    np.testing.assert_allclose(parts.total(), scores, atol=1e-9)


def test_similarities_are_of_rows_and_prototypes(model, new_rows):
    if not model.offers(Offer.SIMILARITY):
        return
    found = model.similarity(new_rows)
    assert found.shape == (30, len(model.prototypes()))
    assert np.isfinite(found).all()


def test_distances_are_dissimilarities(model, new_rows):
    if not model.offers(Offer.DISTANCE):
        return
    apart = model.distance(new_rows)
    assert apart.shape == (30, 30)
    assert (apart >= 0.0).all()
    np.testing.assert_allclose(np.diag(apart), 0.0, atol=1e-3)
    np.testing.assert_allclose(apart, apart.T, atol=1e-6)
    np.testing.assert_allclose(model.distance(new_rows[:3], new_rows), apart[:3], atol=1e-3)


def test_feature_weights_say_which_features_play_a_part(model, new_rows):
    weights = model.feature_weights()
    assert weights.ndim == 2
    assert weights.shape[1] == 4
    assert (weights >= 0.0).all()
    active = model.active_features()
    assert active.tolist() == sorted(set(active.tolist()))
    assert len(active) == model.complexity().n_active_features
    idle = np.setdiff1d(np.arange(4), active)
    moved = new_rows.copy()
    moved[:, idle] += 3.0
    np.testing.assert_array_equal(model.predict_proba(moved), model.predict_proba(new_rows))


def test_familiar_is_high_near_the_training_rows(model, data):
    if not model.offers(Offer.FAMILIARITY) or type(model).__name__ in ("SMPClassifier", "GBMapClassifier"):
        return  # an angle, and a difference of scores: weak by nature, and said to be so
    familiar = model.familiarity(data[0], data[0])
    far = model.familiarity(data[0] + 40.0, data[0])
    assert np.median(familiar.raw) > np.median(far.raw)
    assert familiar.quantile.max() == 1.0
    assert (far.quantile <= 0.05).all()
    assert model.familiarity(data[0]).quantile is None


def test_one_case_is_explained_in_one_form(model, data, new_rows):
    found = model.explain(new_rows[0], n_prototypes=3, held_out=data[0])
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    fields = {"classes", "scores", "probabilities", "base", "prototypes", "similarity", "distance", "contribution"}
    assert set(plain) == fields | {"delta", "familiarity", "quantile"}
    np.testing.assert_allclose(found.probabilities, model.predict_proba(new_rows[:1])[0])
    assert len(found.prototypes) <= 3
    if model.offers(Offer.PROTOTYPES):
        assert len(found.prototypes) == min(3, len(model.prototypes()))
        np.testing.assert_allclose(new_rows[0] - found.delta, model.prototypes().X[found.prototypes])
    if model.offers(Offer.CONTRIBUTIONS):
        best = found.scores.argmax()
        amounts = np.abs(found.contribution[:, best])
        assert (np.diff(amounts) <= 1e-12).all()
    if model.offers(Offer.FAMILIARITY):
        assert 0.0 <= found.quantile <= 1.0


def test_size_and_cost_are_measured(model, data):
    size = model.complexity(data[0])
    assert size.bytes > 0
    assert size.fit_s >= 0.0
    assert size.predict_us > 0.0
    assert np.isnan(model.complexity().predict_us)


def test_a_path_has_the_models_own_size(model, data, new_rows):
    if not model.offers(Offer.PATH):
        return
    points = model.path(*data, new_rows)
    values = [point.value for point in points]
    assert values == sorted(values)
    own = [point for point in points if point.own]
    assert len(own) == 1
    # A path that goes on from one value to the next ends within the solver's tolerance of a fit of its own.
    close = 0.01 if type(model).__name__ == "SMPClassifier" else 1e-6
    np.testing.assert_allclose(own[0].probabilities, model.predict_proba(new_rows), atol=close)
    for point in points:
        assert point.probabilities.shape == (30, 3)
        np.testing.assert_allclose(point.probabilities.sum(axis=1), 1.0, atol=1e-9)
        assert (point.n_prototypes is None) == (not model.offers(Offer.PROTOTYPES))


@pytest.mark.parametrize("key", EVERY)
def test_one_column(key, data, new_rows):
    model = make(key).fit(data[0][:, :1], data[1])
    assert model.predict_proba(new_rows[:, :1]).shape == (30, 3)
    model.explain(new_rows[0, :1])
    assert load_model(stored(model.to_dict())).n_features_in_ == 1


@pytest.mark.filterwarnings("ignore")  # each says in its own words that nothing was found
@pytest.mark.parametrize(
    ("key", "params"),
    [
        ("proset", {"n_iter": 0}),
        ("proset", {"n_iter": 1, "lambda_w": 1e3}),
        ("pvm", {"eps": 1e9, "temperature": 1.0}),
        ("smp", {"mu": 100.0}),
        ("gbmap", {"ridge": 1e9}),
    ],
)
def test_nothing_found_predicts_by_class_shares(key, params, data, new_rows):
    X, y = np.vstack([data[0], data[0][data[1] == "low"]]), np.concatenate([data[1], ["low"] * 30])
    model = make(key, **params).fit(X, y)
    assert set(model.predict(new_rows)) == {"low"}
    assert model.explain(new_rows[0]).classes.tolist() == list(CLASSES)
    if model.offers(Offer.CONTRIBUTIONS):
        np.testing.assert_allclose(model.contributions(new_rows).total(), model.scores(new_rows))
    if model.offers(Offer.DISTANCE):
        assert model.distance(new_rows).shape == (30, 30)
    load_model(stored(model.to_dict())).predict(new_rows)


@pytest.mark.parametrize("key", ["pvm", "knn", "smp"])
def test_one_prototype(key):
    X, y = np.array([[0.0, 1.0], [0.1, 1.0], [5.0, 0.0], [5.1, 0.1]]), np.array(["a", "a", "b", "b"])
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    params = {"pvm": {"eps": 1.0, "temperature": 1.0}, "knn": {"n_neighbors": 1}, "smp": {"n_prototypes": 1}}[key]
    model = make(key, **params).fit(X, y)
    found = model.explain(X[0], n_prototypes=1)
    assert len(found.prototypes) == 1
    assert model.prototypes().target[found.prototypes[0]] == "a"


def test_wrong_input_is_refused_in_words(model, data, new_rows):
    with pytest.raises(ValueError, match="4 features"):
        model.predict(new_rows[:, :3])
    with pytest.raises(ValueError, match="4 features"):
        model.explain(new_rows[0, :2])
    holed = new_rows.copy()
    holed[0, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict_proba(holed)
    with pytest.raises(ValueError, match="NaN"):
        clone(model).fit(np.full_like(data[0], np.nan), data[1])
    with pytest.raises(ValueError, match=r"inconsistent|different"):
        clone(model).fit(data[0], data[1][:-1])


def test_one_class_is_refused_or_predicted(model, data):
    fresh = clone(model)
    one = np.full(len(data[1]), "low")
    if type(model).__name__ == "PVMClassifier":  # covering one class is a problem of its own
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert set(fresh.fit(data[0], one).predict(data[0])) == {"low"}
    else:
        with pytest.raises(ValueError, match="class"):
            fresh.fit(data[0], one)


def test_a_refused_fit_leaves_the_model_as_it_was(model, data, new_rows):
    again = pickle.loads(pickle.dumps(model))
    with pytest.raises(ValueError, match="NaN"):
        again.fit(np.full((9, 7), np.nan), np.arange(9) % 3)
    assert again.n_features_in_ == 4
    np.testing.assert_array_equal(again.predict_proba(new_rows), model.predict_proba(new_rows))


def test_who_takes_weights_says_so():
    assert {key for key, system in SYSTEMS.items() if not system.uses_weights} == set(BLIND)


@pytest.mark.parametrize("key", [key for key in EVERY if key not in BLIND])
def test_rows_of_weight_zero_do_not_count(key, data, new_rows):
    X, y = data
    wrong = np.concatenate([y, np.roll(y[:30], 1)])
    weight = np.concatenate([np.ones(90), np.zeros(30)])
    with_them = make(key).fit(np.vstack([X, X[:30]]), wrong, sample_weight=weight)
    without = make(key).fit(X, y)
    np.testing.assert_allclose(with_them.predict_proba(new_rows), without.predict_proba(new_rows), atol=1e-3)
    for bad in (np.full(90, -1.0), np.zeros(90), np.ones(3)):
        with pytest.raises(ValueError, match=r"[Ww]eight"):
            make(key).fit(X, y, sample_weight=bad)


@pytest.mark.parametrize("key", EVERY)
def test_columns_with_names(key, data, new_rows):
    names = ["age", "size", "x1", "x2"]
    frame, rows = pd.DataFrame(data[0], columns=names), pd.DataFrame(new_rows, columns=names)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = make(key).fit(frame, data[1])
        again = load_model(stored(model.to_dict()))
        for one in (model, again):
            assert one.feature_names_in_.tolist() == names
            one.explain(new_rows[0], held_out=rows)
            np.testing.assert_array_equal(one.predict_proba(rows), model.predict_proba(rows))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows.rename(columns={"age": "other"}))


@pytest.mark.parametrize("key", EVERY)
def test_settings_in_words(key, models):
    words = SYSTEMS[key].settings_words(models[key])
    assert words
    assert "\n" not in words
    assert not words.endswith(".")


@pytest.mark.parametrize("key", EVERY)
def test_tuned_systems_choose_from_the_rows_they_are_given(key, data, new_rows):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SYSTEMS[key].make(tuned=True, **FAST_TUNED.get(key, {})).fit(*data)
    assert isinstance(model, PrototypeModel)
    assert (model.predict(new_rows) == blobs(30, seed=1)[1]).mean() > 0.8
    assert SYSTEMS[key].settings_words(model)
    again = load_model(stored(model.to_dict()))
    np.testing.assert_array_equal(again.predict_proba(new_rows), model.predict_proba(new_rows))
    model.explain(new_rows[0])
    assert model.complexity().fit_s > 0.0


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", EVERY)
def test_tuned_systems_take_small_classes(key, data):
    X, y = data
    few = np.concatenate(
        [np.flatnonzero(y == "high")[:20], np.flatnonzero(y == "low")[:20], np.flatnonzero(y == "middle")[:4]]
    )
    model = SYSTEMS[key].make(tuned=True, **FAST_TUNED.get(key, {})).fit(X[few], y[few])
    assert model.classes_.tolist() == list(CLASSES)


def test_what_cannot_run_here_says_why(monkeypatch):
    from proset.companions import systems

    monkeypatch.setattr(systems, "find_spec", lambda name: None)
    assert SYSTEMS["xgboost"].missing().startswith("XGBoost needs the package xgboost: pip install")
    assert systems.available() == EVERY[:-1]


def test_an_unknown_system_is_refused():
    from proset.companions.systems import the_system

    with pytest.raises(ProsetError, match="no system 'svm'"):
        the_system("svm")


@pytest.mark.parametrize("key", EVERY)
def test_a_case_with_names_goes_by_them(key, data, new_rows):
    names = ["a", "b", "c", "d"]
    model = make(key).fit(pd.DataFrame(data[0], columns=names), data[1])
    case = pd.Series(new_rows[0], index=names)
    wanted = model.explain(new_rows[0]).to_dict()
    assert model.explain(case[::-1]).to_dict() == wanted
    assert model.explain(case.to_frame().T[names[::-1]]).to_dict() == wanted
    with pytest.raises(ValueError, match=r"columns 'a', .*; the case has 'z'"):
        model.explain(case.rename({"a": "z"}))


def test_more_than_one_case_is_refused_in_words(model, new_rows):
    with pytest.raises(ValueError, match="One case is explained at a time, but 2 rows were given"):
        model.explain(new_rows[:2])
