"""The server of the app: Streamlit behind a gate, with a content security policy.

The policy keeps pages from making a browser talk to strangers, the gate keeps visitors apart (:mod:`dashboard.gate`).
Start it with ``streamlit run dashboard/server.py``; ``streamlit run dashboard/app.py`` has neither and is for tests.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.formparsers import MultiPartParser
from starlette.middleware import Middleware
from streamlit import config

from dashboard import gate
from dashboard.services.kept import HERE
from dashboard.session.jobs import QUEUE
from dashboard.session.visitors import VISITORS

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Streamlit's page has a script and styles of its own within it, and Plotly draws with styles and makes pictures of what
# it has drawn. Nothing else is let in, and nothing comes from or goes to another server.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline'",
        "worker-src 'self' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self' data: blob:",
        "frame-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
# Streamlit walks through all objects of the process after every run, each look at work under way included: 0.15 s of a
# processor, for which all other visitors wait. It does so again for Keras, where that is loaded; here it never is.
_SETTINGS = {"runner.postScriptGC": False}
# Sessions are released before Streamlit forgets them by itself, which it notices when the next browser leaves.
_MARGIN_SECONDS = 10
_THIS_MACHINE = {"127.0.0.1", "localhost", "::1"}


class SafeHeaders:
    """Adds :data:`HEADERS` to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)


@asynccontextmanager
async def prepared(_: st.App) -> AsyncIterator[None]:
    """Set what the gate relies on, keep uploads off the disk, remove what dead servers left, watch who leaves."""
    forget = config.on_config_parsed(settle, force_connect=True)  # Streamlit reads changed files of settings again
    settle()
    # Streamlit takes a whole upload into memory anyway: on disk, as a copy, it could be left over or find no room.
    MultiPartParser.spool_max_size = (config.get_option("server.maxUploadSize") + 1) * 1024**2
    QUEUE.sweep()
    names = {config.get_option("server.address"), *config.get_option("server.allowedHosts")}
    HERE.serve(others=not names <= _THIS_MACHINE)
    VISITORS.start(max(config.get_option("server.disconnectedSessionTTL") - _MARGIN_SECONDS, 0))
    yield
    VISITORS.stop()
    HERE.close()
    forget()


def settle() -> None:
    """Set what the gate and all visitors rely on, whatever files of settings say."""
    for name, value in (gate.SETTINGS | _SETTINGS).items():
        config.set_option(name, value)


MIDDLEWARE = (Middleware(SafeHeaders), Middleware(gate.Gate))
app = st.App(Path(__file__).with_name("app.py"), lifespan=prepared, middleware=MIDDLEWARE)
