"""A few rows as pictures, where the columns are pixels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard import cache
from dashboard.components import picture_strip
from dashboard.services.pictures import pictures_of
from proset.data.target import class_order, target_labels

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.session.opened import OpenTable
    from proset.data.roles import Roles
    from proset.data.table import Table

_SHOWN = 10


def show(opened: OpenTable) -> None:
    """Show the first row of each class as a picture; nothing where the columns are no pixels."""
    if opened.table.grid is None or opened.recipe.roles.target is None:
        return
    found = cache.derived(examples, opened.table, opened.recipe.roles)
    pictures = pictures_of(opened.table, [row for _, row in found])
    if pictures:
        picture_strip.show(pictures, [(name, f"row {row}") for name, row in found])


def examples(table: Table, roles: Roles) -> Sequence[tuple[str, int]]:
    """Return the classes in their order, each with its first row; ten at most."""
    labels = target_labels(table.frame, roles).dropna()
    first = labels[~labels.duplicated()]
    rows = dict(zip(first, first.index.tolist(), strict=True))
    return [(name, rows[name]) for name in class_order(roles, rows)][:_SHOWN]
