"""``proset app``: start the dashboard in the browser."""

from __future__ import annotations

import argparse
import importlib.util
import socket
import subprocess
import sys
from pathlib import Path

from proset.cli.compile import compile_all, is_compiled
from proset.cli.options import Commands
from proset.common.errors import ProsetError

HOST = "127.0.0.1"
_FIRST_PORT, _TRIED_PORTS = 8501, 20


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
    script = _script()
    port = _free_port(args.port)
    if not is_compiled():
        compile_all()
    command = [
        sys.executable, "-m", "streamlit", "run", script,
        "--server.address", HOST,
        "--server.port", str(port),
        "--server.headless", str(args.no_browser).lower(),
        "--browser.gatherUsageStats", "false",
    ]  # fmt: skip
    # From its own folder, because Streamlit looks for its settings (safe ones, and the theme) where it is started.
    code = subprocess.run(command, cwd=Path(script).parents[1], check=False).returncode
    if code:
        raise ProsetError(f"The dashboard stopped with exit code {code}.", hint="Its own messages are above.")


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
