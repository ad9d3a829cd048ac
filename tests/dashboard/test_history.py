"""Back and Forward: the session shows what the address says, and the address what the session shows."""

from __future__ import annotations

import pytest
import streamlit as st

from dashboard import cache
from dashboard.pages import PAGES
from dashboard.services.addresses.address import Address, write
from dashboard.services.addresses.cases import MOST_PICKED, read_cases, write_cases
from dashboard.services.addresses.held import NOT_HELD
from dashboard.services.cases import CaseOrder, CaseRef, CaseSet, Filter, Part
from dashboard.session import links
from dashboard.session.former import MOST_KEPT, Former
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.data.classes import TargetClasses
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.study import DecisionRule, FitSettings, NumberSettings, fit_study
from proset.study.any_study import fit_recipe
from proset.study.recipe import Recipe


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))


def shown(at):
    """What the address says, each parameter as the list of its texts."""
    return {name: texts if isinstance(texts, list) else [texts] for name, texts in dict(at.query_params).items()}


@pytest.fixture
def went(monkeypatch):
    """Return a function that goes to an address as the browser does after Back."""

    def go(at, page, **query):
        at.query_params.clear()
        for name, value in query.items():
            at.query_params[name] = value
        monkeypatch.setattr(links, "went_through_history", lambda: True)
        at.go(page)
        monkeypatch.setattr(links, "went_through_history", lambda: False)
        return at

    return go


def test_back_brings_page_case_list_and_switches_and_the_address_stays(open_app, study, went):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    at.held.select(CaseRef.in_table(7))
    at.held.look_through(CaseSet(Part.TRAIN, Filter.ALL, CaseOrder.TABLE))
    at.go("map")
    at.toggle(key="map.fade.widget").set_value(True).run()
    former = shown(at)
    assert (former["row"], former["cases"][0]) == (["7"], "part:train")

    went(at, "map", data="iris_2f", fit="own", part="train")
    held = at.held
    assert held.case is None
    assert held.opened.walk is None
    assert held.part is Part.TRAIN
    assert not at.toggle(key=at.key("map.fade.widget")).value
    assert shown(at) == {"data": ["iris_2f"], "fit": ["own"], "part": ["train"]}
    assert held.study is study  # it was not fitted anew

    went(at, "map", **former)
    assert held.case == CaseRef.in_table(7)
    assert held.cases == CaseSet(Part.TRAIN, Filter.ALL, CaseOrder.TABLE)
    assert at.toggle(key=at.key("map.fade.widget")).value
    assert shown(at) == former


def test_what_a_person_does_wins_over_an_address_that_only_lags(open_app, study):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    at.go("case")
    at.query_params["row"] = "9"
    at.held.select(CaseRef.in_table(7))
    at.run()
    assert at.held.case == CaseRef.in_table(7)
    assert shown(at)["row"] == ["7"]


def test_back_switches_to_the_model_that_was_shown(open_app, study, went):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    other = fit_study(study.table, study.roles, settings=FitSettings(n_iter=2, lambda_v=0.01))
    at.go("map")
    before = shown(at)
    at.held.add_study(other)
    at.run()
    assert at.held.study is other
    assert shown(at) != before
    went(at, "map", **before)
    assert at.held.study is study


@pytest.fixture
def follow(monkeypatch):
    """Return a session without a running app, on Fit, and a function that lets it follow an address."""
    monkeypatch.setattr(st, "session_state", {})
    session = Session()
    session.page = next(page for page in PAGES if page.name == "fit")

    def follow(query):
        asked = {name: value if isinstance(value, list) else [value] for name, value in query.items()}
        monkeypatch.setattr(links, "shown", lambda: asked)
        session.follow_next_address()
        return links.follow_address(session)

    return session, follow


TABLE, NUMBER = load_sample("concrete"), sample_roles("concrete")
CLASSES = NUMBER.with_classes(TargetClasses(cuts=(30,)))


@pytest.mark.slow
def test_the_rule_of_classes_outlasts_a_look_at_a_model_of_a_number(follow):
    session, go = follow
    of_classes = fit_recipe(TABLE, Recipe(CLASSES, settings=FitSettings(n_iter=0)))
    of_number = fit_recipe(TABLE, Recipe(NUMBER, settings=NumberSettings(n_iter=0)))
    for sample in ("concrete", None):
        opened = session.open_table(TABLE, sample=sample)
        opened.add(of_classes)
        session.decide_by(DecisionRule(cutoff=0.9))
        opened.add(of_number)
        opened.follow_model()
        address = links.query(session, session.page)
        go(address)
        assert session.number is of_number
        opened.switch(of_classes.id)
        assert session.rule == DecisionRule(cutoff=0.9)
    go(address | {"model": of_classes.id})  # it would state a rule other than the most probable class
    assert (session.study, session.rule) == (of_classes, DecisionRule())


def test_a_link_to_a_model_of_classes_that_is_lacking_says_how_is_decided(follow):
    session, go = follow
    opened = session.open_table(TABLE, sample="concrete")
    opened.add(fit_recipe(TABLE, Recipe(NUMBER, settings=NumberSettings(n_iter=0))))
    opened.rules["low", "high"] = DecisionRule(cutoff=0.9)
    assert go(write(Address("concrete", Recipe(CLASSES, opened.recipe.split), fitted=True))) is not None
    assert opened.rule_for(("low", "high")) == DecisionRule()


