"""From a table to a study whose target is a number: with given settings, or with those that a search finds."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from proset.common.errors import RoleError, StudyError
from proset.data.design import Design
from proset.data.number_split import split_numbers
from proset.data.number_target import target_numbers
from proset.data.role_check import check_kinds, check_roles
from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.split import Split, SplitSettings
from proset.data.table import Table
from proset.engine.everybody import Everybody
from proset.engine.evidence.familiarity import quantile_reference
from proset.engine.fit_progress import FitProgress
from proset.engine.regressor import RegressorModel
from proset.selection.either import check_kind
from proset.selection.number_folds import NumberData, steering_without
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.number_run import search_number
from proset.selection.search_progress import ProgressCallback, keeping, refit_progress
from proset.study.fit import fit_or_refuse, groups_of, provenance, times_of
from proset.study.guidance import Guidance
from proset.study.guidance_check import check_guidance
from proset.study.number_metrics import measure_numbers
from proset.study.number_study import NumberStudy
from proset.study.search import FoldDesign
from proset.study.settings import NumberSettings, suggest_number_settings
from proset.study.steering import FoldSteering, steering_of


@dataclass(frozen=True, eq=False)
class NumberProblem:
    """A table whose roles and target were checked, and which of its rows are for what.

    Attributes
    ----------
    table : Table
        As it was read.
    roles : Roles
        Checked; their target is a number.
    targets : Series of float64
        The number of every row as a model takes it: as guidance says, else as the table states; missing where the
        target is missing, or a row is left out.
    split : Split
        Row ids for training, held out, and without a number or left out.
    guidance : Guidance
        What people have said, checked.
    """

    table: Table
    roles: Roles
    targets: pd.Series
    split: Split
    guidance: Guidance = field(default_factory=Guidance)

    @classmethod
    def of(cls, study: NumberStudy, split: Split | None = None) -> NumberProblem:
        """Return what a study was fitted to; with a split of its training rows, what a fold of it is."""
        return cls(study.table, study.roles, study.targets, split or study.split, study.guidance)

    @property
    def training_rows(self) -> pd.DataFrame:
        """The rows that design and model may see."""
        return self.table.frame.loc[self.split.train]

    @property
    def target(self) -> np.ndarray:
        """The numbers of the training rows."""
        return self.targets.reindex(self.split.train).to_numpy(dtype=np.float64)

    def data(self, scale: Scale) -> NumberData:
        """Return the training rows as a search takes them, with the groups and times of the split."""
        features = list(self.roles.features)
        frame = self.training_rows[features]
        prepare = FoldDesign(frame, Roles({name: self.roles.by_column[name] for name in features}), scale)
        groups, times = groups_of(self.table, self.split), times_of(self.table, self.split)
        steer = FoldSteering(self.split.train, self.guidance, prepare) if self.guidance.items else None
        return NumberData(
            self.target,
            np.ones(len(frame)),
            prepare,
            groups,
            times,
            sources=lambda train: prepare.design(train).column_sources,
            scaled=self.data,
            steer=steer,
        )


def number_problem(
    table: Table, roles: Roles, split: SplitSettings | Split | None = None, guidance: Guidance | None = None
) -> NumberProblem:
    """Check what a person asks for, and split the rows; a split that was made before is taken over.

    The split is made from the numbers of the table, so that the same rows are held out whatever guidance says.

    Raises
    ------
    RoleError
        If the roles do not describe a number to be predicted, or guidance speaks of a column that is no feature.
    StudyError
        If rows cannot be split by the columns that the split names, or guidance cannot be obeyed.
    """
    if not roles.number:
        raise RoleError("The target is taken as classes.", column=roles.target, hint="Take it as a number.")
    check_roles(table, roles)
    targets = target_numbers(table.frame, roles)
    parts = split if isinstance(split, Split) else split_numbers(targets, split, frame=table.frame)
    said = guidance or Guidance()
    check_guidance(said, table, roles, parts)
    return NumberProblem(table, roles, said.labels(targets), said.split(parts), said)


def _problem_of(
    table: Table, roles: Roles, split: SplitSettings | Split | None, guidance: Guidance | None
) -> NumberProblem:
    """Do the same with the target taken as a number, whatever the roles say."""
    check_kinds(table, roles)
    return number_problem(table, roles.as_number(), split, guidance)


def fit_number_study(
    table: Table,
    roles: Roles,
    *,
    split: SplitSettings | None = None,
    settings: NumberSettings | None = None,
    guidance: Guidance | None = None,
    progress: Callable[[FitProgress], None] | None = None,
) -> NumberStudy:
    r"""Fit a model of a number to a table and measure it on rows that were held out.

    Parameters
    ----------
    roles : Roles
        Which column is the target, and what the others are for; the target is taken as a number.
    split : SplitSettings or None
        As for :func:`proset.study.fit.fit_study`; at random, each third of the numbers gives its share.
    settings : NumberSettings or None
        Hyperparameters; None for :func:`proset.study.settings.suggest_number_settings`.
    guidance : Guidance or None
        As for :func:`proset.study.fit.fit_study`; a relabelled row is learned with another number.
    progress : callable or None
        Called often with a :class:`proset.engine.fit_progress.FitProgress`; raising from it aborts the fit.

    Raises
    ------
    RoleError
        If the target does not hold numbers, or too few of them.
    DesignError
        If no feature is left to fit.
    StudyError
        If a setting is out of its range, rows cannot be split by the columns that the split names, or guidance cannot
        be obeyed.

    Examples
    --------
    >>> import proset
    >>> from proset.data.role_guess import guess_roles
    >>> lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    >>> table = proset.read_table("\n".join(lines).encode(), name="prices.csv")
    >>> study = fit_number_study(table, guess_roles(table, target="price").roles)
    >>> study.predictions.loc[31, ["actual", "median"]].round(-1).tolist()
    [90.0, 90.0]
    """
    started = time.perf_counter()
    problem = _problem_of(table, roles, split, guidance)
    settings = settings or suggest_number_settings(len(table.frame))
    return _fitted(problem, settings, progress=progress, started=started)


def search_number_study(
    table: Table,
    roles: Roles,
    *,
    split: SplitSettings | None = None,
    settings: NumberSettings | None = None,
    plan: NumberPlan | None = None,
    guidance: Guidance | None = None,
    progress: ProgressCallback | None = None,
    record: NumberRecord | None = None,
) -> NumberStudy:
    r"""Choose settings by log score on folds of the training rows, fit with them, and measure on held-out rows.

    Parameters
    ----------
    table, roles, split, guidance
        As for :func:`fit_number_study`.
    settings : NumberSettings or None
        Everything that is not searched.
    plan : NumberPlan or None
        What is tried; None for the plan of `record`, or else ``NumberPlan()``. ``NumberPlan.quick()`` takes seconds.
    progress, record
        As for :func:`proset.study.search.search_study`.

    Raises
    ------
    RoleError, DesignError, StudyError
        As for :func:`fit_number_study`; also if rows do not suffice for the folds, or `record` is of another search.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C; ``record`` is what was finished.

    Examples
    --------
    >>> import proset
    >>> from proset.data.role_guess import guess_roles
    >>> lines = ["size,price"] + [f"{value},{3 * value + value % 7}" for value in range(60)]
    >>> table = proset.read_table("\n".join(lines).encode(), name="prices.csv")
    >>> plan = NumberPlan(n_trials=2, n_folds=2, max_batches=2)
    >>> study = search_number_study(table, guess_roles(table, target="price").roles, plan=plan)
    >>> study.settings.n_iter == study.search.chosen[1], len(study.search.trials)
    (True, 2)
    """
    started = time.perf_counter()
    check_kind("plan", plan, (NumberPlan,))
    problem = _problem_of(table, roles, split, guidance)
    settings = settings or suggest_number_settings(len(table.frame))
    plan = plan or (record.plan if record is not None else NumberPlan())
    checked = RegressorModel(**settings.for_model | {"n_iter": 0})
    fit_or_refuse(checked, np.zeros((len(problem.target), 1)), problem.target)
    fixed = {name: value for name, value in settings.for_model.items() if name not in plan.sets}
    done = search_number(problem.data(settings.scale), plan, fixed, progress=progress, record=record)
    return _with_choice(problem, settings, done, progress=progress, started=started)


def fit_number_again(
    study: NumberStudy,
    split: SplitSettings | Split,
    seed: int,
    *,
    progress: Callable[[FitProgress], None] | None = None,
) -> NumberStudy:
    """Fit the recipe of a study to another split and with another seed; columns that its search left out stay out.

    If its intervals are calibrated, those of the new one lie between the same quantiles. What the fit warns of is for
    those who look at the result. What people have said of rows counts where these are learned from.

    Raises
    ------
    StudyError
        If rows cannot be split by the columns that the split names.
    """
    started, settings = time.perf_counter(), replace(study.settings, random_state=seed)
    assert isinstance(settings, NumberSettings)  # a study of a number has no others
    problem = _problem_again(study, split)
    dropped = study.search.dropped if study.search is not None else ()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # as in the folds of a search
        found = _fitted(problem, settings, progress=progress, started=started, dropped=dropped)
    return found if study.calibration is None else found.with_calibration(study.calibration)


def fit_number_choice(
    study: NumberStudy, record: NumberRecord, *, progress: ProgressCallback | None = None
) -> NumberStudy:
    """Fit again with another choice from the search of a study.

    Parameters
    ----------
    record : NumberRecord
        ``study.search`` after ``with_choice``.

    Raises
    ------
    StudyError
        If the record is not of the search of this study.
    """
    started, own = time.perf_counter(), study.search
    if own is None or (own.plan, own.fingerprint) != (record.plan, record.fingerprint):
        told = "The choice is from another search than that of the study."
        raise StudyError(told, hint="Choose from the search of this study.")
    problem = NumberProblem.of(study)
    assert isinstance(study.settings, NumberSettings)  # a study of a number has no others
    return _with_choice(problem, study.settings, record, progress=progress, started=started)


def _problem_again(study: NumberStudy, split: SplitSettings | Split) -> NumberProblem:
    """Return the problem of a study with another split, or with folds of its training rows."""
    if isinstance(split, Split):
        return NumberProblem.of(study, split)
    parts = number_problem(study.table, study.roles, split).split
    return number_problem(study.table, study.roles, parts, study.guidance.within(parts.train))


def _with_choice(
    problem: NumberProblem,
    settings: NumberSettings,
    record: NumberRecord,
    *,
    progress: ProgressCallback | None,
    started: float,
) -> NumberStudy:
    """Fit with what was chosen, and keep the record with the study."""
    on_fit = refit_progress(progress, time.perf_counter() - started, record)
    with keeping(lambda: record):
        chosen = replace(settings, **record.found)
        study = _fitted(problem, chosen, progress=on_fit, started=started, dropped=record.dropped)
    return replace(study, search=record)


def _fitted(
    problem: NumberProblem,
    settings: NumberSettings,
    *,
    progress: Callable[[FitProgress], None] | None,
    started: float,
    dropped: Sequence[str] = (),
) -> NumberStudy:
    """Fit design and model to the training rows and measure them on the others; `started` as of perf_counter."""
    design = Design(problem.roles, settings.scale).fit(problem.training_rows)
    steering = steering_of(problem.guidance, problem.split.train, design)
    steering = steering_without(steering, design.column_sources, dropped)
    matrix = design.transform(problem.training_rows).X
    model = fit_or_refuse(RegressorModel(**settings.for_model), matrix, problem.target, progress, steering)
    measured = problem.split.measured
    matrix = design.transform(problem.table.frame.loc[measured]).X
    actual = problem.targets.reindex(measured).to_numpy(dtype=np.float64)
    return NumberStudy(
        table=problem.table,
        roles=problem.roles,
        split=problem.split,
        settings=settings,
        design=design,
        model=model,
        metrics=measure_numbers(model, matrix, actual, Everybody.of(problem.target)),
        provenance=provenance(problem.table, settings, time.perf_counter() - started),
        reference=quantile_reference(model.familiarity(matrix)),
        guidance=problem.guidance,
    )
