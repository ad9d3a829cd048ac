"""Suggestions that one click follows at once: roles, rows that stay together, and whether the latest are held out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from dashboard.services.data.columns import apply_suggestions
from dashboard.services.data.finding_groups import can_apply
from proset.common.words import listed, shown
from proset.data.issues import Issue, Severity
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.split_candidates import REPEATED, ROW_ORDER
from proset.study.recipe import Recipe

_MOST_NAMED = 4


@dataclass(frozen=True)
class Suggestions:
    """Suggestions that are followed together.

    Attributes
    ----------
    roles : tuple of Issue
        Each suggests a role of a column.
    groups : str or None
        The column by which rows stay together from now on.
    time : str or None
        The column by which the latest rows are held out from now on.
    left : tuple of str
        What is suggested as well and needs a decision, in words.
    """

    roles: tuple[Issue, ...]
    groups: str | None
    time: str | None
    left: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of suggestions."""
        return len(self.roles) + (self.groups is not None) + (self.time is not None)

    @property
    def label(self) -> str:
        """The button."""
        return f"Apply {'these' if self.left else 'all'} {self.count} suggestions"

    @property
    def words(self) -> str:
        """Everything that the button changes, and what it leaves."""
        changes = [
            f"{listed((str(issue.column) for issue in self.roles if issue.suggested_role is role), most=_MOST_NAMED)}"
            f" as {role}"
            for role in dict.fromkeys(issue.suggested_role for issue in self.roles)
        ]
        if self.groups is not None:
            changes.append(f"rows with the same '{shown(self.groups)}' stay together")
        if self.time is not None:
            changes.append(f"the latest rows by '{shown(self.time)}' are held out")
        left = f" Left for you to decide: {'; '.join(self.left)}." if self.left else ""
        return f"Changes: {'; '.join(changes)}.{left}"

    def applied(self, recipe: Recipe) -> tuple[Roles, SplitSettings]:
        """Return roles and split after all of them are followed."""
        split = recipe.split
        if self.groups is not None:
            split = keep_together(split, self.groups)
        if self.time is not None:
            split = hold_out_last(split, self.time)
        return apply_suggestions(recipe.roles, self.roles), split


def suggestions(issues: Sequence[Issue], recipe: Recipe) -> Suggestions:
    """Collect what can be followed without another decision; of two columns that could keep rows together the first.

    Examples
    --------
    >>> from proset.data.issues import Role
    >>> found = [Issue("constant", "...", "unit", suggested_role=Role.EXTRA), Issue(REPEATED, "...", "patient")]
    >>> every = suggestions(found, Recipe(Roles({"unit": Role.NUMERIC, "patient": Role.TEXT})))
    >>> every.label, every.words
    ('Apply all 2 suggestions', "Changes: 'unit' as extra; rows with the same 'patient' stay together.")
    """
    roles = [issue for issue in issues if issue.severity is not Severity.INFO and can_apply(issue, recipe.roles)]
    repeated = [str(issue.column) for issue in issues if issue.code == REPEATED and issue.column is not None]
    in_order = [issue for issue in issues if issue.code == ROW_ORDER and issue.severity is not Severity.INFO]
    free = not recipe.split.by_time
    times = [issue.column for issue in in_order if issue.column is not None and free and issue.column not in repeated]
    left = [f"whether rows stay together by '{shown(name)}' instead" for name in repeated[1:]]
    left += ["whether the last rows of the file are held out" for issue in in_order if issue.column is None]
    return Suggestions(tuple(roles), next(iter(repeated), None), next(iter(times), None), tuple(left))


def keep_together(split: SplitSettings, column: str) -> SplitSettings:
    """Return a split in whole groups; a column that said when rows were does not do so any more."""
    return replace(split, groups=column, time=None if split.time == column else split.time)


def hold_out_last(split: SplitSettings, column: str | None) -> SplitSettings:
    """Return a split that holds out the latest rows by a column, or the last ones of the file.

    Examples
    --------
    >>> hold_out_last(SplitSettings(), None).words, hold_out_last(SplitSettings(file_order=True), "day").words
    ('the last 30 % of the file', "the latest 30 % by 'day'")
    """
    groups = None if column is not None and split.groups == column else split.groups
    return replace(split, groups=groups, time=column, file_order=column is None)
