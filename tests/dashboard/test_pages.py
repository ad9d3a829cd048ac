"""The registry of pages: what it lists is what there is, and what one page more costs."""

from __future__ import annotations

import re

import pytest
import streamlit as st

from dashboard import cache, pages
from dashboard.components import keys
from dashboard.services.addresses.address import COMMON
from dashboard.services.page import Needs, Page
from dashboard.services.params import Number, names
from dashboard.session.session import Session
from dashboard.texts.common import PageText
from proset.study import Study
from proset.study.settings import Bounds

# --- all that a page more costs: a text, a view, its parameters, and one line for the registry ------------------------
TEXT = PageText("Nearest", ":material/hub:", "Nearest", "Which prototypes count most?", "Each line is a *prototype*.")
LINES = Number("lines", 3, bounds=Bounds(1, 20, whole=True))


def render(session: Session, study: Study) -> None:
    st.number_input(
        "Lines", 1, 20, value=int(session.get(LINES)), key="more.lines",
        on_change=lambda: session.put(LINES, int(st.session_state["more.lines"])),
    )  # fmt: skip
    st.dataframe(study.prototypes.head(int(session.get(LINES))))


MORE = Page("nearest", "more", Needs.STUDY, (LINES,), TEXT, render, number=render)
# ----------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def with_more(monkeypatch, open_app, iris_study):
    """Return a function that opens the app with one page more."""
    monkeypatch.setattr(pages, "PAGES", (*pages.PAGES, MORE))

    def start(page="nearest", *, fitted=True, **params):
        cache.keep_sample_study("iris_2f", iris_study)
        return open_app(page, data="iris_2f", **({"fit": "own"} if fitted else {}), **params)

    return start


def menu(at):
    return [link.label for link in at.sidebar.get("page_link")]


def test_a_page_more_is_in_the_menu_and_draws_what_it_has(with_more, iris_study):
    at = with_more()
    assert not at.exception
    assert menu(at) == [page.text.menu for page in pages.PAGES]
    assert at.title[0].value == "Nearest"
    assert "Which prototypes count most?" in at.words()
    assert at.dataframe[0].value.equals(iris_study.prototypes.head(3))


def test_its_value_stands_in_its_address_and_comes_back(with_more, open_app, iris_study):
    at = with_more()
    assert "lines" not in at.query_params
    at.number_input(key="more.lines").set_value(5).run()
    assert "".join(at.query_params["lines"]) == "5"
    at.go("fit")
    assert "lines" not in at.query_params, "it is the page's own"
    again = with_more(lines="5")
    assert again.dataframe[0].value.equals(iris_study.prototypes.head(5))
    assert not again.warning


@pytest.mark.parametrize("lines", ["0", "21", "2.5", "many"])
def test_what_it_does_not_allow_is_refused_in_words(with_more, lines):
    at = with_more(lines=lines)
    assert not at.exception
    assert f"lines = '{lines}', which is not a whole number from 1 to 20" in at.words()
    assert at.number_input(key="more.lines").value == 3


def test_it_says_what_it_lacks(with_more):
    at = with_more(fitted=False)
    assert not at.exception
    assert "There is no model yet." in at.words()
    assert at.button(key="guard.fit").label == "Fit now"
    assert [link.label for link in at.main.get("page_link")] == ["Choose settings first"]


def test_names_are_unique_and_no_page_claims_what_stands_on_every_page():
    known = [page.name for page in pages.PAGES]
    assert len(set(known)) == len(known)
    for page in pages.PAGES:
        assert not names(page.params) & COMMON
        assert len(names(page.params)) == len(page.params)


def test_the_same_name_is_the_same_value_on_every_page():
    seen = {}
    for page in pages.PAGES:
        for param in page.params:
            assert seen.setdefault(param.name, param) == param


def test_every_page_of_the_registry_opens_from_its_address(open_app, iris_study):
    for page in pages.PAGES:
        cache.keep_sample_study("iris_2f", iris_study)
        at = open_app(page.name, data="iris_2f", fit="own", row="71")
        assert not at.exception
        assert at.title[0].value == page.text.title
        stands = {name: "".join(value) for name, value in dict(at.query_params).items()}
        assert stands == {"data": "iris_2f", "fit": "own", "row": "71"}


@pytest.mark.parametrize(
    ("page", "data", "query"),
    [
        ("map", "cancer", {"batch": "7"}),
        ("quality", "cancer", {"by": "99"}),
        ("quality", "cancer", {"class": "9", "show": "calibration"}),
        ("quality", "cancer", {"group": "34", "show": "familiarity"}),
        ("surface", "cancer", {"x": "99"}),
        ("features", "cars", {"column": "99"}),
        ("quality", "cars", {"errors": "99"}),
    ],
)
def test_what_the_model_does_not_have_is_told_and_leaves_the_address(open_app, page, data, query):
    name, value = next(iter(query.items()))
    at = open_app(page, data=data, fit="1", **query)
    assert not at.exception
    assert f"The address says {name} = '{value}', which this model does not have" in at.words()
    assert name not in at.query_params
    at.run()
    assert "does not have" not in at.words()


def test_values_of_a_page_are_in_its_links_only(open_app, iris_study):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app("map", data="iris_2f", fit="own", part="train", fade="1")
    assert not at.exception
    assert at.segmented_control(key="map.part").value == "train"
    assert at.toggle(key="map.fade.widget").value
    queries = {link.label: link.proto.query_string for link in at.sidebar.get("page_link")}
    assert "part=train" in queries["Case"]
    assert "fade" not in queries["Case"]
    assert "part" not in queries["Data"]


@pytest.mark.parametrize("name", [page.name for page in pages.PAGES])
def test_every_page_is_explained_by_the_key_h(open_app, iris_study, name):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app(name, data="iris_2f", fit="own")
    button = at.button(key="page.help")
    has_key = button.proto.shortcut.lower() == keys.HELP.lower()
    assert has_key is (name != "review")  # where H tells the keys of the queue
    explained = next(page.text.how_to_read for page in pages.PAGES if page.name == name).strip()
    assert explained
    assert explained not in shown(at)
    button.click().run()
    assert not at.exception
    assert explained in shown(at)


def shown(at):
    """All that is written on a page, dialogs included."""
    return "\n".join(item.value.strip() for item in at.markdown)


@pytest.mark.parametrize("page", ["quality", "map", "surface", "features", "prototypes"])
def test_what_a_page_has_found_stands_out_in_the_same_way_on_each(open_app, iris_study, page):
    cache.keep_sample_study("iris_2f", iris_study)
    at = open_app(page, data="iris_2f", fit="own")
    assert [text.value for text in at.markdown if re.match(r"\*\*[^*]{30,}\*\*", text.value)]
