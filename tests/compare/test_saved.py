"""A comparison comes back from a folder as it was, and what does not belong is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import StorageError
from proset.compare import (
    ComparePlan,
    compare,
    disagreements,
    explain_row,
    feature_matrix,
    load_comparison,
    metric_table,
    save_comparison,
    size_paths,
)
from proset.compare.saved import ARRAYS, FILE


@pytest.fixture
def folder(compared, tmp_path):
    """A comparison that was written."""
    save_comparison(compared, tmp_path / "made")
    return tmp_path / "made"


def test_everything_comes_back(study, compared, folder):
    back = load_comparison(folder, study)
    assert (back.plan, back.classes, back.features, back.which) == (
        compared.plan,
        compared.classes,
        compared.features,
        compared.which,
    )
    for make in (metric_table, size_paths):
        pd.testing.assert_frame_equal(make(back).frame, make(compared).frame)
    pd.testing.assert_frame_equal(feature_matrix(back).overlap, feature_matrix(compared).overlap)
    pd.testing.assert_frame_equal(disagreements(study, back).rows, disagreements(study, compared).rows)
    pd.testing.assert_frame_equal(back.drift.frame, compared.drift.frame)
    X = study.encode(compared.measured).X
    for entry, former in zip(back.systems, compared.systems, strict=True):
        np.testing.assert_array_equal(entry.model.predict_proba(X), former.model.predict_proba(X))
        assert (entry.settings, entry.offers, entry.notes) == (former.settings, former.offers, former.notes)
    row = int(compared.measured[0])
    for case, former in zip(explain_row(study, back, row), explain_row(study, compared, row), strict=True):
        pd.testing.assert_frame_equal(case.prototypes, former.prototypes)


def test_a_failed_system_comes_back_without_a_model(study, tmp_path):
    from compare_fakes import Shares, contender

    absent = contender("pvm", Shares, missing="It is not installed.")
    found = compare(study, ComparePlan(("pvm",), n_folds=2, drift=False), contenders=[absent])
    save_comparison(found, tmp_path)
    back = load_comparison(tmp_path, study).system("pvm")
    assert (back.model, back.failed, len(back.path)) == (None, "It is not installed.", 0)


def test_a_comparison_of_another_study_is_refused(iris_study, folder):
    with pytest.raises(StorageError, match=r"damaged|another"):
        load_comparison(folder, iris_study)


def edited(folder, change):
    """Change the JSON of a written comparison."""
    content = json.loads((folder / FILE).read_text())
    change(content)
    (folder / FILE).write_text(json.dumps(content))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(format=2),
        lambda content: content.update(study_id="other"),
        lambda content: content.update(classes=["a"]),
        lambda content: content.update(unknown=1),
        lambda content: content.pop("which"),
        lambda content: content.update(seconds="long"),
        lambda content: content["plan"].update(n_folds=4),
        lambda content: content["plan"].update(systems=["proset", "knn", "pvm"]),
        lambda content: content["systems"].pop(),
        lambda content: content["systems"][0].update(size_bytes=1.5),
        lambda content: content["systems"][0].update(model=None),
        lambda content: content["systems"][0].update(path={}),
        lambda content: content["systems"][0]["model"].update(arrays=["../x"]),
        lambda content: content["systems"][0]["model"]["meta"].update(system="os.system"),
        lambda content: content["drift"].update(frame={}),
        lambda content: content["drift"].update(n_usual="many"),
        lambda content: content.update(drift=7),
    ],
)
def test_what_was_changed_is_refused(study, folder, change):
    edited(folder, change)
    with pytest.raises(StorageError):
        load_comparison(folder, study)


def test_arrays_that_are_missing_or_pickled_are_refused(study, folder):
    array = folder / ARRAYS / "s0_probabilities.npy"
    array.unlink()
    with pytest.raises(StorageError, match="lacks the array"):
        load_comparison(folder, study)
    np.save(array, np.array([{}], dtype=object), allow_pickle=True)
    with pytest.raises(StorageError):
        load_comparison(folder, study)


def test_plans_come_back_and_odd_ones_are_refused():
    plan = ComparePlan(("knn", "proset"), tuned=True, n_folds=3, max_rows=500)
    assert ComparePlan.from_state(json.loads(json.dumps(plan.to_state()))) == plan
    for change in ({"n_folds": "3"}, {"systems": ["svm"]}, {"tuned": 1}, {"more": 1}):
        with pytest.raises(StorageError):
            ComparePlan.from_state(plan.to_state() | change)
