"""The dashboard: page set-up, the frame that every page shares, and the way between pages."""

from __future__ import annotations

import streamlit as st

from dashboard import links, state
from dashboard.components import frame, job_panel
from dashboard.components.page import say
from dashboard.texts import TEXTS
from proset.common.errors import ProsetError


def main() -> None:
    """Draw one run of the app: open a shared link, take in finished work, then the frame and the chosen page."""
    st.set_page_config(page_title="proset", page_icon=frame.ICON, layout="wide")
    if state.once("link") and links.open_address():
        job_panel.start()
    job_panel.collect()
    page = st.navigation(
        [
            st.Page(f"views/{name}.py", title=TEXTS[name].menu, icon=TEXTS[name].icon, url_path=name, default=first)
            for name, first in (("data", True), ("fit", False), ("map", False), ("case", False))
        ],
        position="hidden",  # the frame draws the links, because those of st.navigation drop what the address says
    )
    frame.sidebar()
    frame.notices()
    try:
        page.run()
    except ProsetError as error:
        say("error", error)
    finally:
        links.write_address()


if __name__ == "__main__":
    main()
