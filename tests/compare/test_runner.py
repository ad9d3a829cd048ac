"""Every system learns from the same rows and is measured on the same others."""

import numpy as np
import pandas as pd
import pytest
from compare_fakes import Centres, Shares, contender, visits_study

from proset.common.errors import ProsetError, StudyError
from proset.compare import MEASURES, ComparePlan, compare
from proset.compare.ground import ground_of
from proset.engine.metrics import evaluate
from proset.explain import calibration
from proset.selection import Cancelled

BARE = {"sizes": False, "drift": False}


def test_proset_is_the_model_of_the_other_pages(study, compared):
    entry = compared.system("proset")
    expected = study.probabilities.loc[compared.measured].to_numpy()
    np.testing.assert_allclose(entry.probabilities, expected, atol=1e-6)
    assert entry.n_prototypes == len(study.prototypes)
    assert set(entry.prototype_rows) == set(study.prototypes["row"])
    assert entry.held_out_scores[0] == pytest.approx(study.metrics.log_loss, abs=1e-6)
    assert entry.held_out_scores[1] == pytest.approx(study.metrics.balanced_accuracy)
    assert entry.held_out_scores[2] == pytest.approx(study.metrics.roc_auc, abs=1e-6)
    assert entry.held_out_scores[3] == pytest.approx(calibration(study).error, abs=1e-5)


def test_fold_scores_are_those_of_a_plain_loop(study, fakes):
    ground = ground_of(study, fakes.plan)
    position = {name: k for k, name in enumerate(study.classes)}
    for number, fold in enumerate(ground.folds):
        X, X_test = ground.matrices(fold)
        model = Centres().fit(X, ground.labels[fold.train])
        actual = np.array([position[name] for name in ground.labels[fold.test]])
        order = [list(model.classes_).index(name) for name in study.classes]
        found = evaluate(actual, model.predict_proba(X_test)[:, order], classes=study.classes, marginals=np.ones(3) / 3)
        scores = dict(zip(MEASURES, fakes.system("proset").fold_scores[number], strict=True))
        assert scores["log_loss"] == pytest.approx(found.log_loss)
        assert scores["balanced_accuracy"] == pytest.approx(found.balanced_accuracy)
        assert scores["roc_auc"] == pytest.approx(found.roc_auc)


def test_columns_of_estimates_follow_the_classes_of_the_study(study, fakes):
    shares = study.labels.loc[fakes.rows].value_counts(normalize=True)
    np.testing.assert_allclose(fakes.system("pvm").probabilities[0], shares[list(study.classes)].to_numpy())


def test_what_fails_says_so_and_the_others_go_on(fakes):
    entry = fakes.system("smp")
    assert "Fold 2 of 3: A class is too small. Leave it out." in entry.failed
    assert np.isfinite(entry.fold_scores[[0, 2]][:, 0]).all()
    assert np.isnan(entry.fold_scores[1]).all()
    assert entry.model is not None
    assert entry.notes == ("It is not sure of itself.",)
    assert fakes.system("pvm").failed == ""


def test_what_is_missing_takes_no_part(study):
    absent = contender("knn", Shares, missing="XGBoost is not installed.")
    found = compare(
        study, ComparePlan(("proset", "knn"), n_folds=2, **BARE), contenders=[contender("proset", Shares), absent]
    )
    entry = found.system("knn")
    assert (entry.failed, entry.model, entry.offers, len(entry.probabilities)) == (
        "XGBoost is not installed.",
        None,
        (),
        0,
    )


def test_an_unexpected_end_is_said_in_words(study):
    class Broken(Shares):
        def fit(self, X, y):
            raise KeyError("no such thing")

    found = compare(study, ComparePlan(("proset",), n_folds=2, **BARE), contenders=[contender("proset", Broken)])
    assert found.system("proset").failed == "It ended unexpectedly (KeyError: 'no such thing')."


