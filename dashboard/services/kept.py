"""The workspace of this server: opened when it is first needed, or the reason why nothing is kept."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from proset.common.errors import StorageError

if TYPE_CHECKING:
    from proset.workspace import Workspace

_LOG = logging.getLogger(__name__)
_SECONDS_BETWEEN_TRIES = 30.0
ASKED_NOT_TO = "Nothing is kept: this server was started with PROSET_WORKSPACE=none."
FOR_OTHERS = (
    "Nothing is kept: this server can be reached from other machines, and all its visitors would see what each of them "
    "has kept. Whoever runs it can allow that by naming a folder in PROSET_WORKSPACE."
)


class KeepingPlace:
    """The workspace of one process.

    Parameters
    ----------
    open_workspace : callable or None
        Opens it, or returns None where nothing is to be kept; by default as the environment says.
    """

    def __init__(self, open_workspace: Callable[[], Workspace | None] | None = None) -> None:
        self._open = open_workspace or _as_the_environment_says
        self._lock = threading.Lock()
        self._opened: Workspace | None = None
        self._next_try = 0.0
        self._for_others = False
        self.why_not = ""

    def serve(self, *, others: bool) -> None:
        """Say whether visitors from other machines can come: all see what is kept, so then it has to be wanted."""
        if others and not self._for_others and not os.environ.get("PROSET_WORKSPACE", "").strip():
            self._for_others = True  # first: a request that comes in between must not open it again
            self.close()

    @property
    def workspace(self) -> Workspace | None:
        """The workspace; None where nothing is kept, and then :attr:`why_not` says why."""
        if self._opened is not None:
            return self._opened
        with self._lock:
            if self._opened is None and time.monotonic() >= self._next_try:
                self._try()
            return self._opened

    def close(self) -> None:
        """Let go of the workspace; it is opened again when it is asked for."""
        with self._lock:
            if self._opened is not None:
                self._opened.close()
            self._opened, self._next_try = None, 0.0

    def _try(self) -> None:
        """Open the workspace; what fails is tried again after a while, because a server of databases may come back."""
        if self._for_others:
            self.why_not, self._next_try = FOR_OTHERS, float("inf")
            return
        try:
            self._opened = self._open()
            self.why_not = "" if self._opened is not None else ASKED_NOT_TO
            self._next_try = float("inf")
        except StorageError as error:
            self.why_not = f"Nothing is kept. {error}"
            self._next_try = time.monotonic() + _SECONDS_BETWEEN_TRIES
            _LOG.error("%s", self.why_not)


def _as_the_environment_says() -> Workspace | None:
    """Open the workspace that the environment names."""
    from proset.workspace import Workspace, workspace_address

    address = workspace_address()
    if address is None:
        return None
    workspace = Workspace(address)
    workspace.sweep()
    return workspace


HERE = KeepingPlace()
"""Place of this process."""
