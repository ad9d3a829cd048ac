"""Frozen dataclasses as JSON objects, and back with every field checked against its declared type."""

from __future__ import annotations

import types
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from enum import StrEnum
from functools import lru_cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from proset.common.errors import StorageError
from proset.common.words import shown

T = TypeVar("T")
_LARGEST = float(np.finfo(np.float64).max)

MOST_ITEMS = 20_000
"""Length of a list of a dataclass, such as the findings about a table."""

LONGEST_TEXT = 1_000_000
"""Characters of a text, such as a name; pages show them all."""


def to_record(value: Any, *, skip: Collection[str] = ()) -> Any:
    """Return a dataclass of plain fields, or a part of one, as JSON types; nan becomes None.

    Parameters
    ----------
    value : object
        A dataclass whose fields are texts, numbers, flags, enums, None, tuples, mappings or such dataclasses.
    skip : collection of str
        Fields that are kept elsewhere, such as arrays.

    Examples
    --------
    >>> from proset.data.issues import Issue
    >>> to_record(Issue("constant", "Every row holds 'x'."))["severity"]
    'warning'
    """
    if hasattr(value, "__dataclass_fields__"):
        kept = [field.name for field in fields(value) if field.name not in skip]
        return {name: to_record(getattr(value, name)) for name in kept}
    if isinstance(value, Mapping):
        return {str(key): to_record(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [to_record(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and value != value else value


def from_record(kind: type[T], record: Any, where: str, *, given: Mapping[str, Any] | None = None) -> T:
    """Return the dataclass that a JSON object stands for.

    Parameters
    ----------
    kind : type
        A dataclass as :func:`to_record` takes it.
    record : object
        Parsed JSON.
    where : str
        What is being read, for messages.
    given : mapping or None
        Values of the fields that are kept elsewhere.

    Raises
    ------
    StorageError
        If a field is unknown, missing without a default, or of another type.

    Examples
    --------
    >>> from proset.data.issues import Issue
    >>> from_record(Issue, {"code": "constant", "message": "Same everywhere."}, "issue").severity
    <Severity.WARNING: 'warning'>
    >>> from_record(Issue, {"code": 7}, "issue")
    Traceback (most recent call last):
        ...
    proset.common.errors.StorageError: The saved study is damaged: issue, field 'code' is not a text.
    """
    if not isinstance(record, dict):
        raise damaged(where, "is not an object")
    hints = _hints(kind)  # type: ignore[arg-type]  # mypy does not take a type for something that can be hashed
    given = given or {}
    known = {field.name: field for field in fields(kind) if field.name not in given}  # type: ignore[arg-type]
    for name in record:
        if name not in known:
            raise damaged(where, f"has an unknown field '{shown(name)}'")
    values = {name: _read(hints[name], item, f"{where}, field {name!r}") for name, item in record.items()}
    for name, field in known.items():
        if name not in values and field.default is MISSING and field.default_factory is MISSING:
            raise damaged(where, f"lacks the field {name!r}")
    try:
        return kind(**values, **given)
    except StorageError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise damaged(where, f"is not accepted ({shown(error, 200)})") from error


def damaged(where: str, what: str) -> StorageError:
    """Return the error for a part of a study that cannot be true; the two texts make a sentence.

    Examples
    --------
    >>> str(damaged("split", "is empty"))
    'The saved study is damaged: split is empty.'
    """
    return StorageError(f"The saved study is damaged: {where} {what}.")


@lru_cache(maxsize=64)
def _hints(kind: type) -> dict[str, Any]:
    """Return the declared types of a dataclass; working them out takes longer than reading one."""
    return get_type_hints(kind)


def _read(kind: Any, item: Any, where: str) -> Any:
    """Read a value of a declared type."""
    origin = get_origin(kind)
    if origin in (types.UnionType, Union):
        options = [option for option in get_args(kind) if option is not type(None)]
        if item is None and len(options) < len(get_args(kind)):
            return None
        return _read(next((option for option in options if _may_be(option, item)), options[0]), item, where)
    if origin is tuple:
        if not isinstance(item, list):
            raise damaged(where, "is not a list")
        if len(item) > MOST_ITEMS:
            raise damaged(where, f"is a list of {len(item):,}")
        return tuple(_read(get_args(kind)[0], part, where) for part in item)
    if origin is not None and issubclass(origin, Mapping):
        if not isinstance(item, dict):
            raise damaged(where, "is not an object")
        return {
            _read(get_args(kind)[0], key, where): _read(get_args(kind)[1], part, where) for key, part in item.items()
        }
    if hasattr(kind, "__dataclass_fields__"):
        return from_record(kind, item, where)
    return _read_plain(kind, item, where)


def _may_be(kind: Any, item: Any) -> bool:
    """Tell whether an object has all fields that a dataclass needs, which tells it from others."""
    if not (hasattr(kind, "__dataclass_fields__") and isinstance(item, dict)):
        return False
    needed = {field.name for field in fields(kind) if field.default is MISSING and field.default_factory is MISSING}
    return needed <= set(item)


def _read_plain(kind: Any, item: Any, where: str) -> Any:
    """Read a text, number, flag or enum member."""
    if issubclass(kind, StrEnum):
        if not isinstance(item, str) or item not in list(kind):
            raise damaged(where, f"is '{shown(item)}', which is not one of {', '.join(kind)}")
        return kind(item)
    if kind is bool and isinstance(item, bool):
        return item
    if kind is int and isinstance(item, int) and not isinstance(item, bool):
        return item
    if kind is float and item is None:
        return float("nan")
    if kind is float and isinstance(item, int | float) and not isinstance(item, bool) and abs(item) <= _LARGEST:
        return float(item)
    if kind is str and isinstance(item, str):
        if len(item) > LONGEST_TEXT:
            raise damaged(where, f"is a text of {len(item):,} characters")
        return item
    names = {str: "a text", int: "a whole number", float: "a finite number", bool: "true or false"}
    raise damaged(where, f"is not {names.get(kind, 'of a known type')}")
