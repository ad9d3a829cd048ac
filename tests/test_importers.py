"""Manners that somebody expects who imports the package: names count, labels keep their type, mistakes are named."""

import io
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import proset
from proset import (
    ClassifierModel,
    ProsetClassifierCV,
    ProsetRegressorCV,
    RegressorModel,
    explain,
    fit_number_study,
    fit_study,
    read_table,
)
from proset.common.errors import StudyError, TableError
from proset.companions import SYSTEMS
from proset.data.role_guess import guess_roles


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=["a", "b", "c"])
    return X, (X["a"] + 0.3 * X["b"] > 0).astype(int).to_numpy()


@pytest.fixture(scope="module")
def model(frame):
    return ClassifierModel(lambda_v=1e-2, random_state=0).fit(*frame)


@pytest.fixture(scope="module")
def number(frame):
    X, _ = frame
    return RegressorModel(random_state=0).fit(X, X["a"] * 2 + X["c"])


def test_a_series_is_read_by_its_names(frame, model, number):
    X, y = frame
    for one in (X.iloc[0], X.iloc[0, ::-1]):
        assert explain.explain_case(model, one, known=X).words == explain.explain_case(model, X.iloc[:1], known=X).words
        np.testing.assert_array_equal(
            explain.shap_values(model, X[:2], one).values, explain.shap_values(model, X[:2], X.iloc[0]).values
        )
        assert explain.number_answer(number, one).median == explain.number_answer(number, X.iloc[:1]).median
    with pytest.raises(ValueError, match="has the columns 'a', 'b', 'c'; this has 'x', 'b', 'c'"):
        explain.explain_case(model, X.iloc[0].rename({"a": "x"}), known=X)
    with pytest.raises(ValueError, match="has the columns"):
        explain.number_answer(number, X.iloc[0].rename({"a": "x"}))
    bare = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X.to_numpy(), y)  # without names, places count
    assert explain.explain_case(bare, X.iloc[0], known=X.to_numpy()).words


def test_no_score_of_a_frame_warns(frame, model, number):
    X, y = frame
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.score(X, y)
        number.score(X, X["a"])


@pytest.mark.parametrize("kind", [int, bool, str])
def test_explanations_take_labels_of_the_models_own_type(frame, kind):
    X, y = frame
    model, said = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, y.astype(kind)), y.astype(kind)
    one, other = model.classes_[1], model.classes_[0]
    assert explain.calibration(model, X, said, class_name=one).of == str(one)
    case = X[model.predict(X) == other][:1]
    assert explain.counterfactuals(model, case, to=one, known=X, y=said).to_frame() is not None
    assert explain.not_alike(model, case, X[5:6], label=said[5], known=X, y=said).similarity >= 0
    with pytest.raises(ValueError, match="knows no class 'blue'; it knows"):
        explain.calibration(model, X, said, class_name="blue")


@pytest.mark.parametrize(("fitted", "stated"), [("Int64", "int64"), ("int64", "float64"), ("float64", "Int64")])
def test_labels_are_known_in_any_type_of_number(frame, fitted, stated):
    X, y = frame
    model, said = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, pd.Series(y, dtype=fitted)), pd.Series(y)
    said = said.astype(stated)
    names = [str(label) for label in model.classes_]
    assert set(explain.nearest_cases(model, X[:1], known=X, y=said).frame["class"]) == set(names)
    assert explain.contradictions(model, X[:1], known=X, y=said).nearest["by_model"].sum() > 0
    assert explain.class_medoid(model, X, said, class_name=1).label == names[1]
    drawn = explain.batch_map(model, cases=X, y=said).points
    assert drawn["correct"].mean() == explain.quality(model, X, said).accuracy.value


