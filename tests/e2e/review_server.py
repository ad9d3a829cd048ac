"""The page with the queue alone, behind the gate and the content security policy of the app."""

from pathlib import Path

import streamlit as st

from dashboard.server import MIDDLEWARE

app = st.App(Path(__file__).with_name("review_app.py"), middleware=MIDDLEWARE)
