"""A kind of long work, as the queue, the worker, the progress and the panels know it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from dashboard.work.outcome import Failure
from dashboard.work.progress import ProgressWriter, StageText

WORKER = "dashboard.work.worker"

RequestT = TypeVar("RequestT")
ResultT = TypeVar("ResultT")


class Stopped(Exception):  # noqa: N818  # a wish, not an error
    """Raised by :meth:`Task.run` when it was asked to stop and has written down what it had done."""


@dataclass(frozen=True)
class TaskWords:
    """Words for one kind of work.

    Attributes
    ----------
    noun : str
        What it is, to follow "the": "fit".
    done : str
        One sentence for its end.
    stop : str
        Label of the button that ends it early.
    smaller : str
        What a person can do where memory does not suffice, as a sentence.

    Examples
    --------
    >>> words = TaskWords("count", "All rows are counted.", "Cancel", "Try a table with fewer rows.")
    >>> words.failed(Failure.MEMORY)
    'The count was stopped by the system, most likely because memory ran out. Try a table with fewer rows.'
    >>> words.failed(Failure.CRASHED, "exit code 3")[:45]
    'The count ended unexpectedly (exit code 3). Y'
    """

    noun: str
    done: str
    stop: str
    smaller: str

    @property
    def cancelled(self) -> str:
        """Message after a person has ended it early and nothing of it can be used."""
        return f"The {self.noun} was cancelled. Nothing else has changed."

    @property
    def left(self) -> str:
        """Message when it ends because other data was opened."""
        return f"The {self.noun} under way was stopped because another table was opened."

    @property
    def abandoned(self) -> str:
        """Message to somebody who comes back after the connection was lost."""
        return f"The {self.noun} was stopped because this page had lost its connection to the server."

    def failed(self, failure: Failure, detail: str = "") -> str:
        """Say why it failed, and what a person can do.

        Parameters
        ----------
        detail : str
            What is known beyond that: the whole message of work that was refused, the exit code of a crash, the
            system's reason where the work could not be started.
        """
        reason = f" ({detail})" if detail else ""
        return {
            Failure.REFUSED: detail,
            Failure.MEMORY: f"The {self.noun} was stopped by the system, most likely because memory ran out. "
            f"{self.smaller}",
            Failure.KILLED: f"The {self.noun} was ended from outside, by the system where memory ran out, or by a "
            f"person. {self.smaller}",
            Failure.DISK: f"There is no space left on the server's disk for the {self.noun}. Try again later, or ask "
            "whoever runs this server to make room for temporary files.",
            Failure.NOT_STARTED: f"The {self.noun} could not be started{reason}. Try again in a moment.",
            Failure.CRASHED: f"The {self.noun} ended unexpectedly{reason}. Your data and settings are still here: try "
            f"again, and if it happens again, {self.smaller[0].lower()}{self.smaller[1:]}",
        }[failure]


class Task(ABC, Generic[RequestT, ResultT]):
    """One kind of long work: one file in this folder, one line in its registry.

    A request goes to the worker as files in the job's private folder, and the result comes back in the same way. The
    table that a request carries is sent but never returned: a result is put together with the table of the session.

    Attributes
    ----------
    name : str
        Names the kind in the job's folder and in keys of widgets.
    words : TaskWords
        How it is spoken of.
    stages : mapping of str to StageText
        What it may be doing, besides starting and preparing.
    short : bool
        Whether it takes seconds: short work does not wait behind long work.
    program : str
        Module that the process runs; tests give their own.
    """

    name: ClassVar[str]
    words: ClassVar[TaskWords]
    stages: ClassVar[Mapping[str, StageText]]
    short: ClassVar[bool]
    program: str = WORKER

    def prepare(self) -> None:
        """Load or compile what the work needs, before it is asked for; by default there is nothing to load."""

    @abstractmethod
    def write(self, request: RequestT, folder: Path) -> None:
        """Write a request into the job's folder; runs in the server."""

    @abstractmethod
    def read(self, folder: Path) -> RequestT:
        """Read what :meth:`write` wrote; runs in the worker."""

    @abstractmethod
    def run(self, request: RequestT, progress: ProgressWriter, folder: Path) -> None:
        """Do the work and write its result into the folder; runs in the worker.

        Raises
        ------
        ProsetError
            If the work is refused; its message is shown to the person as it is.
        Stopped
            If it was asked to stop.
        """

    @abstractmethod
    def result(self, request: RequestT, folder: Path) -> ResultT:
        """Read the result; runs in the server, with the request as it was made there."""

    def so_far(self, folder: Path) -> Any:
        """Return what can be shown of work under way; None if there is nothing. Runs in the server."""
        return None

    def partial(self, request: RequestT, folder: Path) -> RequestT | None:
        """Return the request that goes on from where work was stopped or died; None if nothing can be kept."""
        return None