def test_labels_are_not_cut_to_what_the_model_knows(frame, model):
    X, y = frame
    words = np.where(y == 1, "yes", "no")
    named = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, words)
    assert named.score(X, list(words)) == pytest.approx(model.score(X, y.astype(float)))
    late = np.where(y == 1, "yesterday", "no")
    for one, wrong, words in (
        (model, y + 0.7, r"know: '[01]\.7', '[01]\.7'\. It knows '0', '1'\."),
        (model, late, r"know: '(no|yesterday)', '(no|yesterday)'\. It knows '0', '1'\."),
        (named, late, r"know: 'yesterday'\. It knows 'no', 'yes'\."),
        (named, y, r"know: '(0|1)', '(0|1)'\. It knows 'no', 'yes'\."),
    ):
        with pytest.raises(ValueError, match=f"labels that the model does not {words}"):
            one.score(X, wrong)
        with pytest.raises(ValueError, match="labels that the model does not know"):
            one.explain(X[:1], wrong[np.argmax(y)])
        with pytest.raises(ValueError, match=f"classes among the rows that the model does not {words}"):
            explain.quality(one, X, wrong)


def test_mistakes_are_value_errors_that_say_so(frame, model):
    X, y = frame
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X, y[:9])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.score(X[:5], y)
    with pytest.raises(ValueError, match="y contains None"):
        ClassifierModel().fit(X, np.array([*("ab" * 59), "a", None], dtype=object))
    with pytest.raises(ValueError, match=r"sample_weight is 'balanced'; .*compute_sample_weight"):
        ClassifierModel().fit(X, y, sample_weight="balanced")
    with pytest.raises(ValueError, match="not fitted"):
        next(ClassifierModel().staged_predict_proba(X))
    np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=str)
@pytest.mark.parametrize(
    "estimator",
    [
        ClassifierModel(),
        ProsetClassifierCV(),
        ProsetClassifierCV(transformer=StandardScaler()),
        *(system.make() for system in SYSTEMS.values()),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_label_that_is_missing_is_named(frame, estimator, missing):
    X, y = frame
    words = pd.Series(np.where(y == 1, "yes", "no"), dtype=object)
    words[[7, 9]] = missing
    with pytest.raises(ValueError, match=rf"y contains {missing}, first at position 7\. Leave such rows out"):
        estimator.fit(X, words)


@pytest.mark.parametrize("estimator", [ProsetClassifierCV(), ProsetRegressorCV()], ids=lambda one: type(one).__name__)
def test_a_seed_that_is_none_is_refused_by_its_name(frame, estimator):
    with pytest.raises(ValueError, match=r"^random_state is Generator.* has to be a whole number"):
        clone(estimator).set_params(random_state=np.random.default_rng(0)).fit(*frame)


def test_names_in_reports_are_those_of_explanations(frame, model):
    X, y = frame
    bare = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X.to_numpy(), y)
    heaviest = explain.feature_weights(bare).to_frame()["feature"][0]
    assert f"{heaviest} weight" in bare.export().columns
    for wrong in ({"sample_names": ["row"] * 120}, {"to_original": X}):
        with pytest.raises(TypeError, match=rf"{next(iter(wrong))} is a .* it has to be a function of"):
            model.export(**wrong)


def test_rows_beside_a_model_of_named_columns_do_not_warn(frame, model):
    X, y = frame
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        explain.drift(model, X[:40], known=X[40:], held_out=X[40:80])
        explain.abstention(model, X, y, by="novelty", known=X)


def test_a_point_that_is_not_finite_is_named(frame):
    X, y = frame
    bare = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X.to_numpy(), y)
    with pytest.raises(ValueError, match="finite numbers; this has none for 'x1'"):
        explain.explain_case(bare, [0.0, np.nan, 0.0], known=X.to_numpy())


@pytest.mark.parametrize("source", [{"a": [1]}, np.ones((3, 2)), pd.Series([1]), io.StringIO("a,b\n1,2\n")], ids=type)
def test_what_no_table_can_be_read_from_is_said(source):
    with pytest.raises(TypeError, match=r"a binary file or a DataFrame, not a (dict|ndarray|Series|stream of text)"):
        read_table(source)


