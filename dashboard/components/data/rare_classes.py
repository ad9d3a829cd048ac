"""Classes with too few rows, and the buttons that join them or set them aside, wherever they stand in the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services.data import target as service
from dashboard.services.data.columns import fit_problem
from dashboard.services.data.spellings import joined_spellings
from proset.data.classes import TargetClasses

if TYPE_CHECKING:
    from collections.abc import Callable

    from dashboard.services.data.spellings import Joined
    from dashboard.services.data.target import RareClasses
    from dashboard.session.opened import OpenTable
    from dashboard.session.session import Session


def ways_out(session: Session, opened: OpenTable) -> None:
    """Offer what makes the data ready for a fit, or nearer to it, if too few rows of some classes stand in the way."""
    target, classes = opened.recipe.roles.target, opened.recipe.roles.classes
    if target is None:
        return
    if not service.can_edit(opened.table.profiles[target], classes):
        return
    made = classes or TargetClasses()
    labels = cache.derived(service.target_words, opened.table, target, made.cuts, made.dates)
    rare = service.rare_classes(labels, made)
    if rare is not None:
        alike = joined_spellings(labels, made)
        buttons(opened, rare, alike, lambda chosen, done: _take(session, opened, chosen, done), only_ready=True)


def buttons(
    opened: OpenTable,
    rare: RareClasses,
    alike: Joined | None,
    take: Callable[[TargetClasses, str], None],
    *,
    only_ready: bool = False,
) -> None:
    """Show the buttons, and how many rows setting aside leaves out.

    Parameters
    ----------
    alike : Joined or None
        Classes after those that differ only in capitals were joined: it loses no row, so it comes first, and it is
        offered even where further classes stay too small.
    take : callable
        Called with the classes that were chosen, and with what is then to be said.
    only_ready : bool
        Whether to leave out what would not make the data ready for a fit.
    """
    ways = (
        ("join", rare.join_words, rare.joined, rare.join_done),
        ("aside", rare.without_words, rare.without, rare.without_done),
    )
    offered = [
        (name, label, classes, done)
        for name, label, classes, done in ways
        if classes is not None and not (only_ready and _problem(opened, classes))
    ]
    if alike is not None:
        offered.insert(0, ("alike", alike.words, alike.classes, alike.done))
    if not offered:
        return
    if any(name == "aside" for name, *_ in offered):
        st.caption(words.caption(rare.without_note))
    with st.container(horizontal=True, gap="small"):
        for name, label, classes, done in offered:
            st.button(words.label(label), key=f"target.{name}", on_click=take, args=(classes, done))


def _problem(opened: OpenTable, classes: TargetClasses) -> bool:
    """Tell whether the data would still not be ready."""
    table, roles = opened.table, opened.recipe.roles.with_classes(classes)
    return cache.derived(fit_problem, table, roles) is not None


def _take(session: Session, opened: OpenTable, classes: TargetClasses, done: str) -> None:
    """Make the classes so, and say what that did."""
    opened.edit(roles=opened.recipe.roles.with_classes(classes))
    session.notice(done, kind="info")
