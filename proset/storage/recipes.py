"""A recipe as JSON types, and back with every part checked."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from proset.data.roles import Roles
from proset.data.scales import Scale
from proset.data.split import SplitSettings
from proset.engine.parameters import BEFORE_OF_NUMBER
from proset.selection import read_plan
from proset.storage.records import damaged, from_record, to_record
from proset.study import FitSettings, NumberSettings
from proset.study.guidance import Guidance
from proset.study.recipe import Recipe

_PARTS = {"roles", "split", "settings", "plan"}
_GUIDANCE = "guidance"
_OF_NUMBER = {field.name for field in fields(NumberSettings)} - {field.name for field in fields(FitSettings)}


def recipe_to_record(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as JSON types."""
    parts = {
        "roles": recipe.roles.to_dict(),
        "split": to_record(recipe.split),
        "settings": settings_record(recipe.settings),
        "plan": None if recipe.plan is None else recipe.plan.to_state(),
    }
    # Left out where nothing was said, so that a recipe is written as it was before there was guidance.
    return parts | {_GUIDANCE: to_record(recipe.guidance)} if recipe.guidance else parts


def settings_record(settings: FitSettings) -> dict[str, Any]:
    """Return the settings of a fit as JSON types; what is as it always was before it could be set stays unsaid."""
    unsaid = ["scale"] if settings.scale is Scale.STANDARD else []
    unsaid += [name for name, value in BEFORE_OF_NUMBER.items() if getattr(settings, name, None) == value]
    record: dict[str, Any] = to_record(settings, skip=unsaid)
    return record


def recipe_from_record(record: Any) -> Recipe:
    """Return the recipe that :func:`recipe_to_record` wrote.

    Raises
    ------
    ProsetError
        If a part is missing, unknown or impossible.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> recipe = Recipe(Roles({"age": Role.NUMERIC, "sick": Role.TARGET}))
    >>> recipe_from_record(recipe_to_record(recipe)) == recipe
    True
    """
    if not isinstance(record, dict) or set(record) - {_GUIDANCE} != _PARTS:
        raise damaged("its recipe", f"does not consist of {', '.join(sorted(_PARTS))}")
    roles = Roles.from_dict(record["roles"], where="roles")
    return Recipe(
        roles=roles,
        split=from_record(SplitSettings, record["split"], "split"),
        settings=_chosen_settings(record["settings"], roles),
        plan=None if record["plan"] is None else read_plan(record["plan"]),
        guidance=read_guidance(record[_GUIDANCE]) if _GUIDANCE in record else Guidance(),
    )


def _chosen_settings(record: Any, roles: Roles) -> FitSettings:
    """Return the settings of a recipe; those of a model of the other kind, which were once kept, give way."""
    if isinstance(record, dict) and roles.number == _OF_NUMBER.isdisjoint(record):
        from_record(FitSettings if roles.number else NumberSettings, record, "settings")  # damaged is damaged
        return NumberSettings() if roles.number else FitSettings()
    return read_settings(record, roles)


def read_settings(record: Any, roles: Roles) -> FitSettings:
    """Return the settings of a fit, those of a model of a number where the roles say so, every field checked."""
    if roles.number and isinstance(record, dict):
        record = {**BEFORE_OF_NUMBER, **record}
    return from_record(NumberSettings if roles.number else FitSettings, record, "settings")


def read_guidance(record: Any) -> Guidance:
    """Return the guidance of a recipe or a study, every field checked.

    Raises
    ------
    StorageError
        If a field is missing, unknown or impossible, if items contradict each other, or if there are none: what says
        nothing is not written.

    Examples
    --------
    >>> read_guidance({"items": [{"kind": "leave_out", "row": 7}]}).words("class")
    '1 row left out'
    """
    guidance = from_record(Guidance, record, "guidance")
    if not guidance:
        raise damaged("guidance", "holds no items")
    return guidance
