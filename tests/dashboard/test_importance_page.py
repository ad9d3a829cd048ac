"""What counts over many rows, on the Features page: at once, against another case, and over all rows as a job."""

from __future__ import annotations

import json

import pytest

from dashboard import cache
from dashboard.services.references import references
from dashboard.services.shapley import global_importance
from dashboard.work.progress import ProgressWriter
from dashboard.work.tasks import IMPORTANCE, ImportanceRequest
from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.study import FitSettings, fit_study


@pytest.fixture(scope="module")
def digits_study():
    """More held-out rows than are taken at once."""
    return fit_study(load_sample("digits"), sample_roles("digits"))


def test_a_reference_can_be_chosen_and_stands_in_the_address(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="1", aspect="importance", reference="class-1")
    assert not at.exception
    typical = references(iris_study)[2]
    assert f"compared with {typical.words}" in at.words().replace("\\", "")
    assert at.selectbox(key="features.reference").value == "class-1"
    at.selectbox(key="features.reference").set_value("point").run()
    assert "compared with the reference point" in at.words()
    assert "reference" not in at.query_params
    expected = global_importance(iris_study, references(iris_study)[0]).frame.iloc[0, 0]
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"][0]
    assert drawn["name"] == "setosa"
    assert 100 * expected == pytest.approx(drawn["x"][0])
    assert not [button for button in at.button if button.key == "features.importance.start"]


def test_a_row_that_is_not_there_leads_to_the_reference_point(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="1", aspect="importance", reference="row-99999")
    assert not at.exception
    assert "compared with the reference point" in at.words()


def test_a_model_without_features_says_so(open_app, iris_study):
    study = fit_study(iris_study.table, iris_study.roles, settings=FitSettings(n_iter=0))
    at = open_app("features", data="iris_2f", fit="1", aspect="importance")
    at.held.opened.add(study)
    at.run()
    assert not at.exception
    assert "No column moves any estimate" in at.words()


def test_all_rows_are_a_job_whose_result_stays_with_its_model(open_app, digits_study):
    cache.keep_sample_study("digits", digits_study)
    at = open_app("features", data="digits", fit="1", aspect="importance")
    assert not at.exception
    assert "Mean over 300 of the 539 held-out rows, drawn at random" in at.words()
    at.button(key="features.importance.start").click().run()
    assert at.job is not None
    at.wait()
    assert not at.exception
    assert "Mean over all 539 held-out rows" in at.words()
    assert not [button for button in at.button if button.key == "features.importance.start"]


def test_the_job_brings_what_is_computed_here(iris_study, tmp_path):
    request = ImportanceRequest(iris_study, "row-7")
    IMPORTANCE.write(request, tmp_path)
    read = IMPORTANCE.read(tmp_path)
    assert read.reference == "row-7"
    IMPORTANCE.run(read, ProgressWriter(tmp_path), tmp_path)
    found = IMPORTANCE.result(request, tmp_path)
    assert found.words.endswith("held-out rows, compared with row 7.")
    assert found.frame.sum(axis=1).is_monotonic_decreasing
    (tmp_path / "importance.npy").write_bytes((tmp_path / "importance.npy").read_bytes()[:-8] + b"\xff" * 8)
    with pytest.raises(StorageError, match="one number per feature"):
        IMPORTANCE.result(request, tmp_path)
