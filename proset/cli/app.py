"""``proset app``: start the dashboard in the browser."""

from __future__ import annotations

import argparse
import importlib.util
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from pathlib import Path

from proset.cli.compile import compile_all, is_compiled
from proset.cli.options import Commands
from proset.common.errors import ProsetError

HOST = "127.0.0.1"
_FIRST_PORT, _TRIED_PORTS = 8501, 20
_LONGEST_START, _PAUSE = 120.0, 0.2  # seconds


def add_to(commands: Commands) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "app", help="start the dashboard", description="Start the dashboard on this machine, for this machine only."
    )
    parser.add_argument("--port", type=int, metavar="N", help=f"port (default: the first free one from {_FIRST_PORT})")
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> None:
    """Run Streamlit until it is stopped."""
    serve(args.port, browser=not args.no_browser)


def serve(port: int | None, *, browser: bool, page: str | None = None) -> None:
    """Run Streamlit until it is stopped.

    Parameters
    ----------
    port : int or None
        Where; None for the first free one.
    browser : bool
        Whether to open a browser.
    page : str or None
        What the browser opens, such as ``map?data=iris``; None for the first page.
    """
    script = _script()
    port = _free_port(port)
    if not is_compiled():
        compile_all()
    command = [
        sys.executable, "-m", "streamlit", "run", script,
        "--server.address", HOST,
        "--server.port", str(port),
        "--server.headless", str(not browser or page is not None).lower(),
        "--browser.gatherUsageStats", "false",
    ]  # fmt: skip
    if browser and page is not None:
        threading.Thread(target=_open_page, args=(port, page), daemon=True).start()
    # From its own folder, because Streamlit looks for its settings (safe ones, and the theme) where it is started.
    code = subprocess.run(command, cwd=Path(script).parents[1], check=False).returncode
    if code:
        raise ProsetError(f"The dashboard stopped with exit code {code}.", hint="Its own messages are above.")


def _open_page(port: int, page: str) -> None:
    """Open a page in the browser of this user as soon as the server answers."""
    until = time.monotonic() + _LONGEST_START
    while time.monotonic() < until:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            if probe.connect_ex((HOST, port)) == 0:
                webbrowser.open(f"http://{HOST}:{port}/{page}")
                return
        time.sleep(_PAUSE)


def _script() -> str:
    """Return the path of the dashboard, if it and what it needs are installed."""
    for name in ("streamlit", "plotly"):
        if importlib.util.find_spec(name) is None:
            raise ProsetError(
                f"The dashboard needs {name}, which is not installed.",
                hint='Install it with: pip install "proset-dashboard[dashboard]"',
            )
    found = importlib.util.find_spec("dashboard.server")
    if found is None or found.origin is None:
        raise ProsetError("The dashboard is not installed.", hint="Install the package 'proset-dashboard' again.")
    return found.origin


def _free_port(wanted: int | None) -> int:
    """Return the port that was asked for, or the first free one."""
    if wanted is not None:
        if not 0 < wanted < 65_536:
            raise ProsetError(f"{wanted} is no port.", hint="Ports go from 1 to 65535.")
        if not _is_free(wanted):
            raise ProsetError(
                f"Port {wanted} is in use.", hint="Choose another with --port, or leave it out to have one found."
            )
        return wanted
    for port in range(_FIRST_PORT, _FIRST_PORT + _TRIED_PORTS):
        if _is_free(port):
            return port
    raise ProsetError(
        f"The ports {_FIRST_PORT} to {_FIRST_PORT + _TRIED_PORTS - 1} are all in use.", hint="Choose one with --port."
    )


def _is_free(port: int) -> bool:
    """Tell whether nobody listens on the port."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True
