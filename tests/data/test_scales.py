"""Scales of numbers: monotone, back again, the same after saving; nothing else than before where they are straight."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from proset.common.errors import StorageError
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.scales import MOST_KNOTS, Bend, Scale

BENT = [Scale.SQUASHED, Scale.QUANTILE]


def column(name: str, n: int = 600) -> np.ndarray:
    """Columns of different kinds."""
    rng = np.random.default_rng(3)
    return {
        "normal": rng.normal(50.0, 4.0, n).round(2),
        "heavy": np.exp(rng.normal(0.0, 2.5, n)).round(3),
        "mostly zero": np.where(rng.random(n) < 0.7, 0.0, rng.exponential(40.0, n).round(1)),
        "few": rng.integers(0, 5, n).astype(float),
        "huge": rng.normal(size=n) * 1e300,
        "offset": 1e9 + rng.integers(0, 1000, n).astype(float),
    }[name]


KINDS = ["normal", "heavy", "mostly zero", "few", "huge", "offset"]


def design_of(values: np.ndarray, scale: Scale) -> tuple[Design, pd.DataFrame]:
    """A design of one column of numbers and a category."""
    frame = pd.DataFrame({"size": values, "kind": np.tile(["a", "b"], len(values))[: len(values)]})
    frame.index = pd.RangeIndex(1, len(values) + 1, name="row")
    return Design(Roles({"size": Role.NUMERIC, "kind": Role.CATEGORICAL}), scale).fit(frame), frame


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", BENT)
def test_places_ascend_with_the_values_have_one_measure_and_go_back(kind: str, scale: Scale) -> None:
    values = column(kind)
    design, frame = design_of(values, scale)
    (own,) = (entry for entry in design.columns if entry.source == "size")
    assert own.bend is not None
    assert len(own.bend.knots) <= MOST_KNOTS
    X = design.transform(frame).X[:, 0].astype(np.float64)
    order = np.argsort(values)
    assert (np.diff(X[order]) >= 0.0).all()
    assert abs(X.mean()) < 1e-5
    assert abs(X.std() - 1.0) < 1e-5
    back = own.to_table(X)
    near = 1e-5 * np.maximum(np.abs(X), 1.0)  # what is left of single precision after rounding
    assert (back >= own.bend.value(X - near)).all()
    assert (back <= own.bend.value(X + near)).all()
    assert ((values >= own.bend.value(X - near)) & (values <= own.bend.value(X + near))).all()
    ends = own.to_table(np.float32([X.min(), X.max()]).astype(np.float64))
    np.testing.assert_allclose(ends, [values.min(), values.max()], rtol=1e-5, atol=1e-3)


def test_the_quantile_scale_is_the_normal_quantile_of_the_middle_rank() -> None:
    values = np.array([1.0, 1.0, 1.0, 2.0, 5.0, 5.0, 900.0])
    bend = Bend.of(values, Scale.QUANTILE, float(values.std()))
    raw = norm.ppf(np.array([1.5, 1.5, 1.5, 3.5, 5.0, 5.0, 6.5]) / 7.0)
    np.testing.assert_allclose(bend.place(values), (raw - raw.mean()) / raw.std())


def test_the_squashed_scale_is_the_inverse_hyperbolic_sine_in_robust_deviations() -> None:
    values = column("heavy")
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    raw = np.arcsinh((values - middle) / ((high - low) / 1.349))
    bend = Bend.of(values, Scale.SQUASHED, float(values.std()))
    np.testing.assert_allclose(bend.place(values), (raw - raw.mean()) / raw.std(), atol=0.02)


@pytest.mark.parametrize("scale", BENT)
def test_beyond_the_training_rows_values_stay_apart_and_go_back(scale: Scale) -> None:
    values = column("heavy")
    bend = Bend.of(values, scale, float(values.std()))
    beyond = np.array([values.min() - 3.0, values.max() + 100.0, values.max() + 1e6])
    places = bend.place(beyond)
    assert places[0] < bend.place(values).min()
    assert bend.place(values).max() < places[1] < places[2]
    np.testing.assert_allclose(bend.value(places), beyond, rtol=1e-4)


@pytest.mark.parametrize("scale", BENT)
def test_missing_and_infinite_cells_are_the_median_and_single_steps_stay_straight(scale: Scale) -> None:
    values = column("heavy")
    values[:2] = np.nan, np.inf
    design, frame = design_of(values, scale)
    encoded = design.transform(frame)
    assert encoded.imputed["size"].tolist() == [True, True] + [False] * (len(values) - 2)
    middle = design.transform(frame.iloc[[5]].assign(size=np.median(values[2:]))).X[0, 0]
    assert encoded.X[0, 0] == encoded.X[1, 0] == middle
    two = design_of(np.tile([0.0, 7.0], 20), scale)[0]
    assert two.columns[0].bend is None
    assert np.array_equal(two.transform(frame.iloc[:0]).X, np.zeros((0, 2), dtype=np.float32))


@pytest.mark.parametrize("kind", KINDS)
def test_the_standard_scale_is_what_it_was_to_the_bit(kind: str) -> None:
    values = column(kind)
    design, frame = design_of(values, Scale.STANDARD)
    plain = Design(design.roles).fit(frame)
    own = plain.columns[0]
    assert own.bend is None
    expected = ((values - own.offset) / own.scale).astype(np.float32)
    assert np.array_equal(design.transform(frame).X[:, 0], expected)
    assert design.to_state() == plain.to_state()
    assert "bend" not in design.to_state()["encoders"][0]


@pytest.mark.parametrize("scale", BENT)
def test_a_saved_design_is_the_same(scale: Scale) -> None:
    design, frame = design_of(column("heavy"), scale)
    again = Design.from_state(json.loads(json.dumps(design.to_state())))
    assert np.array_equal(again.transform(frame).X, design.transform(frame).X)
    assert again.columns == design.columns


@pytest.mark.parametrize(
    "change",
    [
        lambda bend: bend.pop("beyond"),
        lambda bend: bend.update(beyond=0.0),
        lambda bend: bend.update(more=1),
        lambda bend: bend.update(knots="many"),
        lambda bend: bend["knots"].pop(),
        lambda bend: bend["knots"].__setitem__(1, bend["knots"][0]),
        lambda bend: bend["places"].reverse(),
        lambda bend: bend["places"].__setitem__(0, None),
        lambda bend: bend["knots"].__setitem__(0, True),
        lambda bend: bend.update(knots=[1, 2], places=[1, 2]),
        lambda bend: bend.update(knots=list(range(9_999)), places=list(range(9_999))),
    ],
)
def test_damaged_bends_are_refused_by_name(change) -> None:
    state = json.loads(json.dumps(design_of(column("heavy"), Scale.QUANTILE)[0].to_state()))
    change(state["encoders"][0]["bend"])
    with pytest.raises(StorageError, match="bend"):
        Design.from_state(state)


@pytest.mark.parametrize("scale", BENT)
def test_values_are_written_with_the_digits_that_single_precision_holds(scale: Scale) -> None:
    design, frame = design_of(column("normal"), scale)
    words = design.to_original(0, design.transform(frame).X[:, 0].astype(np.float64))
    assert np.abs(np.array(words) - frame["size"].to_numpy()).max() <= 0.01
    assert sum(word == value for word, value in zip(words, frame["size"], strict=True)) > 0.95 * len(words)


def test_a_number_on_the_straight_scale_comes_back_without_the_noise_of_single_precision() -> None:
    sizes = pd.Series([0.0] * 5 + [19.8, 34.14, 141.98])
    design, _ = design_of(sizes.to_numpy(), Scale.STANDARD)
    own = design.columns[0]
    assert own.bend is None
    matrix = own.to_matrix(sizes.to_numpy()).astype(np.float32).astype(np.float64)
    assert own.to_table(matrix).tolist() == sizes.tolist()