def test_back_to_before_the_first_fit_keeps_the_model(open_app, study, went):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    went(at, "fit", data="iris_2f")
    assert at.held.study is study
    assert shown(at)["fit"] == ["own"]  # what the fixture fitted has stated settings


def test_back_to_other_data_opens_it_as_it_was_left_with_its_models(open_app, study, went):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    first = at.held.opened
    at.button(key="sample.wine").click().run()
    second = at.held.opened
    went(at, "map", data="iris_2f", fit="own")
    assert at.held.opened is first
    assert at.held.study is study
    went(at, "data")
    assert at.held.opened is None
    assert shown(at) == {}
    went(at, "data", data="wine")
    assert at.held.opened is second


def test_an_uploaded_table_has_an_address_within_its_session_and_nowhere_else(open_app, went):
    content = b"secret,kind\n" + b"".join(b"%d,%s\n" % (i, b"ab"[i % 2 : i % 2 + 1]) for i in range(30))
    at = open_app()
    at.held.open_table(read_table(content, name="clients.csv"), source=content)
    at.held.select(CaseRef.in_table(4))
    at.go("data")
    address = shown(at)
    assert set(address) == {"open", "row"}
    mine = at.held.opened
    at.button(key="sample.wine").click().run()
    went(at, "data", **address)
    assert at.held.opened is mine
    assert at.held.case == CaseRef.in_table(4)
    went(at, "data", open=address["open"][0], row="999", junk="1")
    told = at.words()
    assert "asks for row '999'" in told
    assert "says 'junk'" in told

    stranger = open_app(**{name: texts[0] for name, texts in address.items()})
    assert stranger.held.opened is None
    assert [warning.value.replace("\\", "") for warning in stranger.warning] == [NOT_HELD]
    assert not stranger.exception


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "x" * 5000, "<b>"])
def test_what_cannot_be_a_key_is_no_table(open_app, key):
    at = open_app(open=key)
    assert at.held.opened is None
    assert [warning.value.replace("\\", "") for warning in at.warning] == [NOT_HELD]


CASES = [
    CaseSet(),
    CaseSet(Part.ALL, Filter.LEFT, CaseOrder.TABLE),
    CaseSet(picked=(CaseRef.in_table(3), CaseRef.read("new-4"))),
]


@pytest.mark.parametrize("cases", CASES)
def test_a_list_of_cases_round_trips(cases):
    assert read_cases(write_cases(cases), lambda case: True) == cases


@pytest.mark.parametrize("texts", [["part:cellar"], ["wizard:1"], ["part"], ["picked:x"], ["__class__:x"], ["order:"]])
def test_a_list_of_cases_that_there_cannot_be_is_none(texts):
    assert read_cases(texts, lambda case: True) is None


def test_picked_cases_are_checked_and_bounded():
    assert read_cases(["picked:1,2,3"], lambda case: case.row != 2).picked == tuple(map(CaseRef.in_table, (1, 3)))
    many = CaseSet(picked=tuple(map(CaseRef.in_table, range(MOST_PICKED + 1))))
    assert write_cases(many) == []
    flood = read_cases(["picked:" + ",".join(["1"] * 50_000)], lambda case: True)
    assert len(flood.picked) <= MOST_PICKED


def test_only_some_former_tables_are_kept(monkeypatch):
    former = Former()
    tables = [OpenTable.start(load_sample("iris_2f")) for _ in range(MOST_KEPT + 2)]
    for opened in tables:
        former.keep(opened)
    former.keep(tables[-1])
    assert list(former) == tables[: -MOST_KEPT - 1 : -1]
    monkeypatch.setattr("dashboard.session.former.MOST_BYTES", 100)
    former.keep(tables[0])
    assert list(former) == []


def test_a_page_without_a_model_fits_one_with_one_click_and_opens(open_app, monkeypatch, study):
    monkeypatch.setattr(cache, "sample_study", lambda *_: study)
    at = open_app(data="iris_2f").go("map")
    at.button(key="guard.fit").click().run()
    assert at.held.study is not None
    assert "held-out rows," in at.words()
    assert shown(at)["fit"] == ["own"]  # what the fixture fitted has stated settings


def test_a_page_without_data_opens_an_example_with_one_click(open_app, monkeypatch):
    started = []
    monkeypatch.setattr("dashboard.components.jobs.job_panel.start", lambda *given: started.append(given))
    at = open_app().go("map")
    at.button(key="guard.sample.penguins").click().run()
    assert at.held.opened.sample == "penguins"
    assert len(started) == 1


def test_a_page_without_a_model_says_what_has_to_be_mended_first(open_app):
    at = open_app()
    at.held.open_table(read_table(b"a,b\n1,2\n3,4\n", name="small.csv"))
    at.go("map")
    assert "the data is not ready" in at.words()
    assert not any(button.key == "guard.fit" for button in at.button)


def test_the_head_has_one_menu_and_one_next_step(open_app, study):
    at = open_app(data="iris_2f")
    at.held.add_study(study)
    at.go("map")
    following = PAGES[[page.name for page in PAGES].index("map") + 1].name
    assert [button.key for button in at.button if str(button.key).startswith("next.")] == [f"next.{following}"]

    line = at.words()
    for said in ("Iris, two features", "species", "model fitted"):
        assert said in line
