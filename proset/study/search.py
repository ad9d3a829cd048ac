"""From a table to a study whose hyperparameters were searched."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.data.design import Design
from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.engine.fitting import BatchSettings
from proset.engine.set_manager import IntArray
from proset.selection.either import AnyRecord, ClassPlan, ClassRecord, check_kind, settings_found
from proset.selection.front import scale_words
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.number_record import NumberRecord
from proset.selection.number_words import number_search_words
from proset.selection.plan import SearchPlan
from proset.selection.search import search
from proset.selection.search_progress import ProgressCallback, keeping, refit_progress
from proset.selection.tasks import SearchData
from proset.selection.words import batches_words, unconverged_words
from proset.study.fit import CheckedTable, check_settings, fit_problem, make_problem
from proset.study.guidance import Guidance
from proset.study.settings import FitSettings, suggest_settings
from proset.study.steering import FoldSteering
from proset.study.study import Study


@dataclass(frozen=True, eq=False)
class FoldDesign:
    """Makes the matrices of one fold: the design is learnt from the fold's training rows alone.

    Attributes
    ----------
    frame : DataFrame
        The features of all rows that take part in the search.
    roles : Roles
        What each column is for.
    scale : Scale
        How numbers are scaled.
    target : str array of shape (n,) or None
        Classes of the rows; only ``Scale.EVIDENCE`` looks at those of training rows.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> frame = pd.DataFrame({"height": [1.0, 3.0, 9.0]}, index=pd.Index([1, 2, 3], name="row"))
    >>> prepare = FoldDesign(frame, Roles({"height": Role.NUMERIC}))
    >>> train, test = prepare(np.array([0, 1]), np.array([2]))
    >>> train.tolist(), test.tolist()
    ([[-1.0], [1.0]], [[7.0]])
    """

    frame: pd.DataFrame
    roles: Roles
    scale: Scale = Scale.STANDARD
    target: NDArray[np.str_] | None = None

    def on_scale(self, scale: Scale) -> FoldDesign:
        """Return the same for another scale."""
        return replace(self, scale=scale)

    def __call__(self, train: IntArray, test: IntArray, /) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the matrices of the rows at these positions."""
        rows = self.frame.iloc[train]
        design = self.design(train)
        return design.transform(rows).X, design.transform(self.frame.iloc[test]).X

    def design(self, train: IntArray) -> Design:
        """Return what is learnt from the rows at these positions."""
        target = None if self.target is None else self.target[train]
        return Design(self.roles, self.scale).fit(self.frame.iloc[train], target)


