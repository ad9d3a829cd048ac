"""The ways to a model: a quick fit, a search, or settings that a person states."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from proset.data.scales import Scale
from proset.selection import PENALTIES, JointPlan, NumberPlan, is_quick
from proset.study.settings import NumberSettings

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.study.recipe import Recipe
    from proset.study.settings import FitSettings


CHOOSE = "choose"
"""Stands for no scale of numbers: a search chooses one."""


_ON_ONE_SCALE = replace(JointPlan.quick(), scales=())
"""A quick fit for which a scale is stated."""


class Mode(StrEnum):
    """Ways to find settings."""

    QUICK = "quick"
    SEARCH = "search"
    OWN = "own"


class Method(StrEnum):
    """Methods of a search."""

    JOINT = "joint"
    REPORT = "report"


def mode_of(study: AnyStudy) -> Mode:
    """Tell in which way the settings of a study were found."""
    if study.search is None:
        return Mode.OWN
    return Mode.QUICK if is_quick(study.search.plan) else Mode.SEARCH


def asked(recipe: Recipe, mode: Mode) -> Recipe:
    """Return what a fit in one of the ways asks for, from a recipe with the plan of a search.

    Examples
    --------
    >>> from proset.data.roles import Roles
    >>> from proset.study.recipe import Recipe
    >>> recipe = Recipe(Roles({}), plan=JointPlan())
    >>> [asked(recipe, mode).plan is None for mode in Mode], asked(recipe, Mode.QUICK).plan.is_quick
    ([False, False, True], True)
    """
    if recipe.roles.number:
        search = recipe.plan if isinstance(recipe.plan, NumberPlan) else NumberPlan()
        return replace(recipe, plan={Mode.QUICK: NumberPlan.quick(), Mode.SEARCH: search, Mode.OWN: None}[mode])
    quick = JointPlan.quick() if recipe.settings.scale is Scale.STANDARD else _ON_ONE_SCALE
    return replace(recipe, plan={Mode.QUICK: quick, Mode.SEARCH: recipe.plan, Mode.OWN: None}[mode])


def asked_scale(recipe: Recipe, mode: Mode) -> str:
    """Return the scale of numbers that a fit in one of the ways asks for; :data:`CHOOSE` where its search takes one.

    Examples
    --------
    >>> from proset.data.roles import Roles
    >>> from proset.study.recipe import Recipe
    >>> [asked_scale(Recipe(Roles({}), plan=JointPlan()), mode) for mode in Mode]
    ['choose', 'choose', 'standard']
    """
    plan = asked(recipe, mode).plan
    return CHOOSE if isinstance(plan, (JointPlan, NumberPlan)) and plan.scales else str(recipe.settings.scale)


def states_what_quick_finds(settings: FitSettings, usual: FitSettings) -> bool:
    """Tell whether a person, or an address, has stated what a quick fit would find by itself."""
    number = isinstance(usual, NumberSettings)
    return any(getattr(settings, name) != getattr(usual, name) for name in found_quickly(number=number))


def found_quickly(*, number: bool = False) -> tuple[str, ...]:
    """Name the settings that a quick fit finds, but for the scale: stated, it does without a choice of its own."""
    return NumberPlan.quick().sets if number else (*PENALTIES, *_ON_ONE_SCALE.sets)
