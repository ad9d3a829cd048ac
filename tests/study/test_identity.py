"""The recipe of a study and its id: what they hold, and what leaves them as they are."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from proset.data.issues import Role
from proset.data.split import SplitSettings
from proset.storage import from_bytes, to_bytes
from proset.study import FitSettings, Study, fit_study, search_study
from proset.study.recipe import Recipe


@pytest.fixture(scope="module")
def small(study: Study) -> Study:
    """The patients with a model that is fitted in no time."""
    return fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))


def test_the_recipe_is_what_was_asked_for(study: Study, searched: Study) -> None:
    assert study.recipe == Recipe(study.roles, study.split.settings, study.settings, None)
    assert searched.search is not None
    assert searched.recipe.plan == searched.search.plan
    assert searched.recipe.settings == searched.settings
    assert study.recipe.differences(searched.recipe) == "the fit settings and the search settings"


@pytest.mark.parametrize("name", ["study", "searched"])
def test_recipe_and_id_survive_saving(name: str, request: pytest.FixtureRequest) -> None:
    study: Study = request.getfixturevalue(name)
    loaded = from_bytes(to_bytes(study))
    assert re.fullmatch(r"[0-9a-f]{16}", study.id)
    assert loaded.id == study.id
    assert loaded.recipe == study.recipe


def test_fitting_the_same_again_gives_the_same_id(study: Study) -> None:
    again = fit_study(study.table, study.roles, split=study.split.settings, settings=study.settings)
    assert again.id == study.id


def test_when_and_how_fast_does_not_count(study: Study) -> None:
    other = dataclasses.replace(study.provenance, created="1999-12-31T00:00:00+00:00", fit_seconds=1e6, versions={})
    assert dataclasses.replace(study, provenance=other).id == study.id


def test_whole_numbers_and_their_decimal_form_are_the_same(study: Study) -> None:
    whole = dataclasses.replace(study.settings, solver_factr=10_000_000, random_state=np.int64(0))  # type: ignore[arg-type]
    assert dataclasses.replace(study, settings=whole).id == study.id


def test_everything_that_matters_changes_the_id(study: Study, small: Study, searched: Study) -> None:
    table = dataclasses.replace(study.table, fingerprint="other")
    parts = dataclasses.replace(study.split, settings=SplitSettings(seed=5))
    others = [
        study,
        small,
        searched,
        dataclasses.replace(study, table=table),
        dataclasses.replace(study, split=parts),
        dataclasses.replace(study, settings=dataclasses.replace(study.settings, lambda_w=1e-7)),
        dataclasses.replace(study, roles=study.roles.with_role("remark", Role.EXTRA)),
        dataclasses.replace(study, search=searched.search),
    ]
    assert len({other.id for other in others}) == len(others)


def test_one_changed_weight_changes_the_id(study: Study) -> None:
    loaded = from_bytes(to_bytes(study))
    batch = loaded.model.set_manager_.batches[0]
    assert batch is not None
    batch.weights[0] = np.nextafter(batch.weights[0], np.float32(9), dtype=np.float32)
    assert loaded.id != study.id


def test_a_search_that_is_repeated_has_the_same_id(searched: Study) -> None:
    assert searched.search is not None
    again = search_study(searched.table, searched.roles, plan=searched.search.plan, n_jobs=1)
    assert again.id == searched.id
