"""A study as a recipe asks for it: of classes, or of a number."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

from proset.common.errors import OtherSearchError, StudyError
from proset.common.words import shown
from proset.data.samples import load_sample, sample_roles
from proset.data.table import Table
from proset.engine.fit_progress import FitProgress
from proset.selection.either import AnyRecord, ClassPlan, ClassRecord
from proset.selection.number_plan import NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.search_progress import ProgressCallback
from proset.study.fit import CheckedTable, fit_study, make_problem
from proset.study.number_fit import NumberProblem, fit_number_study, number_problem, search_number_study
from proset.study.number_study import NumberStudy
from proset.study.number_time import number_seconds_needed
from proset.study.recipe import Recipe
from proset.study.search import search_study
from proset.study.settings import FitSettings, NumberSettings
from proset.study.study import Study
from proset.study.time_needed import Clock, TimeNeeded, seconds_needed

AnyStudy = Study | NumberStudy


def fit_recipe(table: Table, recipe: Recipe, *, progress: Callable[[FitProgress], None] | None = None) -> AnyStudy:
    """Fit once with the settings of a recipe, whatever its plan.

    Parameters
    ----------
    progress
        As for :func:`proset.study.fit.fit_study`, which says what is raised, too.
    """
    if recipe.roles.number:
        return fit_number_study(
            table,
            recipe.roles,
            split=recipe.split,
            settings=_number_settings(recipe),
            guidance=recipe.guidance,
            progress=progress,
        )
    return fit_study(
        table,
        recipe.roles,
        split=recipe.split,
        settings=recipe.settings,
        guidance=recipe.guidance,
        progress=progress,
    )


def fit_sample(name: str, **settings: Any) -> Any:
    """Fit to a bundled table with its roles: what most examples begin with.

    Parameters
    ----------
    name : str
        A key of :data:`proset.data.samples.SAMPLES`.
    **settings
        Fields of ``FitSettings``, or of ``NumberSettings`` where the target is a number; with none, the settings are
        those that suit the size of the table.

    Returns
    -------
    Study or NumberStudy

    Examples
    --------
    >>> fit_sample("iris_2f").labels.value_counts().tolist(), fit_sample("cars", n_iter=1).settings.n_iter
    ([50, 50, 50], 1)
    """
    table, roles = load_sample(name), sample_roles(name)
    if roles.number:
        return fit_number_study(table, roles, settings=NumberSettings(**settings) if settings else None)
    return fit_study(table, roles, settings=FitSettings(**settings) if settings else None)


def search_recipe(
    table: Table,
    recipe: Recipe,
    *,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: AnyRecord | None = None,
) -> AnyStudy:
    """Search by the plan of a recipe, and fit with what was found.

    Parameters
    ----------
    n_jobs, progress, record
        As for :func:`proset.study.search.search_study`, which says what is raised, too.

    Raises
    ------
    OtherSearchError
        If the record is of the search for a model of another kind.
    """
    number = recipe.roles.number
    if record is not None and isinstance(record, NumberRecord) != number:
        raise OtherSearchError("The search to go on from is of another kind.", hint="Start the search anew.")
    if number:
        return search_number_study(
            table,
            recipe.roles,
            split=recipe.split,
            settings=_number_settings(recipe),
            plan=_number_plan(recipe),
            guidance=recipe.guidance,
            progress=progress,
            record=cast("NumberRecord | None", record),
        )
    return search_study(
        table,
        recipe.roles,
        split=recipe.split,
        settings=recipe.settings,
        plan=class_plan(recipe),
        guidance=recipe.guidance,
        n_jobs=n_jobs,
        progress=progress,
        record=cast("ClassRecord | None", record),
    )


def recipe_problem(table: Table, recipe: Recipe) -> CheckedTable | NumberProblem:
    """Check what a recipe asks for, and split the rows.

    Raises
    ------
    ProsetError
        If the recipe cannot be fitted.
    """
    make = number_problem if recipe.roles.number else make_problem
    return make(table, recipe.roles, recipe.split, recipe.guidance)


def recipe_seconds(
    problem: CheckedTable | NumberProblem,
    recipe: Recipe,
    *,
    n_jobs: int | None = None,
    clock: Clock = time.perf_counter,
) -> TimeNeeded:
    """Estimate how long it takes to do what a recipe asks for, by small fits that are measured.

    Parameters
    ----------
    problem : CheckedTable or NumberProblem
        From :func:`recipe_problem`.
    n_jobs, clock
        As for :func:`proset.study.time_needed.seconds_needed`.
    """
    if isinstance(problem, NumberProblem):
        return number_seconds_needed(problem, _number_settings(recipe), _number_plan(recipe), clock)
    return seconds_needed(problem, recipe.settings, class_plan(recipe), n_jobs=n_jobs, clock=clock)


def class_plan(recipe: Recipe) -> ClassPlan | None:
    """Return the plan of a recipe for classes; None where it has none for them."""
    return None if isinstance(recipe.plan, NumberPlan) else recipe.plan


def _number_settings(recipe: Recipe) -> NumberSettings:
    """Return the settings of a recipe for a number."""
    assert isinstance(recipe.settings, NumberSettings)  # a recipe for a number has no others
    return recipe.settings


def _number_plan(recipe: Recipe) -> NumberPlan | None:
    """Return the plan of a recipe for a number."""
    return recipe.plan if isinstance(recipe.plan, NumberPlan) else None


def of_classes(study: AnyStudy, what: str) -> Study:
    """Return a study of classes, and refuse one of a number.

    Parameters
    ----------
    what : str
        What is asked of it, as the beginning of a sentence: "The report".

    Raises
    ------
    StudyError
        If the target is a number.
    """
    if isinstance(study, NumberStudy):
        told = f"{what} is of classes; the target '{shown(str(study.roles.target))}' of this study is a number."
        raise StudyError(told, hint="Take the target as ranges, and fit again.")
    return study
