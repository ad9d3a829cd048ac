"""Roles of the columns of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from proset.common.checked_json import StateReader
from proset.common.errors import RoleError
from proset.common.words import shown
from proset.data.classes import TargetClasses
from proset.data.issues import Role

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
    classes : TargetClasses or None
        How classes are made of the target; None where each of its values is a class. Without a target there is none.
    number : bool
        Whether the target is a number that a model states as a distribution, instead of classes.

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
    classes: TargetClasses | None = None
    number: bool = False

    def __post_init__(self) -> None:
        for single in (Role.TARGET, Role.IDENTIFIER):
            holders = [name for name, role in self.by_column.items() if role == single]
            if len(holders) > 1:
                raise RoleError(
                    f"Columns '{shown(holders[0])}' and '{shown(holders[1])}' both have the role {single}.",
                    column=holders[1],
                    hint="Only one column can have it; give the other one another role.",
                )
        object.__setattr__(self, "by_column", MappingProxyType({n: Role(r) for n, r in self.by_column.items()}))
        object.__setattr__(self, "guessed", MappingProxyType({n: Role(r) for n, r in self.guessed.items()}))
        object.__setattr__(self, "number", self.number and self.target is not None)
        if self.target is None or self.number or not self.classes:
            object.__setattr__(self, "classes", None)

    def __reduce__(self) -> tuple[type[Roles], tuple[dict[str, Role], dict[str, Role], TargetClasses | None, bool]]:
        """Let copies and worker processes rebuild the read-only mappings."""
        return Roles, (dict(self.by_column), dict(self.guessed), self.classes, self.number)

    def __hash__(self) -> int:
        return hash((frozenset(self.by_column.items()), self.classes, self.number))

    @property
    def target(self) -> str | None:
        """The column that is predicted, if one is chosen."""
        return next(iter(self.of(Role.TARGET)), None)

    @property
    def stated(self) -> str:
        """The word for what rows state in the target: "class" or "number"."""
        return "number" if self.number else "class"

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

        Returns
        -------
        tuple of str
            Columns in table order.
        """
        return tuple(name for name, held in self.by_column.items() if held == role)

    @property
    def classes_are_values(self) -> bool:
        """Tell whether each value of the target is a class under its own name."""
        return self.classes is None or self.classes.are_values

    def with_role(self, column: str, role: Role) -> Roles:
        """Give one column another role.

        Parameters
        ----------
        column : str
            A column of the table.
        role : Role
            Its new role. If another column is the target (or the identifier) so far, that one goes back to its guessed
            feature role (or becomes extra). Another target starts with each of its values as a class.

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
            raise RoleError(
                f"There is no column '{shown(column)}'.", column=column, hint="Choose one of the table's columns."
            )
        changed = dict(self.by_column)
        for former in self.of(role) if role in (Role.TARGET, Role.IDENTIFIER) else ():
            changed[former] = self.guessed.get(former, Role.CATEGORICAL) if role == Role.TARGET else Role.EXTRA
            if changed[former] == Role.IDENTIFIER and self.identifier not in (None, column):
                changed[former] = Role.EXTRA
        changed[column] = Role(role)
        kept = Roles(changed, self.guessed, self.classes, self.number)
        return kept if kept.target == self.target else replace(kept, classes=None, number=False)

    def with_classes(self, classes: TargetClasses | None) -> Roles:
        """Make classes of the target in another way.

        Examples
        --------
        >>> roles = Roles({"age": Role.TARGET}).with_classes(TargetClasses(cuts=(40,)))
        >>> roles.classes.labels
        ('up to 40', 'over 40')
        """
        return replace(self, classes=classes, number=False)

    def as_number(self) -> Roles:
        """Take the target as a number instead of making classes of it.

        Examples
        --------
        >>> Roles({"price": Role.TARGET}).as_number().number
        True
        """
        return replace(self, classes=None, number=True)

    def to_dict(self) -> dict[str, Any]:
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
        state: dict[str, Any] = {
            key: [[name, role.value] for name, role in getattr(self, key).items()] for key in ("by_column", "guessed")
        }
        if self.number:
            return state | {"number": True}
        return state if self.classes is None else state | {"classes": self.classes.to_state()}

    @classmethod
    def from_dict(cls, state: object, *, where: str = "roles") -> Roles:
        """Rebuild roles, trusting nothing.

        Parameters
        ----------
        state : object
            What :meth:`to_dict` returned, read back from a file.
        where : str
            How messages name the place.

        Raises
        ------
        StorageError
            If a field is wrong; the message names it.
        """
        reader = StateReader(state, where)
        fields = {key: _read_pairs(reader, key) for key in ("by_column", "guessed")}
        # Files of format 3 and before have no such field, and neither have files in which each value is a class.
        held = reader.take("classes") if isinstance(state, dict) and "classes" in state else None
        classes = None if held is None else TargetClasses.from_state(held, where=f"{where}.classes")
        number = isinstance(state, dict) and "number" in state
        if number and (reader.take("number") is not True or classes is not None):
            raise reader.refuse("number", "is written only where it is true, and where there are no classes")
        reader.close()
        if not set(fields["guessed"]) <= set(fields["by_column"]):
            raise reader.refuse("guessed", "names a column that 'by_column' lacks")
        if Role.TARGET in fields["guessed"].values():
            raise reader.refuse("guessed", "holds the role target, which is never a guess for a feature")
        try:
            roles = cls(**fields, classes=classes, number=number)
        except RoleError as error:
            raise reader.refuse("by_column", f"is impossible: {error.message.rstrip('.')}") from error
        if roles.target is None and classes:
            raise reader.refuse("classes", "says how classes are made, but no column is the target")
        if number and not roles.number:
            raise reader.refuse("number", "says that the target is a number, but no column is the target")
        return roles


def _read_pairs(reader: StateReader, key: str) -> dict[str, Role]:
    """Return a list of [column, role] pairs as a mapping."""
    pairs = reader.take(key)
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair) for pair in pairs
    ):
        raise reader.refuse(key, "has to be a list of pairs of column and role")
    allowed = {role.value for role in Role}
    wrong = next((role for _, role in pairs if role not in allowed), None)
    if wrong is not None:
        raise reader.refuse(key, f"holds the unknown role '{shown(wrong, 40)}'")
    if len({name for name, _ in pairs}) != len(pairs):
        raise reader.refuse(key, "names a column twice")
    return {name: Role(role) for name, role in pairs}
