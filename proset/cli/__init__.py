"""The command ``proset``: fit, score, explain and app, each a short road from files to files."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from proset.cli.parser import build_parser
from proset.cli.terminal import complain
from proset.common.errors import ProsetError

OK, BAD_INPUT, INTERRUPTED, BROKEN_PIPE, TERMINATED = 0, 1, 130, 141, 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str or None
        The arguments after the name of the program; None takes those of this process.

    Returns
    -------
    int
        Exit code: 0 done; 1 something in the input is wrong (one line on stderr says what, and what to do); 130 stopped
        with Ctrl-C; 141 the reader of the output went away. Wrong usage exits with 2, SIGTERM with 143.

    Examples
    --------
    >>> main(["explain", "no such file.proset", "--row", "1"])
    1
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows '?', it does not fail
    args = build_parser().parse_args(argv)
    try:
        with _clean_end():
            args.run(args)
            sys.stdout.flush()
    except ProsetError as error:
        complain(str(error))
        return BAD_INPUT
    except BrokenPipeError:
        # Point stdout elsewhere, else Python complains again when it flushes on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except OSError as error:
        complain(f"{error.strerror or error}: '{error.filename}'." if error.filename else f"{error.strerror or error}.")
        return BAD_INPUT
    except MemoryError:
        complain("There is not enough memory for this table. Take fewer rows or columns, or set --max-samples.")
        return BAD_INPUT
    except KeyboardInterrupt as stop:
        complain(str(stop) or "stopped.")
        return INTERRUPTED
    return OK


@contextmanager
def _clean_end() -> Iterator[None]:
    """Let SIGTERM unwind like an exit, so that drafts are removed and a started server is ended."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(*_: object) -> None:
        raise SystemExit(TERMINATED)

    former = signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, former)
