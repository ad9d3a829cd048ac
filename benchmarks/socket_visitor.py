"""A visitor of the dashboard without a browser: speaks to the server as browsers do, many at once for little."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import requests
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.util import calc_hash
from websockets.sync.client import ClientConnection, connect

PATIENCE = 180.0


@dataclass(eq=False)
class Visitor:
    """A browser without a screen: one cookie jar, and any number of web sockets."""

    address: str
    http: requests.Session = field(default_factory=requests.Session)
    sockets: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.get("/")
        self.get("/_stcore/health")  # brings the token against forged requests

    def get(self, path: str, **headers: str) -> requests.Response:
        """Ask for an address."""
        return self.http.get(f"http://{self.address}{path}", headers=headers, timeout=PATIENCE)

    @property
    def cookie(self) -> str:
        """What the visitor sends as the header of this name."""
        return "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.http.cookies)

    def join(self, session: str = "", query: str = "", **headers: str | None) -> Tab:
        """Open a web socket and let the app run once; with the id of a session, as who has lost the connection."""
        sent = {"Origin": f"http://{self.address}", "Cookie": self.cookie} | headers
        protocols = ["streamlit", self.http.cookies.get("_streamlit_xsrf", "none"), *([session] if session else [])]
        given = {name: value for name, value in sent.items() if value}
        url = f"ws://{self.address}/_stcore/stream"
        opened = connect(url, subprotocols=protocols, additional_headers=given, max_size=None)
        tab = Tab(self.sockets.enter_context(opened))
        tab.run(query=query)
        return tab

    def upload(self, session: str, content: bytes, name: str = "new.csv") -> requests.Response:
        """Send a file into a session."""
        return self.http.put(
            f"http://{self.address}/_stcore/upload_file/{session}/{name}",
            files={"file": (name, content)},
            headers={"X-Xsrftoken": self.http.cookies.get("_streamlit_xsrf", "")},
            timeout=PATIENCE,
        )

    def leave(self) -> None:
        """Close everything."""
        self.sockets.close()
        self.http.close()


@dataclass(eq=False)
class Tab:
    """One web socket with what has come through it."""

    ws: ClientConnection
    session: str = ""
    heard: list[ForwardMsg] = field(default_factory=list)

    def send(self, **message: Any) -> None:
        """Send a message of a browser."""
        self.ws.send(BackMsg(**message).SerializeToString())

    def run(self, page: str = "data", query: str = "", fragment: str = "", widgets: Sequence[WidgetState] = ()) -> None:
        """Let the app run, or a part of its page, and wait until it is done."""
        message = BackMsg()
        message.rerun_script.widget_states.widgets.extend(widgets)
        message.rerun_script.page_script_hash = calc_hash(page)
        message.rerun_script.query_string = query
        message.rerun_script.fragment_id = fragment
        self.ws.send(message.SerializeToString())
        self.until(lambda msg: msg.WhichOneof("type") == "script_finished")

    def element(self, kind: str, label: str) -> Any:
        """Return the last element of a kind with this label that was drawn; None if there is none."""
        drawn = (said.delta.new_element for said in reversed(self.heard) if said.WhichOneof("type") == "delta")
        found = (getattr(one, kind) for one in drawn if one.WhichOneof("type") == kind)
        return next((one for one in found if one.label == label), None)

    def until(self, wanted: Callable[[ForwardMsg], bool]) -> ForwardMsg:
        """Listen until a message comes that is wanted."""
        end = time.monotonic() + PATIENCE
        while True:
            message = ForwardMsg()
            message.ParseFromString(self.ws.recv(timeout=end - time.monotonic()))
            self.heard.append(message)
            if message.WhichOneof("type") == "new_session":
                self.session = message.new_session.initialize.session_id
            if wanted(message):
                return message

    def text(self) -> str:
        """Return everything that was heard."""
        return " ".join(str(message) for message in self.heard)
