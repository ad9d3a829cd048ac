"""Ways to answer a finding by one click, besides giving a column another role."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.data import target_form
from dashboard.services.data import columns
from dashboard.services.data.columns import fit_problem
from dashboard.services.data.spellings import joined_spellings
from dashboard.services.data.split import split_problem
from dashboard.services.data.suggestions import hold_out_last, keep_together
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from proset.common.words import count_words, shown
from proset.data.capitals import CAPITALS
from proset.data.classes import TargetClasses
from proset.data.date_differences import DATE_DIFFERENCE
from proset.data.day_hours import CLOCK_TIME, HOUR_OF_DAY
from proset.data.derived_columns import add_difference, add_hour, with_new_columns
from proset.data.issues import Issue, Role, Severity
from proset.data.roles import Roles
from proset.data.split_candidates import REPEATED, ROW_ORDER
from proset.data.table import Table


@dataclass(frozen=True)
class Action:
    """One click.

    Attributes
    ----------
    label, help : str
        Of the button.
    take : callable
        Does it.
    closes_models : bool
        Whether the models fitted so far, and work under way, go; then a second click has to say so.
    """

    label: str
    help: str
    take: Callable[[Session, OpenTable, Issue], None]
    closes_models: bool = False


def asked(opened: OpenTable) -> list[Issue]:
    """Return what was found and is not answered yet, the worst first."""
    recipe = opened.recipe
    found: list[Issue] = cache.derived(columns.still_open, opened.table, recipe.roles, opened.guess, recipe.split)
    return found


def cannot_split(opened: OpenTable) -> list[Issue]:
    """Return the finding that rows cannot be split as asked for; empty if they can."""
    table, roles, split = opened.table, opened.recipe.roles, opened.recipe.split
    problem = cache.derived(split_problem, table, roles, split)
    return [] if problem is None else [Issue("cannot_split", str(problem), problem.column, Severity.ERROR)]


def why_not_fitted(opened: OpenTable) -> str:
    """Return what has to be mended before a model can be fitted; empty if nothing has."""
    table, roles = opened.table, opened.recipe.roles
    problem = cache.derived(fit_problem, table, roles)
    if problem is not None:
        return str(problem)
    return next((issue.message for issue in cannot_split(opened)), "")


def button(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Show the button of a finding, if one click can do something about it."""
    action = _ACTIONS.get(issue.code)
    if action is None or (issue.code in (ROW_ORDER, CAPITALS) and issue.severity is Severity.INFO):
        return
    if not action.closes_models or not (opened.models or session.working):
        _button(session, opened, issue, action, action.label)
        return
    with st.popover(action.label):
        st.markdown(
            "This makes another table of it. The models fitted so far are closed, and work under way is stopped: save "
            "on the Fit page what you want to keep."
        )
        _button(session, opened, issue, action, f"{action.label} and close the models")


def _button(session: Session, opened: OpenTable, issue: Issue, action: Action, label: str) -> None:
    """Show the button itself."""
    st.button(
        label,
        key=words.bare(".".join(("findings", issue.code, *filter(None, (issue.column, issue.other))))),
        on_click=action.take,
        args=(session, opened, issue),
        help=action.help,
    )


def _keep_together(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Split the rows in whole groups; numbers that name whom rows belong to are no amount to learn from."""
    column, roles = str(issue.column), opened.recipe.roles
    if roles.by_column.get(column) is Role.NUMERIC:
        roles = roles.with_role(column, Role.EXTRA)
        session.notice(
            f"'{shown(column)}' says which rows belong together, and is not a feature any more.", kind="info"
        )
    opened.edit(roles=roles, split=keep_together(opened.recipe.split, column))


def _hold_out_last(_session: Session, opened: OpenTable, issue: Issue) -> None:
    """Hold out the latest rows, by their column of times or in the order of the file."""
    opened.edit(split=hold_out_last(opened.recipe.split, issue.column))


def _add_days(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Open the table with the days between two dates as a column."""
    _open_with(session, opened, add_difference(opened.table, str(issue.other), str(issue.column)), opened.recipe.roles)


def _add_hour(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Open the table with the hours of a column as a column; times that were taken as words are set aside."""
    column, roles = str(issue.column), opened.recipe.roles
    if issue.code == CLOCK_TIME:
        roles = roles.with_role(column, Role.EXTRA)
    _open_with(session, opened, add_hour(opened.table, column), roles)


def _open_with(session: Session, opened: OpenTable, table: Table, roles: Roles) -> None:
    """Open a table with one column more; the rest of the recipe stays."""
    count = len(opened.models)
    session.open_table(table, source=opened.source, roles=with_new_columns(roles, table)).take_along(opened)
    closed = (
        f" {count_words(count, 'model')} fitted without it {'is' if count == 1 else 'are'} closed." if count else ""
    )
    session.notice(f"The column '{shown(table.derived[-1].name)}' was added.{closed}", kind="success")


def _join_spellings(session: Session, opened: OpenTable, _issue: Issue) -> None:
    """Make one class of those that differ only in capitals."""
    roles = opened.recipe.roles
    made = roles.classes or TargetClasses()
    joined = joined_spellings(made.label(opened.table.frame[roles.target]), made)
    if joined is not None:
        target_form.take(session, opened, joined.classes)
        session.notice(joined.done, kind="info")


_ACTIONS = {
    CAPITALS: Action(
        label="Join them",
        help="Classes that differ only in capitals become one, under the spelling that most rows have. 'Name, join, set"
        " aside or order the classes' shows it.",
        take=_join_spellings,
    ),
    DATE_DIFFERENCE: Action(
        label="Add the column",
        help="It is counted for new rows as well. Models fitted without it belong to the table without it.",
        take=_add_days,
        closes_models=True,
    ),
    **{
        code: Action(
            label="Add the hours",
            help=f"They are taken from the times of new rows as well.{more} Models fitted without them belong to the "
            "table without them.",
            take=_add_hour,
            closes_models=True,
        )
        for code, more in ((CLOCK_TIME, " The times themselves are not used any more."), (HOUR_OF_DAY, ""))
    },
    REPEATED: Action(
        label="Keep rows together",
        help="Rows with the same value are all learned from or all held out, also in the folds of a search. "
        "'Which rows are held out' shows it.",
        take=_keep_together,
    ),
    ROW_ORDER: Action(
        label="Hold out the last rows",
        help="The model learns from earlier rows and is judged on the last ones, as it will be used. 'Which "
        "rows are held out' shows it.",
        take=_hold_out_last,
    ),
}
