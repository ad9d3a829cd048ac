"""Choices for an open table and what is looked at, as texts that a workspace keeps, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dashboard.services.addresses.cases import read_cases, write_cases
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.page import Page
from dashboard.services.params import Param
from dashboard.services.review.filters import ReviewView
from dashboard.session.opened import OpenTable
from dashboard.session.session import RULE
from dashboard.work.tasks import FitRequest
from proset.common.checked_json import parse_json
from proset.common.errors import ProsetError, StorageError
from proset.data.table import Table
from proset.explain.slices.slice import Slice
from proset.selection import read_plan, read_record
from proset.storage.recipes import recipe_from_record, recipe_to_record
from proset.study import DecisionRule
from proset.study.recipe import Recipe

_WHERE = "What is kept of the study"


@dataclass(frozen=True, eq=False)
class Choices:
    """Choices for a table.

    Attributes
    ----------
    recipe : Recipe
        That of the next fit.
    plans : mapping of str to plan
        See :class:`~dashboard.session.opened.OpenTable`.
    rules : mapping of tuple of str to DecisionRule
        The same.
    slice_numbers : mapping of Slice to int
        The same.
    views : tuple of ReviewView
        The same.
    """

    recipe: Recipe
    plans: Mapping[str, Any]
    rules: Mapping[tuple[str, ...], DecisionRule]
    slice_numbers: Mapping[Slice, int] = field(default_factory=dict)
    views: tuple[ReviewView, ...] = ()


def write_choices(opened: OpenTable) -> str:
    """Return what is chosen for a table as JSON."""
    document: dict[str, Any] = {
        "recipe": recipe_to_record(opened.chosen_recipe),
        "plans": {name: plan.to_state() for name, plan in opened.plans.items()},
        "slices": [each.to_state() for each in opened.slices],
        "views": [each.to_state() for each in opened.views],
        "rules": [[list(classes), RULE.write(rule)] for classes, rule in opened.rules.items()],
    }
    numbers = list(opened.slice_numbers.values())
    if numbers != _by_place(opened.slices):  # as older ones have them, which are not changed by being opened
        document["slice_numbers"] = numbers
    return json.dumps(document)


def read_choices(text: str) -> Choices:
    """Return what :func:`write_choices` wrote.

    Raises
    ------
    ProsetError
        If it is damaged.
    """
    document = parse_json(text, _WHERE)
    try:
        plans = {name: read_plan(state) for name, state in document["plans"].items()}
        rules = {tuple(classes): RULE.read(rule) for classes, rule in document["rules"]}
        recipe = recipe_from_record(document["recipe"])
        slices = list(map(Slice.from_state, document.get("slices", [])))  # older ones have none
        numbers = map(int, document.get("slice_numbers", _by_place(slices)))
        slice_numbers = dict(zip(slices, numbers, strict=True))
        views = tuple(map(ReviewView.from_state, document.get("views", [])))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, ProsetError):
            raise
        raise StorageError(f"{_WHERE} is damaged.") from error
    known_rules = {classes: rule for classes, rule in rules.items() if rule is not None}
    return Choices(recipe, plans, known_rules, slice_numbers, views)


def _by_place(slices: Sequence[Slice]) -> list[int]:
    """Return the numbers of slices that were kept when addresses still meant them by their places."""
    return list(range(1, len(slices) + 1))


def write_view(opened: OpenTable, pages: Iterable[Page]) -> str:
    """Return what is looked at as JSON: model, case, list of cases, and what the pages have in their addresses."""
    params = _params(pages)
    in_table = opened.selection if opened.selection and opened.selection.source is CaseSource.TABLE else None
    values = [
        [scope, name, params[name].write(value)]
        for (scope, name), value in opened.values.items()
        if name in params and (not scope or scope in opened.models)
    ]
    document = {
        "model": opened.current,
        "follows": opened.before_looking is not None,
        "row": in_table.text if in_table else None,
        "cases": write_cases(opened.walk) if opened.walk else None,
        "values": sorted(values),
    }
    return json.dumps(document)


def look_as(opened: OpenTable, text: str, pages: Iterable[Page]) -> None:
    """Look at what :func:`write_view` wrote; what cannot be looked at any more is left out."""
    try:
        document = parse_json(text, _WHERE)
        row, cases = document["row"], document["cases"]
        if document["model"] in opened.models:
            opened.current = document["model"]
            if document.get("follows", False):
                opened.follow_model()
        opened.select(CaseRef.read(row) if row else None)
        opened.look_through(read_cases(cases, opened.has) if cases else None)
        params = _params(pages)
        for scope, name, value in document["values"]:
            read = params[name].read(value) if name in params else None
            if read is not None and (not scope or scope in opened.models):
                opened.values[scope, name] = read
    except (ProsetError, KeyError, TypeError, ValueError, AttributeError):
        return  # nothing that a person has made is lost


def write_request(request: FitRequest, record: Any) -> dict[str, Any]:
    """Return a fit or a search as JSON types, with what it has finished."""
    return {"recipe": recipe_to_record(request.recipe), "record": None if record is None else record.to_state()}


def read_request(document: Any, table: Table) -> FitRequest:
    """Return the request that :func:`write_request` wrote, for the same table; a StorageError if it is damaged."""
    try:
        record = None if document["record"] is None else read_record(document["record"])
        return FitRequest(table, recipe_from_record(document["recipe"]), record)
    except (KeyError, TypeError) as error:
        raise StorageError(f"{_WHERE} is damaged.") from error


def _params(pages: Iterable[Page]) -> dict[str, Param[Any]]:
    """Return what pages have in their addresses, but for the rule, by name."""
    return {param.name: param for page in pages for param in page.params if param != RULE}
