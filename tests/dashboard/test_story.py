"""The story: every step opens and says what the model says; links open one read-only, and then nothing is kept."""

from __future__ import annotations

import datetime
import re

import pytest
from variants import main_cases

from dashboard import cache
from dashboard.services.case.case import case_name
from dashboard.services.cases import CaseRef
from dashboard.services.data.fitted import stored_study
from dashboard.services.kept import HERE
from dashboard.services.story.ground import Ground
from dashboard.services.story.place import STORY, StoryPlace
from dashboard.services.story.steps import opening, sentences, step_of, title_of
from dashboard.session import verdicts
from dashboard.texts import story as text
from proset import explain
from proset.common.words import percent
from proset.data.samples import load_sample, sample_roles
from proset.engine.no_features import NoActiveFeatureWarning
from proset.study import DecisionRule, FitSettings, fit_study
from proset.workspace import Judgement, ReviewVerdict, Workspace, workspace_address
from proset.workspace.verdicts import row_hash

PLACES = [StoryPlace(name, step) for name, words in text.STORIES.items() for step in range(1, len(words.steps) + 1)]
WORDS_A_MINUTE = 150  # of who reads aloud


@pytest.fixture
def workspace(tmp_path, monkeypatch):
    """All that is done in the app is kept in a folder of the test."""
    monkeypatch.setattr(HERE, "_open", lambda: Workspace(workspace_address({"PROSET_WORKSPACE": str(tmp_path)})))
    HERE.close()
    yield HERE.workspace
    HERE.close()


@pytest.fixture(scope="module")
def other():
    """Another model of the penguins: it looks at nothing, so it gets many wrong."""
    settings = FitSettings(lambda_v=1e4, lambda_w=1e4, num_candidates=20)
    with pytest.warns(NoActiveFeatureWarning):
        return fit_study(load_sample("penguins"), sample_roles("penguins"), settings=settings)


def bar(at):
    """Words of the bar."""
    found = [item.value.replace("\\", "") for item in at.markdown if re.match(r"\*\*\d of 8\b", item.value)]
    return found[0] if found else ""


def keys(at):
    return {str(button.key) for button in at.button}


@pytest.mark.slow
@pytest.mark.parametrize("place", main_cases(PLACES, every=7), ids=lambda place: place.text)
def test_a_link_opens_every_step_with_what_the_model_says(open_app, monkeypatch, place):
    monkeypatch.setattr("dashboard.components.review.unseen.show", lambda session, study: None)  # minutes of work
    at = open_app("start", story=place.text)
    assert at.held.page.name == step_of(place).page
    assert not at.exception
    assert not at.warning
    study = at.held.study
    assert study is stored_study(place.story)
    ground = Ground(place.story, study)
    said = sentences(place, ground)
    assert title_of(place, ground) in bar(at)
    assert at.held.opened.selection == CaseRef.read(opening(place, ground).get("row", ""))
    assert said in bar(at).replace("\u2060", "")
    assert not [key for key in keys(at) if key.startswith("next.")], "one button stands out"


@pytest.mark.parametrize("name", text.STORIES)
def test_a_story_has_eight_steps_and_takes_three_minutes_to_read_aloud(name):
    assert len(text.STORIES[name].steps) == 8
    ground = Ground(name, stored_study(name))
    count = sum(len(sentences(place, ground).split()) for place in PLACES if place.story == name)
    assert count / WORDS_A_MINUTE <= 3


@pytest.mark.parametrize("name", text.STORIES)
def test_the_numbers_are_those_of_the_engine(name):
    study = stored_study(name)
    ground, judged = Ground(name, study), study.judged()
    held = judged[judged["part"] == "held_out"]
    wrong = held[held["correct"].eq(False)].sort_values("confidence", ascending=False)
    about, quality, alike, votes, case, unused = (sentences(StoryPlace(name, step), ground) for step in range(1, 7))
    assert f"{len(held):,} were put aside" in about
    assert f"{len(study.roles.features):,} columns" in about
    if len(wrong):
        assert f"{len(held) - len(wrong):,} right and {len(wrong):,} wrong" in quality
        row = wrong.index[0]
        assert f"{case_name(study, row)} is '{wrong.loc[row, 'actual']}'" in case
        assert f"'{wrong.loc[row, 'predicted']}' with {percent(wrong.loc[row, 'confidence'])}, and is wrong" in case
    else:
        assert f"all {len(held):,} held-out rows right" in quality
        assert "closest call" in case
        assert percent(held["confidence"].min()) in case
    first = int(study.prototypes["batch"].eq(1).sum())
    assert f"{first:,} prototypes" in alike
    table = explain.prototypes(study, held.index.to_numpy()).frame
    most = table.sort_values(["dominant", "weight"], ascending=False).iloc[0]
    assert f"settle {most['dominant']:,} of {len(held):,}" in votes
    assert f"{len(study.used_columns):,} of {len(study.roles.features):,} columns" in unused


