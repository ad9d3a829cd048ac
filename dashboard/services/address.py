"""The shareable address: what it may say, how it is written and how it is checked.

Only bundled data can be shared this way. The address names the data set, what differs from the defaults, a case, and
what the page declares as its own; it never holds data. Everything in it is checked against a list of what is allowed,
because anybody can write one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import Any

from dashboard.services.cases import CaseRef, Source
from dashboard.services.params import Number, Param, names
from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import ProsetError, RoleError
from proset.data.classes import TargetClasses
from proset.data.issues import Role
from proset.data.role_check import check_roles
from proset.data.roles import Roles
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.split import LARGEST_FRACTION, LARGEST_SEED, SMALLEST_FRACTION, SplitSettings
from proset.data.table import Table
from proset.study.recipe import Recipe
from proset.study.settings import BOUNDS, Bounds, FitSettings, suggest_settings

Params = Mapping[str, Sequence[str]]

_LONGEST_QUOTE = 40
_CLASSES = JsonLimits(max_bytes=20_000, max_values=2_000, max_depth=4)
_SPLIT = {
    "test_fraction": Number("test", SplitSettings().test_fraction, bounds=Bounds(SMALLEST_FRACTION, LARGEST_FRACTION)),
    "seed": Number("split", SplitSettings().seed, bounds=Bounds(0, LARGEST_SEED, whole=True)),
}
_SETTINGS = tuple(entry.name for entry in fields(FitSettings) if entry.name in BOUNDS)
_SPLIT_COLUMNS = ("groups", "time")
COMMON = frozenset({"data", "role", "classes", "fit", "row", *_SETTINGS, *names(_SPLIT.values()), *_SPLIT_COLUMNS})
"""What stands in the address on every page."""


@dataclass(frozen=True)
class Address:
    """What a shared address asks for.

    Attributes
    ----------
    sample : str
        Name of a bundled data set.
    recipe : Recipe
        Column roles of its table, split and hyperparameters; without a plan.
    fitted : bool
        Whether a model belongs to it.
    case : CaseRef or None
        The selected case.
    own : mapping of str to object
        Values of the page, by name.
    """

    sample: str
    recipe: Recipe
    fitted: bool = False
    case: CaseRef | None = None
    own: Mapping[str, Any] = field(default_factory=dict)


def write(address: Address, params: Sequence[Param[Any]] = ()) -> dict[str, str | list[str]]:
    """Return the query parameters of an address; defaults are left out.

    Parameters
    ----------
    address : Address
        What to reopen.
    params : sequence of Param
        Those that the page declares.

    Returns
    -------
    dict
        Parameter name to text, or to a list of texts for repeated parameters.
    """
    written: dict[str, str | list[str]] = {"data": address.sample}
    recipe, usual = address.recipe, sample_roles(address.sample).by_column
    changed = [f"{role}:{column}" for column, role in recipe.roles.by_column.items() if usual.get(column) != role]
    if changed:
        written["role"] = changed
    if recipe.roles.classes is not None:
        written["classes"] = json.dumps(recipe.roles.classes.to_state(), separators=(",", ":"), ensure_ascii=False)
    for attribute, number in _SPLIT.items():
        _add_changed(written, number.name, getattr(recipe.split, attribute), number.usual)
    written |= {name: column for name in _SPLIT_COLUMNS if (column := getattr(recipe.split, name)) is not None}
    start = _usual_settings(address.sample, recipe.roles)
    for name, value in asdict(recipe.settings).items():
        if name in _SETTINGS:
            _add_changed(written, name, value, getattr(start, name))
    if address.fitted:
        written["fit"] = "1"
    if address.case is not None:
        written["row"] = address.case.text
    for param in params:
        if address.own.get(param.name, param.usual) != param.usual:
            written[param.name] = param.write(address.own[param.name])
    return written


def read(given: Params, params: Sequence[Param[Any]] = ()) -> tuple[Address | None, Table | None, list[str]]:
    """Check the query parameters of an address.

    Parameters
    ----------
    given : mapping
        Parameter name to its texts, as they came.
    params : sequence of Param
        Those that the page declares.

    Returns
    -------
    Address or None
        What can be opened; None if no bundled data set is named.
    Table or None
        The data set's table.
    list of str
        One sentence for each part that was left out.
    """
    if not given:
        return None, None, []
    name = _last(given, "data")
    if name not in SAMPLES:
        told = f"names the data set '{_quote(name)}', which is not known here" if name else "names no data set"
        return None, None, [f"The address {told}, so nothing was opened. Choose data on the Data page."]
    notes: list[str] = []
    table = load_sample(name)
    roles = _read_roles(given.get("role", ()), name, table, notes)
    if "classes" in given:
        roles = _read_classes(_last(given, "classes"), roles, table, notes)
    roles = _checked(roles, name, table, notes)
    split = _read_all(given, _SPLIT, notes) | _read_split_columns(given, table, roles, notes)
    usual = _usual_settings(name, roles)
    own = _read_all(given, {param.name: param for param in params}, notes)
    settings = _read_all(given, {key: Number(key, getattr(usual, key), bounds=BOUNDS[key]) for key in _SETTINGS}, notes)
    address = Address(
        sample=name,
        recipe=Recipe(roles, replace(SplitSettings(), **split), replace(usual, **settings)),
        fitted=_last(given, "fit") == "1",
        case=_read_case(_last(given, "row"), table, notes),
        own=own,
    )
    notes.extend(
        f"The address says '{_quote(key)}', which is not known here; it was left out."
        for key in given
        if key not in COMMON | names(params)
    )
    return address, table, notes


def _add_changed(params: dict[str, str | list[str]], name: str, value: float | None, usual: float | None) -> None:
    """Add a parameter unless it has its usual value; repr keeps every digit."""
    if value != usual:
        params[name] = repr(value)


def _usual_settings(sample: str, roles: Roles) -> FitSettings:
    """Return the hyperparameters a bundled data set starts from; an address leaves them out."""
    return suggest_settings(_sample_rows(sample), len(roles.features))


@cache
def _sample_rows(sample: str) -> int:
    """Return the number of rows of a bundled data set."""
    return len(load_sample(sample).frame)


def _last(params: Params, name: str) -> str:
    """Return the last text given for a parameter, or an empty one."""
    values = params.get(name, ())
    return values[-1] if values else ""


def _quote(text: str) -> str:
    """Shorten what a stranger may have written."""
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."


def _read_all(given: Params, params: Mapping[str, Param[Any]], notes: list[str]) -> dict[str, Any]:
    """Read values; what is not allowed is left out with a note."""
    found: dict[str, Any] = {}
    for key, param in params.items():
        if param.name in given:
            text = _last(given, param.name)
            value = param.read(text)
            if value is not None:
                found[key] = value
            else:
                notes.append(
                    f"The address says {param.name} = '{_quote(text)}', which is not {param.allowed}; "
                    "the usual value is used."
                )
    return found


def _read_split_columns(given: Params, table: Table, roles: Roles, notes: list[str]) -> dict[str, str]:
    """Read the columns by which rows are split; one that cannot be used is left out with a note."""
    found: dict[str, str] = {}
    for name in _SPLIT_COLUMNS:
        column = _last(given, name)
        if not column:
            continue
        if column not in table.frame.columns or column == roles.target or column in found.values():
            notes.append(
                f"The address says {name} = '{_quote(column)}', by which this data set cannot be split; it was left"
                " out."
            )
        else:
            found[name] = column
    return found


def _read_roles(texts: Sequence[str], sample: str, table: Table, notes: list[str]) -> Roles:
    """Read role changes such as ``extra:island``."""
    roles = sample_roles(sample)
    # The target goes first, because naming a target changes the role of the former one.
    for text in sorted(texts, key=lambda entry: not entry.startswith(f"{Role.TARGET}:")):
        role, _, column = text.partition(":")
        if column not in table.frame.columns or role not in set(Role):
            notes.append(
                f"The address asks for the role '{_quote(text)}', which this data set does not have; it was left out."
            )
            continue
        roles = roles.with_role(column, Role(role))
    return roles


def _read_classes(text: str, roles: Roles, table: Table, notes: list[str]) -> Roles:
    """Read how classes are made of the target; all of it is used or nothing."""
    try:
        state = parse_json(text, "The address", limits=_CLASSES)
        made = roles.with_classes(TargetClasses.from_state(state, where="classes"))
        check_roles(table, made)
    except ProsetError as error:
        notes.append(f"The classes of the target in the address cannot be used, so each value is a class. {error}")
        return roles
    return made


def _checked(roles: Roles, sample: str, table: Table, notes: list[str]) -> Roles:
    """Return roles that can be fitted: these, or the usual ones with a note."""
    try:
        check_roles(table, roles)
    except RoleError as error:
        notes.append(f"The column roles in the address cannot be used, so the usual ones are. {error}")
        return sample_roles(sample)
    return roles


def _read_case(text: str, table: Table, notes: list[str]) -> CaseRef | None:
    """Read a case that the table has."""
    if not text:
        return None
    case = CaseRef.read(text)
    if case is not None and case.source is Source.TABLE and case.row in table.frame.index:
        return case
    notes.append(f"The address asks for row '{_quote(text)}', which this data set does not have; no case is selected.")
    return None
