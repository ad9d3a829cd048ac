"""What speaks against an estimate outside of the model, each number against the plain way of finding it."""

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.cases.unused import COMMON, RARE
from proset.study import DecisionRule, fit_study


@pytest.fixture(scope="module")
def cancer():
    return fit_study(load_sample("cancer"), sample_roles("cancer"))


def fit(values, value):
    """Twice the smaller tail, equal values counted half."""
    place = (values < value).mean() + 0.5 * (values == value).mean()
    return 2 * min(place, 1 - place)


def test_columns_that_the_model_does_not_use_fit_the_true_class_of_a_wrong_case_better(cancer):
    found, frame = explain.contradictions(cancer, 298), cancer.table.frame
    assert (found.said, found.other) == ("benign", "malignant")
    assert set(found.columns["column"]) == set(cancer.roles.features) - set(cancer.used_columns)
    train = frame.loc[cancer.split.train]
    for line in found.columns.to_dict("records"):
        name = line["column"]
        for label, key in (("benign", "fit_said"), ("malignant", "fit_other")):
            values = train.loc[train["diagnosis"] == label, name].astype("float32")
            assert line[key] == pytest.approx(fit(values, np.float32(frame.loc[298, name])), abs=1e-9)
        assert line["contradicts"] == (line["fit_said"] < RARE and line["fit_other"] >= COMMON)
    assert set(found.contradicting) == {"area error", "radius error", "perimeter error"}
    assert found.columns["contradicts"].is_monotonic_decreasing


def test_those_that_are_anything_like_a_case_are_counted_among_the_nearest(cancer):
    known = cancer.nearness.by_model.known
    counts = []
    for row in cancer.split.held_out[:60].tolist():
        similarity = known.nearest(cancer.case(row).x[None], k=20).similarity[0]
        counts.append(explain.contradictions(cancer, row).alike)
        assert counts[-1] == (similarity >= 0.1).sum()
    assert max(counts) >= 20
    far = cancer.table.frame.loc[[298]].assign(**dict.fromkeys(cancer.used_columns, 1e4))
    assert explain.contradictions(cancer, far).alike == 0


