"""Print the path of a Chromium or Chrome that runs, and install one if there is none.

Tried in this order: the path in PROSET_BROWSER; a browser on this machine; one that Playwright has fetched before; then
Debian's package where apt-get may install it, and Playwright's own download. Only the path goes to standard output.
PROSET_BROWSER=none is handed on as it is: the browser tests are then left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from debian import apt_commands, say, succeeds

# The shell is Chromium without what a window has: a fifth less work for the same pages.
PACKAGES = ("chromium-headless-shell", "chromium")
NAMES = (*PACKAGES, "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NO_BROWSER = """\
No browser for the tests that click through the pages, and none could be installed. Either
  - install Chromium or Chrome yourself (on Debian: apt-get install chromium), or
  - name one: make test PROSET_BROWSER=/path/to/chrome, or
  - leave these tests out: make test PROSET_BROWSER=none"""


def main() -> int:
    """Print the browser to use; 1 if there is none to be had."""
    wanted = os.environ.get("PROSET_BROWSER", "")
    if wanted == "none":
        print(wanted)
        return 0
    if wanted and not runs(wanted):
        say(f"PROSET_BROWSER={wanted} does not run. Give the full path of a Chromium or Chrome.")
        return 1
    browser = wanted or find() or install()
    if browser is None:
        say(NO_BROWSER)
        return 1
    print(browser)
    return 0


def find() -> str | None:
    """Return a browser that is there already."""
    return next((path for path in candidates() if runs(path)), None)


def candidates() -> Iterator[str]:
    """Paths where a browser may be: on the PATH, in the usual places, in Playwright's folder."""
    yield from filter(None, map(shutil.which, NAMES))
    yield from filter(os.path.exists, PLACES)
    # Imported late: starting Playwright's driver takes a second that a machine with a browser need not spend.
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        own = playwright.chromium.executable_path
    if Path(own).exists():
        yield own


def runs(path: str) -> bool:
    """Return whether the program starts; Ubuntu's `chromium-browser` without its snap is there and does not."""
    try:
        return subprocess.run([path, "--version"], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def install() -> str | None:
    """Install a browser with the first way that works."""
    packaged = chain.from_iterable(map(apt_commands, PACKAGES))
    for command in (*packaged, [sys.executable, "-m", "playwright", "install", "chromium"]):
        say("No browser found; running " + " ".join(command))
        if succeeds(command) and (browser := find()):
            return browser
    return None


if __name__ == "__main__":
    sys.exit(main())
