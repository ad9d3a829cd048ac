"""One case of a study of a number: answers by columns of the table, other values, nearest cases, Shapley values."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.explain.numbers.number_shapley import median_row

WORDS = ("red", "blue", "green")


@pytest.fixture(scope="module")
def study():
    rng = np.random.default_rng(0)
    n = 240
    frame = pd.DataFrame({"size": rng.integers(20, 120, n), "hue": rng.choice(WORDS, n), "age": rng.integers(0, 60, n)})
    shift = frame["hue"].map({"red": 0.0, "blue": 60.0, "green": 20.0})
    frame["price"] = (100 + 3 * frame["size"] - 2 * frame["age"] + shift + rng.normal(0, 5, n)).round(1)
    frame.insert(0, "tag", [f"T{i}" for i in range(n)])
    table = proset.read_table(frame.to_csv(index=False).encode(), name="flats.csv")
    return proset.fit_number_study(table, guess_roles(table, target="price").roles)


@pytest.fixture(scope="module")
def row(study):
    return int(study.split.held_out[0])


@pytest.fixture(scope="module")
def answer(study, row):
    return explain.number_answer(study, row)


def test_an_answer_speaks_of_columns_of_the_table_and_of_its_rows(study, row, answer):
    assert (answer.row, answer.stated) == (row, study.targets[row])
    assert answer.median == pytest.approx(study.predictions.loc[row, "median"])
    lines = answer.prototypes
    assert set(lines["sample"]) == set(study.prototypes["row"])
    np.testing.assert_allclose(lines["target"], study.targets.loc[lines["sample"].astype(int)], rtol=1e-6)
    assert list(answer.adjustments.columns) == list(study.roles.features)
    np.testing.assert_allclose(answer.adjustments.sum(axis=1), lines["adjustment"], atol=1e-3)
    assert set(answer.cells.columns) == set(study.used_columns)
    frame = study.table.frame
    for line, values in zip(lines.to_dict("records"), answer.cells.to_dict("records"), strict=True):
        assert {name: frame.loc[int(line["sample"]), name] for name in values} == values


def test_a_sentence_tells_what_the_case_has_and_the_prototype_has_not(study, answer):
    for place in range(len(answer.prototypes)):
        said, parts = answer.said_by(place), answer.adjustments.iloc[place]
        own, other = answer.own_cells.iloc[0], answer.cells.iloc[place]
        if abs(parts["size"]) == parts.abs().max() and own["size"] != other["size"]:
            way = "higher" if own["size"] > other["size"] else "lower"
            assert f"size {abs(own['size'] - other['size']):g} {way}: " in said
        if own["hue"] == other["hue"]:
            assert "hue" not in said
        assert said.startswith(str(answer.prototypes["name"].iloc[place]))
    assert any(f"hue '{answer.own_cells['hue'].iloc[0]}' instead of '" in answer.said_by(i) for i in range(40))


@pytest.mark.parametrize(("small", "named"), [((4.0, -3.0), "2 other columns: +1"), ((1.0, -1.0), None)])
def test_what_a_sentence_names_adds_up_to_what_it_says(answer, small, named):
    prototypes = answer.prototypes.head(1).assign(target=100.0, says=110.0 + sum(small), spread=100.0)
    adjustments = pd.DataFrame([[10.0, *small]], columns=["much", "little", "less"])
    said = replace(answer, row=None, prototypes=prototypes, adjustments=adjustments, lower=90.0, upper=120.0).said_by(0)
    assert f"says {110.0 + sum(small):g}, give or take 100" in said
    assert ("other column" in said) == (named is not None)
    assert named is None or named in said


def test_a_prototype_that_is_the_case_says_so(study):
    row = int(study.prototypes["row"].iloc[0])
    found = explain.number_answer(study, row)
    place = found.prototypes.index[found.prototypes["sample"] == row][0]
    assert "is this case itself" in found.said_by(place)
    copy = explain.number_answer(study, study.table.frame.loc[[row]])
    assert copy.row is None
    assert "itself" not in copy.said_by(place)


def test_a_new_row_states_what_its_own_row_says(study, row):
    frame = study.table.frame.loc[[row]]
    assert explain.number_answer(study, frame.assign(price=7.0)).stated == 7.0
    assert explain.number_answer(study, frame.assign(price="soon")).stated is None
    assert explain.number_answer(study, frame.drop(columns="price")).stated is None


def test_a_case_of_another_study_is_refused(study, row):
    other = proset.fit_number_study(study.table, study.roles)
    with pytest.raises(ValueError, match="belongs to another model"):
        explain.number_answer(study, other.case(row))
    with pytest.raises(StudyError, match="no row 9999"):
        explain.number_answer(study, 9999)


def test_other_values_are_answered_as_a_table_with_them_would_be(study, row):
    changes = {"size": 90, "hue": "blue"}
    found = explain.number_what_if(study, row, changes)
    scored = study.score(study.table.frame.loc[[row]].assign(**changes)).iloc[0]
    assert found.after.median == pytest.approx(scored["median"])
    assert [found.after.lower, found.after.upper] == pytest.approx([scored["lower"], scored["upper"]])
    assert found.quantiles[1] == pytest.approx(scored["quantile"])
    assert found.after.stated is None
    same = explain.number_what_if(study, row, {"size": study.table.frame.loc[row, "size"]})
    assert (same.changes, same.after.median, same.after.stated) == ({}, same.before.median, study.targets[row])
    with pytest.raises(StudyError, match="no column 'rooms'"):
        explain.number_what_if(study, row, {"rooms": 2})


def test_nearest_known_cases_are_those_of_a_plain_search(study, row):
    found = explain.number_neighbours(study, row, n_cases=5).frame
    train = study.split.train
    X, x = study.encode(train).X.astype(float), study.encode([row]).X[0].astype(float)
    similarity = np.zeros(len(train))
    batches = [batch for batch in study.model.set_manager_.batches if batch is not None and len(batch.active_features)]
    total = sum(batch.weights.sum() for batch in batches)
    for batch in batches:
        apart = (X[:, batch.active_features] - x[batch.active_features]) * batch.feature_weights
        similarity += batch.weights.sum() / total * np.exp(-0.5 * (apart**2).sum(axis=1))
    best = np.argsort(-similarity)[:5]
    np.testing.assert_allclose(found["similarity"], similarity[best], rtol=1e-3)
    assert found["target"].tolist() == study.targets.loc[found["row"]].tolist()
    itself = int(train[0])
    assert itself not in explain.number_neighbours(study, itself).frame["row"].tolist()


@pytest.mark.parametrize(
    ("functional", "at", "what"),
    [("median", None, "median"), ("mean", None, "mean"), ("quantile", 0.95, "95 % quantile"),
     ("above", 300.0, "chance of more than 300")],
)  # fmt: skip
def test_shapley_values_are_those_of_brute_force(study, row, functional, at, what):
    there = median_row(study)
    found = explain.number_shap(study, row, there, functional=functional, at=at)
    assert found.what == what
    names = list(study.used_columns)
    frame = study.table.frame

    def said(chosen):
        changed = frame.loc[[there]].assign(**{name: frame.loc[row, name] for name in chosen})
        answer = study.model.predict_distribution(study.design.transform(study.prepared(changed)).X)
        if functional == "above":
            return float(answer.sf([at])[0])
        return float(answer.mean[0] if functional == "mean" else answer.quantile(0.5 if at is None else at)[0])

    expected = dict.fromkeys(names, 0.0)
    orders = list(permutations(names))
    for order in orders:
        for place, name in enumerate(order):
            expected[name] += (said(order[: place + 1]) - said(order[:place])) / len(orders)
    assert found.exact
    assert dict(zip(found.columns, found.values, strict=True)) == pytest.approx(
        {name: expected[name] for name in found.columns}, abs=1e-5 if functional == "above" else 1e-3
    )
    assert found.base + found.values.sum() == pytest.approx(found.answer)
    assert found.answer == pytest.approx(said(names))


def test_drawn_orders_come_near_and_sum_exactly(study, row):
    exact = explain.number_shap(study, row)
    drawn = explain.number_shap(study, row, exact_up_to=0, n_orders=200)
    assert (exact.exact, drawn.exact) == (True, False)
    assert drawn.base + drawn.values.sum() == pytest.approx(exact.answer)
    by_name = dict(zip(exact.columns, exact.values, strict=True))
    apart = [abs(value - by_name[name]) for name, value in zip(drawn.columns, drawn.values, strict=True)]
    assert (np.array(apart) <= 5.0 * drawn.errors + 1e-6).all()


def test_a_case_beside_itself_has_nothing_to_divide(study, row):
    found = explain.number_shap(study, row, row)
    assert (found.columns, found.base) == ((), pytest.approx(found.answer))


def test_a_model_alone_needs_a_reference(study):
    with pytest.raises(ValueError, match="pass a reference"):
        explain.number_shap(study.model, study.encode([1]).X)
    with pytest.raises(ValueError, match="functional"):
        explain.number_shap(study, 1, functional="mode")
    for functional, at in (("median", 0.5), ("quantile", None), ("above", None)):
        with pytest.raises(ValueError, match="at goes with"):
            explain.number_shap(study, 1, functional=functional, at=at)
    for functional, at in (("quantile", 1.0), ("quantile", 0.0), ("above", np.inf), ("above", np.nan)):
        with pytest.raises(ValueError, match="has to be between 0 and 1, else a number"):
            explain.number_shap(study, 1, functional=functional, at=at)


@pytest.mark.parametrize("by", [25.0, -25.0])
def test_the_smallest_change_is_that_of_trying_every_value(study, row, by):
    found = explain.number_moves(study, row, by)
    frame, now = study.table.frame, study.predictions.loc[row, "median"]
    lines = found.reached.set_index("column")
    for name in ("size", "age"):
        own = frame.loc[row, name]
        values = sorted(range(frame[name].min(), frame[name].max() + 1), key=lambda value: abs(value - own))
        medians = study.score(pd.concat([frame.loc[[row]].assign(**{name: value}) for value in values]))["median"]
        good = [v for v, m in zip(values, medians, strict=True) if (m - now) * np.sign(by) >= abs(by)]
        assert (name in lines.index) == bool(good)
        if good:
            assert abs(lines.loc[name, "cell"] - own) == abs(good[0] - own)
    assert set(lines.index) | set(found.missed["column"]) == set(study.used_columns)
    assert found.reached["size"].is_monotonic_increasing


def test_what_cannot_be_reached_is_said(study, row):
    found = explain.number_moves(study, row, 1e6)
    assert found.reached.empty
    assert "No change of one column moves the median by +1,000,000; of the values that were tried" in found.words
    most = found.missed.iloc[0]
    frame = study.table.frame.loc[[row]]
    value = most["after"] if most["column"] == "hue" else float(most["after"])
    then = study.score(frame.assign(**{most["column"]: value}))["median"].iloc[0]
    assert then - study.predictions.loc[row, "median"] == pytest.approx(most["moved"])
    with pytest.raises(ValueError, match="other than 0"):
        explain.number_moves(study, row, 0.0)
