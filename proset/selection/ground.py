"""The ground of every search: folds, settings inside them, a hash of what results depend on, number of processes."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import asdict

import numpy as np

from proset.common.errors import OtherSearchError
from proset.engine.candidates import smallest_class_size
from proset.engine.fitting import BatchSettings
from proset.selection.folds import Fold, make_folds
from proset.selection.joint_plan import JointPlan
from proset.selection.plan import SearchPlan
from proset.selection.tasks import SearchData
from proset.selection.workers import count_workers, fit_seconds


class SearchGround:
    """Folds and settings of one search.

    Parameters
    ----------
    data : SearchData
        Rows, weights and how to make matrices of them.
    settings : BatchSettings
        As they are used inside the folds.
    plan : SearchPlan or JointPlan
        What to try.
    set_by_plan : collection of str
        Settings that are the plan's and need no place in the hash.
    n_fits : int
        About how many batches will be fitted.
    n_jobs : int or None
        Processes that the caller asks for.

    Attributes
    ----------
    folds : tuple of Fold
    fingerprint : str
        Hash of everything that results depend on but the plan.
    fit_seconds : float
        About how long one batch takes on one core.
    n_workers : int
        Processes to use.
    """

    def __init__(
        self,
        data: SearchData,
        settings: BatchSettings,
        plan: SearchPlan | JointPlan,
        *,
        set_by_plan: Collection[str],
        n_fits: int,
        n_jobs: int | None,
    ) -> None:
        self.data, self.settings, self.plan = data, settings, plan
        self.folds: tuple[Fold, ...] = make_folds(
            data.target,
            plan,
            data.groups,
            data.times,
            smallest=smallest_class_size(settings.max_fraction),
            classes=data.classes or None,
            keep_rare=isinstance(plan, JointPlan),
        )
        self.fingerprint, self.fit_seconds = _look_at_data(data, settings, self.folds[0], set_by_plan)
        if n_jobs is None and settings.backend == "tensorflow":
            n_jobs = 1  # it takes the GPU or all cores itself
        self.n_workers = count_workers(n_jobs, self.fit_seconds * n_fits)

    def check_record(self, plan: SearchPlan | JointPlan, fingerprint: str) -> None:
        """Refuse to go on from a search of something else.

        Raises
        ------
        OtherSearchError
            If plan or fingerprint of the record are not those of this search.
        """
        if (plan, fingerprint) != (self.plan, self.fingerprint):
            raise OtherSearchError(
                "The search to go on from has another plan, or was made with other data or settings.",
                hint="Start the search anew.",
            )


def _look_at_data(
    data: SearchData, settings: BatchSettings, fold: Fold, set_by_plan: Collection[str]
) -> tuple[str, float]:
    """Return a hash of everything that results depend on but the plan, and about how long one fit takes."""
    matrix, left_out = data.prepare(fold.train, fold.test)
    own = {name: value for name, value in asdict(settings).items() if name not in set_by_plan}
    if own["max_prototypes"] is None:
        del own["max_prototypes"]  # as in searches of before
    digest = hashlib.blake2b(repr(sorted(own.items())).encode(), digest_size=16)
    groups = np.zeros(0, dtype=np.int64) if data.groups is None else data.groups
    times = () if data.times is None else (data.times,)  # nothing where there are none, as in searches of before
    for part in (data.target, data.weight, groups, *times, matrix, left_out):
        digest.update(repr((part.dtype.str, part.shape)).encode())
        digest.update(np.ascontiguousarray(part).data)
    if data.steer is not None:
        digest.update(data.steer.key.encode())
    n_rows = min(matrix.shape[0], settings.max_samples or matrix.shape[0])
    n_candidates = int(min(settings.num_candidates, settings.max_fraction * n_rows))
    return digest.hexdigest(), fit_seconds(n_rows - n_candidates, n_candidates, matrix.shape[1])
