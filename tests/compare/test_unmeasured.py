"""Classes that are learned from, but that no fold measures: they are named wherever means over folds are shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

from proset.common.errors import StorageError
from proset.compare import (
    ComparePlan,
    compare,
    comparison_json,
    fold_words,
    load_comparison,
    metric_table,
    save_comparison,
)
from proset.compare.ground import ground_of
from proset.compare.saved import FILE
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.study import fit_study

PLAN = ComparePlan(("knn",), n_folds=3, sizes=False, drift=False)
SAID = "No fold measures a row of 'early': means over the folds are about the other classes."


@pytest.fixture(scope="module")
def grown():
    """A study over years: one class is there in the first ones only."""
    rng = np.random.default_rng(0)
    kinds = ["early"] * 12 + ["oak", "elm"] * 44
    lines = ["day,x,kind", *(f"{2000 + i // 4}-05-01,{rng.normal():.4f},{kind}" for i, kind in enumerate(kinds))]
    table = read_table("\n".join(lines).encode(), name="made.csv")
    roles = Roles({"day": Role.DATE, "x": Role.NUMERIC, "kind": Role.TARGET})
    return fit_study(table, roles, split=SplitSettings(time="day"))


def test_a_class_before_the_first_fold_is_named_and_comes_back(grown, tmp_path):
    found = compare(grown, PLAN)
    assert found.unmeasured == ("early",)
    assert fold_words(grown, found.unmeasured).endswith(SAID)
    assert json.loads(comparison_json(grown, found))["classes_that_no_fold_measures"] == ["early"]
    save_comparison(found, tmp_path)
    assert load_comparison(tmp_path, grown).unmeasured == ("early",)


def test_a_comparison_saved_before_it_was_known_opens_and_a_strange_class_is_refused(grown, tmp_path):
    save_comparison(compare(grown, PLAN), tmp_path)
    content = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(content | {"unmeasured": ["ash"]}))
    with pytest.raises(StorageError, match="does not fit the table"):
        load_comparison(tmp_path, grown)
    (tmp_path / FILE).write_text(json.dumps({name: value for name, value in content.items() if name != "unmeasured"}))
    assert load_comparison(tmp_path, grown).unmeasured == ()


def test_the_ratio_of_the_folds_is_kept_and_an_impossible_one_is_refused(grown, tmp_path):
    found = compare(grown, PLAN)
    folds = ground_of(grown, PLAN).folds
    assert found.left_out_ratio == pytest.approx(np.mean([len(fold.test) / len(fold.train) for fold in folds]))
    assert metric_table(found).left_out_ratio == found.left_out_ratio
    save_comparison(found, tmp_path)
    assert load_comparison(tmp_path, grown).left_out_ratio == found.left_out_ratio
    content = json.loads((tmp_path / FILE).read_text())
    (tmp_path / FILE).write_text(json.dumps(content | {"left_out_ratio": -1.0}))
    with pytest.raises(StorageError, match="folds without rows"):
        load_comparison(tmp_path, grown)


def test_nothing_is_said_where_every_class_is_measured(study, compared):
    assert compared.unmeasured == ()
    assert "No fold measures" not in fold_words(study, compared.unmeasured)
