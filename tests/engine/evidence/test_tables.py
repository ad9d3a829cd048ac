"""Export and explain: the columns of figure 4.5, adding up."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from proset.engine.model import ClassifierModel


@pytest.fixture(scope="module")
def cancer():
    bunch = load_breast_cancer(as_frame=True)
    scaler = StandardScaler().set_output(transform="pandas").fit(bunch.data)
    y = np.where(bunch.target == 0, "malignant", "benign")
    X = scaler.transform(bunch.data)
    return X, y, scaler, ClassifierModel(n_iter=2, lambda_v=1e-2, random_state=0).fit(X, y)


def test_contributions_add_up_to_the_estimate(cancer):
    X, _, _, model = cancer
    for row in (0, 100, 500):
        table = model.explain(X.iloc[[row]])
        columns = ["p class benign", "p class malignant"]
        np.testing.assert_allclose(table[columns].iloc[1:].sum(), table[columns].iloc[0], rtol=1e-12)
        np.testing.assert_allclose(table[columns].iloc[0], model.predict_proba(X.iloc[[row]])[0], rtol=1e-10)
        assert table["impact"].iloc[3:].sum() == pytest.approx(model.familiarity(X.iloc[[row]])[0])


def test_rows_and_columns_are_those_of_figure_4_5(cancer):
    X, y, _, model = cancer
    table = model.explain(X.iloc[[7]], y[7], familiarity=model.familiarity(X), sample_name="case 7")
    assert table.columns[:10].tolist() == [
        "batch", "sample", "sample name", "target", "prototype weight", "similarity", "impact", "dominant set",
        "p class benign", "p class malignant",
    ]  # fmt: skip
    _, features = model.set_manager_.get_feature_weights()
    names = [f"{X.columns[d]} {part}" for d in features for part in ("weight", "value", "original", "similarity")]
    assert table.columns[10:].tolist() == names
    assert (
        table["sample name"].iloc[0].startswith(f"case 7, prediction '{model.predict(X.iloc[[7]])[0]}', familiarity 0.")
    )
    assert table["target"].iloc[:3].tolist() == [y[7], "benign", "malignant"]
    assert table["sample name"].iloc[1] == "marginal probability class 'benign'"
    assert table.shape[0] == 3 + model.set_manager_.get_num_prototypes()
    assert table["impact"].iloc[3:].is_monotonic_decreasing
    assert table[["batch", "sample"]].iloc[:3].isna().all(axis=None)
    assert set(table["dominant set"].iloc[1:]) == {0, 1}
    assert pd.isna(table["dominant set"].iloc[0])


def test_feature_similarities_multiply_to_the_similarity(cancer):
    X, _, _, model = cancer
    table = model.explain(X.iloc[[3]]).iloc[3:]
    product = table.filter(regex=" similarity$").prod(axis=1)
    np.testing.assert_allclose(product, table["similarity"], rtol=1e-5, atol=1e-12)


def test_original_values_come_from_the_training_rows(cancer):
    X, y, scaler, model = cancer
    original = scaler.inverse_transform(X)

    def back(feature, values):
        return values * scaler.scale_[feature] + scaler.mean_[feature]

    table = model.export(to_original=back, sample_names=lambda rows: [f"patient {row}" for row in rows])
    prototypes = table.iloc[2:]
    name = X.columns[model.set_manager_.get_feature_weights()[1][0]]
    used = prototypes[f"{name} weight"] > 0
    rows = prototypes["sample"][used].astype(int)
    expected = original[rows, list(X.columns).index(name)]
    np.testing.assert_allclose(prototypes[f"{name} original"][used].astype(float), expected, rtol=1e-5)
    assert (prototypes["target"] == y[prototypes["sample"].astype(int)]).all()
    assert (prototypes["sample name"] == "patient " + prototypes["sample"].astype(str)).all()


def test_a_feature_that_a_batch_does_not_use_is_blank(cancer):
    X, _, _, model = cancer
    weights, features = model.set_manager_.get_feature_weights()
    unused = [(b, d) for b in range(2) for d in range(len(features)) if weights[b, d] == 0.0]
    assert unused, "the model should have a feature that only one batch uses"
    table = model.explain(X.iloc[[0]]).iloc[3:]
    for batch, column in unused:
        name, rows = X.columns[features[column]], table["batch"] == batch + 1
        assert (table[f"{name} weight"][rows] == 0.0).all()
        assert table.loc[rows, [f"{name} value", f"{name} original", f"{name} similarity"]].isna().all(axis=None)


def test_features_can_be_left_out_and_names_given(cancer):
    X, _, _, model = cancer
    assert model.explain(X.iloc[[0]], include_features=False).shape[1] == 10
    renamed = model.export(feature_names=[f"f{d}" for d in range(30)])
    assert renamed.columns[5].startswith("f")
    with pytest.raises(ValueError, match="feature_names has 2 entries, but the model 30 features"):
        model.export(feature_names=["a", "b"])


def test_explain_takes_one_known_case(cancer):
    X, _, _, model = cancer
    with pytest.raises(ValueError, match="X has 2 rows"):
        model.explain(X.iloc[:2])
    with pytest.raises(ValueError, match="unsure"):
        model.explain(X.iloc[[0]], "unsure")
