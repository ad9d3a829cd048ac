"""Widgets whose value is changed elsewhere while a closed menu hides them from the browser."""

import pytest
from streamlit.testing.v1 import AppTest

from dashboard.components.fit.fit_mode import MODE

# What can be emptied is told what it holds.
TOLD = ("split.groups", "split.time", "search.max_rows", "search.n_trials", "search.n_joined", "fit.max_prototypes",
        "fit.max_samples")  # fmt: skip


def page():
    import streamlit as st

    from dashboard.session import widgets

    state = st.session_state
    key = widgets.anew("box", state.setdefault("kept", "a"))
    heard = widgets.heard(key, lambda value: state.update(kept=value))
    state.setdefault("callbacks", []).append(heard)
    st.selectbox("Box", ["a", "b", "c"], index="abc".index(state["kept"]), key=key, on_change=heard)
    st.button("Back", on_click=lambda: state.update(kept="a"))
    st.button("What a browser says late", on_click=state["callbacks"][0])


def test_what_a_person_chooses_is_kept_under_the_same_key():
    at = AppTest.from_function(page).run()
    at.selectbox(key="box").set_value("b").run()
    at.selectbox(key="box").set_value("c").run()
    assert (at.session_state["kept"], at.selectbox(key="box").value) == ("c", "c")


def test_a_value_that_was_changed_elsewhere_makes_another_widget_and_the_first_is_not_heard_any_more():
    at = AppTest.from_function(page).run()
    at.selectbox(key="box").set_value("b").run()
    at.button[0].click().run()
    assert (at.session_state["kept"], at.selectbox(key="box.1").value) == ("a", "a")
    at.button[1].click().run()
    assert not at.exception
    assert at.session_state["kept"] == "a"
    at.selectbox(key="box.1").set_value("c").run()
    assert at.session_state["kept"] == "c"


def test_no_widget_is_told_what_it_holds():
    """The browser would take it for a change, and lose a click that comes at the same moment."""
    at = AppTest.from_function(page).run()
    for chosen in ("b", "c"):
        at.selectbox(key="box").set_value(chosen).run()
        assert not at.selectbox(key="box").proto.set_value
    # What a closed menu holds is drawn some runs later: by its default then.
    at.button[0].click().run()
    at.run()
    box = at.selectbox(key="box.1")
    assert (box.value, box.proto.default, box.proto.set_value) == ("a", 0, False)
    assert not at.exception


# --- the text of an option --------------------------------------------------------------------------------------------
def named_page(before, after):
    import streamlit as st

    from dashboard.session import widgets

    state = st.session_state
    names = state.setdefault("now", before)
    widgets.pick_place("Box", names, state.setdefault("kept", 2), key="box", taken=lambda at: state.update(kept=at))
    st.button("Others", on_click=lambda: state.update(now=after))
    st.button("Nothing")


@pytest.mark.parametrize(
    "after",
    [("all", "zlarge", "small"), ("all", "small", "zlarge"), ("all", "zbig", "small"), ("zbig",) * 3, ("all", "b")],
    ids=str,
)
@pytest.mark.usefixtures("option_texts")
def test_what_is_chosen_stays_when_options_are_called_otherwise(after):
    at = AppTest.from_function(named_page, args=(("all", "small", "zbig"), after)).run()
    if len(after) == 2:
        at.selectbox(key="box").set_value(1).run()
    kept = at.session_state["kept"]
    at.button[0].click().run()
    for _ in range(2):
        at.button[1].click().run()
        assert not at.exception
        assert at.session_state["kept"] == kept
    at.selectbox[0].set_value(0).run()
    at.button[1].click().run()
    assert at.session_state["kept"] == 0


def test_what_a_list_does_not_offer_is_not_taken(option_texts):
    at = AppTest.from_function(named_page, args=(("all", "small", "zbig"),) * 2).run()
    option_texts[at.selectbox[0].id] = "moon"
    at.button[1].click().run()
    assert not at.exception
    assert (at.session_state["kept"], at.selectbox[0].value) == (2, 2)


def told(at):
    """Keys of what was told what it holds in the last run."""
    items = [item for item in [*at.main, *at.sidebar] if getattr(getattr(item, "proto", None), "set_value", False)]
    return [item.key for item in items if not str(item.key).startswith(TOLD)]


@pytest.mark.usefixtures("worked_here")
def test_no_page_tells_its_widgets_what_they_hold(open_app):
    at = open_app("fit", data="wine", fit="1").wait()
    for mode in ("search", "own"):
        at.segmented_control(key="fit.mode").set_value(mode).run()
        at.run()
        assert (at.held.get(MODE), told(at)) == (mode, [])
    for page in ("data", "map", "surface", "quality", "case", "compare", "report"):
        at.go(page)
        turns = dict(at.session_state["widgets.turns"])
        at.run()
        assert not at.exception
        assert told(at) == [], page
        assert at.session_state["widgets.turns"] == turns, "another took its place though nothing has changed"
