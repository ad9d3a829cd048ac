"""The nearest known cases of each class, and where values lie among those of each class."""

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import StudyError
from proset.data.issues import Role
from proset.explain.cases.value_fits import QUANTILES, known_values
from proset.explain.subject import subject_of
from proset.study.case import KnownRows


@pytest.fixture(scope="module")
def row(mixed_study):
    return int(mixed_study.split.held_out[4])


def test_three_of_each_class_by_similarity(mixed_study, row):
    found = explain.nearest_cases(mixed_study, row)
    assert found.frame["class"].tolist() == ["big"] * 3 + ["small"] * 3
    assert found.frame["rank"].tolist() == [1, 2, 3] * 2
    for name in found.classes:
        assert found.of(name)["similarity"].is_monotonic_decreasing
    best = found.frame.sort_values("similarity", ascending=False).iloc[0]
    near = explain.novelty(mixed_study, [row])
    assert best["row"] == near.nearest[0]
    assert best["similarity"] == pytest.approx(near.similarity[0])
    assert (mixed_study.labels.loc[found.frame["row"]].to_numpy() == found.frame["class"].to_numpy()).all()
    assert found.frame["name"].tolist() == mixed_study.table.frame.loc[found.frame["row"], "tag"].tolist()
    assert list(found.values.columns) == ["size (cm)", "island"]
    assert found.to_dict()["row"] == found.frame["row"].tolist()


def test_the_first_of_many_are_those_that_fewer_would_be(mixed_study, row):
    many, few = (explain.nearest_cases(mixed_study, row, n_cases=n) for n in (20, 2))
    pd.testing.assert_frame_equal(many.first(2).frame, few.frame)
    pd.testing.assert_frame_equal(many.first(2).values, few.values)


@pytest.mark.parametrize("feature", ["size (cm)", "island"])
def test_a_column_is_looked_up_once_for_all_cases_and_is_what_the_rows_hold(mixed_study, feature):
    subject, learned = subject_of(mixed_study), mixed_study.learned
    known = known_values(subject, learned)(feature)
    assert known_values(subject, mixed_study.learned)(feature) is known
    there = ~mixed_study.encode(learned.rows).imputed[feature].to_numpy()
    own = subject.groups[subject.features.index(feature)]
    for name, members in zip(subject.classes, known.of_class, strict=True):
        plain = learned.X[np.ix_(there & (learned.y == name), own)].astype(float)
        assert sorted(map(tuple, plain)) == sorted(map(tuple, members))
        if known.ordered:
            quantiles = known.quantiles[subject.classes.index(name)]
            assert quantiles == pytest.approx(np.quantile(plain[:, 0], QUANTILES))
    x, (one, other) = mixed_study.encode(mixed_study.split.held_out[:6]).X[:, own].astype(float), subject.classes
    fits = known.fits(x) + 0.02
    assert known.leans(x, one, other) == pytest.approx(np.log(fits[:, 0] / fits[:, 1]) / np.log(1.02 / 0.02))


def test_rows_of_a_model_alone_are_not_kept_for_another_model(mixed_study):
    X, y = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0), np.repeat(["a", "b", "c"], 4)
    known = KnownRows(X, y, np.arange(12))
    models = [ClassifierModel().fit(X, labels) for labels in (y, np.where(y == "c", "b", y))]
    classes = [known_values(subject_of(model), known)("x0").classes for model in models]
    assert classes == [("a", "b", "c"), ("a", "b")]


def test_a_training_row_is_not_its_own_neighbour(mixed_study):
    row = int(mixed_study.split.train[0])
    assert row not in explain.nearest_cases(mixed_study, row).frame["row"].tolist()
    new = explain.nearest_cases(mixed_study, mixed_study.table.frame.loc[[row]])
    assert row in new.frame["row"].tolist()
    assert new.frame["similarity"].max() == pytest.approx(1.0, abs=1e-15)  # a mean over batches, rounded


