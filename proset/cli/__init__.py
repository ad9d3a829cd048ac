"""The command ``proset``: fit, score, explain and app, each a short road from files to files."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.metadata import PackageNotFoundError, version

from proset.cli.compile import compiling_is_said
from proset.cli.parser import parsed
from proset.cli.terminal import complain
from proset.common.errors import ProsetError
from proset.common.words import shown

OK, BAD_INPUT, INTERRUPTED, BROKEN_PIPE = 0, 1, 130, 141


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
        with Ctrl-C; 141 the reader of the output went away; 143 and 129 ended with SIGTERM and SIGHUP.
        Wrong usage exits with 2.

    Examples
    --------
    >>> main(["explain", "no such file.proset", "--row", "1"])
    1
    """
    _open_what_is_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a letter shows '?', it does not fail
    args = parsed(argv)
    with _end_like_ctrl_c() as ended:
        try:
            _refuse_namesake()
            with compiling_is_said():
                args.run(args)
            sys.stdout.flush()
        except ProsetError as error:
            complain(str(error))
            return BAD_INPUT
        except BrokenPipeError:
            _let_go_of_stdout()
            return BROKEN_PIPE
        except OSError as error:
            where = f": '{shown(error.filename, 200)}'" if error.filename else ""
            complain(f"{error.strerror or error}{where}.")
            _let_go_of_stdout()
            return BAD_INPUT
        except MemoryError:
            complain("There is not enough memory for this table. Take fewer rows or columns, or set --max-samples.")
            return BAD_INPUT
        except KeyboardInterrupt as stop:
            if str(stop) or not ended:
                complain(str(stop) or "stopped.")
            return 128 + ended[0] if ended else INTERRUPTED
    return OK


def _refuse_namesake() -> None:
    """Refuse to run beside the published package ``proset``: both install the import name, one over the other."""
    try:
        other = version("proset")
    except PackageNotFoundError:
        return
    raise ProsetError(
        f"Another package, 'proset' {other}, is installed here under the same import name, and files of the two mix.",
        hint="Remove both with 'pip uninstall proset proset-dashboard', then install one; each in its own environment.",
    )


def _open_what_is_closed() -> None:
    """Give a standard stream that the caller has closed (``>&-``) a place, so that no file of ours takes its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free, which is this one
            if name != "stdin":
                setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # until the process ends


def _let_go_of_stdout() -> None:
    """Point stdout elsewhere if it cannot be written, else Python complains again when it flushes on exit."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def _end_like_ctrl_c() -> Iterator[list[int]]:
    """Let SIGTERM and SIGHUP unwind as Ctrl-C does: drafts go, a server is ended, a search keeps what is finished.

    Yields
    ------
    list of int
        The signal, once one has come; further ones do not disturb the end.
    """
    seen: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield seen
        return

    def leave(number: int, _: object) -> None:
        if not seen:
            seen.append(number)
            raise KeyboardInterrupt

    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # What the caller has switched off, as nohup does, stays off.
    former = {number: signal.signal(number, leave) for number in wanted if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield seen
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