def test_a_right_estimate_is_held_against_the_runner_up_a_wrong_one_against_the_table():
    study = fit_study(load_sample("penguins"), sample_roles("penguins"))
    judged = study.judged()
    rows = study.split.held_out
    for row in rows[:: len(rows) // 12]:
        found, estimates = explain.contradictions(study, int(row)), study.probabilities.loc[row]
        assert found.said == judged.loc[row, "predicted"]
        right = judged.loc[row, "predicted"] == judged.loc[row, "actual"]
        runner_up = estimates.drop(found.said).idxmax()
        assert found.other == (runner_up if right else judged.loc[row, "actual"])


@pytest.mark.slow
def test_it_says_how_usual_it_is_that_so_many_columns_contradict(cancer):
    found, train = explain.contradictions(cancer, 298), cancer.table.frame.loc[cancer.split.train]
    unused = found.columns["column"]
    benign, malignant = (
        train.loc[train["diagnosis"] == name, unused].astype("float32") for name in found.nearest.index
    )
    counts = [
        sum(fit(benign[c], row[c]) < RARE and fit(malignant[c], row[c]) >= COMMON for c in unused)
        for _, row in benign.iterrows()
    ]
    assert found.as_many == pytest.approx(np.mean(np.array(counts) >= 3))
    assert found.unusual
    assert "in 4.0 % of the known 'benign' cases" in found.words[0]


def test_the_nearest_are_counted_in_both_metrics_with_those_as_far_as_the_last(cancer):
    found, train = explain.contradictions(cancer, 14, n_nearest=15), cancer.split.train
    similar = explain.nearest_cases(cancer, 14, n_cases=len(train)).frame
    for metric, name in (("by_model", "similarity"), ("by_columns", "similarity_all")):
        last = similar[name].nlargest(15).min()
        expected = similar.loc[similar[name] >= last, "class"].value_counts()
        assert found.nearest[metric].to_dict() == expected.reindex(found.nearest.index, fill_value=0).to_dict()
    assert 14 not in train
    one = int(train[0])
    assert int(explain.contradictions(cancer, one, n_nearest=1).nearest["by_model"].sum()) == 1


def test_neighbours_of_another_class_are_said():
    random = np.random.default_rng(5)
    labels = np.repeat(["down", "up"], 60)
    X = random.normal(size=(120, 4))
    X[:, 0] = (labels == "up") + 0.01 * X[:, 0]
    model = ClassifierModel(lambda_v=1e-2).fit(X, labels)
    assert model.set_manager_.get_active_features().tolist() == [0]
    # What the model has seen as noise tells the classes apart, and the case goes with the other one there.
    known = X + 8.0 * np.outer(labels == "up", [0.0, 1.0, 1.0, 1.0])
    case = np.array([1.0, *known[0, 1:]])
    found = explain.contradictions(model, case, known=known, y=labels)
    assert found.said == "up"
    assert found.nearest.loc["up", "by_model"] == 20
    assert found.words[0] == "Known cases contradict 'up': 20 of 20 nearest in all columns are 'down'."
    assert found.further_words == found.words  # of the model's columns nothing is said
    assert "'down' better" in found.words[1]


def test_ties_at_the_last_place_all_count():
    frame = pd.DataFrame({"ward": ["a"] * 30 + ["b"] * 30, "kind": ["no"] * 30 + ["yes"] * 30})
    table = read_table(frame.to_csv(index=False).encode(), name="wards.csv")
    study = fit_study(table, Roles({"ward": Role.CATEGORICAL, "kind": Role.TARGET}))
    found = explain.contradictions(study, 1, n_nearest=5)
    assert int(found.nearest["by_columns"].sum()) > 15
    assert found.nearest.loc["yes", "by_columns"] == 0
    assert found.columns.empty
    assert found.as_many == 1.0
    assert not found.unusual
    assert found.words == ()


def test_a_decision_rule_a_new_row_and_a_model_are_taken(cancer):
    always = DecisionRule(costs=((0.0, 0.0), (1e9, 0.0)))
    assert (
        explain.contradictions(cancer, 1, rule=always).said
        == explain.Evidence(cancer.case(1), rule=always).report.predicted
    )
    row = cancer.table.frame.loc[[298]]
    new = explain.contradictions(cancer, row)
    assert new.contradicting == explain.contradictions(cancer, 298).contradicting
    some = explain.contradictions(cancer, row.drop(columns=["area error", "diagnosis"]))
    assert "area error" not in set(some.columns["column"])
    assert (some.said, some.other) == ("benign", "malignant")
    labels = cancer.labels.loc[cancer.split.train].to_numpy()
    X = cancer.encode(cancer.split.train).X
    alone = explain.contradictions(cancer.model, cancer.encode([298]).X[0], known=X, y=labels)
    assert alone.nearest["by_model"].to_dict() == explain.contradictions(cancer, 298).nearest["by_model"].to_dict()
    with pytest.raises(ValueError, match="'y'"):
        explain.contradictions(cancer.model, cancer.encode([298]).X[0], known=X)


def test_a_missing_value_contradicts_nothing(mixed_study):
    for row in mixed_study.split.held_out[:5]:
        found = explain.contradictions(mixed_study, int(row))
        cells = mixed_study.case(int(row)).cells
        assert not any(pd.isna(cells[name]) for name in found.columns["column"])
        assert found.to_dict()["columns"]["column"] == found.columns["column"].tolist()
        assert found.said != found.other


def test_a_study_of_a_model_without_columns_counts_no_neighbours(empty_study):
    found = explain.contradictions(empty_study, int(empty_study.split.held_out[0]))
    assert int(found.nearest["by_model"].sum()) == 0
    assert int(found.nearest["by_columns"].sum()) > 0
