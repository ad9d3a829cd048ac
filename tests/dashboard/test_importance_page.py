"""What counts over many rows, on the Features page: at once, against another case, and over all rows as a job."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from dashboard import cache
from dashboard.services.references import references
from dashboard.session import jobs
from dashboard.work.progress import ProgressWriter
from dashboard.work.tasks import IMPORTANCE, ImportanceRequest
from proset.common.errors import StorageError
from proset.data.samples import load_sample, sample_roles
from proset.explain.attribution.many_rows import global_importance
from proset.study import fit_study


def test_a_reference_can_be_chosen_and_stands_in_the_address(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", aspect="importance", reference="class-1")
    assert not at.exception
    typical = references(iris_study)[2]
    assert f"compared with {typical.words}" in at.words().replace("\\", "")
    assert at.selectbox(key="features.reference").value == "class-1"
    at.selectbox(key="features.reference").set_value("point").run()
    assert "compared with the reference point" in at.words()
    assert "".join(at.query_params["reference"]) == "point"
    expected = global_importance(iris_study, references(iris_study)[0]).frame.iloc[0, 0]
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"][0]
    assert drawn["name"] == "setosa"
    assert 100 * expected == pytest.approx(drawn["x"][0])
    assert not [button for button in at.button if button.key == "features.importance.start"]
    swarm = json.loads(at.get("plotly_chart")[1].proto.spec)
    assert "SHAP value towards virginica" in swarm["layout"]["xaxis"]["title"]["text"]
    at.selectbox(key="features.class").set_value(1).run()
    assert "towards setosa" in at.get("plotly_chart")[1].proto.spec
    assert at.query_params["class"] == "1"


def test_a_row_that_is_not_there_leads_to_the_reference_point(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("features", data="iris_2f", fit="own", aspect="importance", reference="row-99999")
    assert not at.exception
    assert "no row 99999" in at.words()
    assert "compared with the reference point" in at.words()


@pytest.mark.slow
def test_all_rows_are_a_job_whose_result_stays_with_its_model(open_app, monkeypatch):
    monkeypatch.setattr("proset.explain.attribution.many_rows.QUICK_WORK", 1)
    study = fit_study(load_sample("penguins"), sample_roles("penguins"))
    cache.keep_sample_study("penguins", study)
    at = open_app("features", data="penguins", fit="own", aspect="importance")
    assert not at.exception
    assert "Mean over 50 of the 103 held-out rows, drawn at random" in at.words()
    begun = []
    real = jobs.start
    # It may have ended before the page is drawn again.
    monkeypatch.setattr(jobs, "start", lambda task, *rest, **more: (begun.append(task), real(task, *rest, **more)))
    at.button(key="features.importance.start").click().run()
    assert begun == [IMPORTANCE]
    at.wait()
    assert not at.exception
    assert "Mean over all 103 held-out rows" in at.words()
    found = at.held.opened.values[study.id, "importance point"]
    pd.testing.assert_frame_equal(found.frame, global_importance(study, references(study)[0], every=True).frame)
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


def test_rows_are_taken_in_blocks_that_fit_into_memory(iris_study, monkeypatch):
    against = references(iris_study)[0]
    whole = global_importance(iris_study, against)
    monkeypatch.setattr("proset.explain.attribution.many_rows._VALUES_AT_ONCE", 60)
    told = []
    parts = global_importance(iris_study, against, progress=lambda done, total: told.append((done, total)))
    pd.testing.assert_frame_equal(parts.frame, whole.frame)
    assert told == sorted(told)
    assert told[-1] == (45, 45)
