"""Weights of evidence: counted as stated, the same for one row as for many, never a way for a row to see its class."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import StorageError, StudyError
from proset.data import value_evidence
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.value_evidence import MOST_COLUMNS, MOST_KNOTS, ValueEvidence, most_said
from proset.engine.model import ClassifierModel
from proset.selection import ColumnScaler

ROLES = Roles({"dose": Role.NUMERIC, "kind": Role.CATEGORICAL, "sick": Role.BOOLEAN, "day": Role.DATE})


def drawn(n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    """A dose of which only the middle is good, a kind that says something, and two columns that say nothing."""
    rng = np.random.default_rng(4)
    dose, kind = rng.normal(size=n), rng.choice(["a", "b", "c", "d"], n)
    good = (np.abs(dose) < 0.7) ^ (rng.random(n) < 0.05)
    target = np.where(good, "well", np.where((kind == "a") & (rng.random(n) < 0.8), "bad", "fair"))
    frame = pd.DataFrame(
        {
            "dose": dose.round(3),
            "kind": kind,
            "sick": rng.choice(["yes", "no"], n),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, n), unit="D"),
        },
        index=pd.RangeIndex(1, n + 1, name="row"),
    )
    frame.loc[5, "dose"] = np.nan
    return frame, target


def fitted(frame: pd.DataFrame, target: np.ndarray) -> Design:
    return Design(ROLES, Scale.EVIDENCE).fit(frame, target)


def test_a_weight_is_the_shrunken_log_odds_beside_those_of_all_rows():
    codes = np.array([0] * 30 + [1] * 10 + [0] * 10 + [1] * 50)
    own = np.repeat([[2.0], [7.0]], [40, 60], axis=0)
    found = ValueEvidence.of(own, codes, ("no", "yes"))
    share = 0.6
    expected = []
    for yes, rows in ((10, 40), (50, 60)):
        p = (yes + 5 * share) / (rows + 5)
        expected.append(np.log(p / (1 - p)) - np.log(share / (1 - share)))
    assert found.classes == ("yes",)
    assert found.knots == (2.0, 7.0)
    np.testing.assert_allclose(np.ravel(found.weights), expected)
    half = found.values(np.array([[4.5]]))[0, 0] * found.spreads[0]
    assert half == pytest.approx(np.mean(expected))  # straight between
    ends, beyond = np.array([[2.0], [7.0]]), np.array([[-1.0], [11.0]])
    np.testing.assert_array_equal(found.weights_of(beyond), found.weights_of(ends))
    moved = found.values(beyond) - found.values(ends)  # on in its direction: "no" below, "yes" above
    np.testing.assert_allclose(moved, [[-3.0], [4.0]])
    assert found.values(own).std() == pytest.approx(1.0)


def test_of_several_classes_each_has_a_column_and_a_level_never_seen_says_nothing():
    frame, target = drawn()
    design = fitted(frame, target)
    named = [column.name for column in design.columns if column.source == "kind"]
    assert sorted(named[:4]) == ["kind = a", "kind = b", "kind = c", "kind = d"]
    assert named[4:] == ["kind: evidence for bad", "kind: evidence for fair", "kind: evidence for well"]
    own = [j for j, column in enumerate(design.columns) if column.source == "kind"]
    row = design.transform(frame.iloc[:1].assign(kind="z")).X[0, own]
    np.testing.assert_array_equal(row, 0.0)
    told = design.transform(frame.assign(kind="a")).X[0, own]
    assert told[4] > 0.5 > told[5]  # "a" speaks for bad
    assert design.to_original(own[4], [told[4]])[0] == round(float(told[4]) * design.columns[own[4]].scale, 2)


def test_a_tree_finds_where_numbers_change_their_mind():
    frame, target = drawn()
    design = fitted(frame, target)
    (j,) = (j for j, column in enumerate(design.columns) if column.name == "dose: evidence for well")
    says = design.transform(frame.iloc[:3].assign(dose=[-2.0, 0.0, 2.0])).X[:, j] * design.columns[j].scale
    assert says[1] > 1.0
    assert max(says[0], says[2]) < -1.0


def test_what_says_nothing_gets_no_columns_and_there_is_room_for_so_many():
    frame, target = drawn()
    assert not [c for c in fitted(frame.assign(kind="a"), target).columns if c.source == "kind"]
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 300)
    loud = ValueEvidence.of((codes + rng.normal(0, 0.1, 300))[:, None], codes, ("a", "b", "c"))
    quiet = ValueEvidence.of(rng.normal(size=(300, 1)), codes, ("a", "b", "c"))
    many = {f"x{i}": quiet for i in range(MOST_COLUMNS)} | {"last": loud}
    kept = most_said(many)
    assert "last" in kept
    assert sum(len(entry.classes) for entry in kept.values()) <= MOST_COLUMNS
    assert list(kept) == [name for name in many if name in kept]
    assert len(loud.knots) <= MOST_KNOTS


def test_one_row_is_encoded_as_among_many_and_after_saving():
    frame, target = drawn()
    design = fitted(frame, target)
    X = design.transform(frame).X
    again = Design.from_state(json.loads(json.dumps(design.to_state())))
    for at in (0, 4, 77):
        np.testing.assert_array_equal(design.transform(frame.iloc[[at]]).X[0], X[at])
    np.testing.assert_array_equal(again.transform(frame).X, X)
    assert again.columns == design.columns
    for source in design.sources:
        columns = [j for j, column in enumerate(design.columns) if column.source == source]
        own = [j for j in columns if design.columns[j].evidence_for is None]
        np.testing.assert_array_equal(design.beside(source, X[:, own].astype(np.float64)), X[:, columns])


def test_only_this_scale_looks_at_classes():
    frame, target = drawn()
    plain = Design(ROLES).fit(frame)
    np.testing.assert_array_equal(plain.transform(frame).X, Design(ROLES).fit(frame, target).transform(frame).X)
    assert "evidence" not in plain.to_state()
    with pytest.raises(ValueError, match="needs the classes"):
        Design(ROLES, Scale.EVIDENCE).fit(frame)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda s: s.update(classes=[]), "classes"),
        (lambda s: s.update(classes=["a", "a", "b"]), "classes"),
        (lambda s: s.update(knots=s["knots"][::-1]), "knots"),
        (lambda s: s.update(knots=[]), "knots"),
        (lambda s: s.update(knots=list(range(MOST_KNOTS + 1))), "knots"),
        (lambda s: s.update(knots=[float("nan")] * len(s["knots"])), "knots"),
        (lambda s: s.update(weights=s["weights"][1:]), "weights"),
        (lambda s: s["weights"].__setitem__(0, [0.0]), "weights"),
        (lambda s: s["weights"].__setitem__(0, ["much", 0.0, 0.0]), "weights"),
        (lambda s: s["weights"].__setitem__(0, [1e9, 0.0, 0.0]), "weights"),
        (lambda s: s["weights"].__setitem__(0, [10**400, 0.0, 0.0]), "weights"),
        (lambda s: s.update(spreads=[0.0, 1.0, 1.0]), "weights"),
        (lambda s: s.update(spreads=[1.0]), "spreads"),
        (lambda s: s.update(other=1), "other"),
    ],
)
def test_what_is_damaged_is_refused(change, named):
    frame, target = drawn()
    state = json.loads(json.dumps(fitted(frame, target).to_state()))
    change(state["evidence"]["dose"])
    with pytest.raises(StorageError, match=named):
        Design.from_state(state)
    state = json.loads(json.dumps(fitted(frame, target).to_state()))
    state["evidence"]["height"] = state["evidence"]["dose"]
    with pytest.raises(StorageError, match="evidence"):
        Design.from_state(state)


def test_what_is_far_from_everything_is_unfamiliar_to_a_model_of_evidence_alone():
    """Marginals far away (equation 2.4): weights of evidence may not make a stranger look like somebody known."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(300, 3))
    y = (np.abs(X).max(axis=1) < 1.0).astype(int)
    scaler = ColumnScaler("evidence").fit(X, y)
    Z = scaler.transform(X)
    Z[:, :3] = 0.0  # nothing but evidence
    model = ClassifierModel(n_iter=2, lambda_v=1e-4, lambda_w=1e-6, random_state=0).fit(Z, y)
    far = scaler.transform(np.array([[90.0, 90.0, 90.0], [-90.0, -90.0, -90.0]]))
    far[:, :3] = 0.0
    np.testing.assert_allclose(model.predict_proba(far), np.tile(model.set_manager_.marginals, (2, 1)), atol=1e-9)


