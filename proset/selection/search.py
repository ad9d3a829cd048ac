"""A search of either kind."""

from __future__ import annotations

from proset.common.errors import OtherSearchError
from proset.engine.fitting import BatchSettings
from proset.selection.either import ClassPlan, ClassRecord
from proset.selection.joint import run_joint
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.record import SearchRecord
from proset.selection.run import run_search
from proset.selection.search_progress import ProgressCallback
from proset.selection.tasks import SearchData


def search(
    data: SearchData,
    base: BatchSettings,
    plan: ClassPlan,
    *,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: ClassRecord | None = None,
) -> ClassRecord:
    """Search as a plan says: all at once (:func:`run_joint`) or by algorithm 2.2 (:func:`run_search`).

    Parameters
    ----------
    data, base, n_jobs, progress
        As for :func:`run_search`.
    plan : JointPlan or SearchPlan
        What to try.
    record : JointRecord, SearchRecord or None
        A record to go on from.

    Raises
    ------
    OtherSearchError
        If the record is of a search of the other kind.
    StudyError, Cancelled, Interrupted
        As for :func:`run_search`.
    """
    if isinstance(plan, JointPlan) and (record is None or isinstance(record, JointRecord)):
        return run_joint(data, base, plan, n_jobs=n_jobs, progress=progress, record=record)
    if not isinstance(plan, JointPlan) and (record is None or isinstance(record, SearchRecord)):
        return run_search(data, base, plan, n_jobs=n_jobs, progress=progress, record=record)
    raise OtherSearchError("The search to go on from is of another kind.", hint="Start the search anew.")
