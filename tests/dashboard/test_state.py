"""What a session holds, and what is cleared when something upstream changes."""

from dataclasses import replace

import pytest
import streamlit as st

from dashboard import cache, state
from dashboard.session import jobs
from dashboard.session.jobs import Running
from dashboard.work.tasks import FIT
from proset.data.issues import Role
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.selection import SearchPlan
from proset.study import fit_study
from proset.study.settings import FitSettings, suggest_settings


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FitSettings(num_candidates=20))


@pytest.fixture(autouse=True)
def session(monkeypatch):
    """A session state of its own, without a running app."""
    monkeypatch.setattr(st, "session_state", {})


class StubJob:
    """Remembers that it was cancelled."""

    task = FIT
    cancelled = False

    def close(self):
        self.cancelled = True


def test_a_new_session_is_empty():
    assert state.table() is state.roles() is state.study() is state.selected_row() is state.sample_name() is None
    assert state.split_settings() == SplitSettings()
    assert state.fit_settings() == FitSettings()
    assert not state.study_is_stale()


def test_a_new_table_clears_what_belonged_to_the_former(study):
    state.open_study(study)
    state.select_row(3)
    state.set_split_settings(SplitSettings(seed=5))
    state.keep("map.part", "train")
    job = StubJob()
    jobs._jobs().running["fit"] = Running(job, study.table, "iris", handling=None)
    assert state.job() is job
    state.set_table(load_sample("wine"), sample="wine", roles=sample_roles("wine"))
    assert state.study() is None
    assert state.selected_row() is None
    assert state.split_settings() == SplitSettings()
    assert state.fit_settings() == suggest_settings(178, 13)
    assert state.kept("map.part") is None
    assert state.sample_name() == "wine"
    assert state.roles().target == sample_roles("wine").target
    assert job.cancelled
    assert state.job() is None
    assert "stopped" in state.take_notices()[0][1]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda study: state.set_roles(study.roles.with_role(study.roles.features[0], Role.EXTRA)), "roles"),
        (lambda study: state.set_split_settings(SplitSettings(seed=9)), "split"),
        (lambda study: state.set_fit_settings(replace(study.settings, n_iter=2)), "settings"),
    ],
)
def test_a_later_change_makes_the_study_stale_and_keeps_it(study, change, words):
    state.open_study(study)
    state.select_row(3)
    assert not state.study_is_stale()
    change(study)
    assert state.study() is study
    assert state.selected_row() == 3
    assert words in state.stale_reason()


def test_taking_the_change_back_makes_the_study_current_again(study):
    state.open_study(study)
    state.set_fit_settings(replace(study.settings, n_iter=2))
    state.set_fit_settings(study.settings)
    assert not state.study_is_stale()


def test_a_finished_fit_keeps_selection_and_later_edits(study):
    state.set_table(study.table, sample="iris_2f", roles=study.roles)
    state.set_fit_settings(study.settings)
    state.select_row(7)
    edited = study.roles.with_role(study.roles.features[0], Role.EXTRA)
    state.set_roles(edited)
    state.set_study(study)
    assert state.selected_row() == 7
    assert state.roles() == edited
    assert state.study_is_stale()
    assert state.sample_name() == "iris_2f"


def test_opening_a_study_brings_its_table_and_settings(study):
    state.set_table(load_sample("wine"), sample="wine")
    state.open_study(study)
    assert state.table() is study.table
    assert state.fit_settings() == study.settings
    assert state.sample_name() is None
    assert not state.study_is_stale()


@pytest.mark.parametrize("row", [None, 0, 10**9])
def test_rows_the_table_does_not_have_cannot_be_selected(study, row):
    state.open_study(study)
    state.select_row(3)
    state.select_row(row)
    assert state.selected_row() is None


def test_a_new_target_renews_the_guess():
    state.set_table(load_sample("penguins"), sample="penguins", roles=sample_roles("penguins"))
    former = state.guess()
    state.set_roles(state.roles().with_role("island", Role.TARGET))
    assert state.roles().target == "island"
    assert state.guess() is not former
    assert state.guess().roles.target == "island"


def test_messages_are_shown_once():
    state.add_notice("one")
    state.add_notice("two", kind="error")
    assert state.take_notices() == [("warning", "one"), ("error", "two")]
    assert state.take_notices() == []


def test_once_is_true_once():
    assert state.once("link")
    assert not state.once("link")


def test_what_is_derived_from_a_study_is_computed_once_and_per_key(study):
    calls = []
    for key in (1, 1, 2):
        cache.derived(study, "test value", lambda key=key: calls.append(key) or key, key)
    assert calls == [1, 2]
    other = replace(study)
    assert cache.derived(other, "test value", lambda: "other", 1) == "other"


def test_sample_fits_are_found_only_under_exactly_the_same_settings(study):
    st.cache_resource.clear()
    cache.keep_sample_study("iris_2f", study)
    assert cache.sample_study("iris_2f", study.recipe) is study
    assert cache.sample_study("wine", study.recipe) is None
    fewer = study.roles.with_role(study.roles.features[0], Role.EXTRA)
    for other in (
        replace(study.recipe, split=SplitSettings(seed=1)),
        replace(study.recipe, settings=replace(study.settings, lambda_v=2e-3)),
        replace(study.recipe, roles=fewer),
        replace(study.recipe, plan=SearchPlan()),
    ):
        assert cache.sample_study("iris_2f", other) is None
