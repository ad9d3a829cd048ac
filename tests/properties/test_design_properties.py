"""What holds for every table: finite matrices, a way back, and nothing learned from rows outside the training part."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proset.common.errors import DesignError
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.roles import Roles

NUMBERS = st.one_of(st.none(), st.integers(-(10**6), 10**6), st.floats(width=64))
WORDS = st.one_of(
    st.none(), st.sampled_from(["a", "b", "c", "(other)", "(missing)", "1", "1.0", " a "]), st.text(max_size=5)
)
DATES = st.one_of(st.none(), st.datetimes())
TRUTHS = st.sampled_from([True, False, None])
BY_ROLE = {Role.NUMERIC: NUMBERS, Role.CATEGORICAL: WORDS, Role.DATE: DATES, Role.BOOLEAN: TRUTHS}
QUICK = settings(max_examples=60)


@st.composite
def frames(draw: st.DrawFn, *, least: int = 2) -> tuple[pd.DataFrame, Roles]:
    """A frame with one to four columns of random roles."""
    roles = draw(st.lists(st.sampled_from(list(BY_ROLE)), min_size=1, max_size=4))
    n = draw(st.integers(least, 30))
    columns = {
        f"c{i}": pd.Series(draw(st.lists(BY_ROLE[role], min_size=n, max_size=n)), dtype=object)
        for i, role in enumerate(roles)
    }
    return pd.DataFrame(columns).rename_axis("row"), Roles({f"c{i}": role for i, role in enumerate(roles)})


def fit(frame: pd.DataFrame, roles: Roles) -> Design | None:
    """The fitted design; None where no column varies, which may happen with random cells."""
    try:
        return Design(roles).fit(frame)
    except DesignError as error:
        if "varies" not in str(error):
            raise
        return None


@pytest.mark.slow
@QUICK
@given(frames(least=4), st.integers(1, 3))
def test_matrices_are_finite_and_states_exact(made: tuple[pd.DataFrame, Roles], n_train: int) -> None:
    frame, roles = made
    design = fit(frame.iloc[: max(n_train, len(frame) // 2)], roles)
    if design is None:
        return
    encoded = design.transform(frame)
    assert np.isfinite(encoded.X).all()
    assert encoded.X.shape == (len(frame), len(design.columns))
    assert len({column.name for column in design.columns}) == len(design.columns)
    restored = Design.from_state(json.loads(json.dumps(design.to_state(), allow_nan=False)))
    assert restored.transform(frame).X.tobytes() == encoded.X.tobytes()
    for j in range(len(design.columns)):
        assert len(design.to_original(j, encoded.X[:, j])) == len(frame)


@QUICK
@given(frames(), st.randoms(use_true_random=False))
def test_only_training_rows_count(made: tuple[pd.DataFrame, Roles], random: Any) -> None:
    frame, roles = made
    design = fit(frame, roles)
    if design is None:
        return
    before = design.to_state()
    shuffled = frame.sample(frac=1, random_state=random.randrange(1000))
    whole = design.transform(pd.concat([frame, shuffled])).X
    assert design.to_state() == before
    assert np.array_equal(whole[: len(frame)], design.transform(frame).X)


@QUICK
@given(st.lists(st.decimals(-1000, 1000, places=2, allow_nan=False), min_size=2, max_size=40))
def test_numbers_come_back_as_written(values: list[Any]) -> None:
    numbers = [float(value) for value in values]
    frame = pd.DataFrame({"x": numbers}).rename_axis("row")
    design = fit(frame, Roles({"x": Role.NUMERIC}))
    if design is None:
        assert len(set(numbers)) == 1
        return
    assert design.to_original(0, design.transform(frame).X[:, 0]) == pytest.approx(numbers, abs=1e-12)


@QUICK
@given(st.lists(st.dates(), min_size=2, max_size=20))
def test_dates_come_back_within_float32(values: list[Any]) -> None:
    frame = pd.DataFrame({"x": pd.to_datetime(pd.Series(values, dtype=object))}).rename_axis("row")
    design = fit(frame, Roles({"x": Role.DATE}))
    if design is None:
        assert len(set(values)) == 1
        return
    back = design.to_original(0, design.transform(frame).X[:, 0])
    assert back == [value.isoformat() for value in values]


@QUICK
@given(st.lists(WORDS, min_size=2, max_size=60))
def test_categories_come_back(values: list[str | None]) -> None:
    frame = pd.DataFrame({"x": pd.Series(values, dtype=object)}).rename_axis("row")
    design = fit(frame, Roles({"x": Role.CATEGORICAL}))
    if design is None:
        return
    encoded = design.transform(frame)
    assert not encoded.unseen.to_numpy().any()
    words = [value.strip() if isinstance(value, str) and value.strip() else None for value in values]
    kept = {column.level for column in design.columns}
    if len(design.columns) == 1:
        back = design.to_original(0, encoded.X[:, 0])
        shown = set(back)
        assert all(b == w for b, w in zip(back, words, strict=True) if w in shown and "(other)" not in shown)
        return
    assert (encoded.X.sum(axis=1) == 1).all()
    for word, row in zip(words, encoded.X, strict=True):
        level = design.columns[int(row.argmax())].level
        if word in kept - {"(other)", "(missing)"}:
            assert level == word
        elif word is not None and word not in {"(other)", "(missing)"}:
            assert level == "(other)"