@pytest.mark.slow
def test_explanations_say_the_way_from_what_is_none(frame, model, number):
    X, y = frame
    search = ProsetClassifierCV(method="quick", random_state=0).fit(X[:60], y[:60])
    with pytest.raises(TypeError, match=r"\.model_, with rows that went through its \.transformer_"):
        explain.quality(search, X, y)
    with pytest.raises(TypeError, match=r"pipeline\[-1\]"):
        explain.shap_values(make_pipeline(StandardScaler(), ClassifierModel()).fit(X, y), X[:1])
    for ask in (explain.quality, explain.calibration, explain.ranking_curves):
        with pytest.raises(ValueError, match="pass y"):
            ask(model, X)
    for ask in (
        explain.number_map, explain.number_levels, explain.number_prototypes, explain.number_ranges,
        explain.number_steps, lambda one: explain.number_surface(one, x="a", y="b"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match="needs a NumberStudy"):
            ask(number)
    for ask in (explain.number_neighbours, lambda one, case: explain.number_what_if(one, case, {"a": 1})):
        with pytest.raises(TypeError, match="needs a NumberStudy"):
            ask(number, X[:1])


@pytest.mark.parametrize("groups", [["a"], list("abcde"), "foo"])
def test_groups_have_one_entry_per_row(frame, model, groups):
    X, y = frame
    with pytest.raises(ValueError, match="groups"):
        explain.familiarity(model, X, groups=groups)
    if not isinstance(groups, str):
        with pytest.raises(ValueError, match="groups has the shape"):
            explain.familiarity_halves(model, X, y, groups=groups)


def test_a_frame_becomes_a_table_and_a_study(frame, tmp_path):
    X, y = frame
    told = X.assign(
        kind=np.where(y == 1, "yes", "no"), day=pd.Timestamp("2024-01-01"), level=pd.Categorical(["u"] * 120)
    )
    table = read_table(told.set_index("a", drop=False))
    assert table.frame.dtypes.astype(str).to_dict()["day"].startswith("datetime64")
    assert table.frame[["a", "b"]].to_numpy().tolist() == X[["a", "b"]].to_numpy().tolist()
    same = read_table(io.BytesIO(told.to_csv(index=False).encode()), name="same.csv")
    assert (same.name, same.frame.shape) == ("same.csv", table.frame.shape)
    study = fit_study(table, guess_roles(table, target="kind").roles)
    assert study.classes == ("no", "yes")
    new = told.drop(columns="kind")
    assert study.score(new)["class"].tolist() == study.predictions["predicted"].tolist()
    for rows in (new.to_numpy(), new.iloc[0], [1, 2]):
        with pytest.raises(TypeError, match="New rows are a DataFrame with the columns of the table, not a"):
            study.score(rows)
    with pytest.raises(TableError, match="cannot be read as a table"):
        read_table(pd.DataFrame({"a": [1, 2], "b": [[1], {"c": 2}]}))
    for fit in (fit_study, fit_number_study, proset.search_study, proset.search_number_study):
        with pytest.raises(TypeError, match=r"make one with proset\.read_table"):
            fit(told, guess_roles(table, target="kind").roles)
        with pytest.raises(TypeError, match="Roles are needed"):
            fit(table, None)
    for search, plan in ((proset.search_study, proset.NumberPlan()), (proset.search_number_study, proset.JointPlan())):
        with pytest.raises(StudyError, match=f"plan is a {type(plan).__name__}; it has to be a"):
            search(table, guess_roles(table, target="kind").roles, plan=plan)
    with pytest.raises(TypeError, match="keep a model with joblib"):
        proset.save(study.model, tmp_path / "m.proset")


def test_what_is_looked_at_in_a_console_takes_two_lines(frame, number):
    X, y = frame
    search = ProsetClassifierCV(method="quick", random_state=0).fit(X[:60], y[:60])
    for one in (search.record_, number.predict_distribution(X)):
        assert len(repr(one).splitlines()) <= 2
        assert len(repr(one)) < 300


def test_plans_are_exported():
    assert proset.JointPlan.quick().is_quick
    assert proset.NumberPlan.quick() is not None