def test_row_298_is_the_wrong_case_of_the_cancer_story_and_is_flipped():
    study = stored_study("cancer")
    ground = Ground("cancer", study)
    assert opening(StoryPlace("cancer", 5), ground) == {"row": "298"}
    flip = explain.smallest_flip(study, 298)
    assert flip.words in sentences(StoryPlace("cancer", 7), ground)
    assert '"worst radius"' in opening(StoryPlace("cancer", 7), ground)["edit"]


def test_the_change_is_made_on_the_page(open_app):
    at = open_app("start", story="cancer.7")
    flip = explain.smallest_flip(stored_study("cancer"), 298).smallest
    assert f"What if: {flip.predicted}" in at.words()


@pytest.mark.slow
def test_another_model_says_other_things(open_app, other):
    opened = open_app("data", data="penguins")
    opened.held.add_study(other)
    ground = Ground("penguins", other)
    assert other.prototypes.empty
    judged = other.judged()
    wrong = int(judged.loc[judged["part"] == "held_out", "wrong"].sum())
    assert wrong > 1
    assert f"{wrong:,} wrong" in sentences(StoryPlace("penguins", 2), ground)
    assert text.NO_PROTOTYPES in sentences(StoryPlace("penguins", 4), ground)
    assert "It uses none of" in sentences(StoryPlace("penguins", 6), ground)
    for place in (place for place in PLACES if place.story == "penguins"):
        opened.held.put(STORY, place)
        opened.go(step_of(place).page)
        assert not opened.exception
        assert sentences(place, ground) in bar(opened), place


def test_a_rule_that_leaves_cases_to_a_person_is_told():
    study = stored_study("cancer")
    rule = DecisionRule(leave_below=0.9)
    judged = study.judged(rule)
    left = int(judged.loc[judged["part"] == "held_out", "left"].sum())
    assert left
    assert text.LEFT.format(left=f"{left:,}") in sentences(StoryPlace("cancer", 2), Ground("cancer", study, rule))


def test_next_back_reload_and_leave(open_app):
    at = open_app("start")
    at.button(key="start.story").click().run()
    assert (at.held.page.name, at.held.get(STORY)) == ("data", StoryPlace("cancer", 1))
    for step in (2, 3, 4, 5):
        at.go(at.held.page.name).button(key="story.next").click().run()
        assert at.held.get(STORY).step == step
    assert at.held.case.row == 298
    at.go("case").button(key="story.back").click().run()
    assert at.held.page.name == "prototypes"
    at.go("features")
    assert text.TITLES["prototype"] in bar(at), "it stays on every page"
    at.button(key="story.return").click().run()
    assert at.held.page.name == "prototypes"
    again = open_app("prototypes", **at.held.address)  # a reload opens what the address says
    assert bar(again) == bar(at)
    again.button(key="story.leave").click().run()
    assert (bar(again), again.held.page.name) == ("", "prototypes")
    assert "story" not in again.held.address


def test_the_last_step_leads_to_a_file_of_ones_own(open_app):
    at = open_app("start", story="penguins.8")
    at.go("report").button(key="story.next").click().run()
    assert at.held.wants_file  # the place where a file is opened stands open on Data
    assert at.go("data").held.wants_file
    assert next(one for one in at.expander if one.label == "Open other data").proto.expanded
    assert (at.held.page.name, bar(at)) == ("data", "")


def test_a_step_that_there_is_not_is_refused_in_words(open_app):
    at = open_app("start", story="cancer.9")
    assert "step 'cancer.9' of a story, which is none of cancer.1 to cancer.8" in at.words()
    assert at.held.opened is None
    at = open_app("map", data="cancer", fit="1", story="<b>7")
    assert "story = '<b>7', which is not cancer.1 to cancer.8" in at.words()
    assert bar(at) == ""
    at = open_app("data", data="wine", story="cancer.3")
    assert "step 'cancer.3' of a story about another table than the open one" in at.words()
    assert (bar(at), at.held.opened.sample) == ("", "wine")
    assert not at.exception


