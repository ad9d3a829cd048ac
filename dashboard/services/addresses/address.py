"""The shareable address: what it may say, how it is written and how it is checked.

Only bundled data can be shared this way. The address names the data set, what differs from the defaults, a case, and
what the page declares as its own; it never holds data. Everything in it is checked against a list of what is allowed,
because anybody can write one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache, partial
from typing import Any

from dashboard.services.addresses.parts import (
    NOTHING,
    Params,
    View,
    Written,
    last,
    quote,
    read_values,
    read_view,
    unknown,
)
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.params import EnumParam, Flag, Number, Param, names
from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import ProsetError, RoleError, StorageError
from proset.data.classes import TargetClasses
from proset.data.issues import Role
from proset.data.role_check import check_roles
from proset.data.roles import Roles
from proset.data.samples import SAMPLES, load_sample, sample_roles, sample_split
from proset.data.split import LARGEST_FRACTION, LARGEST_SEED, SMALLEST_FRACTION, SplitSettings
from proset.data.table import Table
from proset.selection import is_quick
from proset.study.recipe import Recipe
from proset.study.settings import (
    BOUNDS,
    Bounds,
    FitSettings,
    NumberSettings,
    suggest_number_settings,
    suggest_settings,
)

_CLASSES = JsonLimits(max_bytes=20_000, max_values=2_000, max_depth=4)
_SPLIT = {
    "test_fraction": Number("test", SplitSettings().test_fraction, bounds=Bounds(SMALLEST_FRACTION, LARGEST_FRACTION)),
    "seed": Number("split", SplitSettings().seed, bounds=Bounds(0, LARGEST_SEED, whole=True)),
}
_SETTINGS = tuple(entry.name for entry in fields(NumberSettings) if entry.name in BOUNDS)
_SPLIT_COLUMNS = ("groups", "time")
_ORDER = Flag("file_order", False)
_NUMBER = Flag("number", False)
_SCALE = EnumParam("scale", FitSettings().scale)
COMMON = frozenset(
    {
        "data",
        "role",
        "classes",
        "fit",
        _ORDER.name,
        _NUMBER.name,
        _SCALE.name,
        *_SETTINGS,
        *names(_SPLIT.values()),
        *_SPLIT_COLUMNS,
    }
)
"""Parameters that stand in the address of every page, besides what is looked at."""


@dataclass(frozen=True)
class Address:
    """State that a shared address asks for.

    Attributes
    ----------
    sample : str
        Name of a bundled data set.
    recipe : Recipe
        Column roles of its table, split and hyperparameters; without a plan.
    fitted : bool
        Whether a model belongs to it: that of a quick fit, unless what such a fit finds is stated.
    own : bool
        Whether the model has the settings as they are stated, also where these are the usual ones.
    view : View
        What is looked at.
    """

    sample: str
    recipe: Recipe
    fitted: bool = False
    own: bool = False
    view: View = NOTHING


def write(address: Address, params: Sequence[Param[Any]] = (), recipe: Written | None = None) -> Written:
    """Return the query parameters of an address; defaults are left out.

    Parameters
    ----------
    recipe : dict or None
        What :func:`write_recipe` makes of the recipe, if it is known.

    Returns
    -------
    dict
        Parameter name to text, or to a list of texts for repeated parameters.
    """
    made = write_recipe(address.sample, address.recipe) if recipe is None else recipe
    written: Written = {"data": address.sample, **made}
    if address.fitted:
        written["fit"] = "own" if address.own else "1"
    return written | address.view.write(params)


def write_recipe(sample: str, recipe: Recipe) -> Written:
    """Return the query parameters of what is done with a bundled data set, but for what is usual or found quickly."""
    written: Written = {}
    usual = sample_roles(sample).by_column
    changed = [f"{role}:{column}" for column, role in recipe.roles.by_column.items() if usual.get(column) != role]
    if changed:
        written["role"] = changed
    if recipe.roles.number != sample_roles(sample).number and recipe.roles.classes is None:
        written[_NUMBER.name] = _NUMBER.write(recipe.roles.number)
    if recipe.roles.classes is not None:
        written["classes"] = json.dumps(recipe.roles.classes.to_state(), separators=(",", ":"), ensure_ascii=False)
    for attribute, number in _SPLIT.items():
        _add_changed(written, number.name, getattr(recipe.split, attribute), number.usual)
    split = sample_split(sample)
    for name in _SPLIT_COLUMNS:
        column = getattr(recipe.split, name)
        if column != getattr(split, name):
            written[name] = column or ""  # without a column, where the table is usually split by one
    if recipe.split.file_order:
        written[_ORDER.name] = _ORDER.write(True)
    start, found = _usual_settings(sample, recipe.roles), recipe.finds if is_quick(recipe.plan) else ()
    for name, value in asdict(recipe.settings).items():
        if name in _SETTINGS and name not in found:
            _add_changed(written, name, value, getattr(start, name))
    if recipe.settings.scale is not _SCALE.usual and _SCALE.name not in found:
        written[_SCALE.name] = _SCALE.write(recipe.settings.scale)
    return written


def read(
    given: Params, params: Sequence[Param[Any]] = (), has: Callable[[CaseRef], bool] | None = None
) -> tuple[Address | None, Table | None, list[str]]:
    """Check the query parameters of an address.

    Parameters
    ----------
    given : mapping
        Parameter name to its texts, as they came.
    has : callable or None
        Tells whether there is such a case; None for the rows of the table.

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
    name = last(given, "data")
    if name not in SAMPLES:
        told = f"names the data set '{quote(name)}', which is not known here" if name else "names no data set"
        return None, None, [f"The address {told}, so nothing was opened. Choose data on the Data page."]
    notes: list[str] = []
    table = load_sample(name)
    roles = _read_roles(given.get("role", ()), name, table, notes)
    if "classes" in given:
        roles = _read_classes(last(given, "classes"), roles, table, notes)
    number = read_values(given, {"number": _NUMBER}, notes).get("number")
    if number is not None and number != roles.number:
        roles = roles.as_number() if number else roles.with_classes(None)
    roles = _checked(roles, name, table, notes)
    split = _read_split(given, name, table, roles, notes)
    usual = _usual_settings(name, roles)
    numbers = {key: Number(key, getattr(usual, key), bounds=BOUNDS[key]) for key in _SETTINGS if hasattr(usual, key)}
    settings = read_values(given, numbers, notes) | read_values(given, {"scale": _SCALE}, notes)
    address = Address(
        sample=name,
        recipe=Recipe(roles, split, replace(usual, **settings)),
        fitted=last(given, "fit") in ("1", "own"),
        own=last(given, "fit") == "own",
        view=read_view(given, params, has or partial(_is_row, table), notes),
    )
    return address, table, [*notes, *unknown(given, COMMON, params)]


