"""The target and the role of every column, editable; and what was found about them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.data import column_profiles, finding_actions
from dashboard.components.figure_panel import toned
from dashboard.services.data import columns as service
from dashboard.services.data.column_profiles import profile_frame
from dashboard.services.data.finding_groups import FindingGroup, can_apply, group_findings
from dashboard.services.data.suggestions import Suggestions, suggestions
from dashboard.services.data.target import usual_roles
from dashboard.services.params import Param
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts.data import RELATION_HELP, ROLE_HELP
from proset.data.column_profile import ColumnProfiles
from proset.data.issues import Issue, Role, Severity
from proset.data.risks import stays_open
from proset.plots import style

_VERSION = Param("roles.version", 0)
_FINDINGS_SHOWN = 6
_FINDINGS_FOLDED = 50
_NAMED = 5
_LETTER = 7  # pixels
_COLUMNS = (
    "column", "role", "relation", "distribution", "missing", "distinct", "lowest", "typical", "highest", "example",
    "reason",
)  # fmt: skip
_TEXTS = ["lowest", "typical", "highest"]
_SHOWN_AS = {
    Severity.ERROR: (":material/error:", "red"),
    Severity.WARNING: (":material/warning:", "orange"),
    Severity.INFO: (":material/info:", "gray"),
}


def choose_target(session: Session, opened: OpenTable) -> None:
    """Show the select box for the target; another choice changes the roles."""
    roles = opened.recipe.roles
    columns = list(opened.table.frame.columns)
    # A key of its own for each table: the browser may still send the choice that belongs to the former one.
    widgets.held(
        st.selectbox,
        "Target: the column to estimate",
        columns,
        key=f"roles.target.{opened.table.fingerprint[:12]}",
        value=roles.target,
        taken=partial(_take_target, session, opened),
        format_func=words.bare,
        placeholder="Choose a column",
        help="The class or the number of each case. The model learns to estimate it from the other columns.",
    )


def edit(session: Session, opened: OpenTable) -> None:
    """Show one line per column with its role, which can be changed in place."""
    table = opened.table
    facts = cache.derived(service.column_facts, table)
    roles = opened.recipe.roles
    shown = service.column_table(facts, opened.guess, roles)
    found = column_profiles.find(opened)
    if found.columns:
        shown = shown.merge(profile_frame(found, roles).drop(columns=["role", "missing"]), on="column", how="left")
        shown[_TEXTS] = shown[_TEXTS].fillna("")  # the target's line: what is missing is drawn as "None"
        everywhere = shown["column"].map({name: table.profiles[name].n_distinct for name in shown["column"]})
        shown["distinct"] = shown["distinct"].fillna(everywhere).astype("int64")
        shown = shown.sort_values("relation", ascending=False, kind="stable", na_position="last", ignore_index=True)
    without = _left_out(found)
    key = f"roles.editor.{table.fingerprint[:12]}.{session.get(_VERSION)}"
    st.data_editor(
        shown,
        key=key,
        on_change=_take_edits,
        args=(session, opened, key, list(shown["column"])),
        hide_index=True,
        num_rows="fixed",
        column_order=[name for name in _COLUMNS if name not in without],
        disabled=[name for name in map(str, shown) if name != "role"],
        height=min(38 + 35 * len(shown), 388),
        column_config=_column_config(shown),
    )


def _column_config(shown: pd.DataFrame) -> dict[str, Any]:
    """Return the heading, the help and the width of each column of the editor."""
    grey = toned(style.NEUTRAL)
    return {
        "column": st.column_config.TextColumn("Column", pinned=True, width=_width(shown["column"], 120, 200)),
        "role": st.column_config.SelectboxColumn(
            "Role",
            options=[str(role) for role in Role],
            required=True,
            width=100,
            help="  \n".join(f"**{role}**: {text}" for role, text in ROLE_HELP.items()),
        ),
        "missing": st.column_config.NumberColumn("Missing", format="%.1f %%", width=80),
        "example": st.column_config.TextColumn("Example", width=120),
        "relation": st.column_config.ProgressColumn(
            "Relation to target",
            min_value=0,
            max_value=100,
            format="%.1f %%",
            width=125,
            help=RELATION_HELP,
            color=grey,
        ),
        "distribution": st.column_config.BarChartColumn("Distribution", y_min=0, width=100, color=grey),
        "distinct": st.column_config.NumberColumn("Distinct", format="localized", width=70),
        **{name: _text(name, shown) for name in _TEXTS if name in shown},
        "reason": st.column_config.TextColumn("Why this role", width=_width(shown["reason"], 200, 1200)),
    }


def _text(name: str, shown: pd.DataFrame) -> Any:
    """Return the look of a value as text: right-aligned like numbers, so too little room would cut its beginning."""
    said = "The median, or the most frequent word." if name == "typical" else None
    return st.column_config.TextColumn(
        name.capitalize(), width=_width(shown[name], 85, 240), alignment="right", help=said
    )


def _left_out(found: ColumnProfiles) -> set[str]:
    """Return the columns that say nothing here: of what is profiled, the typical value stands for an example."""
    return ({"example"} if found.columns else set()) | (set() if found.classes else {"relation"})


def _width(texts: pd.Series, least: int, most: int) -> int:
    """Return a width in pixels in which the longest text can be read, within reason."""
    return min(max(_LETTER * int(texts.str.len().max()) + 20, least), most)


def show_findings(session: Session, opened: OpenTable) -> None:
    """List what was found, the worst first, each with a button that follows its suggestion."""
    roles = opened.recipe.roles
    issues = [*finding_actions.cannot_split(opened), *finding_actions.asked(opened)]
    groups, single = group_findings(issues, roles)
    pressing = [issue for issue in single if issue.severity is not Severity.INFO or stays_open(issue)]
    notes = [issue for issue in single if issue not in pressing]
    if {Severity.INFO} >= {*(issue.severity for issue in pressing), *(group.severity for group in groups)}:
        st.markdown(":material/check_circle: Nothing stands in the way of a fit.")
    never_folded = [issue for issue in pressing if stays_open(issue)]
    others = pressing[len(never_folded) :]  # they come after those, the worst first
    shown = max(_FINDINGS_SHOWN - len(never_folded), 1)
    for issue in never_folded:
        _finding(session, opened, issue)
    for group in groups:
        _group(session, opened, group)
    for issue in others[:shown]:
        _finding(session, opened, issue)
    rest = others[shown:]
    every = suggestions(issues, opened.recipe)
    if every.count > 1:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.button(every.label, key="findings.all", on_click=_apply_all, args=(session, opened, every))
            st.caption(words.caption(every.words), width="stretch")
    for name, folded in (("more findings", rest), ("notes", notes)):
        if folded:
            with st.expander(f"{len(folded)} {name.removesuffix('s') if len(folded) == 1 else name}"):
                _several(session, opened, folded)


def _several(session: Session, opened: OpenTable, issues: Sequence[Issue]) -> None:
    """Show findings below each other, not more than can be looked through."""
    for issue in issues[:_FINDINGS_FOLDED]:
        _finding(session, opened, issue)
    if len(issues) > _FINDINGS_FOLDED:
        st.caption(f"and {len(issues) - _FINDINGS_FOLDED:,} more of the kind")


def _group(session: Session, opened: OpenTable, group: FindingGroup) -> None:
    """Show findings of one kind on one line with one button, and each of them below, folded."""
    icon, colour = _SHOWN_AS[group.severity]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f":{colour}[{icon}] {words.markdown(group.message)}", width="stretch")
        st.button(
            f"Use all as {group.role}",
            key=f"findings.group.{group.code}.{group.role}",
            on_click=_apply,
            args=(session, opened, list(group.issues)),
            help=f"Give these columns the role '{group.role}': {ROLE_HELP[group.role]}.",
        )
    names = [words.label(issue.column) for issue in group.issues[:_NAMED]]
    more = f" and {len(group.issues) - _NAMED:,} more" if len(group.issues) > _NAMED else ""
    with st.expander(f"{', '.join(names)}{more}: one by one"):
        _several(session, opened, group.issues)


def _finding(session: Session, opened: OpenTable, issue: Issue) -> None:
    """Show one finding on one line."""
    icon, colour = _SHOWN_AS[issue.severity]
    # frame.css: what answers it stays beside it
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small",
        key=words.bare(f"answer.{issue.code}.{issue.column}.{issue.other}"),
    ):  # fmt: skip
        st.markdown(f":{colour}[{icon}] {words.markdown(issue.message)}", width="stretch")
        if issue.suggested_role is not None and can_apply(issue, opened.recipe.roles):
            st.button(
                f"Use as {issue.suggested_role}",
                key=words.bare(f"findings.{issue.code}.{issue.column}"),
                on_click=_apply,
                args=(session, opened, [issue]),
                help=f"Give this column the role '{issue.suggested_role}': {ROLE_HELP[issue.suggested_role]}.",
            )
        finding_actions.button(session, opened, issue)


def _take_target(session: Session, opened: OpenTable, column: str) -> None:
    """Make the chosen column the target."""
    roles = opened.recipe.roles
    if column in roles.by_column and column != roles.target:
        opened.edit(roles=usual_roles(opened.table, roles.with_role(column, Role.TARGET)))
        _redraw(session)


def _take_edits(session: Session, opened: OpenTable, key: str, columns: list[str]) -> None:
    """Take over the roles edited in the table."""
    roles = opened.recipe.roles
    for position, changes in widgets.says(key)["edited_rows"].items():
        if "role" in changes:
            roles = roles.with_role(columns[int(position)], Role(changes["role"]))
    opened.edit(roles=roles if roles.target == opened.recipe.roles.target else usual_roles(opened.table, roles))
    _redraw(session)


def _apply(session: Session, opened: OpenTable, issues: list[Issue]) -> None:
    """Follow the suggestions of `issues`."""
    opened.edit(roles=service.apply_suggestions(opened.recipe.roles, issues))
    _redraw(session)


def _apply_all(session: Session, opened: OpenTable, every: Suggestions) -> None:
    """Follow several suggestions of any kind."""
    roles, split = every.applied(opened.recipe)
    opened.edit(roles=roles, split=split)
    _redraw(session)


def _redraw(session: Session) -> None:
    """Draw the editor anew: edits left in the widget would hide a role that was changed elsewhere."""
    session.put(_VERSION, session.get(_VERSION) + 1)