def search_study(
    table: Table,
    roles: Roles,
    *,
    split: SplitSettings | None = None,
    settings: FitSettings | None = None,
    plan: ClassPlan | None = None,
    guidance: Guidance | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: ClassRecord | None = None,
) -> Study:
    r"""Choose penalties and number of batches by cross-validation, fit with them, and measure on held-out rows.

    The search sees the training rows only, and each fold learns its own design (scales, categories, imputed values).
    The held-out rows stay unseen until the end, so the metrics of the study are not flattered by the choice.

    Parameters
    ----------
    table, roles, split, guidance
        As for :func:`proset.study.fit.fit_study`.
    settings : FitSettings or None
        Everything that is not searched; its penalties and number of batches are not used. None for
        :func:`proset.study.settings.suggest_settings`.
    plan : JointPlan, SearchPlan or None
        What is tried; None for the plan of `record`, or else for ``JointPlan()``. ``JointPlan.quick()`` takes seconds.
    n_jobs : int or None
        Processes at most; None decides by the size of the problem.
    progress : callable or None
        Called often with a :class:`proset.selection.SearchProgress`; stage 3 is the last fit. May raise
        :class:`proset.selection.Cancelled`.
    record : JointRecord, SearchRecord or None
        What an earlier search of the same rows has finished; it is not done again.

    Returns
    -------
    Study
        ``search`` holds the record, ``settings`` what it chose.

    Raises
    ------
    RoleError
        If the roles do not describe a classification problem, or a class has too few rows.
    DesignError
        If no feature is left to fit.
    StudyError
        If a setting is out of its range, the rows do not suffice for the folds, or `record` is of another search.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C; ``record`` is what was finished.

    Examples
    --------
    >>> from proset.data.role_guess import guess_roles
    >>> from proset.data.table import read_table
    >>> lines = ["size,kind"] + [f"{value / 10},{'big' if value > 20 else 'small'}" for value in range(40)]
    >>> table = read_table("\n".join(lines).encode(), name="sizes.csv")
    >>> plan = JointPlan(lambda_v=(1e-4, 1e-2), n_folds=3, max_batches=2)
    >>> study = search_study(table, guess_roles(table, target="kind").roles, plan=plan, n_jobs=1)
    >>> (study.settings.lambda_v, study.settings.lambda_w) in plan.pairs(), study.settings.alpha_v
    (True, 0.1)
    """
    started = time.perf_counter()
    check_kind("plan", plan, (JointPlan, SearchPlan))
    problem = make_problem(table, roles, split, guidance)
    settings = settings or suggest_settings(len(table.frame), len(roles.features))
    plan = plan or (record.plan if record is not None else JointPlan())
    done = _search(problem, settings, plan, n_jobs=n_jobs, progress=progress, record=record)
    return _fit_chosen(problem, settings, done, progress=progress, started=started)


def fit_choice(
    study: Study, record: ClassRecord, *, n_jobs: int | None = None, progress: ProgressCallback | None = None
) -> Study:
    """Fit again with another choice from the search of a study.

    Parameters
    ----------
    study : Study
        One that was searched; its table, roles, split, guidance and other settings are kept.
    record : JointRecord or SearchRecord
        ``study.search`` after ``with_point``, or after ``with_choice`` or ``with_batches``. If stage 2 of the latter is
        missing, it is run for the choice.
    n_jobs, progress
        As for :func:`search_study`.

    Returns
    -------
    Study
        ``search`` holds the record with the choice.

    Raises
    ------
    StudyError
        If the record is not of the search of this study.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> plan = JointPlan(lambda_v=(1e-3, 1e-2), n_lambda_v=2, lambda_w=1e-4, n_folds=2, max_batches=1)
    >>> study = search_study(load_sample("iris_2f"), sample_roles("iris_2f"), plan=plan, n_jobs=1)
    >>> fit_choice(study, study.search.with_point(1, 0)).settings.n_iter
    0
    """
    started = time.perf_counter()
    own = study.search
    if own is None or (own.plan, own.fingerprint) != (record.plan, record.fingerprint):
        raise StudyError(
            "The choice is from another search than that of the study.", hint="Choose from the search of this study."
        )
    problem = make_problem(study.table, study.roles, study.split, study.guidance)
    if not record.complete:
        record = _search(problem, study.settings, record.plan, n_jobs=n_jobs, progress=progress, record=record)
    return _fit_chosen(problem, study.settings, record, progress=progress, started=started)


def search_words(record: AnyRecord) -> str:
    """Say how the hyperparameters were chosen by a search that is complete, and whether all of its fits converged.

    Examples
    --------
    >>> from proset.selection.plan import SearchPlan
    >>> from proset.selection.record import SearchRecord
    >>> from proset.selection.scores import FoldScores
    >>> plan = SearchPlan(lambda_v=0.01, n_folds=2, max_batches=1)
    >>> stages = [np.array([[0.4, 0.5]]), np.array([[0.7, 0.7], [0.4, 0.5]])]
    >>> scores = [FoldScores(loss, np.ones_like(loss), np.ones_like(loss)) for loss in stages]
    >>> print(search_words(SearchRecord(plan, "", scores[0], {0: scores[1]})))
    Chosen by 2-fold search: lambda_v 0.01, lambda_w 1e-08, 1 batch; log-loss 0.450, threshold 0.521.
    """
    if isinstance(record, NumberRecord):
        return number_search_words(record)
    lambda_v, lambda_w = record.chosen_penalties
    count = record.chosen_batches
    loss = _measured_words(record)
    chosen = (
        f"Chosen {'by hand after' if record.by_hand else 'by'} {record.plan.n_folds}-fold search: "
        f"lambda_v {lambda_v:.2g}, lambda_w {lambda_w:.2g}, {batches_words(count)}{_joined_words(record)}{loss}."
    )
    scale = scale_words(record) if isinstance(record, JointRecord) else ""
    return " ".join(filter(None, (chosen, scale, unconverged_words(record))))


