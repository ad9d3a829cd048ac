"""A stranger's words: what Markdown, Streamlit and the way to the browser would make of them, and do not."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components import words
from dashboard.services.cases import CaseRef
from dashboard.services.strangers import JOINER, REPLACEMENT, plain, whole

# What Streamlit's page looks for in the finished text, after backslashes are gone: GFM's addresses, shortcodes, arrows.
SEARCHED = [
    re.compile(r"https?://", re.IGNORECASE),
    re.compile(r"www(?=\.)", re.IGNORECASE),
    re.compile(r"[-.\w+]+@[-\w]+(\.[-\w]+)+"),
    re.compile(r":(?!\d+:)[\w+\-]+:|:100:|:1234:"),
    re.compile(r":material/\w+:"),
    re.compile(r"<-|->|--|>=|<=|~="),
]
SPECIAL = re.compile(r"(?<!\\)(?:\\\\)*[`*_{}\[\]<>()#+.!|~$:&@=^-]")

HOSTILE = [
    "![x](http://evil.example/a.png)",
    "[a](http://evil.example)",
    "<img src=//evil.example/a.png>",
    "www.evil.example",
    "WWW.evil.example",
    "HTTPS://evil.example",
    "xmpp:a@evil.example",
    "mailto:a@evil.example",
    "a+b@evil.example",
    ":smile: :+1: :material/home: :100: :red[x] :red-background[x] :streamlit:",
    "$x$ $$y$$",
    "a -> b <- c -- d >= e",
    "# heading",
    "1. list",
    "- list",
    "> quote",
    "| a | b |",
    "```code```",
    "~~gone~~",
    "&copy; &#33;",
    "a\n\n# b",
    "\tcode",
    "\\",
    "\\[x\\](y)",
    "http://http://www.www.evil.example",
    "::a::b::",
]
PLACES = [words.label, words.help_text, words.caption, words.markdown]


def read(text):
    """The text after Markdown has taken the backslashes away, as one reads it."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_is_left_to_be_made_something_of(place, text):
    safe = place(text)
    assert not SPECIAL.search(safe), safe
    for searched in SEARCHED:
        assert not searched.search(read(safe)), safe
    assert read(safe).replace(JOINER, "") == " ".join(text.split())


@given(st.text(alphabet=st.sampled_from("htps:/w.@a1+-_<>=~[](){}!#$&*`|\\^ \n")) | st.text())
def test_any_text_is_shown_as_it_is(text):
    safe = plain(text)
    for searched in SEARCHED:
        assert not searched.search(read(safe)), safe
    assert read(safe).replace(JOINER, "") == " ".join(whole(text).replace(JOINER, "").split())
    safe.encode()


@pytest.mark.parametrize("place", [*PLACES, words.bare])
def test_halves_of_characters_are_replaced(place):
    assert place("caf\udce9") == f"caf{REPLACEMENT}"


def test_whole_characters_stay():
    assert whole("Größe 😀 日本") == "Größe 😀 日本"


@pytest.mark.parametrize("page", ["data", "fit", "quality", "map", "prototypes", "case"])
def test_a_name_with_half_a_character_does_not_break_a_page(app, iris_study, page):
    """A frame cannot hold such texts and a saved study is read without them, but names that go with them may."""
    dialect = replace(iris_study.table.dialect, kind="excel", sheet="she\ud800et", header=True)
    table = replace(iris_study.table, name="caf\udce9.csv", dialect=dialect)
    app.held.open_table(table, source=b"", roles=iris_study.roles)
    app.held.add_study(replace(iris_study, table=table))
    app.held.select(CaseRef.in_table(71))
    app.held.notice("no \udfff")
    app.go(page)
    assert not app.exception
    assert f"caf{REPLACEMENT}" in app.words()
    assert f"no {REPLACEMENT}" in app.words()
