"""What each column of a table is for: guessed, shown with a reason, and open to change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from proset.common.checked_json import StateReader
from proset.common.errors import RoleError
from proset.data.checks import review
from proset.data.guessing import best_identifier, guess_feature, guess_target
from proset.data.issues import Issue, Role
from proset.data.leakage import find_copies
from proset.data.profile import Profile, profile_column
from proset.data.role_check import check_roles

if TYPE_CHECKING:
    from proset.data.table import Table

__all__ = ["FEATURE_ROLES", "RoleGuess", "Roles", "check_roles", "guess_roles", "review_roles"]

FEATURE_ROLES = (Role.NUMERIC, Role.CATEGORICAL, Role.BOOLEAN, Role.DATE)


@dataclass(frozen=True)
class Roles:
    """The role of every column; never changes, :meth:`with_role` gives a new one.

    Attributes
    ----------
    by_column : mapping of str to Role
        In the order of the table.
    guessed : mapping of str to Role
        What each column would be if it were not the target; used when another column becomes the target. Roles that
        differ only here are equal.

    Raises
    ------
    RoleError
        If two columns are the target, or two the identifier.

    Examples
    --------
    >>> roles = Roles({"age": Role.NUMERIC, "sick": Role.TARGET}, guessed={"sick": Role.BOOLEAN})
    >>> roles.target, roles.features
    ('sick', ('age',))
    >>> dict(roles.with_role("age", Role.TARGET).by_column)
    {'age': <Role.TARGET: 'target'>, 'sick': <Role.BOOLEAN: 'boolean'>}
    """

    by_column: Mapping[str, Role]
    guessed: Mapping[str, Role] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        for single in (Role.TARGET, Role.IDENTIFIER):
            holders = [name for name, role in self.by_column.items() if role == single]
            if len(holders) > 1:
                raise RoleError(
                    f"Columns '{holders[0]}' and '{holders[1]}' both have the role {single}.",
                    column=holders[1],
                    hint="Only one column can have it; give the other one another role.",
                )
        object.__setattr__(self, "by_column", MappingProxyType({n: Role(r) for n, r in self.by_column.items()}))
        object.__setattr__(self, "guessed", MappingProxyType({n: Role(r) for n, r in self.guessed.items()}))

    def __reduce__(self) -> tuple[type[Roles], tuple[dict[str, Role], dict[str, Role]]]:
        """Copies and worker processes rebuild the read-only mappings."""
        return Roles, (dict(self.by_column), dict(self.guessed))

    def __hash__(self) -> int:
        return hash(frozenset(self.by_column.items()))

    @property
    def target(self) -> str | None:
        """The column with the classes, if one is chosen."""
        return next(iter(self.of(Role.TARGET)), None)

    @property
    def identifier(self) -> str | None:
        """The column that names the rows, if there is one."""
        return next(iter(self.of(Role.IDENTIFIER)), None)

    @property
    def features(self) -> tuple[str, ...]:
        """Columns that the model may use, in table order."""
        return tuple(name for name, role in self.by_column.items() if role in FEATURE_ROLES)

    def of(self, role: Role) -> tuple[str, ...]:
        """List the columns of one role.

        Parameters
        ----------
        role : Role
            Any role.

        Returns
        -------
        tuple of str
            Columns in table order.
        """
        return tuple(name for name, held in self.by_column.items() if held == role)

    def with_role(self, column: str, role: Role) -> Roles:
        """Give one column another role.

        Parameters
        ----------
        column : str
            A column of the table.
        role : Role
            Its new role. If another column is the target (or the identifier) so far, that one goes back to its guessed
            feature role (or becomes extra).

        Returns
        -------
        Roles
            New roles in the same order.

        Raises
        ------
        RoleError
            If there is no such column.
        """
        if column not in self.by_column:
            raise RoleError(f"There is no column '{column}'.", column=column, hint="Choose one of the table's columns.")
        changed = dict(self.by_column)
        for former in self.of(role) if role in (Role.TARGET, Role.IDENTIFIER) else ():
            changed[former] = self.guessed.get(former, Role.CATEGORICAL) if role == Role.TARGET else Role.EXTRA
            if changed[former] == Role.IDENTIFIER and self.identifier not in (None, column):
                changed[former] = Role.EXTRA
        changed[column] = Role(role)
        return Roles(changed, self.guessed)

    def to_dict(self) -> dict[str, list[list[str]]]:
        """Return plain JSON types that keep the order of columns.

        Returns
        -------
        dict
            For :meth:`from_dict`.

        Examples
        --------
        >>> Roles({"age": Role.NUMERIC}).to_dict()
        {'by_column': [['age', 'numeric']], 'guessed': []}
        """
        return {
            key: [[name, role.value] for name, role in getattr(self, key).items()] for key in ("by_column", "guessed")
        }

    @classmethod
    def from_dict(cls, state: object, *, where: str = "roles") -> Roles:
        """Rebuild roles, trusting nothing.

        Parameters
        ----------
        state : object
            What :meth:`to_dict` returned, read back from a file.
        where : str
            How messages name the place.

        Returns
        -------
        Roles
            Equal to the saved ones.

        Raises
        ------
        StorageError
            If a field is wrong; the message names it.
        """
        reader = StateReader(state, where)
        fields = {key: _read_pairs(reader, key) for key in ("by_column", "guessed")}
        reader.close()
        if not set(fields["guessed"]) <= set(fields["by_column"]):
            raise reader.refuse("guessed", "names a column that 'by_column' lacks")
        if Role.TARGET in fields["guessed"].values():
            raise reader.refuse("guessed", "holds the role target, which is never a guess for a feature")
        try:
            return cls(**fields)
        except RoleError as error:
            raise reader.refuse("by_column", f"is impossible: {error.message.rstrip('.')}") from error


def _read_pairs(reader: StateReader, key: str) -> dict[str, Role]:
    """A list of [column, role] pairs as a mapping."""
    pairs = reader.take(key)
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs
    ):
        raise reader.refuse(key, "has to be a list of pairs of column and role")
    allowed = {role.value for role in Role}
    wrong = next((role for _, role in pairs if role not in allowed), None)
    if wrong is not None:
        raise reader.refuse(key, f"holds the unknown role '{wrong[:40]}'")
    if len({name for name, _ in pairs}) != len(pairs):
        raise reader.refuse(key, "names a column twice")
    return {name: Role(role) for name, role in pairs}


@dataclass(frozen=True)
class RoleGuess:
    """Guessed roles with what speaks for them and what to look at.

    Attributes
    ----------
    roles : Roles
        The guess.
    issues : tuple of Issue
        Findings, those about the whole table first, then in table order.
    reasons : mapping of str to str
        One short sentence per column.
    """

    roles: Roles
    issues: tuple[Issue, ...]
    reasons: Mapping[str, str]


def guess_roles(table: Table, target: str | None = None) -> RoleGuess:
    r"""Guess what each column is for.

    Parameters
    ----------
    table : Table
        The table.
    target : str or None
        The target, if the person has chosen one; None guesses it, and may find none.

    Returns
    -------
    RoleGuess
        Roles, issues and reasons. Columns that hold nothing, one value or an exact copy of the target are set aside as
        extra; other doubtful columns keep their role and an issue says which one would resolve it.

    Raises
    ------
    RoleError
        If `target` is no column of the table.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table = read_table(b"x,kind\n1.5,a\n2.5,b\n3.25,a\n4.5,b\n", name="small.csv")
    >>> guess = guess_roles(table)
    >>> guess.roles.target, guess.roles.features, guess.reasons["x"]
    ('kind', ('x',), 'Numbers.')
    """
    profiles = _profiles(table)
    if target is not None and target not in profiles:
        raise RoleError(f"There is no column '{target}'.", column=target, hint="Choose one of the table's columns.")
    why = "Chosen as the target."
    if target is None:
        target, why = guess_target(profiles)
    guesses = {name: guess_feature(profile) for name, profile in profiles.items()}
    guessed = {name: role for name, (role, _) in guesses.items()}
    reasons = {name: reason for name, (_, reason) in guesses.items()}
    best = best_identifier(
        profiles, [name for name, role in guessed.items() if role is Role.IDENTIFIER and name != target]
    )
    for name, role in guessed.items():
        if role is Role.IDENTIFIER and name not in (best, target):
            guessed[name] = Role.EXTRA
            reasons[name] += f" '{best}' names the rows already."
    by_column = dict(guessed)
    copies = find_copies(table.frame, profiles, target)
    for name, issue in copies.items():
        if issue.code == "target_copy" and by_column[name] in FEATURE_ROLES:
            by_column[name] = Role.EXTRA
            reasons[name] = f"It says the same as the target '{target}'."
    if target is not None:
        by_column[target] = Role.TARGET
        reasons[target] = why
    issues = review(table.frame, profiles, by_column, copies=copies)
    return RoleGuess(Roles(by_column, guessed), issues, MappingProxyType(reasons))


def review_roles(table: Table, roles: Roles) -> tuple[Issue, ...]:
    """Find what is doubtful about roles that a person has changed.

    Parameters
    ----------
    table : Table
        The table.
    roles : Roles
        A role for every column.

    Returns
    -------
    tuple of Issue
        As in :class:`RoleGuess`, for these roles.
    """
    profiles = _profiles(table)
    return review(table.frame, profiles, roles.by_column, copies=find_copies(table.frame, profiles, roles.target))


def _profiles(table: Table) -> dict[str, Profile]:
    """Facts about every column."""
    pixels = frozenset(table.grid.columns) if table.grid else frozenset()
    return {name: profile_column(table.frame[name], in_grid=name in pixels) for name in table.frame.columns}
