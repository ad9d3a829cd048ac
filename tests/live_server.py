"""The dashboard as it is served, in this process, and visitors that speak to it as browsers do."""

from __future__ import annotations

import gc
import socket
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import streamlit as st
import uvicorn
from streamlit.runtime import Runtime

from benchmarks.socket_visitor import PATIENCE, Visitor
from dashboard import gate, server


@contextmanager
def serving() -> Iterator[SimpleNamespace]:
    """Serve the app behind its gate on a free port: ``.address``, and ``.visitor()`` for one more visitor."""
    with _serving() as live:
        yield live
    del live
    with warnings.catch_warnings():
        # A server of Streamlit's that stops leaves the event loops of some sessions open.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@contextmanager
def _serving() -> Iterator[SimpleNamespace]:
    """Serve the app as long as the context lasts."""
    app = st.App(server.app.script_path, lifespan=server.prepared, middleware=server.MIDDLEWARE)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        free.listen()
        address = f"127.0.0.1:{free.getsockname()[1]}"
        uvi = uvicorn.Server(uvicorn.Config(app, log_level="error", access_log=False, ws="websockets-sansio"))
        thread = threading.Thread(target=uvi.run, kwargs={"sockets": [free]})
        thread.start()
        visitors: list[Visitor] = []

        def visitor() -> Visitor:
            visitors.append(Visitor(address))
            return visitors[-1]

        try:
            while not uvi.started:
                assert thread.is_alive(), "the server did not start"
                time.sleep(0.01)
            yield SimpleNamespace(address=address, visitor=visitor, runtime=Runtime.instance)
        finally:
            for left in visitors:
                left.leave()
            uvi.should_exit = True
            thread.join(PATIENCE)
            Runtime._instance = None


def name_of(visitor: Visitor) -> str:
    """Return what the gate calls a visitor."""
    return gate.visitor_name(visitor.http.cookies[gate.COOKIE])
