"""Gate before Streamlit: browsers on this very page pass, each with its own sessions and files only.

Streamlit takes the id of a session for a key: whoever knows it joins. Here a browser gets a secret cookie, and what it
asks for goes on under the name of that cookie, which Streamlit then compares with the one that the session began with.
"""

from __future__ import annotations

import hashlib
import re
import secrets
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse
from streamlit import config, runtime
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from dashboard.session.visitors import COOKIE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADER = "x-proset-visitor"
"""Carries the visitor's name to Streamlit; what a browser sends under it is dropped."""
SETTINGS: dict[str, object] = {"server.trustedUserHeaders": {HEADER: "visitor"}, "client.allowedOrigins": []}
"""Settings of Streamlit without which the gate stands open."""

_SECRET = re.compile(r"[\w-]{43}", re.ASCII)
_OWN_ROUTES = "/_stcore/"
_OPEN_ROUTES = ("health", "host-config", "stream", "bidi-components")
_UPLOADS = "upload_file"
_MESSAGES = ("rerun_script", "stop_script", "file_urls_request", "app_heartbeat")
_OPERATIONS = ("deferred_file", "dataframe_chunk")
_POLICY_VIOLATION = 1008
_ENDS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)
_LONGEST, _AFTER = 60.0, 0.4  # seconds that a run is waited for, and after its end
_SHORT = 100_000  # bytes; what begins and ends a run holds no figure


class Gate:
    """Refuses strangers' requests, and names the visitor of all others.

    Parameters
    ----------
    app : ASGI application
        What is behind the gate.
    owns : callable
        Tells whether a session is one of a visitor, by their names.
    """

    def __init__(self, app: ASGIApp, owns: Callable[[str, str], bool] | None = None) -> None:
        self._app = app
        self._owns = owns or owns_session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or let it pass."""
        if scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        elif scope["type"] == "http":
            await self._request(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a web socket of this page pass, without messages that reach beyond its session."""
        headers = Headers(scope=scope)
        if not is_from_here(headers.get("origin"), headers.get("host")):
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
            return

        runs = PageRuns()

        async def allowed() -> Message:
            while True:
                message = await receive()
                content = message.get("bytes") or b""
                if message["type"] != "websocket.receive" or (is_harmless(content) and not runs.hold_back(content)):
                    return message

        async def heard(message: Message) -> None:
            if message["type"] == "websocket.send":
                runs.hear(message.get("bytes") or b"")
            await send(message)

        # Without a cookie nobody comes back to the session.
        secret = _secret(headers) or secrets.token_urlsafe(32)
        await self._app(_named(scope, visitor_name(secret)), allowed, heard)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request pass, with a cookie for who has none; what is not for visitors is not there."""
        headers = Headers(scope=scope)
        known = _secret(headers)
        secret = known or secrets.token_urlsafe(32)
        if not self._is_open(scope["path"], visitor_name(secret)):
            await PlainTextResponse("Not found", status_code=404)(scope, receive, send)
            return

        async def with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start" and known is None:
                secure = "; Secure" if scope["scheme"] == "https" else ""
                cookie = f"{COOKIE}={secret}; Path=/; HttpOnly; SameSite=Lax{secure}"
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self._app(_named(scope, visitor_name(secret)), receive, with_cookie)

    def _is_open(self, path: str, visitor: str) -> bool:
        """Tell whether an address is for this visitor."""
        _, own, rest = path.partition(_OWN_ROUTES)
        first, _, more = rest.partition("/")
        if own and first == _UPLOADS:
            return self._owns(more.partition("/")[0], visitor)
        return not own or first in _OPEN_ROUTES


class PageRuns:
    """Holds back what a page asks for by itself while all of it is drawn; it asks again soon.

    A part that looks again every so often may ask in the moment in which somebody opens another page. Its run follows
    that of the page at once, and a slow browser then clears away, after the first run, all that is none of the second:
    the new page stays empty.

    Examples
    --------
    >>> runs, look = PageRuns(), BackMsg()
    >>> look.rerun_script.is_auto_rerun = True
    >>> page = BackMsg()
    >>> page.rerun_script.page_name = "map"
    >>> [runs.hold_back(message.SerializeToString()) for message in (look, page, look)]
    [False, False, True]
    """

    def __init__(self) -> None:
        self._until = 0.0

    def hold_back(self, content: bytes) -> bool:
        """Tell whether a message of the browser, which can be read, has to be dropped now."""
        message = BackMsg.FromString(content)
        if message.WhichOneof("type") != "rerun_script":
            return False
        if message.rerun_script.is_auto_rerun:
            return time.monotonic() < self._until
        if not message.rerun_script.fragment_id:
            self._until = time.monotonic() + _LONGEST
        return False

    def hear(self, content: bytes) -> None:
        """Learn from a message of the server when a run of the whole page begins and ends."""
        if len(content) > _SHORT:
            return
        message = ForwardMsg.FromString(content)
        kind = message.WhichOneof("type")
        if kind == "new_session" and not message.metadata.run.fragment_ids:
            self._until = time.monotonic() + _LONGEST
        elif kind == "script_finished" and message.script_finished in _ENDS:
            self._until = time.monotonic() + _AFTER


def is_from_here(origin: str | None, host: str | None) -> bool:
    """Tell whether a web socket was opened by a page of this server, or of one named in ``server.corsAllowedOrigins``.

    Parameters
    ----------
    origin, host : str or None
        The headers of these names.

    Examples
    --------
    >>> is_from_here("http://127.0.0.1:8501", "127.0.0.1:8501"), is_from_here("http://127.0.0.1:80", "127.0.0.1:8501")
    (True, False)
    >>> is_from_here(None, "127.0.0.1:8501")
    False
    """
    if not origin or not host:
        return False
    return urlsplit(origin).netloc == host or origin in config.get_option("server.corsAllowedOrigins")


def is_harmless(content: bytes) -> bool:
    """Tell whether a message of a browser concerns its own session only.

    Clearing the cache concerns every visitor, and what developers are offered writes files.

    Examples
    --------
    >>> is_harmless(BackMsg(clear_cache=True).SerializeToString()), is_harmless(b"no message")
    (False, False)
    >>> is_harmless(BackMsg(stop_script=True).SerializeToString())
    True
    """
    message = BackMsg()
    try:
        message.ParseFromString(content)
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in _OPERATIONS
    return kind in _MESSAGES


def visitor_name(secret: str) -> str:
    """Return the name of who has a cookie; the cookie cannot be found from it."""
    return hashlib.sha256(secret.encode()).hexdigest()


def owns_session(session_id: str, visitor: str) -> bool:
    """Tell whether a session that is connected began in this visitor's browser."""
    session = runtime.get_instance().get_app_session(session_id)
    return session is not None and session.matches_user_info({"visitor": visitor})


def _secret(headers: Headers) -> str | None:
    """Return what the visitor's cookie holds; None for none, or for what is none of ours.

    Cookies of other programs on this host come along, and what they hold may be anything.
    """
    secret = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
    return secret if _SECRET.fullmatch(secret) else None


def _named(scope: Scope, visitor: str) -> Scope:
    """Return a request under the name of its visitor."""
    name = HEADER.encode()
    others = [(key, value) for key, value in scope["headers"] if key.lower() != name]
    return cast("Scope", {**scope, "headers": [*others, (name, visitor.encode())]})
