"""Install packages with uv, in a tenth of pip's time, or with pip: ``python tools/installer.py PYTHON ARGUMENTS``."""

from __future__ import annotations

import subprocess
import sys
from importlib import invalidate_caches
from importlib.util import find_spec

OPTIONS = ["install", "--quiet", "--disable-pip-version-check", "--no-compile"]
# Settings that send pip elsewhere. uv does not read them, and whoever made them wants that place to be asked.
ELSEWHERE = {"index-url", "no-index"}


def fetch_uv() -> None:
    """Let pip install uv, unless pip has been sent elsewhere; that it is not to be had does not matter."""
    pip = [sys.executable, "-m", "pip"]
    configured = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False).stdout
    if not ELSEWHERE.intersection(line.partition("=")[0].rpartition(".")[2] for line in configured.splitlines()):
        wanted = ["--only-binary=:all:", "--constraint", "constraints.txt", "uv"]
        subprocess.run([*pip, *OPTIONS, *wanted], check=False, stderr=subprocess.DEVNULL)


def install(python: str, arguments: list[str]) -> int:
    """Install for a Python, with pip what uv does not manage; return the exit code of the last that tried."""
    invalidate_caches()
    uv = [sys.executable, "-m", "uv", "pip", *OPTIONS, "--python", python, *arguments]
    if find_spec("uv") and subprocess.run(uv, check=False).returncode == 0:
        return 0
    return subprocess.run([python, "-m", "pip", *OPTIONS, *arguments], check=False).returncode


if __name__ == "__main__":
    sys.exit(install(sys.argv[1], sys.argv[2:]))
