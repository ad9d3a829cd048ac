"""Stands in for the process that reads a table, and does what a file nobody thought of might make it do."""

from __future__ import annotations

import os
import signal
import sys
import time


def main(how: str) -> None:
    """Take too much, or end, in the way that is asked for."""
    if how == "memory":
        taken = []
        while True:
            taken.append(b"x" * 20_000_000)
            time.sleep(0.01)
    elif how == "processor":
        while True:
            pass
    elif how == "sleep":
        time.sleep(600)
    elif how == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "aborted":
        os.abort()
    elif how == "status":
        sys.exit(7)
    elif how == "full":
        sys.exit(4)
    # "nothing": ends well, without an outcome


if __name__ == "__main__":
    main(os.environ["FAULTY_READER"])
