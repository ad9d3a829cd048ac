"""What one click can do about a finding, besides giving a column another role."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import streamlit as st

from dashboard.components import words
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.data.issues import Issue


@dataclass(frozen=True)
class Action:
    """One click.

    Attributes
    ----------
    label, help : str
        Of the button.
    take : callable
        Does it.
    done : callable
        Tells whether nothing is left to do, so that the finding need not be shown.
    """

    label: str
    help: str
    take: Callable[[Session, OpenTable, Issue], None]
    done: Callable[[OpenTable, Issue], bool]


def settled(opened: OpenTable, issue: Issue) -> bool:
    """Tell whether what a finding asks for is already so."""
    action = _ACTIONS.get(issue.code)
    return action is not None and action.done(opened, issue)


def button(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Show the button of a finding, if one click can do something about it."""
    action = _ACTIONS.get(issue.code)
    if action is not None:
        st.button(
            action.label,
            key=words.bare(f"findings.{issue.code}.{issue.column}"),
            on_click=action.take,
            args=(session, opened, issue),
            help=action.help,
        )


def _keep_together(_session: Session, opened: OpenTable, issue: Issue) -> None:
    """Split the rows in whole groups."""
    time = opened.recipe.split.time
    opened.edit(split=replace(opened.recipe.split, groups=issue.column, time=None if time == issue.column else time))


_ACTIONS = {
    "repeated_identifier": Action(
        label="Keep rows together",
        help="Rows with the same value are all learned from or all held out, also in the folds of a search. "
        "'Target and split' shows it.",
        take=_keep_together,
        done=lambda opened, _issue: opened.recipe.split.groups is not None,
    ),
}