def test_noise_says_little_to_rows_that_were_not_seen():
    """Trees of columns find something in noise as well: shrinking has to keep it small, or a model would trust it."""
    rng = np.random.default_rng(1)
    said = []
    for _ in range(20):
        x, codes = rng.normal(size=(600, 1)), rng.integers(0, 2, 600)
        evidence = ValueEvidence.of(x[:300], codes[:300], ("a", "b"))
        weights = evidence.values(x[300:])[:, 0] * evidence.spreads[0]
        said.append(np.corrcoef(weights, codes[300:])[0, 1])
        assert np.abs(weights).max() < 2.5
    assert abs(np.mean(said)) < 0.1


def test_a_column_scaler_puts_evidence_behind_the_columns():
    rng = np.random.default_rng(2)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200), "c": 1.0})
    y = np.where(np.abs(X["a"]) < 0.6, "in", "out")
    scaler = ColumnScaler("evidence").fit(X, y)
    found = scaler.transform(X)
    assert scaler.get_feature_names_out().tolist() == ["a", "b", "c", "a: evidence for out", "b: evidence for out"]
    np.testing.assert_allclose(found[:, :2], ColumnScaler("standard").fit_transform(X)[:, :2])
    np.testing.assert_allclose(scaler.inverse_transform(found), X)
    assert scaler.sources_.tolist() == [0, 1, 2, 0, 1]
    assert np.corrcoef(found[:, 3], y == "out")[0, 1] > 0.85
    with pytest.raises(StudyError, match="learns from classes"):
        ColumnScaler("evidence").fit(X)
    with pytest.raises(StudyError, match="two classes"):
        ColumnScaler("evidence").fit(X, np.full(200, "in"))


def test_a_column_of_many_classes_fits_into_memory(monkeypatch):
    """A class of its own for each row is refused elsewhere; some hundred are not, and only the loudest columns stay."""
    monkeypatch.setattr(value_evidence, "MOST_COLUMNS", 100)
    rng = np.random.default_rng(3)
    codes = np.repeat(np.arange(90), 6)
    frame = pd.DataFrame({"x": codes + rng.normal(size=540), "noise": rng.normal(size=540)}).rename_axis("row")
    design = Design(Roles({"x": Role.NUMERIC, "noise": Role.NUMERIC}), Scale.EVIDENCE).fit(frame, codes.astype(str))
    assert len(design.columns) == 2 + 90
    assert design.columns[1].evidence_for == "0"
