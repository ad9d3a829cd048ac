"""Saved studies of a number: the same study comes back, and what was tampered with is refused."""

import json

import numpy as np
import pytest
from number_tables import houses, priced, table_of

from proset.common.errors import StorageError
from proset.selection import NumberPlan
from proset.storage import from_bytes, load_result, save_result, to_bytes
from proset.storage.arrays import read_array, write_array
from proset.storage.container import NUMBER_FORMAT, USUAL_FORMAT, pack, unpack
from proset.storage.recipes import recipe_from_record, recipe_to_record
from proset.study import NumberStudy, search_number_study


@pytest.fixture(scope="module")
def members():
    return dict(unpack(to_bytes(priced())).members)


def repacked(members, number=NUMBER_FORMAT):
    """A file whose hashes are right, as somebody hostile would write it."""
    return pack(members, written_by="0", format_version=number)


def edited(members, *path_and_value):
    """The file with one value of its description changed."""
    *path, last, value = path_and_value
    sections = json.loads(members["study.json"])
    place = sections
    for name in path:
        place = place[name]
    place[last] = value
    return repacked(members | {"study.json": json.dumps(sections).encode()})


@pytest.mark.slow
def test_the_same_study_comes_back():
    study = search_number_study(*table_of(houses()), plan=NumberPlan(n_trials=2, n_folds=2, max_batches=1))
    again = from_bytes(to_bytes(study))
    assert isinstance(again, NumberStudy)
    assert again.id == study.id
    assert again.predictions.equals(study.predictions)
    assert again.metrics == study.metrics
    assert again.recipe == study.recipe
    assert again.search.log_score == study.search.log_score
    assert to_bytes(again) == to_bytes(study)
    assert recipe_from_record(recipe_to_record(study.recipe)) == study.recipe


def test_without_its_table(tmp_path):
    study = priced()
    save_result(study, tmp_path / "result")
    again = load_result(tmp_path / "result", study.table)
    assert again.table is study.table
    assert again.predictions.equals(study.predictions)


def test_a_model_that_came_back_goes_on(members):
    again = from_bytes(repacked(members))
    X, y = again.encode(again.split.train).X, again.targets.loc[again.split.train].to_numpy()
    again.model.set_params(n_iter=1).fit(X, y, warm_start=True)
    assert again.model.set_manager_.num_batches == priced().model.set_manager_.num_batches + 1


def test_programs_from_before_are_told_that_it_is_newer(members):
    assert NUMBER_FORMAT > USUAL_FORMAT
    with pytest.raises(StorageError, match="something else of the target than its format"):
        from_bytes(repacked(members, USUAL_FORMAT))


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("model/batch_1_spreads.npy", lambda a: -a, "spreads' must be positive"),
        ("model/batch_1_values.npy", lambda a: a[:-1], "values' must have"),
        ("model/batch_1_slopes.npy", lambda a: np.append(a, 1.0), "slopes' must have"),
        ("model/batch_1_values.npy", lambda a: a * np.nan, "values' must be finite"),
        ("model/marginal_weights.npy", lambda a: a * 2, "sum to one"),
        ("model/marginal_spreads.npy", lambda a: a * 0, "marginal_spreads' must be positive"),
        ("model/marginals.npy", lambda a: a * 2, "sum to one"),
        ("model/batch_1_sample_index.npy", lambda a: a + 10_000, "no training row"),
        ("split/train.npy", lambda a: np.append(a, a[0]), "names a row twice"),
    ],
)
def test_arrays_that_cannot_be_true(members, name, change, message):
    array = change(read_array(members[name], name))
    with pytest.raises(StorageError, match=message):
        from_bytes(repacked(members | {name: write_array(array)}))


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (("model", "scale", 0.0), "scale"),
        (("model", "mean", "much"), "mean"),
        (("model", "parameters", "lambda_beta", -1.0), "bad parameters"),
        (("model", "batches", [True, False, "no"]), "no part of a saved study"),
        (("settings", "thinnest", 1), "unknown field 'thinnest'"),
        (("metrics", "crps", "low"), "crps"),
        (("roles", "number", False), "number"),
        (("settings", "n_iter", 0), "batches; its settings ask for"),
    ],
)
def test_descriptions_that_cannot_be_true(members, path, message):
    with pytest.raises(StorageError, match=message):
        from_bytes(edited(members, *path))


def test_members_of_classes_have_no_place(members):
    with pytest.raises(StorageError, match="confusion"):
        from_bytes(repacked(members | {"metrics/confusion.npy": write_array(np.zeros((2, 2), dtype=np.int64))}))
