"""A recipe as JSON types, and back with every part checked."""

from __future__ import annotations

from typing import Any

from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.selection import read_plan
from proset.storage.records import damaged, from_record, to_record
from proset.study import FitSettings
from proset.study.recipe import Recipe

_PARTS = {"roles", "split", "settings", "plan"}


def recipe_to_record(recipe: Recipe) -> dict[str, Any]:
    """Return a recipe as JSON types."""
    return {
        "roles": recipe.roles.to_dict(),
        "split": to_record(recipe.split),
        "settings": to_record(recipe.settings),
        "plan": None if recipe.plan is None else recipe.plan.to_state(),
    }


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
    if not isinstance(record, dict) or set(record) != _PARTS:
        raise damaged("its recipe", f"does not consist of {', '.join(sorted(_PARTS))}")
    return Recipe(
        roles=Roles.from_dict(record["roles"], where="roles"),
        split=from_record(SplitSettings, record["split"], "split"),
        settings=from_record(FitSettings, record["settings"], "settings"),
        plan=None if record["plan"] is None else read_plan(record["plan"]),
    )
