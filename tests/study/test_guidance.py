"""What people say about a model: items, contradictions, words, and what is refused before a fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import RoleError, StudyError
from proset.data.issues import Role
from proset.data.samples import load_sample, sample_roles
from proset.data.split import split_rows
from proset.data.table import read_table
from proset.data.target import target_labels
from proset.study.guidance import LONGEST_REASON, Guidance, GuidanceItem, GuidanceKind
from proset.study.guidance_check import check_guidance
from proset.study.recipe import Recipe

K = GuidanceKind
TABLE, ROLES = load_sample("iris_2f"), sample_roles("iris_2f")
SPLIT = split_rows(target_labels(TABLE.frame, ROLES))
OF_CLASS = target_labels(TABLE.frame, ROLES)


def rows(kind: GuidanceKind, *wanted: int) -> tuple[GuidanceItem, ...]:
    return tuple(GuidanceItem(kind, row=row) for row in wanted)


def training_rows_of(label: str) -> list[int]:
    return [row for row in SPLIT.train.tolist() if OF_CLASS.loc[row] == label]


def test_the_order_and_who_says_it_make_no_other_guidance() -> None:
    first = GuidanceItem(K.LEAVE_OUT, row=3, by="Ada", why="twice in the table", at="2026-11-24T10:00:00+00:00")
    second = GuidanceItem(K.RELABEL, row=9, label="setosa")
    said = Guidance((first, second))
    assert said == Guidance((second, replace(first, by="Bob")))
    assert hash(said) == hash(Guidance((second, first)))
    assert said.with_item(replace(first, by="Bob")).items[1].by == "Ada"  # who said it first
    assert said.without_item(replace(first, by="Bob")) == Guidance((second,))
    assert not Guidance()
    assert len(said) == 2
    assert Guidance().words("class") == ""
    assert said.words("class") == "1 row learned with another class, 1 row left out"


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": "forget", "row": 1}, "cannot ask for 'forget'"),
        ({"kind": K.RELABEL, "row": 1}, "lacks its label"),
        ({"kind": K.RELABEL, "label": "a"}, "lacks its row"),
        ({"kind": K.LEAVE_OUT, "row": True}, "lacks its row"),
        ({"kind": K.LEAVE_OUT, "row": 1.0}, "lacks its row"),
        ({"kind": K.LEAVE_OUT, "row": 1, "label": "a"}, "takes no label"),
        ({"kind": K.CANDIDATE, "row": 1, "column": "a"}, "takes no column"),
        ({"kind": K.NO_COLUMN}, "lacks its column"),
        ({"kind": K.USE_COLUMN, "column": "a", "row": 2}, "takes no row"),
        ({"kind": K.LEAVE_OUT, "row": 1, "why": "x" * (LONGEST_REASON + 1)}, "'why'"),
        ({"kind": K.LEAVE_OUT, "row": 1, "by": None}, "'by'"),
        ({"kind": K.LEAVE_OUT, "row": 1, "at": "yesterday"}, "'yesterday' is no time"),
    ],
)
def test_an_impossible_item_is_refused(fields: dict[str, object], said: str) -> None:
    with pytest.raises(StudyError, match=said):
        GuidanceItem(**fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (GuidanceItem(K.RELABEL, row=5, label="a"), GuidanceItem(K.RELABEL, row=5, label="b")),
        (GuidanceItem(K.RELABEL, row=5, label="a"), GuidanceItem(K.LEAVE_OUT, row=5)),
        (GuidanceItem(K.CANDIDATE, row=5), GuidanceItem(K.LEAVE_OUT, row=5)),
        (GuidanceItem(K.CANDIDATE, row=5), GuidanceItem(K.NO_PROTOTYPE, row=5)),
        (GuidanceItem(K.NO_COLUMN, column="age"), GuidanceItem(K.USE_COLUMN, column="age")),
    ],
)
def test_what_contradicts_is_refused_either_way_round(one: GuidanceItem, other: GuidanceItem) -> None:
    for first, second in ((one, other), (other, one)):
        with pytest.raises(StudyError, match=r"contradict each other: .*(Row 5|'age')") as caught:
            Guidance((first,)).with_item(second)
        assert caught.value.hint == "Take one of them back."


def test_what_does_not_contradict_is_kept() -> None:
    both = Guidance((GuidanceItem(K.RELABEL, row=5, label="a"), *rows(K.NO_PROTOTYPE, 5), *rows(K.CANDIDATE, 6)))
    assert [item.kind for item in both] == [K.RELABEL, K.NO_PROTOTYPE, K.CANDIDATE]


def test_labels_and_split_follow_without_touching_what_was_given() -> None:
    train = SPLIT.train.tolist()
    said = Guidance((GuidanceItem(K.RELABEL, row=train[0], label="virginica"), *rows(K.LEAVE_OUT, train[4], train[2])))
    labels, split = said.labels(OF_CLASS), said.split(SPLIT)
    changed = labels.index[labels.ne(OF_CLASS) | labels.isna()].tolist()
    assert changed == sorted([train[0], train[2], train[4]])
    assert labels.dtype == OF_CLASS.dtype
    assert labels.loc[train[0]] == "virginica"
    assert OF_CLASS.loc[train[0]] != "virginica"
    assert split.unlabelled.tolist() == sorted([train[2], train[4]])
    assert sorted([*split.train, *split.held_out, *split.unlabelled]) == TABLE.frame.index.tolist()
    assert split.held_out.tolist() == SPLIT.held_out.tolist()
    assert len(SPLIT.unlabelled) == 0
    assert Guidance().labels(OF_CLASS) is OF_CLASS
    assert Guidance().split(SPLIT) is SPLIT
    assert said.within(np.array([train[2]])).words("number") == "1 row left out"


def test_rows_that_cannot_be_guided_are_refused() -> None:
    held, train = int(SPLIT.held_out[0]), int(SPLIT.train[0])
    refused = {
        "The table has no row 151": rows(K.LEAVE_OUT, 151),
        "The table has no row -1": rows(K.CANDIDATE, -1),
        f"Row {held} is held out": rows(K.LEAVE_OUT, held),
        f"Row {held} is held out: it is measured": (GuidanceItem(K.RELABEL, row=held, label="virginica"),),
        f"Row {train} cannot be learned as 'rose'": (GuidanceItem(K.RELABEL, row=train, label="rose"),),
    }
    for said, items in refused.items():
        with pytest.raises(StudyError, match=said) as caught:
            check_guidance(Guidance(items), TABLE, ROLES, SPLIT)
        assert caught.value.hint


def test_a_class_keeps_enough_rows_and_one_that_may_be_a_prototype() -> None:
    setosa = training_rows_of("setosa")
    check_guidance(Guidance(rows(K.LEAVE_OUT, *setosa[3:])), TABLE, ROLES, SPLIT)
    with pytest.raises(StudyError, match="leaves 2 training rows of class 'setosa'"):
        check_guidance(Guidance(rows(K.LEAVE_OUT, *setosa[2:])), TABLE, ROLES, SPLIT)
    moved = tuple(GuidanceItem(K.RELABEL, row=row, label="virginica") for row in setosa)
    with pytest.raises(StudyError, match="leaves 0 training rows of class 'setosa'"):
        check_guidance(Guidance(moved), TABLE, ROLES, SPLIT)
    check_guidance(Guidance(rows(K.NO_PROTOTYPE, *setosa[1:])), TABLE, ROLES, SPLIT)
    with pytest.raises(StudyError, match="No row of class 'setosa' may be a prototype"):
        check_guidance(Guidance(rows(K.NO_PROTOTYPE, *setosa)), TABLE, ROLES, SPLIT)


def test_rows_without_a_class_cannot_be_guided() -> None:
    frame = TABLE.frame.astype(object).copy()
    frame.loc[1, ROLES.target] = None
    table = replace(TABLE, frame=frame)
    with pytest.raises(StudyError, match="Row 1 has no class in the table"):
        check_guidance(Guidance((GuidanceItem(K.RELABEL, row=1, label="setosa"),)), table, ROLES)


def test_columns_that_cannot_be_guided_are_refused() -> None:
    lines = ["age,size,note,sick"] + [f"{i},{i % 7},n{i},{'yes' if i > 9 else 'no'}" for i in range(20)]
    table = read_table("\n".join(lines).encode(), name="t.csv")
    by_column = {"age": Role.NUMERIC, "size": Role.NUMERIC, "note": Role.EXTRA, "sick": Role.TARGET}
    roles = replace(ROLES, by_column=by_column, guessed={}, classes=None)
    for column, said in (("shoe", "no column 'shoe'"), ("note", "'note' is no feature"), ("sick", "is no feature")):
        for kind in (K.NO_COLUMN, K.USE_COLUMN):
            with pytest.raises(RoleError, match=said) as caught:
                check_guidance(Guidance((GuidanceItem(kind, column=column),)), table, roles)
            assert caught.value.column == column
    one = Guidance((GuidanceItem(K.NO_COLUMN, column="age"),))
    check_guidance(one, table, roles)
    with pytest.raises(RoleError, match="No feature may be used"):
        check_guidance(one.with_item(GuidanceItem(K.NO_COLUMN, column="size")), table, roles)


def test_a_recipe_names_guidance_among_its_differences() -> None:
    recipe = Recipe(ROLES)
    guided = replace(recipe, guidance=Guidance(rows(K.LEAVE_OUT, 3)))
    assert recipe.differences(guided) == "the guidance"
    assert guided.differences(guided) == ""
    assert recipe != guided
    assert guided.like(recipe).guidance == guided.guidance


def test_a_strangers_words_stay_on_one_line() -> None:
    words = GuidanceItem(K.NO_COLUMN, column="a\nb" * 200).words
    assert "\n" not in words
    assert len(words) < 200
    assert GuidanceItem(K.RELABEL, row=1, label="{row}").words == "Row 1 is learned as '{row}'."
    assert isinstance(pd.Series([GuidanceItem(K.LEAVE_OUT, row=np.int64(3)).row])[0], np.int64 | int)
