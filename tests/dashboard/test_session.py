"""What a session holds, and what goes when something upstream changes."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

import dashboard
from dashboard import cache
from dashboard.components.jobs import job_panel
from dashboard.services.cases import CaseOrder, CaseRef, CaseSet, CaseSource, Part
from dashboard.services.models import MOST_MODELS
from dashboard.services.params import Flag
from dashboard.session import jobs
from dashboard.session.jobs import Running
from dashboard.session.opened import OpenTable
from dashboard.session.session import PART, Session
from dashboard.work.tasks import FIT
from proset.common.errors import StudyError
from proset.data.classes import TargetClasses
from proset.data.issues import Role
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.selection import SearchPlan
from proset.storage import from_bytes, to_bytes
from proset.study import DecisionRule, fit_study
from proset.study.any_study import fit_recipe
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.recipe import Recipe
from proset.study.settings import FitSettings, NumberSettings, suggest_number_settings, suggest_settings

FEW = FitSettings(num_candidates=20)
OF_MODEL = Flag("of model", False, of_model=True)


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"), settings=FEW)


@pytest.fixture(scope="module")
def other(study):
    """Another model of the same table."""
    return fit_study(study.table, study.roles, settings=replace(FEW, lambda_v=2e-3))


@pytest.fixture
def session(monkeypatch):
    """A session of its own, without a running app."""
    monkeypatch.setattr(st, "session_state", {})
    return Session()


class StubJob:
    """Remembers that it was cancelled."""

    task = FIT
    cancelled = False

    def close(self):
        self.cancelled = True


def row(number):
    return CaseRef.in_table(number)


def test_a_new_session_is_empty(session):
    assert session.opened is session.table is session.recipe is session.study is session.case is None
    assert session.part is Part.HELD_OUT
    assert session.rule == DecisionRule()
    session.select(row(1))
    session.put(PART, Part.TRAIN)
    assert session.chosen(PART) is None


def test_another_table_replaces_everything_that_belonged_to_the_former(session, study):
    session.open_study(study)
    former = session.opened
    session.select(row(3))
    former.edit(split=SplitSettings(seed=5))
    session.put(PART, Part.TRAIN)
    session.look_through(CaseSet(picked=(row(3),)))
    job = StubJob()
    jobs._jobs().running["fit"] = Running(job, former, "iris", handling=None)
    assert session.working
    session.open_table(load_sample("wine"), sample="wine", roles=sample_roles("wine"))
    assert session.opened is not former
    assert session.study is session.case is None
    assert session.recipe.split == SplitSettings()
    assert session.recipe.settings == suggest_settings(178, 13)
    assert session.chosen(PART) is None
    assert session.cases == CaseSet()
    assert session.opened.sample == "wine"
    assert session.recipe.roles.target == sample_roles("wine").target
    assert job.cancelled
    assert not session.working
    assert "stopped" in session.take_notices()[0][1]


CHANGES = [
    (lambda opened: {"roles": opened.recipe.roles.with_role("sepal width (cm)", Role.EXTRA)}, "the column roles"),
    (lambda opened: {"split": SplitSettings(seed=9)}, "the split into training and held-out rows"),
    (lambda opened: {"settings": replace(opened.recipe.settings, n_iter=2)}, "the fit settings"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES)
def test_a_later_change_makes_the_study_stale_and_keeps_it(session, study, change, words):
    session.open_study(study)
    opened = session.opened
    session.select(row(3))
    assert not opened.stale
    former = opened.recipe
    opened.edit(**change(opened))
    assert opened.stale
    assert opened.changes == words
    assert session.study is study
    assert session.case == row(3)
    opened.edit(roles=former.roles, split=former.split, settings=former.settings)
    assert not opened.stale
    assert opened.changes == ""


def test_a_change_of_the_plan_does_not_make_a_single_fit_stale(session, study):
    session.open_study(study)
    opened = session.opened
    opened.edit(plan=SearchPlan(n_folds=3))
    assert not opened.stale


def test_settings_that_nobody_changed_follow_the_number_of_features():
    opened = OpenTable.start(load_sample("iris_2f"), roles=sample_roles("iris_2f"))
    opened.edit(roles=opened.recipe.roles.with_role(opened.recipe.roles.features[0], Role.EXTRA))
    assert opened.recipe.settings == suggest_settings(150, 1)
    opened.edit(settings=replace(opened.recipe.settings, n_iter=2))
    opened.edit(roles=sample_roles("iris_2f"))
    assert opened.recipe.settings == replace(suggest_settings(150, 1), n_iter=2)


def test_settings_of_a_number_are_not_taken_for_classes_nor_the_other_way_round():
    opened = OpenTable.start(load_sample("concrete"), roles=sample_roles("concrete"))
    number, classes = opened.recipe.roles, opened.recipe.roles.with_classes(TargetClasses(cuts=(30,)))
    usual = {True: suggest_number_settings(1030), False: suggest_settings(1030, 8)}
    opened.edit(settings=replace(opened.recipe.settings, n_iter=5))
    for roles in (classes, number):
        opened.edit(roles=roles)
        assert opened.recipe.settings == usual[roles.number]
        opened.edit(settings=replace(usual[not roles.number], n_iter=5))
        assert opened.recipe.settings == usual[roles.number]
        opened.edit(settings=replace(opened.recipe.settings, n_iter=5))


@pytest.mark.slow
@pytest.mark.parametrize("on_show", ["number", "classes"])
def test_who_fits_again_with_what_was_said_keeps_the_target_chosen_meanwhile(session, monkeypatch, on_show):
    number = sample_roles("concrete")
    classes = number.with_classes(TargetClasses(cuts=(30,)))
    shown, wanted = (number, classes) if on_show == "number" else (classes, number)
    table = load_sample("concrete")
    few = NumberSettings(n_iter=0) if shown.number else FitSettings(n_iter=0)
    study = fit_recipe(table, Recipe(shown, settings=few))
    session.open_study(study)
    asked = []
    monkeypatch.setattr(job_panel, "_submit", lambda session, task, request: asked.append(request.recipe))
    said = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=int(study.split.train[0])),))
    session.opened.edit(roles=wanted)
    chosen = session.opened.recipe
    job_panel.start_guided(session, study, said)
    assert session.opened.recipe == chosen
    assert session.opened.stale
    session.opened.edit(roles=shown)
    job_panel.start_guided(session, study, said)
    assert (session.opened.recipe.guidance, session.opened.recipe.settings) == (said, few)
    assert asked == [replace(study.recipe, guidance=said)] * 2


def test_a_finished_fit_keeps_table_selection_and_later_edits(session, study):
    opened = session.open_table(load_sample("iris_2f"), sample="iris_2f", roles=study.roles)
    table = opened.table
    opened.edit(settings=study.settings)
    session.select(row(7))
    edited = study.roles.with_role(study.roles.features[0], Role.EXTRA)
    opened.edit(roles=edited)
    session.add_study(study)
    assert session.opened is opened
    assert session.table is table, "caches of the table stay valid"
    assert session.case == row(7)
    assert session.recipe.roles == edited
    assert opened.stale
    assert opened.sample == "iris_2f"


def test_opening_a_study_brings_its_table_and_recipe(session, study):
    session.open_table(load_sample("wine"), sample="wine")
    session.open_study(study)
    opened = session.opened
    assert session.table is study.table
    assert opened.recipe.settings == study.settings
    assert opened.sample is None
    assert not opened.stale


def test_the_model_of_another_table_is_opened_with_it(session, study):
    session.open_table(load_sample("wine"), sample="wine")
    session.add_study(study)
    assert session.table is study.table
    assert session.study is study


def test_two_models_of_one_table_live_side_by_side(session, study, other):
    session.open_study(study)
    opened = session.opened
    opened.edit(settings=other.settings)
    session.add_study(other)
    assert list(opened.models) == [study.id, other.id]
    assert session.study is other
    assert not opened.stale
    assert sorted(opened.model_names.values()) == [
        "Own settings, 1 batch, lambda_v 1e-3",
        "Own settings, 1 batch, lambda_v 2e-3",
    ]
    opened.switch(study.id)
    assert session.study is study
    assert opened.recipe.settings == study.settings
    assert not opened.stale


def test_the_same_model_is_kept_once_wherever_it_comes_from(session, study):
    session.open_study(study)
    opened = session.opened
    session.add_study(from_bytes(to_bytes(study)))
    assert list(opened.models) == [study.id]


def test_removing_the_current_model_leads_to_the_newest_of_the_others(session, study, other):
    session.open_study(study)
    opened = session.opened
    session.add_study(other)
    opened.remove(other.id)
    assert session.study is study
    assert opened.recipe.settings == study.settings
    opened.remove(study.id)
    assert session.study is None
    assert not opened.stale


def test_the_number_of_models_is_bounded_and_the_current_one_stays(session, study):
    session.open_study(study)
    opened = session.opened
    many = [replace(study, settings=replace(FEW, random_state=seed)) for seed in range(1, MOST_MODELS)]
    for each in many:
        session.add_study(each)
    assert len(opened.models) == MOST_MODELS
    assert session.take_notices() == []
    opened.switch(study.id)
    session.add_study(replace(study, settings=replace(FEW, random_state=99)))
    assert len(opened.models) == MOST_MODELS
    assert study.id not in opened.models, "the oldest goes; by then another one is current"
    assert str(MOST_MODELS) in session.take_notices()[0][1]


def test_values_of_a_model_stay_with_it(session, study, other):
    session.open_study(study)
    opened = session.opened
    session.put(OF_MODEL, True)
    session.put(PART, Part.TRAIN)
    session.add_study(other)
    assert session.get(OF_MODEL) is False
    assert session.get(PART) is Part.TRAIN
    opened.switch(study.id)
    assert session.get(OF_MODEL) is True
    opened.remove(study.id)
    assert not [slot for slot in opened.values if slot[0] == study.id]


@pytest.mark.parametrize("case", [None, row(0), row(10**9), CaseRef(CaseSource.NEW, 3), CaseRef(CaseSource.EDITED, 1)])
def test_cases_that_there_are_not_cannot_be_selected(session, study, case):
    session.open_study(study)
    session.select(row(3))
    session.select(case)
    assert session.case is None


def test_a_row_of_new_data_can_be_selected_once_it_is_there(session, study):
    session.open_study(study)
    opened = session.opened
    opened.others[CaseSource.NEW] = study.table.frame.iloc[:4]
    session.select(CaseRef(CaseSource.NEW, 3))
    assert session.case == CaseRef(CaseSource.NEW, 3)


def test_another_part_is_looked_through_until_a_page_makes_other_cases(session, study):
    session.open_study(study)
    session.look_at_part(Part.TRAIN)
    assert session.cases == CaseSet(Part.TRAIN)
    session.look_through(CaseSet(Part.ALL, order=CaseOrder.TABLE))
    assert session.cases == CaseSet(Part.ALL, order=CaseOrder.TABLE)
    session.look_at_part(Part.ALL)
    assert session.cases == CaseSet(Part.ALL)


def test_what_is_wrong_follows_from_the_rule(session, study):
    session.open_study(study)
    usual = session.judged(study)
    assert session.judged(study) is usual
    session.decide_by(DecisionRule(leave_below=0.5))
    assert session.rule == DecisionRule(leave_below=0.5)
    assert session.judged(study)["left"].any()
    assert session.judged(study)["wrong"].sum() < usual["wrong"].sum()


def test_a_rule_holds_for_the_classes_it_was_made_for(session, study):
    two = study.table.frame["species"].replace({"setosa": "other", "virginica": "other"})
    table = replace(study.table, frame=study.table.frame.assign(species=two))
    other = replace(fit_study(table, study.roles, settings=FEW), table=study.table)
    session.open_study(study)
    with pytest.raises(StudyError, match="two classes"):
        session.decide_by(DecisionRule(cutoff=0.4))
    session.decide_by(DecisionRule(costs=((0, 1, 1), (1, 0, 1), (9, 9, 0))))
    session.add_study(other)
    assert session.study is other
    assert session.rule == DecisionRule()
    session.decide_by(DecisionRule(cutoff=0.4))
    session.opened.switch(study.id)
    assert session.rule.costs is not None
    session.open_table(load_sample("wine"), sample="wine")
    assert session.rule == DecisionRule()


def test_only_the_session_touches_the_state_of_streamlit():
    """Everything else goes through :mod:`dashboard.session`; that is why nothing has to be cleared by name."""
    root = Path(dashboard.__file__).parent
    inside, outside = [], []
    for path in root.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        touched = any(isinstance(node, ast.Attribute) and node.attr == "session_state" for node in ast.walk(tree))
        touched |= any(isinstance(node, ast.ImportFrom) and any(name.name == "session_state" for name in node.names)
                       for node in ast.walk(tree))  # fmt: skip
        if touched:
            (inside if path.parent.name == "session" else outside).append(str(path.relative_to(root)))
    assert inside
    assert outside == []


def test_a_new_target_renews_the_guess():
    opened = OpenTable.start(load_sample("penguins"), roles=sample_roles("penguins"))
    former = opened.guess
    opened.edit(roles=opened.recipe.roles.with_role("island", Role.TARGET))
    assert opened.recipe.roles.target == "island"
    assert opened.guess is not former
    assert opened.guess.roles.target == "island"


def test_messages_are_shown_once(session):
    session.notice("one")
    session.notice("two", kind="error")
    assert session.take_notices() == [("warning", "one"), ("error", "two")]
    assert session.take_notices() == []


def test_once_is_true_once(session):
    assert session.once("link")
    assert not session.once("link")


_CALLS: list[int] = []


def noted(study, key):
    """Note the call; a function of a module is known by itself."""
    _CALLS.append(key)
    return study.id, key


def twice(study, key):
    """Another function of the same arguments, which is another value."""
    return 2 * key


def test_what_is_derived_from_a_study_is_computed_once_per_function_and_arguments(study):
    _CALLS.clear()
    for key in (1, 1, 2):
        assert cache.derived(noted, study, key) == (study.id, key)
    assert _CALLS == [1, 2]
    assert cache.derived(twice, study, 1) == 2
    cache.derived(noted, replace(study), 1)
    assert _CALLS == [1, 2, 1]


def test_sample_fits_are_found_only_under_exactly_the_same_settings(study):
    cache.keep_sample_study("iris_2f", study)
    assert cache.sample_study("iris_2f", study.recipe) is study
    assert cache.sample_study("wine", study.recipe) is None
    fewer = study.roles.with_role(study.roles.features[0], Role.EXTRA)
    for changed in (
        replace(study.recipe, split=SplitSettings(seed=1)),
        replace(study.recipe, settings=replace(study.settings, lambda_v=2e-3)),
        replace(study.recipe, roles=fewer),
        replace(study.recipe, plan=SearchPlan()),
    ):
        assert cache.sample_study("iris_2f", changed) is None
