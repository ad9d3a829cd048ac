"""The answer of a regressor taken apart: its parts sum to what the model says, and its words say what is there."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from number_tables import priced
from scipy.stats import norm
from sklearn.exceptions import NotFittedError

from proset import ClassifierModel, RegressorModel
from proset.explain import number_answer
from proset.plots import plot_number_answer


@pytest.fixture(scope="module")
def rooms():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"area": rng.normal(size=200), "rooms": rng.normal(size=200), "noise": rng.normal(size=200)})
    y = 300.0 + 40.0 * X["area"] + 15.0 * np.sin(2.0 * X["rooms"]) + rng.normal(0.0, 5.0, 200)
    return X, y.to_numpy()


@pytest.fixture(scope="module")
def model(rooms):
    return RegressorModel(n_iter=2, random_state=0).fit(*rooms)


@pytest.fixture(scope="module")
def answer(model, rooms):
    return number_answer(model, rooms[0].iloc[[7]], rooms[1][7])


def test_it_says_what_the_model_says(model, rooms, answer):
    row = rooms[0].iloc[[7]]
    assert answer.mean == pytest.approx(model.predict(row)[0], rel=1e-12)
    assert answer.median == pytest.approx(model.predict_quantiles(row, 0.5)[0], rel=1e-12)
    assert [answer.lower, answer.upper] == pytest.approx(model.predict_interval(row, 0.9)[0].tolist())
    assert answer.familiarity == pytest.approx(model.familiarity(row)[0])
    places = np.repeat(answer.places[None], 1, axis=0)
    np.testing.assert_allclose(answer.density, model.predict_distribution(row).pdf(places)[0], rtol=1e-9, atol=1e-14)


def test_parts_sum_to_the_whole(answer):
    np.testing.assert_allclose(answer.humps.sum(axis=0), answer.density, rtol=1e-12)
    assert answer.everybody + answer.prototypes["share"].sum() == pytest.approx(1.0)
    lines = answer.prototypes
    np.testing.assert_allclose(lines["target"] + lines["adjustment"], lines["says"])
    np.testing.assert_allclose(
        answer.adjustments.sum(axis=1), lines["adjustment"], atol=1e-4
    )  # slopes of one precision
    assert lines["impact"].is_monotonic_decreasing


def test_prototypes_are_rows_of_the_training_data(answer, rooms):
    for line in answer.prototypes.itertuples():
        assert line.target == pytest.approx(rooms[1][line.sample])


def test_without_all_but_the_dominant_ones_the_median_stays(model, rooms):
    X = rooms[0]
    for row in range(0, 60, 3):
        found = number_answer(model, X.iloc[[row]], moved=6.0)
        lines = found.prototypes
        first = int(lines["dominant"].sum())
        assert lines["dominant"].tolist() == [True] * first + [False] * (len(lines) - first)
        kept = lines[lines["dominant"]]
        values = np.linspace(found.median - 6.0, found.median + 6.0, 3)
        marginal = RegressorModel(n_iter=0).fit(*rooms).predict_distribution(X.iloc[[row]]).cdf(values[None])[0]
        below = marginal + sum(
            w * norm.cdf((values - m) / h) for w, m, h in kept[["impact", "says", "spread"]].to_numpy()
        )
        share = below / (1.0 + kept["impact"].sum())
        assert share[0] <= 0.5 <= share[-1]


def test_words_name_what_is_there(answer, rooms):
    assert answer.words.startswith("About ")
    assert "90 % between" in answer.words
    assert "whichever of the others were taken away" in answer.words
    adjusted = int(answer.adjustments["area"].abs().idxmax())
    said = answer.said_by(adjusted)
    assert said.startswith(f"row {answer.prototypes.loc[adjusted, 'sample']} has ")
    assert re.search(r"in this case .*area [\d.]+ (higher|lower): [+−][\d.]+", said)
    assert "give or take" in said


def test_far_from_everything_everybody_answers(model):
    far = number_answer(model, pd.DataFrame({name: [1e3] for name in ("area", "rooms", "noise")}))
    assert far.everybody == pytest.approx(1.0)
    assert not far.prototypes["dominant"].any()
    assert "Whatever became of the prototypes" in far.words


def test_a_model_without_batches_has_no_prototypes(rooms):
    found = number_answer(RegressorModel(n_iter=0).fit(*rooms), rooms[0].iloc[[0]])
    assert (len(found.prototypes), found.n_shown, found.everybody) == (0, 0, pytest.approx(1.0))
    assert len(plot_number_answer(found).data) == 3


def test_what_cannot_be_explained_is_refused_in_words(model, rooms):
    X, _ = rooms
    with pytest.raises(TypeError, match="not a ClassifierModel"):
        number_answer(ClassifierModel(), X.iloc[[0]])
    with pytest.raises(NotFittedError):
        number_answer(RegressorModel(), X.iloc[[0]])
    with pytest.raises(ValueError, match="2 rows were given"):
        number_answer(model, X.iloc[:2])
    with pytest.raises(ValueError, match="moved has to be more than 0"):
        number_answer(model, X.iloc[[0]], moved=0.0)


def test_the_picture_holds_the_parts_and_the_true_value(answer):
    figure = plot_number_answer(answer, unit="price <b>")
    areas = [trace for trace in figure.data if trace.stackgroup]
    assert len(areas) == answer.n_shown + 2
    np.testing.assert_allclose(np.sum([area.y for area in areas], axis=0), answer.density, rtol=1e-12)
    assert areas[0].name.startswith("everybody")
    assert any("actual value" in str(trace.name) for trace in figure.data)
    assert "<b>" not in figure.layout.xaxis.title.text


def test_a_median_outside_of_all_that_was_learned_is_named():
    study = priced()
    inside = number_answer(study, study.table.frame.iloc[[5]])
    assert inside.learned == (study.targets[study.split.train].min(), study.targets[study.split.train].max())
    assert inside.beyond_words == ""
    far = {200.0: "more than ", -200.0: "less than "}
    for more, ends in far.items():
        said = number_answer(study, study.table.frame.iloc[[5]].assign(size=inside.own_cells["size"].iloc[0] + more))
        outside = not inside.learned[0] <= said.median <= inside.learned[1]
        assert bool(said.beyond_words) == outside == said.words.endswith("where it saw nothing.")
        if outside:
            assert ends in said.beyond_words
    learned = (said.median + 1.0, said.median + 2.0)
    assert "less than" in replace(said, learned=learned).beyond_words