def test_the_batch_named_has_the_largest_part_in_the_similarity(mixed_study, row):
    found = explain.nearest_cases(mixed_study, row)
    x = mixed_study.encode([row]).X[0].astype(float)
    batches = mixed_study.model.set_manager_.batches
    total = sum(float(batch.weights.sum()) for batch in batches)
    for _, line in found.frame.iterrows():
        other = mixed_study.encode([line["row"]]).X[0].astype(float)
        gaps = [(x - other)[batch.active_features] * batch.feature_weights for batch in batches]
        parts = [
            float(batch.weights.sum()) / total * np.exp(-0.5 * np.square(gap).sum())
            for batch, gap in zip(batches, gaps, strict=True)
        ]
        assert line["similarity"] == pytest.approx(sum(parts), rel=1e-5)
        assert line["batch"] == 1 + int(np.argmax(parts))
    used = set(mixed_study.prototypes["row"])
    assert found.frame["prototype"].tolist() == [other in used for other in found.frame["row"]]


def test_beside_a_model_known_cases_are_positions(mixed_study, row):
    train, labels = mixed_study.encode(mixed_study.split.train).X, mixed_study.labels.loc[mixed_study.split.train]
    x = mixed_study.encode([row]).X[0]
    found = explain.nearest_cases(mixed_study.model, x, known=train, y=labels)
    expected = explain.nearest_cases(mixed_study, row).frame
    assert mixed_study.split.train[found.frame["row"]].tolist() == expected["row"].tolist()
    with pytest.raises(ValueError, match="'known'"):
        explain.nearest_cases(mixed_study.model, x)


def test_without_prototypes_all_are_equally_similar(empty_study):
    found = explain.nearest_cases(empty_study, int(empty_study.split.held_out[0]))
    assert (found.frame["similarity"] == 1.0).all()
    assert (found.frame["batch"] == 0).all()
    assert not found.frame["prototype"].any()


def test_one_row_at_a_time(mixed_study):
    two = mixed_study.table.frame.iloc[:2]
    for ask in (explain.nearest_cases, explain.value_places):
        with pytest.raises(StudyError, match="2 were given"):
            ask(mixed_study, two)


def test_places_are_shares_of_each_class(mixed_study, row):
    found = explain.value_places(mixed_study, row)
    assert found.frame["column"].tolist() == ["size (cm)", "island"]
    assert found.frame["kind"].tolist() == ["number", "level"]
    train = mixed_study.table.frame.loc[mixed_study.split.train]
    value, island = mixed_study.table.frame.loc[row, ["size (cm)", "island"]]
    assert found.frame["value"].tolist() == [str(value), island]
    for name, own in train.groupby(mixed_study.labels.loc[train.index]):
        sizes = own["size (cm)"].dropna()
        expected = (sizes < value).mean() + 0.5 * (sizes == value).mean()
        assert found.places.loc[0, name] == pytest.approx(expected)
        assert found.places.loc[1, name] == pytest.approx((own["island"] == island).mean())
        line = found.spread.set_index(["column", "class"]).loc[("size (cm)", name)]
        assert line["median"] == pytest.approx(sizes.median(), rel=1e-5)
    assert found.frame.loc[0, ["low", "high"]].tolist() == pytest.approx(
        [train["size (cm)"].min(), train["size (cm)"].max()], rel=1e-5
    )


def test_values_outside_the_known_ones_are_told(mixed_study, row):
    frame = mixed_study.table.frame.loc[[row]]

    def outside(**changed):
        return explain.value_places(mixed_study, frame.assign(**changed)).frame["outside"].tolist()

    assert outside(**{"size (cm)": 500.0}) == ["above all", ""]
    assert outside(**{"size (cm)": -500.0, "island": "Atlantis"}) == ["below all", "never seen"]
    assert outside(**{"size (cm)": None}) == ["missing", ""]
    missing = explain.value_places(mixed_study, frame.assign(**{"size (cm)": None}))
    assert missing.places.loc[0].isna().all()
    assert missing.frame["value"].iloc[0] == "missing"
    unseen = explain.value_places(mixed_study, frame.assign(island="Atlantis"))
    assert unseen.places.loc[1].tolist() == [0.0, 0.0]
    assert list(unseen.to_frame().columns[-2:]) == ["place in big", "place in small"]


def test_the_roles_of_columns_decide_their_kind(mixed_study):
    kinds = {Role.NUMERIC: "number", Role.CATEGORICAL: "level"}
    places = explain.value_places(mixed_study, 1)
    for _, line in places.frame.iterrows():
        assert line["kind"] == kinds[mixed_study.roles.by_column[line["column"]]]
