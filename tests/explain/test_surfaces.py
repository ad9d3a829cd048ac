"""Surfaces: every number against the plain way of finding it."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from sklearn.neighbors import KNeighborsClassifier

from proset import ClassifierModel
from proset.common.errors import ProsetError
from proset.data.role_guess import guess_roles
from proset.data.roles import Role, Roles
from proset.data.scales import Scale
from proset.data.split import Split, SplitSettings
from proset.data.table import read_table
from proset.explain.maps.ground_makers import ground_of
from proset.explain.maps.surfaces import surface
from proset.explain.structure.densities import feature_densities
from proset.reference_models import fit_knn_classifier
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def rows():
    random = np.random.default_rng(2)
    X = random.normal(size=(240, 4))
    y = np.where(np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.normal(size=240) > 0, "p", "q")
    return X, y


@pytest.fixture(scope="module")
def model(rows):
    return ClassifierModel(n_iter=2, lambda_v=1e-3, lambda_w=1e-6).fit(*rows)


def plainly(scorer, shown, x, y, point):
    """Every spot one by one."""
    result = np.zeros(shown.probabilities.shape)
    for h, b in enumerate(shown.y):
        for w, a in enumerate(shown.x):
            row = point.copy()
            row[x], row[y] = a, b
            result[h, w] = scorer(row[None])[0]
    return result


def test_a_surface_is_what_the_model_says_spot_by_spot(model, rows):
    X, _ = rows
    shown = surface(model, features=(2, "x0"), reference=X[5], n_points=7)
    assert (shown.x_axis.name, shown.y_axis.name) == ("x2", "x0")
    assert_allclose(shown.probabilities, plainly(model.predict_proba, shown, 2, 0, X[5]), atol=1e-12)
    told = plainly(lambda row: np.repeat(model.familiarity(row)[:, None], 2, axis=1), shown, 2, 0, X[5])
    assert_allclose(shown.familiarity, told[:, :, 0], atol=1e-9)
    assert shown.at == (X[5, 2], X[5, 0])
    assert shown.fixed.to_dict().keys() == {"x1", "x3"} & set(shown.fixed.index)


def test_another_classifier_stands_on_the_same_axes(model, rows):
    X, y = rows
    near = KNeighborsClassifier(15).fit(X, y)
    ours = surface(model, features=(0, 1), reference=X[0], n_points=9, cases=X)
    theirs = surface(model, features=(0, 1), reference=X[0], n_points=9, cases=X, estimator=near)
    assert_allclose(theirs.x, ours.x)
    assert_allclose(theirs.probabilities, plainly(near.predict_proba, theirs, 0, 1, X[0]))
    assert theirs.familiarity is None
    assert theirs.contours.empty
    assert theirs.prototypes.empty
    assert theirs.name == "KNeighborsClassifier"
    assert theirs.samples["predicted"].tolist() == near.predict(X).tolist()
    alone = surface(near, features=(0, 1), reference=X[0], n_points=9, cases=X)
    assert_allclose(alone.probabilities, theirs.probabilities)
    searched = surface(
        model,
        features=(0, 1),
        reference=X[0],
        n_points=9,
        cases=X,
        estimator=fit_knn_classifier(X, y, neighbours=[5, 15]),
    )
    assert searched.name == "KNeighborsClassifier"


def test_classes_of_another_classifier_are_put_in_order(model, rows):
    class Turned:
        classes_ = np.array(["q", "p"])

        def predict_proba(self, X):
            return np.tile([0.9, 0.1], (len(X), 1))

    assert_allclose(surface(model, features=(0, 1), n_points=3, estimator=Turned()).probabilities[0, 0], [0.1, 0.9])
    Turned.classes_ = np.array(["q", "r"])
    with pytest.raises(ProsetError, match="'r'"):
        surface(model, features=(0, 1), n_points=3, estimator=Turned())


@pytest.mark.parametrize("batch", [1, 2])
def test_the_map_of_a_batch_as_axes(model, rows, batch):
    X, _ = rows
    shown = surface(model, batch=batch, reference=X[8], n_points=6, cases=X)
    cut = ground_of(model).cut(None, None, batch=batch, point=X[8])
    grid = cut.rows(shown.x, shown.y)
    spots = cut.plane.transform(grid)
    assert_allclose(spots, np.column_stack([np.tile(shown.x, 6), np.repeat(shown.y, 6)]), atol=1e-9)
    assert_allclose(shown.probabilities.reshape(36, 2), model.predict_proba(grid), atol=1e-12)
    # The plane goes through the case itself, and the case lies on it.
    assert_allclose(cut.rows(*np.array(shown.at)[:, None])[0], X[8], atol=1e-9)
    assert shown.samples["similarity"].iloc[8] == pytest.approx(1.0)
    # Which features a batch uses hangs on the last bits of the processor here. Two of them are axes themselves.
    weights = np.sort(model.set_manager_.batches[batch - 1].feature_weights)
    assert shown.ratio == pytest.approx(weights[0] / weights[1] if len(weights) == 2 else 1.0)


def test_near_the_cut_means_alike_in_all_other_features(model, rows):
    X, _ = rows
    shown = surface(model, features=(0, 1), reference=X[3], cases=X[:20], n_points=4)
    weights = np.zeros(4)
    for batch in model.set_manager_.batches:
        np.maximum.at(weights, batch.active_features, batch.feature_weights)
    away = ((X[:20] - X[3]) * weights)[:, 2:]
    assert_allclose(shown.samples["similarity"], np.exp(-0.5 * (away**2).sum(axis=1)))
    assert shown.samples["similarity"].iloc[3] == 1.0


def test_contours_lie_at_quantiles_of_held_out_familiarity(model, rows, mixed_study):
    X, _ = rows
    shown = surface(model, features=(0, 1), n_points=5, held_out=X[:50], quantiles=(0.01, 0.5))
    assert_allclose(shown.contours["familiarity"], np.quantile(model.familiarity(X[:50]), [0.01, 0.5]))
    assert shown.quantile.shape == (5, 5)
    assert surface(model, features=(0, 1), n_points=5).contours.empty
    assert surface(model, features=(0, 1), n_points=5).quantile is None
    known = surface(mixed_study, n_points=5).contours["familiarity"].tolist()
    assert known == [pytest.approx(float(np.quantile(mixed_study.reference, 0.01)))]


@pytest.fixture(scope="module")
def dated_study():
    """A category of three levels, a date, a number and a truth value all matter."""
    random = np.random.default_rng(7)
    n = 160
    frame = pd.DataFrame(
        {
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, n), unit="D"),
            "island": random.choice(["Biscoe", "Dream", "Torgersen"], n),
            "ill": random.choice(["no", "yes"], n),
            "size": random.normal(50, 10, n).round(1),
        }
    )
    late = (frame["day"] - pd.Timestamp("2024-05-30")).dt.days / 60
    score = late + 2.0 * (frame["island"] == "Dream") + 1.5 * (frame["ill"] == "yes") + (frame["size"] - 50) / 10
    frame["kind"] = np.where(score > 1, "a", "b")
    roles = {
        "day": Role.DATE,
        "island": Role.CATEGORICAL,
        "ill": Role.BOOLEAN,
        "size": Role.NUMERIC,
        "kind": Role.TARGET,
    }
    table = read_table(frame.to_csv(index=False).encode(), name="dated.csv")
    return fit_study(table, Roles(roles), settings=FitSettings(lambda_v=1e-4, lambda_w=1e-6))


def test_a_study_has_its_columns_in_its_own_words(dated_study):
    study = dated_study
    shown = surface(study, features=("island", "day"), reference=4, n_points=6)
    assert shown.x_axis.levels == tuple(sorted(shown.x_axis.levels, key=shown.x_axis.levels.index))
    assert set(shown.x_axis.levels) == {"Biscoe", "Dream", "Torgersen"}
    assert shown.y_axis.kind == "date"
    assert shown.y_axis.text(shown.y[0]).startswith("202")
    # The same as scoring rows of the table in which the two cells are changed.
    row = study.table.frame.loc[[4]]
    for h in (0, 3, 5):
        for w, level in enumerate(shown.x_axis.levels):
            day = pd.Timestamp("1970-01-01") + pd.to_timedelta(shown.y[h], unit="D")
            changed = row.assign(island=level, day=day.isoformat(sep=" "))
            scored = study.score(changed)
            expected = scored[[f"probability_{name}" for name in study.classes]].to_numpy()[0]
            assert_allclose(shown.probabilities[h, w], expected, atol=1e-3)
    assert shown.fixed["ill"] == str(row["ill"].iloc[0])
    assert float(shown.fixed["size"]) == row["size"].iloc[0]
    samples = shown.samples
    assert (
        samples["x"].map(lambda place: shown.x_axis.text(place)).tolist()
        == study.table.frame.loc[samples.index, "island"].tolist()
    )


def test_a_truth_value_is_an_axis_of_two_words(dated_study):
    shown = surface(dated_study, features=("ill", "size"), n_points=5)
    assert shown.x_axis.levels == ("no", "yes")
    assert shown.probabilities.shape == (5, 2, 2)
    frame = shown.to_frame()
    assert frame["x"].unique().tolist() == ["no", "yes"]
    assert_allclose(frame[["probability_a", "probability_b"]].sum(axis=1), 1.0)
    plain = shown.to_dict()
    assert plain["x"] == ["no", "yes"]
    assert plain["probabilities"][2][1] == shown.probabilities[2, 1].tolist()


def test_without_a_point_everything_else_is_in_the_middle(dated_study):
    shown = surface(dated_study, features=("day", "size"), n_points=4)
    train = dated_study.table.frame.loc[dated_study.split.train]
    assert shown.fixed["island"] == train["island"].mode()[0]
    assert shown.fixed["ill"] == train["ill"].mode()[0]


def test_single_values_far_outside_do_not_stretch_the_axes(rows):
    X, y = rows
    X = X.copy()
    X[7, 0] = 1e6
    model = ClassifierModel(lambda_v=1e-3, lambda_w=1e-6).fit(X, y)
    assert surface(model, features=(0, 1), cases=X, n_points=4).x[-1] < 20
    assert surface(model, features=(0, 1), cases=X, n_points=4, reference=X[7]).x[-1] >= 1e6


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"features": ("none", None)}, "There is no feature 'none'"),
        ({"features": (9, None)}, "There is no feature '9'"),
        ({"features": ("x1", 1)}, "same feature"),
        ({"batch": 4}, "no batch 4"),
        ({"n_points": 1}, "at least 2"),
        ({"ranges": ((1.0, 0.0), (0.0, 1.0))}, "lower one first"),
    ],
)
def test_what_cannot_be_drawn_is_said(model, asked, words):
    with pytest.raises(ProsetError, match=words):
        surface(model, **asked)


def test_a_classifier_alone_needs_rows_and_has_no_map(rows):
    X, y = rows
    near = KNeighborsClassifier(5).fit(X, y)
    with pytest.raises(ProsetError, match="has no rows"):
        surface(near, features=(0, 1))
    with pytest.raises(ProsetError, match="Only a proset model has a map"):
        surface(near, batch=1, cases=X)
    with pytest.raises(TypeError, match="predict_proba"):
        surface(object(), cases=X)


def test_one_feature_makes_no_surface():
    model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    with pytest.raises(ProsetError, match="two features"):
        surface(model)


@pytest.fixture(scope="module")
def coded_study():
    """Two categories whose words are numbers, the larger ones more frequent, and a number."""
    random = np.random.default_rng(11)
    n = 240
    frame = pd.DataFrame(
        {
            "chest": random.choice([1, 2, 3, 10], n, p=[0.1, 0.2, 0.3, 0.4]),
            "floor": random.choice([1, 2], n, p=[0.3, 0.7]),
            "size": random.normal(50, 10, n).round(1),
        }
    )
    score = 0.4 * frame["chest"] * (frame["floor"] == 2) + (frame["size"] - 50) / 10 + random.normal(0, 0.3, n)
    frame["kind"] = np.where(score > 1.5, "a", "b")
    roles = {"chest": Role.CATEGORICAL, "floor": Role.CATEGORICAL, "size": Role.NUMERIC, "kind": Role.TARGET}
    table = read_table(frame.to_csv(index=False).encode(), name="coded.csv")
    return fit_study(table, Roles(roles), settings=FitSettings(lambda_v=1e-4, lambda_w=1e-6))


def test_levels_that_are_numbers_stand_in_their_order(coded_study):
    study = coded_study
    shown = surface(study, features=("chest", "floor"), reference=4)
    assert shown.x_axis.levels == ("1", "2", "3", "10")  # most frequent first: 10, 3, 2, 1
    assert shown.y_axis.levels == ("1", "2")
    row = study.table.frame.loc[[4]]
    for h, floor in enumerate(shown.y_axis.levels):
        for w, chest in enumerate(shown.x_axis.levels):
            scored = study.score(row.assign(chest=chest, floor=floor))
            expected = scored[[f"probability_{name}" for name in study.classes]].to_numpy()[0]
            assert_allclose(shown.probabilities[h, w], expected, atol=1e-6)
    table = study.table.frame.loc[shown.samples.index]
    assert [shown.x_axis.text(place) for place in shown.samples["x"]] == table["chest"].astype(str).tolist()
    assert [shown.y_axis.text(place) for place in shown.samples["y"]] == table["floor"].astype(str).tolist()
    beside = surface(study, features=("floor", "chest"), reference=4, estimator=study.model)
    assert_allclose(beside.probabilities, shown.probabilities.transpose(1, 0, 2), atol=1e-6)


@pytest.mark.parametrize("scale", [Scale.STANDARD, Scale.EVIDENCE])
def test_prototypes_of_a_study_stand_at_the_values_of_their_rows(coded_study, scale):
    settings = FitSettings(lambda_v=1e-4, lambda_w=1e-6, scale=scale)
    study = fit_study(coded_study.table, coded_study.roles, settings=settings)
    # The weights of a model with evidence can be those of the columns beside the values alone.
    for names in (("chest", "size"), ("size", "floor")):
        shown = surface(study, features=names, n_points=4)
        table = study.table.frame.loc[shown.prototypes["row"]]
        for name, axis, at in zip(names, (shown.x_axis, shown.y_axis), ("x", "y"), strict=True):
            assert [axis.text(place) for place in shown.prototypes[at]] == [
                axis.text(v) if axis.kind == "number" else str(v) for v in table[name]
            ]


def test_densities_show_levels_that_are_numbers_in_their_order(coded_study):
    one = feature_densities(coded_study, features=["chest"]).features[0]
    assert one.places == ("1", "2", "3", "10")


def test_a_column_of_two_levels_that_are_as_frequent_is_fixed_at_one_of_them():
    rng = np.random.default_rng(0)
    flag = np.arange(200) % 2 == 0
    frame = pd.DataFrame({"x": rng.normal(size=200).round(3), "z": rng.normal(size=200).round(3), "flag": flag})
    frame["kind"] = np.where(flag ^ (frame["x"] > 0), "a", "b")
    table = read_table(frame.to_csv(index=False).encode(), name="flags.csv")
    rows = table.frame.index.to_numpy(dtype=np.int64)
    split = Split(rows[:140], rows[140:], rows[:0], SplitSettings())  # 70 of either
    study = fit_study(table, guess_roles(table, target="kind").roles, split=split)
    found = surface(study, features=("x", "z"))
    assert found.fixed["flag"] in ("True", "False", "true", "false", "yes", "no")