def _is_row(table: Table, case: CaseRef) -> bool:
    """Tell whether a case is a row of the table."""
    return case.source is CaseSource.TABLE and case.row in table.frame.index


def _add_changed(params: Written, name: str, value: float | None, usual: float | None) -> None:
    """Add a parameter unless it has its usual value; repr keeps every digit."""
    if value != usual:
        params[name] = repr(value)


def _usual_settings(sample: str, roles: Roles) -> FitSettings:
    """Return the hyperparameters a bundled data set starts from; an address leaves them out."""
    n_rows = _sample_rows(sample)
    return suggest_number_settings(n_rows) if roles.number else suggest_settings(n_rows, len(roles.features))


@cache
def _sample_rows(sample: str) -> int:
    """Return the number of rows of a bundled data set."""
    return len(load_sample(sample).frame)


def _read_split(given: Params, sample: str, table: Table, roles: Roles, notes: list[str]) -> SplitSettings:
    """Read what an address says of the split; the rest is as usual for the data set."""
    columns = _read_split_columns(given, table, roles, notes)
    usual = sample_split(sample)
    if usual.time in (roles.target, columns.get("groups")):
        usual = replace(usual, time=None)
    found = read_values(given, _SPLIT, notes) | columns
    if columns.get("time") is None and read_values(given, {"file_order": _ORDER}, notes).get("file_order"):
        found |= {"file_order": True, "time": None}
    return replace(usual, **found)


def _read_split_columns(given: Params, table: Table, roles: Roles, notes: list[str]) -> dict[str, str | None]:
    """Read the columns by which rows are split, None for none; one that cannot be used is left out with a note."""
    found: dict[str, str | None] = {}
    for name in (name for name in _SPLIT_COLUMNS if name in given):
        column = last(given, name)
        if not column:
            found[name] = None
        elif column not in table.frame.columns or column == roles.target or column in found.values():
            notes.append(
                f"The address says {name} = '{quote(column)}', by which this data set cannot be split; it was left out."
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
                f"The address asks for the role '{quote(text)}', which this data set does not have; it was left out."
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
        why = error.message if isinstance(error, StorageError) else error  # the hint of that one is for files
        notes.append(f"The classes of the target in the address cannot be used, so each value is a class. {why}")
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
