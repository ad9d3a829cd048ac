"""Keep studies of a person or a team in a database, with their tables and models as files beside it.

What a session of the dashboard holds is kept as *studies*: a table, what is chosen for it, its models, work that is
not finished, and what people say of its rows. A database knows of them (SQLite in a folder of the user, or PostgreSQL
for a team); tables and models are files named by their SHA-256 in a folder beside it, so that what two studies share is
kept once.

All functions raise :class:`~proset.common.errors.StorageError` where the database or the folder cannot be used.
"""

from proset.workspace.address import WorkspaceAddress, workspace_address
from proset.workspace.cards import Card, KeptStudy, StudyFacts
from proset.workspace.outcomes import CaseOutcome, OutcomeState, outcomes
from proset.workspace.rows import ChangedElsewhereError, NotKeptError
from proset.workspace.verdicts import Judgement, Record, RefusedJudgementError, ReviewVerdict, row_hash, standing
from proset.workspace.workspace import Workspace

__all__ = [
    "Card",
    "CaseOutcome",
    "ChangedElsewhereError",
    "Judgement",
    "KeptStudy",
    "NotKeptError",
    "OutcomeState",
    "Record",
    "RefusedJudgementError",
    "ReviewVerdict",
    "StudyFacts",
    "Workspace",
    "WorkspaceAddress",
    "outcomes",
    "row_hash",
    "standing",
    "workspace_address",
]