def test_estimates_that_are_no_probabilities_are_refused(study):
    class Wild(Shares):
        def predict_proba(self, X):
            return np.full((len(X), 3), np.nan)

    found = compare(study, ComparePlan(("proset",), n_folds=2, **BARE), contenders=[contender("proset", Wild)])
    assert found.system("proset").failed == "Its estimates are no probabilities."


def test_progress_never_falls_and_ends_at_one(study):
    heard = []
    plan = ComparePlan(("proset", "pvm"), n_folds=2)
    compare(study, plan, progress=heard.append, contenders=[contender("proset", Centres), contender("pvm", Shares)])
    shares = [now.share for now in heard]
    assert shares == sorted(shares)
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert heard[-1].done == heard[-1].total
    assert [entry.n_folds for entry in heard[-1].so_far] == [2, 2]
    assert {now.step for now in heard} >= {"fold 1 of 2", "all training rows", "shifted rows"}


def test_raising_from_progress_ends_it(study):
    def stop(now):
        if now.done == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        compare(study, ComparePlan(("proset",), n_folds=2), progress=stop, contenders=[contender("proset", Shares)])


def test_weights_reach_the_systems_that_use_them(study):
    weights = pd.Series(np.where(study.labels == "ill", 5.0, 1.0), index=study.labels.index)
    plan = ComparePlan(("proset",), n_folds=2, **BARE)
    results = [
        compare(study, plan, weights=given, contenders=[contender("proset", Centres, uses_weights=used)])
        for given, used in (
            (None, True),
            (weights.where(study.labels != "ill", study.labels.index * 1.0), True),
            (weights, False),
        )
    ]
    plain, weighted, unused = (found.system("proset").model.centres_ for found in results)
    assert not np.allclose(plain, weighted)
    np.testing.assert_array_equal(plain, unused)
    assert [found.weighted for found in results] == [False, True, True]
    with pytest.raises(StudyError, match="no weight above zero"):
        compare(study, plan, weights=weights * 0.0, contenders=[contender("proset", Centres)])


def test_a_draw_of_rows_is_the_same_for_all_and_keeps_every_class(study):
    found = ground_of(study, ComparePlan(max_rows=60))
    assert len(found.rows) < 70
    assert set(found.rows) <= set(study.split.train)
    counts = np.bincount(found.target)
    assert counts.min() >= 6
    np.testing.assert_array_equal(found.rows, ground_of(study, ComparePlan(max_rows=60)).rows)
    np.testing.assert_array_equal(found.measured, study.split.held_out)


def test_groups_stay_together_in_folds():
    study = visits_study(groups="patient")
    ground = ground_of(study, ComparePlan(n_folds=3))
    patients = study.table.frame["patient"].loc[ground.rows].to_numpy()
    for fold in ground.folds:
        assert not set(patients[fold.train]) & set(patients[fold.test])


def test_with_times_folds_learn_from_earlier_rows():
    study = visits_study(time="day")
    ground = ground_of(study, ComparePlan(n_folds=3))
    days = study.table.frame["day"].loc[ground.rows].to_numpy()
    for fold in ground.folds:
        assert days[fold.train].max() < days[fold.test].min()
    found = compare(study, ComparePlan(("proset",), n_folds=3, sizes=False), contenders=[contender("proset", Centres)])
    assert found.system("proset").failed == ""


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"systems": ("svm",)}, "There is no system 'svm'"),
        ({"systems": ()}, "at least one system"),
        ({"systems": ("knn", "knn")}, "each once"),
        ({"n_folds": 1}, "n_folds is 1"),
        ({"n_folds": 2.0}, "n_folds is 2.0"),
        ({"max_rows": 3}, "max_rows is 3"),
        ({"random_state": -1}, "random_state is -1"),
    ],
)
def test_impossible_plans_are_refused_in_words(changes, message):
    with pytest.raises(ProsetError, match=message):
        ComparePlan(**changes)


def test_more_folds_than_rows_of_a_class_are_refused_in_words(iris_study):
    with pytest.raises(StudyError, match="n_folds is 20"):
        compare(iris_study, ComparePlan(("proset",), n_folds=20, max_rows=50), contenders=[contender("proset", Shares)])
