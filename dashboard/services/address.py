"""The shareable address: what it may say, how it is written and how it is checked.

Only bundled data can be shared this way. The address names the data set, what differs from the defaults, and a row id;
it never holds data. Everything in it is checked against a list of what is allowed, because anybody can write one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache
from typing import Any

from dashboard.texts import HYPERPARAMETERS
from proset.common.errors import RoleError
from proset.data.issues import Role
from proset.data.role_check import check_roles
from proset.data.roles import Roles
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import Table
from proset.study.settings import FitSettings, suggest_settings

Params = Mapping[str, Sequence[str]]

_LONGEST_QUOTE = 40
_SPLIT_NAMES = {"test": ("test_fraction", 0.1, 0.5), "split": ("seed", 0, 2**31 - 1)}


@dataclass(frozen=True)
class Address:
    """What a shared address asks for.

    Attributes
    ----------
    sample : str
        Name of a bundled data set.
    roles : Roles
        Column roles of its table.
    split : SplitSettings
        How rows are divided.
    settings : FitSettings
        Hyperparameters.
    fitted : bool
        Whether a model belongs to it.
    row : int or None
        Row id of the selected case.
    """

    sample: str
    roles: Roles
    split: SplitSettings = field(default_factory=SplitSettings)
    settings: FitSettings = field(default_factory=FitSettings)
    fitted: bool = False
    row: int | None = None


def write(address: Address) -> dict[str, str | list[str]]:
    """Return the query parameters of an address; defaults are left out.

    Parameters
    ----------
    address : Address
        What to reopen.

    Returns
    -------
    dict
        Parameter name to text, or to a list of texts for repeated parameters.
    """
    params: dict[str, str | list[str]] = {"data": address.sample}
    usual = sample_roles(address.sample).by_column
    changed = [f"{role}:{column}" for column, role in address.roles.by_column.items() if usual.get(column) != role]
    if changed:
        params["role"] = changed
    for name, (attribute, _, _) in _SPLIT_NAMES.items():
        _add_changed(params, name, getattr(address.split, attribute), getattr(SplitSettings(), attribute))
    start = _usual_settings(address.sample, address.roles)
    for name, value in asdict(address.settings).items():
        if name in HYPERPARAMETERS:
            _add_changed(params, name, value, getattr(start, name))
    if address.fitted:
        params["fit"] = "1"
    if address.row is not None:
        params["row"] = str(address.row)
    return params


def read(params: Params) -> tuple[Address | None, Table | None, list[str]]:
    """Check the query parameters of an address.

    Parameters
    ----------
    params : mapping
        Parameter name to its texts, as they came.

    Returns
    -------
    Address or None
        What can be opened; None if no bundled data set is named.
    Table or None
        The data set's table.
    list of str
        One sentence for each part that was left out.
    """
    if not params:
        return None, None, []
    name = _last(params, "data")
    if name not in SAMPLES:
        told = f"has no data set '{_quote(name)}'" if name else "names no data set"
        return None, None, [f"The address {told}, so nothing was opened. Known data sets: {', '.join(SAMPLES)}."]
    notes: list[str] = []
    table = load_sample(name)
    roles = _read_roles(params.get("role", ()), name, table, notes)
    address = Address(
        sample=name,
        roles=roles,
        split=_read_split(params, notes),
        settings=_read_settings(params, _usual_settings(name, roles), notes),
        fitted=_last(params, "fit") == "1",
        row=_read_row(_last(params, "row"), table, notes),
    )
    allowed = {"data", "role", "fit", "row", *_SPLIT_NAMES, *_setting_names()}
    notes.extend(
        f"The address says '{_quote(key)}', which is not known here; it was left out."
        for key in params
        if key not in allowed
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


def _setting_names() -> list[str]:
    """Return the hyperparameters an address may name."""
    return [entry.name for entry in fields(FitSettings) if entry.name in HYPERPARAMETERS]


def _last(params: Params, name: str) -> str:
    """Return the last text given for a parameter, or an empty one."""
    values = params.get(name, ())
    return values[-1] if values else ""


def _quote(text: str) -> str:
    """Shorten what a stranger may have written."""
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "..."


def _read_number(text: str, name: str, low: float, high: float, *, whole: bool, notes: list[str]) -> float | int | None:
    """Read a number in [low, high]; None with a note if it is something else."""
    try:
        value = int(text) if whole else float(text)
    except ValueError:
        value = float("nan")
    if low <= value <= high:
        return value
    kind = "a whole number" if whole else "a number"
    notes.append(
        f"The address says {name} = '{_quote(text)}', which is not {kind} from {low:g} to {high:g}; "
        "the usual value is used."
    )
    return None


def _read_split(params: Params, notes: list[str]) -> SplitSettings:
    """Read the split; what is not allowed keeps its default."""
    usual = SplitSettings()
    chosen: dict[str, Any] = {}
    for name, (attribute, low, high) in _SPLIT_NAMES.items():
        if name in params:
            whole = isinstance(getattr(usual, attribute), int)
            value = _read_number(_last(params, name), name, low, high, whole=whole, notes=notes)
            if value is not None:
                chosen[attribute] = value
    return replace(usual, **chosen)


def _read_settings(params: Params, usual: FitSettings, notes: list[str]) -> FitSettings:
    """Read the hyperparameters; what is not allowed keeps its default."""
    chosen: dict[str, Any] = {}
    for name in _setting_names():
        if name in params:
            bounds = HYPERPARAMETERS[name]
            value = _read_number(_last(params, name), name, bounds.low, bounds.high, whole=bounds.whole, notes=notes)
            if value is not None:
                chosen[name] = value
    return replace(usual, **chosen)


def _read_roles(texts: Sequence[str], sample: str, table: Table, notes: list[str]) -> Roles:
    """Read role changes such as ``extra:island``; all or none of them are used."""
    usual = roles = sample_roles(sample)
    # The target goes first, because naming a target changes the role of the former one.
    for text in sorted(texts, key=lambda entry: not entry.startswith(f"{Role.TARGET}:")):
        role, _, column = text.partition(":")
        if column not in table.frame.columns or role not in set(Role):
            notes.append(
                f"The address asks for the role '{_quote(text)}', which this data set does not have; it was left out."
            )
            continue
        roles = roles.with_role(column, Role(role))
    try:
        check_roles(table, roles)
    except RoleError as error:
        notes.append(f"The column roles in the address cannot be used, so the usual ones are. {error}")
        return usual
    return roles


def _read_row(text: str, table: Table, notes: list[str]) -> int | None:
    """Read a row id that the table has."""
    if not text:
        return None
    if text.isdecimal() and len(text) < 19 and int(text) in table.frame.index:
        return int(text)
    notes.append(f"The address asks for row '{_quote(text)}', which this data set does not have; no case is selected.")
    return None
