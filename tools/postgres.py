"""Print the folder of PostgreSQL's programs, after installing Debian's package if there are none and that is allowed.

Tried in this order: the folder in PROSET_POSTGRES; programs on this machine; Debian's package. Without any, ``none`` is
printed: the tests against a PostgreSQL server are then skipped, and say so. PROSET_POSTGRES=none skips them at once.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from debian import apt_commands, say, succeeds

NONE = "none"


def main() -> int:
    """Print the folder."""
    wanted = os.environ.get("PROSET_POSTGRES", "")
    print(wanted or find() or install() or NONE)
    return 0


def find() -> str | None:
    """Return the folder of a server that is there already, the newest if there are several."""
    on_path = shutil.which("initdb")
    places = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda place: int(place.parts[-3]))
    found = [str(place.parent) for place in places] + ([str(Path(on_path).resolve().parent)] if on_path else [])
    return found[-1] if found else None


def install() -> str | None:
    """Install Debian's package, if that may be done without a password."""
    for command in apt_commands("postgresql"):
        say("No PostgreSQL found; running " + " ".join(command))
        if succeeds(command) and (folder := find()):
            return folder
    say("No PostgreSQL, and none could be installed: the tests against a server of a team are skipped.")
    return None


if __name__ == "__main__":
    sys.exit(main())