def _joined_words(record: ClassRecord) -> str:
    """Say that votes are joined, if they are."""
    if not isinstance(record, JointRecord) or not record.takes_joined:
        return ""
    return f", votes of {record.n_joined} fits joined"


def _measured_words(record: ClassRecord) -> str:
    """Say how good the choice was over the folds."""
    if isinstance(record, JointRecord) and record.takes_joined and record.joined_model is not None:
        return f"; log-loss {record.joined_model.log_loss:.3f}"
    if isinstance(record, JointRecord):
        mean = record.points["mean"].to_numpy()
        own, lowest = mean[record.point_row(record.chosen)], mean[record.point_row(record.found.best)]
        # The best point is that of curves averaged along their length, so another may be lower by itself.
        return f"; log-loss {own:.3f}" + (f", lowest {lowest:.3f}" if lowest < own else "")
    if record.stage_2 is None:
        return ""
    return f"; log-loss {record.stage_2['mean'].loc[record.chosen_batches]:.3f}, threshold {record.threshold(2):.3f}"


def _search(
    problem: CheckedTable,
    settings: FitSettings,
    plan: ClassPlan,
    *,
    n_jobs: int | None,
    progress: ProgressCallback | None,
    record: ClassRecord | None,
) -> ClassRecord:
    """Run what is left of a search, after everything that would end it late was checked."""
    check_settings(settings, problem)
    chooses = isinstance(plan, JointPlan) and bool(plan.scales)
    data = _search_data(problem, Scale.STANDARD if chooses else settings.scale, chooses=chooses)
    return search(
        data,
        BatchSettings.of(settings),
        plan,
        n_jobs=n_jobs,
        progress=progress,
        record=record,
    )


def _search_data(problem: CheckedTable, scale: Scale = Scale.STANDARD, *, chooses: bool = False) -> SearchData:
    """Return the training rows as the search takes them: each one once, with the groups and times of the split."""
    classes, target = np.unique(problem.target, return_inverse=True)
    features = problem.roles.features
    frame = problem.training_rows[list(features)]
    roles = Roles({name: problem.roles.by_column[name] for name in features})
    prepare = FoldDesign(frame, roles, scale, problem.target)
    steer = FoldSteering(frame.index.to_numpy(dtype=np.int64), problem.guidance, prepare)
    return SearchData(
        target=target.astype(np.int64),
        weight=np.ones(len(target)),
        groups=problem.groups,
        times=problem.times,
        prepare=prepare,
        classes=tuple(classes.tolist()),
        steer=steer if problem.guidance.items else None,
        scaled=prepare.on_scale if chooses else None,
    )


def _fit_chosen(
    problem: CheckedTable,
    settings: FitSettings,
    record: ClassRecord,
    *,
    progress: ProgressCallback | None,
    started: float,
) -> Study:
    """Fit with what was chosen, and keep the record with the study."""
    chosen = replace(settings, **settings_found(record))
    on_fit = refit_progress(progress, time.perf_counter() - started, record)
    with keeping(lambda: record):
        study = fit_problem(problem, chosen, progress=on_fit, started=started)
    return replace(study, search=record)
