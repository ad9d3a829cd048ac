"""The kinds of long work: one file each, and one line here."""

from __future__ import annotations

from typing import Any

from dashboard.work.tasks.compare import COMPARE, CompareRequest
from dashboard.work.tasks.fit import FIT
from dashboard.work.tasks.importance import IMPORTANCE, ImportanceRequest
from dashboard.work.tasks.request import FitRequest
from dashboard.work.tasks.search import SEARCH
from dashboard.work.tasks.stability import STABILITY, StabilityRequest
from dashboard.work.tasks.task import Stopped, Task, TaskWords
from dashboard.work.tasks.unseen import UNSEEN, UnseenRequest

__all__ = [
    "COMPARE",
    "FIT",
    "IMPORTANCE",
    "SEARCH",
    "STABILITY",
    "TASKS",
    "UNSEEN",
    "CompareRequest",
    "FitRequest",
    "ImportanceRequest",
    "StabilityRequest",
    "Stopped",
    "Task",
    "TaskWords",
    "UnseenRequest",
]

TASKS: tuple[Task[Any, Any], ...] = (FIT, SEARCH, STABILITY, IMPORTANCE, COMPARE, UNSEEN)
"""Kinds that the worker knows. It takes no other name from a job's folder, and imports nothing that a folder names."""