@pytest.mark.exhaustive
def test_without_a_stored_model_it_begins_as_soon_as_one_is_fitted(open_app, monkeypatch, worked_here):
    monkeypatch.setattr(cache, "stored_study", lambda name: None, raising=False)
    monkeypatch.setattr("dashboard.services.data.fitted.stored_study", lambda name: None)
    at = open_app("start", story="penguins.5")
    at.wait()
    at.go(at.held.page.name)
    assert at.held.study is not None
    assert at.held.page.name == "case"
    assert at.held.case is not None
    assert not at.exception


def test_the_presenter_has_no_menu_while_a_story_runs(open_app):
    at = open_app("start", story="cancer.6")
    at.go("features").button(key="story.presenter").click().run()
    hides = [item for item in at.get("html") if "stExpandSidebarButton" in item.proto.body]
    assert at.held.presenter
    assert len(hides) == 1
    at.button(key="story.leave").click().run()
    assert not [item for item in at.get("html") if "stExpandSidebarButton" in item.proto.body]


def test_an_address_says_that_it_is_for_an_audience_and_the_link_that_is_copied_does_not(open_app):
    at = open_app("features", data="cancer", fit="1", story="cancer.6", presenter="1")
    assert at.held.presenter
    assert at.query_params["presenter"] == "1"
    assert "SHOWS = 'st-key-features-weights'" in "".join(item.proto.body for item in at.get("html"))
    assert not any("presenter" in item.value for item in at.code)
    at.button(key="story.presenter").click().run()
    assert "presenter" not in at.query_params


def snapshot(workspace):
    """Everything that is kept."""
    return [(card, workspace.records(card.id)) for card in workspace.cards()], workspace.size()


@pytest.mark.slow
def test_what_is_done_read_only_reaches_no_workspace_until_it_is_made_ones_own(open_app, workspace):
    first = open_app("data", data="wine", fit="1")
    first.held.opened.edit(split=first.held.recipe.split)
    assert verdicts.say(first.held, [judgement(first.held, 3)]) == {}
    before = snapshot(workspace)
    assert before[0]
    at = open_app("start", story="cancer.8", read="1")
    assert text.READ_ONLY in at.words()
    assert at.held.address["read"] == ["1"]
    assert verdicts.say(at.held, [judgement(at.held, 298)]) == {}
    assert [record.judgement.row for record in verdicts.records(at.held)] == [298]
    for page in ("case", "map", "fit", "report", "quality"):
        assert text.READ_ONLY in at.go(page).words()
        assert not at.exception
    at.go("start")
    assert not [key for key in keys(at) if key.startswith("kept.")], "nobody's studies are listed"
    at.button(key="start.penguins").click().run()
    assert snapshot(workspace) == before
    at.go("map").button(key="read-only.mine").click().run()
    assert text.READ_ONLY not in at.words()
    assert "read" not in at.held.address
    verdicts.say(at.held, [judgement(at.held, 1)])
    assert snapshot(workspace) != before


@pytest.mark.parametrize(("said", "reads"), [("1", True), ("0", False), ("yes", True)])
def test_whatever_a_link_says_of_reading_it_rather_keeps_nothing(open_app, workspace, said, reads):
    at = open_app("map", data="cancer", fit="1", read=said)
    assert at.held.read_only is reads
    assert (text.READ_ONLY in at.words()) is reads
    assert not at.exception


def test_going_back_does_not_make_a_window_read_only(open_app, monkeypatch, workspace):
    at = open_app("map", data="cancer", fit="1", read="1")
    at.button(key="read-only.mine").click().run()
    at.query_params["read"] = "1"
    monkeypatch.setattr("dashboard.session.links.went_through_history", lambda: True)
    at.run()
    assert not at.held.read_only
    assert "read" not in at.held.address


def judgement(session, row):
    """A verdict on a row of the open table."""
    return Judgement(
        entry=f"client-{session.opened.sample}-{row}",
        row=row,
        row_hash=row_hash(session.opened.table, row),
        label=None,
        verdict=ReviewVerdict.TABLE,
        reviewer="Ada",
        at=datetime.datetime(2026, 3, 9, tzinfo=datetime.UTC),
    )
