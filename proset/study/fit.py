"""From a table to a study with given hyperparameters."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

import numpy as np
import pandas as pd

from proset.common.errors import ProsetError, RoleError, StudyError
from proset.common.words import shown
from proset.data.design import Design
from proset.data.role_check import check_kinds, check_roles
from proset.data.roles import Roles
from proset.data.split import Split, SplitSettings, split_rows
from proset.data.split_columns import group_codes, time_values
from proset.data.table import Table
from proset.data.target import check_classes, class_order, target_labels
from proset.engine.class_order import in_class_order
from proset.engine.evidence.familiarity import quantile_reference
from proset.engine.fit_progress import FitProgress
from proset.engine.kernels.similarity import blas_libraries
from proset.engine.kernels.threads import n_threads
from proset.engine.metrics import Metrics, evaluate
from proset.engine.model import ClassifierModel
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.steering import NOT_STEERED, Steering
from proset.selection.inner_folds import GroupsAndTimes
from proset.study.guidance import Guidance
from proset.study.guidance_check import check_guidance
from proset.study.settings import FitSettings, suggest_settings
from proset.study.steering import steering_of
from proset.study.study import Provenance, Study

ModelT = TypeVar("ModelT", ClassifierModel, RegressorModel)
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


@dataclass(frozen=True, eq=False)
class CheckedTable:
    """A table whose roles and classes were checked, and which of its rows are for what.

    Attributes
    ----------
    table : Table
        As it was read.
    roles : Roles
        Checked.
    labels : Series of str
        The class of every row as a model takes it: as guidance says, else as the table states; missing where the target
        is missing or a row is left out.
    split : Split
        Row ids for training, held out, and without a class or left out.
    guidance : Guidance
        What people have said, checked.
    """

    table: Table
    roles: Roles
    labels: pd.Series
    split: Split
    guidance: Guidance = field(default_factory=Guidance)

    @property
    def training_rows(self) -> pd.DataFrame:
        """The rows that design and model may see."""
        return self.table.frame.loc[self.split.train]

    @property
    def target(self) -> np.ndarray:
        """The classes of the training rows as texts."""
        return self.labels.reindex(self.split.train).to_numpy(dtype=object).astype(str)

    @property
    def groups(self) -> IntArray | None:
        """The group of each training row, if rows of one group stay together."""
        return groups_of(self.table, self.split)

    @property
    def times(self) -> FloatArray | None:
        """When each training row was, if the latest rows are held out."""
        return times_of(self.table, self.split)

    @property
    def known(self) -> GroupsAndTimes:
        """Both, as folds of the training rows have to respect them."""
        return GroupsAndTimes(self.groups, self.times)

    @classmethod
    def of(cls, study: Study) -> CheckedTable:
        """Return what a study was fitted to."""
        return cls(study.table, study.roles, study.labels, study.split, study.guidance)


def groups_of(table: Table, split: Split) -> IntArray | None:
    """Return the group of each training row, if rows of one group stay together."""
    column = split.settings.groups
    return None if column is None else group_codes(table.frame.loc[split.train, column])


def times_of(table: Table, split: Split) -> FloatArray | None:
    """Return when each training row was, if the latest rows are held out."""
    column = split.settings.time
    if column is None:
        return split.train.astype(np.float64) if split.settings.file_order else None
    # All rows are read, since a few alone may leave open how their dates are written.
    frame = table.frame
    return time_values(frame[column])[frame.index.get_indexer(pd.Index(split.train))]


def fit_study(
    table: Table,
    roles: Roles,
    *,
    split: SplitSettings | None = None,
    settings: FitSettings | None = None,
    guidance: Guidance | None = None,
    progress: Callable[[FitProgress], None] | None = None,
) -> Study:
    r"""Fit a model to a table and measure it on rows that were held out.

    The design (scales, categories, imputed values) and the model see the training rows only. Rows without a class are
    set aside: they are neither fitted nor measured, but get estimates like all others.

    Parameters
    ----------
    table : Table
        From :func:`proset.read_table`, which takes a file or a frame.
    roles : Roles
        Which column is the target, and what the others are for.
    split : SplitSettings or None
        Share of rows held out, the seed, and the columns for groups and time; None for the defaults.
    settings : FitSettings or None
        Hyperparameters of the model; None for :func:`proset.study.settings.suggest_settings`, which looks only at the
        size of the table: what ``proset fit`` and *Quick fit* do is ``search_study(..., plan=JointPlan.quick())``.
    guidance : Guidance or None
        What people say about training rows and columns; None for nothing. Held-out rows stay the same, and are measured
        against the classes of the table.
    progress : callable or None
        Called often with a :class:`proset.engine.fit_progress.FitProgress`; raising from it aborts the fit.

    Raises
    ------
    RoleError
        If the roles do not describe a classification problem, a class has too few rows, or guidance speaks of a column
        that is no feature.
    DesignError
        If no feature is left to fit.
    StudyError
        If a setting is out of its range, rows cannot be split by the columns that the split names, or guidance cannot
        be obeyed.

    Examples
    --------
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.data.table import read_table
    >>> lines = ["size,kind"] + [f"{value / 10},{'big' if value > 20 else 'small'}" for value in range(40)]
    >>> table = read_table("\n".join(lines).encode(), name="sizes.csv")
    >>> study = fit_study(table, guess_roles(table, target="kind").roles)
    >>> study.classes, study.metrics.n_rows
    (('big', 'small'), 12)
    """
    started = time.perf_counter()
    problem = make_problem(table, roles, split, guidance)
    settings = settings or suggest_settings(len(table.frame), len(roles.features))
    return fit_problem(problem, settings, progress=progress, started=started)


def make_problem(
    table: Table, roles: Roles, split: SplitSettings | Split | None = None, guidance: Guidance | None = None
) -> CheckedTable:
    """Check what a person asks for, and split the rows; a split that was made before is taken over.

    The split is made from the classes of the table, so that the same rows are held out whatever guidance says.
    """
    check_kinds(table, roles)
    if roles.number:
        told = f"Target '{shown(roles.target or '')}' is taken as a number."
        raise RoleError(told, column=roles.target, hint="Fit it with fit_number_study, or make classes of it.")
    check_roles(table, roles)
    labels = target_labels(table.frame, roles)
    check_classes(labels)
    parts = split if isinstance(split, Split) else split_rows(labels, split, frame=table.frame)
    said = guidance or Guidance()
    check_guidance(said, table, roles, parts)
    return CheckedTable(table, roles, said.labels(labels), said.split(parts), said)


def fit_problem(
    problem: CheckedTable, settings: FitSettings, *, progress: Callable[[FitProgress], None] | None, started: float
) -> Study:
    """Fit design and model to the training rows and measure them on the others; `started` as of perf_counter."""
    parts, frame = problem.split, problem.table.frame
    design = Design(problem.roles, settings.scale).fit(problem.training_rows, problem.target)
    steering = steering_of(problem.guidance, parts.train, design)
    matrix = design.transform(problem.training_rows).X
    model = fit_or_refuse(ClassifierModel(**settings.for_model), matrix, problem.target, progress, steering)
    model = in_class_order(model, class_order(problem.roles, model.classes_.tolist()))
    measured = parts.measured
    matrix = design.transform(frame.loc[measured]).X
    return Study(
        table=problem.table,
        roles=problem.roles,
        split=parts,
        settings=settings,
        design=design,
        model=model,
        metrics=_metrics(model, matrix[: len(parts.held_out)], problem.labels, parts),
        provenance=provenance(problem.table, settings, time.perf_counter() - started),
        reference=quantile_reference(model.familiarity(matrix)),
        guidance=problem.guidance,
    )


def check_settings(settings: FitSettings, problem: CheckedTable) -> None:
    """Refuse settings that a fit to the training rows would refuse, without doing one."""
    matrix = np.zeros((len(problem.split.train), 1), dtype=np.float32)
    fit_or_refuse(ClassifierModel(**replace(settings, n_iter=0).for_model), matrix, problem.target)


def fit_or_refuse(
    model: ModelT,
    matrix: np.ndarray,
    target: np.ndarray,
    progress: Callable[[FitProgress], None] | None = None,
    steering: Steering = NOT_STEERED,
) -> ModelT:
    """Fit a model of either kind; settings that it refuses become an error that names the setting."""
    try:
        return model.fit(matrix, target, progress=progress, **steering.arguments())
    except ProsetError:
        raise
    except ValueError as error:
        raise StudyError(f"The model cannot be fitted: {error}", hint="Change the setting and fit again.") from error


def _metrics(model: ClassifierModel, matrix: np.ndarray, labels: pd.Series, parts: Split) -> Metrics:
    """Quality on the held-out rows; the naive model states the class shares of the training rows."""
    classes = [str(name) for name in model.classes_]
    position = pd.Index(classes)
    counts = np.bincount(position.get_indexer(pd.Index(labels.reindex(parts.train))), minlength=len(classes))
    return evaluate(
        position.get_indexer(pd.Index(labels.reindex(parts.held_out))),
        model.predict_proba(matrix),
        classes=classes,
        marginals=counts / counts.sum(),
    )


def provenance(table: Table, settings: FitSettings, seconds: float) -> Provenance:
    """Return versions, time and seed of a fit that ends now."""
    return Provenance(
        proset_version=version("proset-dashboard"),
        versions={"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        fit_seconds=round(seconds, 3),
        seed=settings.random_state,
        fingerprint=table.fingerprint,
        machine=_machine(),
    )


def _machine() -> dict[str, str]:
    """Describe what the last bits may depend on beside versions."""
    libraries = blas_libraries()
    return {
        "processor": _processor(),
        "linear algebra": ", ".join(sorted({f"{one.internal_api} {one.version}" for one in libraries})) or "unknown",
        "threads of linear algebra": str(max((one.num_threads for one in libraries), default=1)),
        "threads of compiled code": str(n_threads()),
    }


@cache
def _processor() -> str:
    """Name the processor as the system does."""
    with suppress(OSError):  # elsewhere than on Linux
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return f"{line.partition(':')[2].strip()}, {platform.machine()}"
    return platform.processor() or platform.machine()
