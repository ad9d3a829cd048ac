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


def make_frame(labels: pd.Series, **columns: object) -> pd.DataFrame:
    return pd.DataFrame(columns, index=labels.index)


def test_settings_of_before_split_as_before() -> None:
    """The rows of a split that was made before groups and time were there."""
    labels = pd.Series(["a"] * 12 + ["b"] * 8, index=range(1, 21), name="kind")
    assert split_rows(labels, SplitSettings(0.3, 4)).held_out.tolist() == [1, 2, 3, 9, 13, 20]


@pytest.mark.parametrize("fraction", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("seed", [0, 1])
def test_groups_stay_whole_and_classes_give_about_their_share(fraction: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, 60)
    who = np.repeat([f"C{number}" for number in range(60)], sizes)
    labels = pd.Series(
        np.where(rng.random(len(who)) < 0.25, "rare", "common"), index=range(1, len(who) + 1), name="kind", dtype="str"
    )
    split = split_rows(labels, SplitSettings(fraction, seed, groups="who"), frame=make_frame(labels, who=who))
    owner = pd.Series(who, index=labels.index)
    assert not set(owner.loc[split.train]) & set(owner.loc[split.held_out])
    for name, n in labels.value_counts().items():
        assert abs((labels.loc[split.held_out] == name).sum() / n - fraction) < 0.05
    other = split_rows(labels, SplitSettings(fraction, seed + 2, groups="who"), frame=make_frame(labels, who=who))
    assert other.held_out.tolist() != split.held_out.tolist()


def test_large_groups_are_not_always_held_out() -> None:
    labels = make_labels({"a": 60, "b": 60})
    owner = pd.Series(["big"] * 15 + [f"C{number}" for number in range(105)], index=np.sort(labels.index))
    frame = make_frame(labels, who=owner.reindex(labels.index))
    big = owner.index[owner == "big"]
    seen = {
        big[0] in split_rows(labels, SplitSettings(groups="who", seed=seed), frame=frame).held_out for seed in range(12)
    }
    assert seen == {True, False}


def test_groups_of_one_class_each_are_shared_out_class_by_class() -> None:
    labels = make_labels({"well": 60, "ill": 20})
    patients = pd.Series(np.arange(80) // 4, index=labels.index)
    split = split_rows(labels, SplitSettings(0.25, groups="patient"), frame=make_frame(labels, patient=patients))
    assert labels.loc[split.held_out].value_counts().to_dict() == {"well": 16, "ill": 4}


def test_the_order_of_rows_and_the_spelling_of_groups_do_not_matter() -> None:
    labels = make_labels({"a": 40, "b": 40})
    frame = make_frame(labels, who=np.arange(80) // 5)
    settings = SplitSettings(groups="who", seed=2)
    split = split_rows(labels, settings, frame=frame)
    mixed = labels.sample(frac=1, random_state=3)
    assert parts(split_rows(mixed, settings, frame=frame)) == parts(split)
    assert parts(split_rows(labels, settings, frame=frame.astype("float64"))) == parts(split)


def test_a_row_without_a_group_is_one_of_its_own() -> None:
    labels = make_labels({"a": 30, "b": 30})
    split = split_rows(labels, SplitSettings(groups="who"), frame=make_frame(labels, who=[None] * 60))
    assert len(split.held_out) == 18


def test_classes_in_too_few_groups_are_named() -> None:
    labels = make_labels({"a": 30, "b": 10})
    frame = make_frame(labels, who=["x", "y", "z"] * 10 + ["w"] * 10)
    with pytest.raises(StudyError, match=r"Class 'b' sits in one group of 'who' only.*Split by another column"):
        split_rows(labels, SplitSettings(groups="who"), frame=frame)
    labels = make_labels({"a": 30, "b": 4, "c": 10})
    frame = make_frame(labels, who=["x", "y", "z"] * 10 + ["v", "v", "w", "w"] + ["x", "y"] * 5)
    with pytest.raises(RoleError, match="'b' has 4 rows"):
        split_rows(labels, SplitSettings(groups="who"), frame=frame)
    labels = make_labels({"a": 30, "b": 6})
    frame = make_frame(labels, who=["x", "y", "z"] * 10 + ["v"] * 4 + ["w"] * 2)
    split = split_rows(labels, SplitSettings(groups="who"), frame=frame)
    assert (labels.loc[split.held_out] == "b").sum() == 2  # the four would leave too few to learn from


def test_groups_too_large_for_both_sides_are_refused() -> None:
    labels = pd.Series(["a"] * 6 + ["b"] * 6, index=range(1, 13), name="kind", dtype="str")
    frame = make_frame(labels, who=["x", "x", "x", "x", "y", "y", "x", "x", "y", "y", "y", "y"])
    with pytest.raises(StudyError, match=r"cannot be on both sides of the split"):
        split_rows(labels, SplitSettings(groups="who"), frame=frame)


@pytest.mark.parametrize("as_text", [False, True])
def test_the_latest_rows_are_held_out_and_ties_stay_together(as_text: bool) -> None:
    labels = make_labels({"a": 50, "b": 50})
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(np.random.default_rng(1).integers(0, 20, 100), unit="D")
    shown = days.strftime("%d.%m.%Y") if as_text else days
    split = split_rows(labels, SplitSettings(0.3, time="day"), frame=make_frame(labels, day=shown))
    when = pd.Series(days, index=labels.index)
    assert when.loc[split.train].max() < when.loc[split.held_out].min()
    assert abs(len(split.held_out) - 30) <= 5


def test_rows_without_a_time_are_set_aside() -> None:
    labels = make_labels({"a": 30, "b": 30, None: 2})
    years = np.array([2000.0 + i % 20 for i in range(62)])
    years[[3, 33]] = np.nan
    split = split_rows(labels, SplitSettings(time="year"), frame=make_frame(labels, year=years))
    assert set(split.unlabelled) == {*labels.index[[3, 33]], *labels.index[labels.isna()]}
    assert len(split.train) + len(split.held_out) == 58


def test_groups_and_time_together() -> None:
    labels = make_labels({"a": 100, "b": 100})
    who, day = np.arange(200) // 4, np.random.default_rng(0).permutation(200)
    frame = make_frame(labels, who=who, day=day)
    split = split_rows(labels, SplitSettings(0.25, groups="who", time="day"), frame=frame)
    train, held = frame.loc[split.train], frame.loc[split.held_out]
    assert not set(train["who"]) & set(held["who"])
    assert train["day"].max() < held.groupby("who")["day"].max().min()


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (["soon", "late"] * 10, "neither dates nor numbers"),
        ([5] * 20, "All rows have one time"),
        ([True, False] * 10, "neither dates nor numbers"),
        (list(range(20)), "Class 'b' has 0 rows before the latest"),
        ([None] * 8 + list(range(12)), r"is missing in 8 rows of class 'a'"),
    ],
)
def test_times_that_cannot_split(column: list[object], words: str) -> None:
    labels = pd.Series(["a"] * 10 + ["b"] * 10, index=range(1, 21), name="kind", dtype="str")
    with pytest.raises(StudyError, match=words):
        split_rows(labels, SplitSettings(0.5, time="when"), frame=make_frame(labels, when=column))


def test_columns_that_cannot_split() -> None:
    labels = make_labels({"a": 10, "b": 10})
    with pytest.raises(StudyError, match=r"no such column\. Its columns are 'x'"):
        split_rows(labels, SplitSettings(groups="who"), frame=make_frame(labels, x=1))
    with pytest.raises(StudyError, match="which is the target"):
        split_rows(labels, SplitSettings(groups="kind"), frame=make_frame(labels, kind="a"))
    with pytest.raises(StudyError, match="Choose it for one of the two"):
        SplitSettings(groups="day", time="day")
    with pytest.raises(StudyError, match="a name or None"):
        SplitSettings(groups=7)  # type: ignore[arg-type]
