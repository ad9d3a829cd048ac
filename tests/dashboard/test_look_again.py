"""What is looked at again and again takes no click away from what stands below it."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def _page() -> None:
    import streamlit as st

    from dashboard.components.jobs.look_again import look_again

    look_again(lambda: True, lambda: st.caption("how far it is"), every=1.0)
    if st.button("go"):
        st.session_state["pressed"] = True


def test_a_click_in_the_moment_in_which_work_ends_is_heard():
    page = AppTest.from_function(_page).run()
    assert page.caption[0].value == "how far it is"
    page.button[0].click().run()
    assert page.session_state["pressed"]
