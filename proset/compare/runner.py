"""Fits and measures several systems on the same rows and folds."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from proset.common.errors import ProsetError
from proset.compare.at_work import AnyGround, AtWork, BenchRows
from proset.compare.bench import Bench
from proset.compare.budget import TimeEstimate
from proset.compare.contenders import Contender, contenders_of
from proset.compare.drift import drift_line, drift_of, no_drift
from proset.compare.ground import CompareGround, ground_of, naive_scores
from proset.compare.plan import ComparePlan
from proset.compare.progress import DRIFT, FINAL, FOLD, SIZES, CompareProgress, Meter, Piece, prior_of
from proset.compare.result import Comparison, DriftTest
from proset.compare.shifts import choose_shift
from proset.data.table import Table
from proset.selection.folds import left_out_ratio
from proset.study.any_study import class_plan
from proset.study.fit import fit_study
from proset.study.recipe import Recipe
from proset.study.search import search_study
from proset.study.study import Study

STEP_WORDS = {FINAL: "all training rows", DRIFT: "shifted rows"}
Tell = Callable[[CompareProgress], None]


def compare(
    study: Study,
    plan: ComparePlan | None = None,
    *,
    progress: Tell | None = None,
    weights: pd.Series | None = None,
    contenders: Sequence[Contender] | None = None,
    expected: TimeEstimate | None = None,
) -> Comparison:
    """Fit and measure several systems on the rows of a study.

    Within each fold of the training rows the design is learned anew, and every system sees the same matrices. Then each
    system is fitted to all training rows once and measured on the held-out rows. A system that fails says so in its
    result, and the others go on.

    Parameters
    ----------
    plan : ComparePlan or None
        What is compared; None for all systems with the usual settings.
    progress : callable or None
        Called with a :class:`CompareProgress` before each piece of work and at the end; raising from it ends the work.
    weights : Series or None
        Sample weight by row id, for the systems that can learn with them; measures count every row once.
    contenders : sequence of Contender or None
        The systems, if they are not to follow from the plan.
    expected : TimeEstimate or None
        From :func:`proset.compare.estimate`: lets progress tell the share of the time from the start.

    Raises
    ------
    StudyError
        If the rows do not suffice for the folds.

    Examples
    --------
    >>> from proset.compare import ComparePlan, metric_table
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=3, sizes=False, drift=False))
    >>> list(metric_table(found).frame["title"])
    ['proset', 'Nearest neighbours']
    """
    plan = plan or ComparePlan()
    began = time.perf_counter()
    ground = ground_of(study, plan, weights)
    systems = contenders_of(plan, study) if contenders is None else contenders
    benches = [Bench(system, ground, weighted=weights is not None) for system in systems]
    work = Work(plan, ground, benches, progress)
    if expected is not None:
        work.expect({entry.key: entry.seconds for entry in expected.systems})
    drift = work.run()
    naive_folds, naive_held_out = naive_scores(ground)
    return Comparison(
        study_id=study.id,
        plan=plan,
        classes=study.classes,
        features=study.roles.features,
        rows=ground.rows,
        measured=ground.measured,
        which=ground.which,
        weighted=weights is not None,
        systems=tuple(bench.result() for bench in benches),
        naive_fold_scores=naive_folds,
        naive_held_out_scores=naive_held_out,
        drift=drift,
        seconds=time.perf_counter() - began,
        unmeasured=ground.unmeasured,
        left_out_ratio=left_out_ratio(ground.folds),
    )


def compare_table(
    table: Table, recipe: Recipe, plan: ComparePlan | None = None, *, progress: Tell | None = None
) -> tuple[Study, Comparison]:
    """Fit a study to a table as its recipe says, and compare systems on its rows.

    Parameters
    ----------
    recipe : Recipe
        Roles, split, settings; with a plan, the settings are searched for.
    plan, progress
        As for :func:`compare`; progress does not tell of the fit of the study.

    Returns
    -------
    (Study, Comparison)

    Raises
    ------
    ProsetError
        If the study cannot be fitted, or the rows do not suffice for the folds.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> plan = ComparePlan(("knn",), n_folds=2, sizes=False, drift=False)
    >>> study, found = compare_table(load_sample("iris_2f"), Recipe(sample_roles("iris_2f")), plan)
    >>> found.study_id == study.id
    True
    """
    if recipe.plan is None:
        study = fit_study(table, recipe.roles, split=recipe.split, settings=recipe.settings, guidance=recipe.guidance)
    else:
        study = search_study(
            table,
            recipe.roles,
            split=recipe.split,
            settings=recipe.settings,
            plan=class_plan(recipe),
            guidance=recipe.guidance,
        )
    return study, compare(study, plan, progress=progress)


class Work:
    """The pieces of a comparison one after the other."""

    def __init__(
        self, plan: ComparePlan, ground: AnyGround, benches: Sequence[AtWork[Any]], progress: Tell | None
    ) -> None:
        self.plan, self.ground, self.benches, self.progress = plan, ground, benches, progress
        kinds = [FOLD, SIZES] if plan.sizes else [FOLD]
        able = [bench.contender.key for bench in benches if not bench.contender.missing]
        pieces = [Piece(key, kind, i) for i in range(plan.n_folds) for key in able for kind in kinds]
        pieces += [Piece(key, kind) for kind in ([FINAL, DRIFT] if plan.drift else [FINAL]) for key in able]
        self.meter = Meter(pieces)

    def expect(self, seconds: Mapping[str, float]) -> None:
        """Take over how long each system is thought to take."""
        self.meter.prior = prior_of(seconds, self.meter.pieces)

    @property
    def able(self) -> list[AtWork[Any]]:
        """The systems that can run here."""
        return [bench for bench in self.benches if not bench.contender.missing]

    def run(self) -> DriftTest | None:
        """Do everything; return what was found of the shift."""
        for number in range(len(self.ground.folds)):
            self._fold(number)
        X, X_measured = (self.ground.study.encode(rows).X for rows in (self.ground.rows, self.ground.measured))
        for bench in self.able:
            with self._piece(bench, FINAL):
                bench.do_final(X, X_measured)
        drift = self._drift() if self.plan.drift else None
        self._tell("", "done")
        return drift

    def _fold(self, number: int) -> None:
        """Fit and measure every system on one fold."""
        rows = _rows_of(self.ground, number)
        for bench in self.able:
            with self._piece(bench, FOLD, number):
                model = bench.do_fold(number, rows)
            if self.plan.sizes:
                with self._piece(bench, SIZES, number):
                    bench.do_sizes(number, rows, model)

    def _drift(self) -> DriftTest:
        """Make the shift and see who notices it."""
        try:
            assert isinstance(self.ground, CompareGround)  # no plan for a number asks for it
            shift = choose_shift(self.ground)
        except ProsetError as error:
            return no_drift(str(error))
        lines = {}
        for bench in (one for one in self.able if isinstance(one, Bench)):
            with self._piece(bench, DRIFT):
                lines[bench.contender.key] = drift_line(bench, shift)
        return drift_of(shift, lines)

    @contextmanager
    def _piece(self, bench: AtWork[Any], kind: str, number: int = 0) -> Iterator[None]:
        """Tell what begins, and take the time."""
        n_folds = len(self.ground.folds)
        words = {FOLD: f"fold {number + 1} of {n_folds}", SIZES: f"error against size, fold {number + 1} of {n_folds}"}
        self._tell(bench.contender.title, words.get(kind, STEP_WORDS.get(kind, kind)))
        began = time.perf_counter()
        yield
        self.meter.took(Piece(bench.contender.key, kind, number), time.perf_counter() - began)

    def _tell(self, title: str, step: str) -> None:
        """Report to whoever asked for it."""
        if self.progress is None:
            return
        meter = self.meter
        share = 1.0 if len(meter.seconds) == len(meter.pieces) else meter.share
        so_far = tuple(bench.so_far for bench in self.benches)
        self.progress(CompareProgress(title, step, len(meter.seconds), len(meter.pieces), share, so_far))


def _rows_of(ground: AnyGround, number: int) -> BenchRows:
    """Return the rows of a fold as matrices."""
    fold = ground.folds[number]
    X, X_test = ground.matrices(fold)
    return BenchRows(
        X=X,
        labels=ground.labels[fold.train],
        weight=ground.weight[fold.train],
        known=ground.known.at(fold.train),
        X_test=X_test,
        actual=ground.target[fold.test],
    )
