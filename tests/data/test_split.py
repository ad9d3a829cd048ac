"""Splitting rows class by class."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import RoleError, StudyError
from proset.data.split import Split, SplitSettings, split_rows


def make_labels(counts: dict[str | None, int], seed: int = 0) -> pd.Series:
    labels = [label for label, n in counts.items() for _ in range(n)]
    ids = np.random.default_rng(seed).permutation(len(labels)) * 3 + 1
    return pd.Series(labels, index=pd.Index(ids, name="row"), name="kind", dtype="str")


def parts(split: Split) -> list[list[int]]:
    return [split.train.tolist(), split.held_out.tolist(), split.unlabelled.tolist()]


def test_every_row_is_in_one_part() -> None:
    labels = make_labels({"a": 50, "b": 31, None: 9})
    split = split_rows(labels)
    assert sorted(row for part in parts(split) for row in part) == sorted(labels.index)
    assert all(part == sorted(part) for part in parts(split))
    assert set(split.unlabelled) == set(labels.index[labels.isna()])
    assert split.train.dtype == split.held_out.dtype == split.unlabelled.dtype == np.int64


@pytest.mark.parametrize("fraction", [0.1, 0.25, 0.3, 0.5])
@pytest.mark.parametrize("counts", [{"a": 100, "b": 6, "c": 6}, {"a": 7, "b": 6}, {str(i): 6 for i in range(15)}])
def test_each_class_gives_its_share_and_stays_learnable(fraction: float, counts: dict[str, int]) -> None:
    labels = make_labels(counts)
    split = split_rows(labels, SplitSettings(test_fraction=fraction, seed=3))
    held_out = labels.loc[split.held_out].value_counts()
    train = labels.loc[split.train].value_counts()
    for label, n in counts.items():
        assert held_out[label] >= 1
        assert train[label] >= 3
        assert abs(held_out[label] - fraction * n) <= 0.5 or held_out[label] == 1


def test_same_seed_same_split_whatever_the_order_of_rows() -> None:
    labels = make_labels({"a": 40, "b": 25, None: 3})
    split = split_rows(labels, SplitSettings(seed=5))
    assert parts(split_rows(labels.sample(frac=1, random_state=1), SplitSettings(seed=5))) == parts(split)
    assert parts(split_rows(labels, SplitSettings(seed=6))) != parts(split)
    assert parts(split_rows(labels)) == parts(split_rows(labels, SplitSettings(0.3, 0)))


@pytest.mark.parametrize("counts", [{"a": 30}, {"a": 30, "b": 5}, {None: 10}])
def test_impossible_classes(counts: dict[str | None, int]) -> None:
    with pytest.raises(RoleError, match="'kind'"):
        split_rows(make_labels(counts))


@pytest.mark.parametrize("fraction", [0, 0.09, 0.51, 1, -0.3, float("nan"), float("inf"), "0.3", None])
def test_impossible_fractions(fraction: object) -> None:
    with pytest.raises(StudyError, match=r"0\.1 to 0\.5"):
        SplitSettings(test_fraction=fraction)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", [-1, 1.5, "7", None, True, 2**32])
def test_impossible_seeds(seed: object) -> None:
    with pytest.raises(StudyError, match="seed"):
        SplitSettings(seed=seed)  # type: ignore[arg-type]
