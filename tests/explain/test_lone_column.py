"""One column that carries nearly everything, after the fit."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.roles import Roles
from proset.data.table import Dialect, Table, read_table
from proset.engine.model import ClassifierModel
from proset.explain.judged.lone_column import lone_column
from proset.study import FitSettings, Study, fit_study


def fitted(columns: dict[str, object], **settings: object) -> Study:
    table = read_table(pd.DataFrame(columns).to_csv(index=False).encode(), name="made.csv")
    roles = guess_roles(table, target="sick").roles
    return fit_study(table, roles, settings=FitSettings(num_candidates=100, **settings))  # type: ignore[arg-type]


RNG = np.random.default_rng(0)
SICK = RNG.integers(0, 2, 400)
LIKE = (SICK + 0.9 * RNG.normal(size=(3, 400))).round(3)
LABELS = np.where(SICK == 1, "yes", "no")


def test_a_column_that_gives_the_answer_away_is_named() -> None:
    code = np.where(SICK, RNG.integers(30, 34, 400), 0)
    found = lone_column(fitted({"code": code, "one": LIKE[0], "two": LIKE[1], "sick": LABELS}, lambda_v=1e-4))
    assert found is not None
    assert found.column == "code"
    assert found.perfect
    assert found.share > 0.9
    assert "gives the answer away" in found.words


def test_columns_that_share_the_work_are_not() -> None:
    columns = {"one": LIKE[0], "two": LIKE[1], "three": LIKE[2], "sick": LABELS}
    assert lone_column(fitted(columns, lambda_v=1e-4)) is None


def test_the_numbers_are_those_of_the_page() -> None:
    strong = (SICK + 0.25 * RNG.normal(size=400)).round(3)
    study = fitted({"strong": strong, "noise": LIKE[0] * 0 + RNG.normal(size=400).round(3), "sick": LABELS})
    found = lone_column(study)
    assert found is not None
    assert found.column == "strong"
    assert found.loss == study.metrics.log_loss
    if not found.only:
        assert f"instead of {study.metrics.log_loss:.3f}" in found.words
        assert "shuffled" in found.words  # not what a model fitted without the column would do


def test_a_category_counts_with_all_its_levels() -> None:
    kind = np.where(SICK, RNG.choice(["a", "b"], 400), RNG.choice(["c", "d"], 400))
    found = lone_column(fitted({"kind": kind, "one": LIKE[0], "sick": LABELS}, lambda_v=1e-4))
    assert found is not None
    assert found.column == "kind"


def test_a_model_that_knows_nothing_has_none(iris_study: Study) -> None:
    assert lone_column(fitted({"x": RNG.normal(size=400), "y": RNG.normal(size=400), "sick": LABELS}, n_iter=0)) is None
    found = lone_column(iris_study)
    assert found is None or not found.perfect


def test_it_is_cheap_enough_for_every_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng, n_columns = np.random.default_rng(1), 50
    frame = pd.DataFrame(rng.normal(size=(10_000, n_columns)), columns=[f"x{i}" for i in range(n_columns)])
    frame["sick"] = np.where(frame.iloc[:, :5].sum(axis=1) > 0, "yes", "no")
    frame.index = pd.RangeIndex(1, 10_001, name="row")
    table = Table(frame, "wide", Dialect(), (), "0")
    roles = Roles({name: Role.TARGET if name == "sick" else Role.NUMERIC for name in frame})
    study = fit_study(table, roles, settings=FitSettings(lambda_v=1e-6, num_candidates=300))
    assert len(study.feature_weights) >= 5
    scored: list[int] = []
    predict = ClassifierModel.predict_proba
    monkeypatch.setattr(ClassifierModel, "predict_proba", lambda model, X: scored.append(len(X)) or predict(model, X))
    assert lone_column(study) is None
    # As it is, without each column that is used, and with the best of them alone.
    assert len(scored) <= len(study.feature_weights) + 2
    assert sum(scored) <= 2 * 16_000


@pytest.mark.parametrize(("noise", "alarmed"), [(0.3, True), (0.7, False)])
def test_an_honest_column_that_leaves_most_of_it_open_is_not_suspected(noise: float, alarmed: bool) -> None:
    sole = (SICK + noise * np.random.default_rng(3).normal(size=400)).round(3)
    found = lone_column(fitted({"sole": sole, "sick": LABELS}, lambda_v=1e-2))
    assert found is not None
    assert found.column == "sole"
    assert ("known before the outcome" in found.words) is alarmed
