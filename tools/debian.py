"""Programs that tests need, from Debian's packages where those may be installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator

INSTALL_SECONDS = 900


def apt_commands(package: str) -> Iterator[list[str]]:
    """Debian's way to a package, if apt-get is there and may be used without asking for a password."""
    if not shutil.which("apt-get"):
        return
    if os.geteuid() == 0:
        prefix = []
    elif shutil.which("sudo") and succeeds(["sudo", "-n", "true"]):
        prefix = ["sudo", "-n"]
    else:
        return
    yield [*prefix, "sh", "-c", f"apt-get update -qq && apt-get install -y -qq --no-install-recommends {package}"]


def succeeds(command: list[str]) -> bool:
    """Run a command with its output on standard error; a way that takes too long is a way that failed."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        done = subprocess.run(command, stdout=sys.stderr, env=environment, timeout=INSTALL_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        say(f"It did not finish within {INSTALL_SECONDS // 60} minutes.")
        return False
    return done.returncode == 0


def say(text: str) -> None:
    """Tell the person, leaving standard output to the path."""
    print(text, file=sys.stderr)
