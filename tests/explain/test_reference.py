"""Algorithm 4.2 and the medoids of classes, against plain loops over all pairs."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import cdist

from proset import ClassifierModel, explain
from proset.explain.attribution.reference import borda_points, mean_distances


def by_pairs(model, X):
    """Algorithm 4.2 as it stands."""
    probabilities = model.predict_proba(X)
    spaces = X[:, model.set_manager_.get_active_features()], probabilities
    points = np.zeros(len(X))
    for space in spaces:
        distance = (cdist(space, space).sum(axis=1) / (len(X) - 1)).round(9)
        points += [(distance > own).sum() + 0.5 * ((distance == own).sum() - 1) for own in distance]
    entropy = -(probabilities * np.log(probabilities)).sum(axis=1).round(9)
    return points, max(range(len(X)), key=lambda i: (points[i], entropy[i], -i))


@pytest.fixture(scope="module")
def fitted():
    """Features on a coarse grid, so that rows, distances and points tie."""
    random = np.random.default_rng(2)
    X = random.integers(0, 4, size=(150, 4)) / 3.0
    return ClassifierModel(lambda_v=1e-3, random_state=1).fit(X, (X[:, 1] + X[:, 2] > 1.0).astype(int)), X


def test_points_are_those_of_the_algorithm(fitted):
    model, X = fitted
    found = explain.choose_reference_point(model, X)
    points, winner = by_pairs(model, X)
    assert found.ranking["points"].tolist() == points.tolist()
    assert found.index == found.position == winner
    assert (found.x == X[winner]).all()
    assert found.ranking["points"].sum() == pytest.approx(len(X) * (len(X) - 1))  # Borda gives out all points
    np.testing.assert_allclose(found.probabilities, model.predict_proba(X[[winner]])[0])


@pytest.mark.parametrize("seed", range(5))
def test_the_winner_is_that_of_the_algorithm_on_numbers_without_ties(seed):
    random = np.random.default_rng(seed)
    X = random.normal(size=(60, 3)) * [1.0, 2.0, 0.5]  # near enough for estimates to differ
    model = ClassifierModel(lambda_v=1e-4, random_state=seed).fit(X, random.integers(3, size=60))
    assert explain.choose_reference_point(model, X).index == by_pairs(model, X)[1]


def test_ties_go_to_entropy_and_then_to_the_first():
    model = ClassifierModel(lambda_v=1e-4, random_state=0).fit(
        [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb")
    )
    # Two points have no medoid, so the more even estimate decides.
    pair = np.array([[0.0], [0.6]])
    entropy = explain.choose_reference_point(model, pair).ranking["entropy"]
    assert explain.choose_reference_point(model, pair).index == int(entropy.argmax()) == 1
    assert explain.choose_reference_point(model, pair[::-1]).index == 0
    assert explain.choose_reference_point(model, pair[[0, 0, 0]]).index == 0


def test_distances_are_those_of_all_pairs_and_equal_rows_tie():
    random = np.random.default_rng(0)
    values = random.normal(size=(80, 3)) * [1e-3, 1.0, 1e6] + [0.0, 5.0, 1e9]
    values[40:] = values[:40]
    found = mean_distances(values)
    np.testing.assert_allclose(found, cdist(values, values).sum(axis=1) / 79, rtol=1e-9)
    assert (found[:40] == found[40:]).all()
    assert mean_distances(np.ones((1, 2))).tolist() == [0.0]
    assert mean_distances(np.ones((3, 0))).tolist() == [0.0, 0.0, 0.0]


def test_borda_gives_half_points_for_ties():
    assert borda_points(np.array([2.0, 1.0, 2.0, 3.0])).tolist() == [1.5, 3.0, 1.5, 0.0]
    assert borda_points(np.zeros(4)).tolist() == [1.5] * 4


def test_of_many_rows_some_are_drawn_and_it_is_said(fitted):
    model, _ = fitted
    X = np.random.default_rng(0).normal(size=(5_000, 4))
    found = explain.choose_reference_point(model, X)
    assert (found.n_cases, len(found.ranking)) == (5_000, 2_000)
    assert (found.x == X[found.position]).all()
    assert found.to_dict()["cases_ranked"] == 2_000
    assert found.to_frame().index[0] == found.index == found.position
    assert explain.choose_reference_point(model, X).index == found.index
    few = explain.choose_reference_point(model, X, max_cases=300, random_state=1)
    assert len(few.ranking) == 300
    drawn = explain.choose_reference_point(model, X[few.ranking.index])
    assert few.index == few.ranking.index[drawn.index]
    medoid = explain.class_medoid(model, X, np.zeros(5_000, dtype=int), class_name=0, max_cases=100)
    assert (medoid.n_cases, len(medoid.distances)) == (5_000, 100)
    assert (medoid.x == X[medoid.position]).all()


def test_a_study_names_the_row(mixed_study):
    found = explain.choose_reference_point(mixed_study)
    assert found.index in mixed_study.split.train
    missing = mixed_study.encode(mixed_study.split.train).imputed[list(mixed_study.used_columns)].any(axis=1)
    assert missing.any()
    assert found.ranking.index.tolist() == sorted(missing.index[~missing])  # what was filled in is no case
    assert (found.x == mixed_study.encode([found.index]).X[0]).all()
    assert found.to_frame().index[0] == found.index
    plain = found.to_dict()
    assert plain["index"] == found.index
    assert type(plain["index"]) is int
    assert plain["points"] <= plain["most_points_possible"]
    # The order in which rows are named changes nothing.
    assert explain.choose_reference_point(mixed_study, mixed_study.split.train[::-1]).index == found.index


def test_a_model_without_features_takes_the_first_row(empty_study):
    assert explain.choose_reference_point(empty_study).index == empty_study.split.train.min()


def test_no_rows_are_refused(fitted):
    with pytest.raises(ValueError, match="0 sample"):
        explain.choose_reference_point(fitted[0], np.zeros((0, 4)))


def test_a_medoid_is_the_most_central_case_of_its_class(fitted):
    model, X = fitted
    y = np.arange(150) % 2
    found = explain.class_medoid(model, X, y, class_name=1)
    own = X[1::2][:, model.set_manager_.get_active_features()]
    distance = cdist(own, own).mean(axis=1).round(9)
    assert found.index == 1 + 2 * int(distance.argmin())
    assert len(found.to_frame()) == 75
    frame = pd.DataFrame(X, index=[f"r{i}" for i in range(150)])
    assert explain.class_medoid(model, frame, y, class_name=1).index == f"r{found.index}"


def test_a_study_knows_the_classes_itself(mixed_study):
    found = explain.class_medoid(mixed_study, class_name="big")
    assert mixed_study.labels[found.index] == "big"
    assert not mixed_study.encode(found.distances.index).imputed[list(mixed_study.used_columns)].to_numpy().any()
    assert found.index in mixed_study.split.train
    assert found.to_dict()["class"] == "big"


def test_what_a_medoid_needs_is_said(fitted, mixed_study):
    model, X = fitted
    with pytest.raises(ValueError, match="pass y"):
        explain.class_medoid(model, X, class_name=1)
    with pytest.raises(ValueError, match="as many classes"):
        explain.class_medoid(model, X, [1, 0], class_name=1)
    with pytest.raises(ValueError, match="No case has the class 'huge'; the classes are 'big', 'small'"):
        explain.class_medoid(mixed_study, class_name="huge")
