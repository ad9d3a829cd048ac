"""Recipes as JSON: without guidance as ever, with it every field checked on the way back."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.storage import from_bytes, to_bytes
from proset.storage.container import pack, unpack
from proset.storage.recipes import recipe_from_record, recipe_to_record, settings_record
from proset.study import FitSettings, NumberSettings, Study, fit_study
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.recipe import Recipe

PLAIN = Recipe(sample_roles("iris_2f"))
ITEM = {"kind": "leave_out", "row": 3, "column": None, "label": None, "by": "Ada", "why": "twice", "at": ""}


def test_a_recipe_without_guidance_is_written_as_before() -> None:
    assert list(recipe_to_record(PLAIN)) == ["roles", "split", "settings", "plan"]
    assert recipe_from_record(recipe_to_record(PLAIN)) == PLAIN


def test_all_kinds_come_back_with_who_and_why() -> None:
    said = Guidance(
        (
            GuidanceItem(GuidanceKind.RELABEL, row=2, label="ü\n", by="Ada", why="", at="2026-11-24T10:30:00.5+00:00"),
            *(GuidanceItem(kind, row=9 + n) for n, kind in enumerate(("leave_out", "no_prototype", "candidate"))),
            GuidanceItem(GuidanceKind.NO_COLUMN, column="petal length", why="=1+1"),
            GuidanceItem(GuidanceKind.USE_COLUMN, column=""),
        )
    )
    record = json.loads(json.dumps(recipe_to_record(replace(PLAIN, guidance=said))))
    back = recipe_from_record(record)
    assert back.guidance == said
    assert [vars(item) for item in back.guidance] == [vars(item) for item in said]


@pytest.mark.parametrize(
    "odd",
    [
        None,
        [],
        "all",
        {},
        {"items": []},
        {"items": None},
        {"items": {}},
        {"items": [ITEM], "more": 1},
        {"items": [None]},
        {"items": [[]]},
        {"items": [{"row": 3}]},
        {"items": [ITEM | {"kind": "forget"}]},
        {"items": [ITEM | {"kind": 1}]},
        {"items": [ITEM | {"kind": "relabel"}]},
        {"items": [ITEM | {"kind": "no_column"}]},
        {"items": [ITEM | {"row": "3"}]},
        {"items": [ITEM | {"row": 3.0}]},
        {"items": [ITEM | {"row": True}]},
        {"items": [ITEM | {"row": None}]},
        {"items": [ITEM | {"label": "a"}]},
        {"items": [ITEM | {"column": "a"}]},
        {"items": [ITEM | {"by": None}]},
        {"items": [ITEM | {"by": "x" * 1_000}]},
        {"items": [ITEM | {"at": "now"}]},
        {"items": [ITEM | {"who": "Ada"}]},
        {"items": [ITEM, ITEM | {"kind": "candidate"}]},
        {"items": [ITEM | {"row": row} for row in range(20_001)]},
    ],
    ids=lambda odd: json.dumps(odd)[:60],
)
def test_odd_guidance_is_refused(odd: Any) -> None:
    with pytest.raises(StorageError, match="guidance"):
        recipe_from_record(recipe_to_record(PLAIN) | {"guidance": odd})


def test_a_recipe_with_another_part_is_refused() -> None:
    for record in (recipe_to_record(PLAIN) | {"advice": 1}, {"guidance": {"items": [ITEM]}}):
        with pytest.raises(StorageError, match="its recipe"):
            recipe_from_record(record)


@pytest.mark.parametrize("name", ["iris_2f", "cars"])
def test_settings_of_the_other_kind_give_way_to_usual_ones(name: str) -> None:
    """Such mixtures were kept once; the study is to open again."""
    roles = sample_roles(name)
    usual, other = (NumberSettings(), FitSettings()) if roles.number else (FitSettings(), NumberSettings())
    record = recipe_to_record(Recipe(roles, settings=usual))
    odd = settings_record(replace(other, n_iter=3))
    assert recipe_from_record(record | {"settings": odd}) == Recipe(roles, settings=usual)
    for damage in ({"n_iter": "3"}, {"lambda_z": 1.0}):
        with pytest.raises(StorageError, match="settings"):
            recipe_from_record(record | {"settings": odd | damage})


@pytest.fixture(scope="module")
def guided() -> Study:
    table, roles = load_sample("iris_2f"), sample_roles("iris_2f")
    train = fit_study(table, roles, settings=FitSettings(n_iter=0)).split.train
    said = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=int(train[0])),))
    return fit_study(table, roles, settings=FitSettings(n_iter=0), guidance=said)


@pytest.mark.parametrize(
    ("item", "said"),
    [
        ({"row": 4_000}, "its guidance cannot be obeyed .The table has no row 4000"),
        ({"kind": "relabel", "label": "rose"}, "cannot be learned as 'rose'"),
        ({"kind": "no_column", "row": None, "column": "rose"}, "no column 'rose'"),
    ],
)
def test_a_study_whose_guidance_speaks_of_what_is_not_there_is_refused(
    guided: Study, item: dict[str, Any], said: str
) -> None:
    with pytest.raises(StorageError, match=said):
        from_bytes(_with_items(guided, [ITEM | {"row": int(guided.split.unlabelled[0])} | item]))


def test_a_study_that_learned_from_a_row_left_out_is_refused(guided: Study) -> None:
    for rows in (guided.split.train, guided.split.held_out):
        with pytest.raises(StorageError, match="has a row that its guidance leaves out"):
            from_bytes(_with_items(guided, [ITEM | {"row": int(rows[0])}]))


def _with_items(study: Study, items: list[dict[str, Any]]) -> bytes:
    """A saved study with other guidance."""
    members = {name: bytes(data) for name, data in unpack(to_bytes(study)).members.items()}
    sections = json.loads(members["study.json"])
    sections["guidance"] = {"items": items}
    return pack(members | {"study.json": json.dumps(sections).encode()}, written_by="test")
