"""The app with one page more: a title and one small figure, which is what the other pages are measured against."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import streamlit as st

import dashboard
from benchmarks.app_server import BARE
from dashboard import pages
from dashboard.server import MIDDLEWARE, prepared
from dashboard.services.page import Needs, Page
from dashboard.texts.common import PageText


def render(*_: Any) -> None:
    """Draw the page."""
    st.plotly_chart(go.Figure(go.Scatter(x=[1, 2, 3], y=[1, 3, 2])), key="bare", height=240)


TEXT = PageText(menu=BARE, icon=":material/square:", title=BARE, lead="One small figure.", how_to_read="")
pages.PAGES = (*pages.PAGES, Page("bare", "share", Needs.NOTHING, (), TEXT, render, number=render, next=None))

app = st.App(Path(dashboard.__file__).with_name("app.py"), lifespan=prepared, middleware=MIDDLEWARE)
